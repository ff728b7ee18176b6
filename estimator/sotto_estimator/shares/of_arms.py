"""From arms, people asked by one design or by several, to shares with intervals that hold."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sotto_estimator.channel.channel import TARGETS, Floats, Target, check_n
from sotto_estimator.designs.arms import Arms
from sotto_estimator.designs.asked import AskedBy
from sotto_estimator.designs.blocks import Blocks
from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.disagreement import MAX_ARMS, misfits_of
from sotto_estimator.designs.exact import exact_interval
from sotto_estimator.designs.fit import ShareFit, StackedReports, fit_of
from sotto_estimator.designs.item_count import BETS, NO_EXACT, betting_interval, is_item_count
from sotto_estimator.designs.pooled import pooled_interval
from sotto_estimator.designs.profile import likelihood_interval
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.contradiction import Contradiction
from sotto_estimator.intervals.fakes import PERCENT, shift_per_percent
from sotto_estimator.intervals.intervals import IntervalOptions, check_level
from sotto_estimator.results.result import GIVEN
from sotto_estimator.shares.estimates import Estimate, Estimates
from sotto_estimator.shares.exact_gain import EXACT, with_exact_gain, with_gain_of
from sotto_estimator.shares.of_tally import estimate_counts
from sotto_estimator.shares.verdict.judge import with_verdict_of_counts, with_verdict_of_shares
from sotto_estimator.shares.verdict.order import Order, ShareInterval, order_of

METHODS_OF_ARMS: dict[str, tuple[Target, ...]] = {
    "chernoff": TARGETS,
    "hoeffding": TARGETS,
    EXACT: ("population",),
    "likelihood": ("population",),
}
"""The interval methods of several designs, or of more than two reports: whom they can be about."""
_IMPOSSIBLE = 1e-300
"""The P-value that stands for 0."""
_N_COMPARED = 5000
"""Of more people, exact intervals take long."""


def estimate_arms(
    arms: Sequence[Arm], options: IntervalOptions | None = None, *, n_groups: int = 1, is_held: bool = True
) -> Estimates:
    """Estimate the share of every answer from arms with whole counts. With two answers, that of the first.

    One yes-no design can have every interval method. Several designs, or more than two reports, can have those of
    `METHODS_OF_ARMS`. About the population, all arms are taken to be samples of one population. Consistent shares are
    those of maximum likelihood.

    `n_groups` is how many groups one output shows. They share one probability of a false alarm, and of a miss where
    intervals hold together. `is_held` withholds estimates where counts contradict the design. Raises `DomainError`
    where counts are not whole, arms cannot give the shares, or the method does not fit them.
    """
    options = options or IntervalOptions()
    for arm in arms:
        if not (arm.counts == np.round(arm.counts)).all():
            raise DomainError(f"counts of {arm.design.name} must be whole numbers.")
    if any(arm.design.block for arm in arms):
        return _estimate_blocks(arms, options, n_groups)
    if len(arms) == 1 and arms[0].design.is_binary:
        return _estimate_binary(arms[0], options, n_groups)
    if options.about not in METHODS_OF_ARMS.get(options.method, ()):
        known = [name for name, targets in METHODS_OF_ARMS.items() if options.about in targets]
        raise DomainError(
            f"method ({options.method!r}) must be one of {', '.join(known)} about the {options.about}: there are "
            "several samples, or more than two reports."
        )
    if options.population_size is not None:
        raise DomainError("population_size goes with one design of two reports.")
    question = _Question.of(arms, options, n_groups)
    asked = tuple(map(AskedBy.of, arms))
    epsilon = max(of.epsilon for of in asked)
    found = Estimates(
        GIVEN,
        question.n,
        epsilon,
        options,
        tuple(question.row(label, epsilon) for label in question.shown),
        contradictions=misfits_of(arms, n_groups=n_groups),
        designs=asked,
        fit=_fit_of(arms),
        n_groups=n_groups,
    )
    if question.is_small and n_groups == 1 and not found.contradictions:
        found = with_gain_of(found, question.exact_ends)
    return with_verdict_of_shares(found, question.order()) if is_held else found


def _fit_of(arms: Sequence[Arm]) -> ShareFit | None:
    """Return how well shares fit the arms; None of many, and of one alone that any shares of its reports fit."""
    if len(arms) > MAX_ARMS:
        return None
    found = fit_of(arms)
    return found if len(arms) > 1 or found.df else None


def _estimate_binary(arm: Arm, options: IntervalOptions, n_groups: int) -> Estimates:
    design, channel = arm.design, arm.design.channel
    counted = round(arm.counts[0]), check_n(round(arm.n))
    found = estimate_counts(*counted, channel, options, is_opposite=design.is_opposite, n_groups=n_groups)
    rows = tuple(replace(row, answer=design.labels[0], epsilon=design.epsilon) for row in found.rows)
    found = replace(found, figures=rows, epsilon=design.epsilon, designs=(AskedBy.of(arm),))
    found = with_verdict_of_counts(found, channel)
    return found if n_groups > 1 else with_exact_gain(found, {"": channel})


def _estimate_blocks(arms: Sequence[Arm], options: IntervalOptions, n_groups: int) -> Estimates:
    """Estimate the share of yes from people who were forced by blocks."""
    options.only("block-garbling", "level", "method", "target", "simultaneous")
    blocks = Blocks.of(arms)
    low, high = blocks.ends(options, n_groups if options.simultaneous else 1)
    asked, n, share = tuple(map(AskedBy.of, arms)), check_n(blocks.n), blocks.share
    up, down = map(float, shift_per_percent(np.array(share), blocks.like))
    numbers = share, blocks.standard_error(options.about), *_possible((low, high)), up, down, None
    is_outside = low > 1 or high < 0 or low > high
    row = Estimate("", arms[0].design.labels[0], n, blocks.n_yes, math.inf, *numbers, is_outside=is_outside)
    found = Estimates(GIVEN, n, math.inf, options, (row,), contradictions=_too_few(arms), designs=asked)
    return with_verdict_of_shares(replace(found, n_groups=n_groups))


def _too_few(arms: Sequence[Arm]) -> tuple[Contradiction, ...]:
    """Return the contradiction of fewer yes than people who were forced, of all arms or of one: that is impossible."""
    for blocks in map(Blocks.of, [arms, *([arm] for arm in arms)]):
        least, _ = blocks.forced
        if blocks.n_yes < least:
            return (Contradiction("", "yes", blocks.n, blocks.n_yes, least, _IMPOSSIBLE),)
    return ()


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """One question's arms; `likeliest`: the columns' shares of maximum likelihood; `lists`: an item count's."""

    arms: Arms
    options: IntervalOptions
    likeliest: Floats
    n_groups: int
    lists: tuple[Arm, ...] = ()

    @classmethod
    def of(cls, arms: Sequence[Arm], options: IntervalOptions, n_groups: int) -> "_Question":
        together = Arms.of(arms)  # checks them
        cells = StackedReports.of([arm.design.matrix for arm in arms], [arm.counts for arm in arms])
        return cls(together, options, cells.best()[0], n_groups, tuple(arms) if is_item_count(arms) else ())

    @property
    def n(self) -> int:
        return check_n(round(self.arms.counts.sum()))

    @property
    def shown(self) -> tuple[str, ...]:
        """The answers that get a row: of two the first, as the other's share is the rest."""
        return self.arms.labels[: 1 if len(self.arms.labels) == 2 else None]

    @property
    def _n_together(self) -> int:
        """How many intervals hold together: those of this question, and of all groups where that is asked."""
        return len(self.shown) * (self.n_groups if self.options.simultaneous else 1)

    def row(self, label: str, epsilon: float) -> Estimate:
        """Return the estimate of an answer's share."""
        weights = self.arms.weights(label, self.options.about)
        share = float((weights * self.arms.counts).sum())
        ends = self._ends(label, weights, self._n_together if self.options.simultaneous else 1)
        is_outside = ends[0] > 1 or ends[1] < 0 or ends[0] > ends[1]
        error = math.sqrt(variance(self.arms, weights, self.likeliest, self.options.about))
        least, most = (float(self.arms.n_each @ ends) for ends in _extremes(self.arms, weights))
        consistent = float(self.likeliest[self.arms.is_of(label)].sum()) if self.options.consistent else None
        shifts = PERCENT * max(0.0, most - share), PERCENT * min(0.0, least - share)
        n_support = round(float(self.arms.counts[_supporting(self.arms, label)].sum()))
        numbers = share, error, *_possible((share, share) if is_outside else ends), *shifts, consistent
        return Estimate("", label, self.n, n_support, epsilon, *numbers, is_outside=is_outside)

    @property
    def is_small(self) -> bool:
        """Whether exact intervals are worked out only to say how narrow they would be."""
        return self.options.about == "population" and self.n <= _N_COMPARED

    def exact_ends(self, row: Estimate) -> tuple[float, float]:
        """Return the ends of an answer's exact interval. Raises `DomainError` where there is none."""
        n_intervals = self._n_together if self.options.simultaneous else 1
        return exact_interval(self.arms, row.answer, tail=check_level(self.options.level, n_intervals) / 2)

    def order(self) -> Order | None:
        """Return which answers' shares are surely above which, by intervals that hold together; None of two answers."""
        if len(self.shown) == 1:
            return None
        weights = {label: self.arms.weights(label, self.options.about) for label in self.shown}
        return order_of(
            [ShareInterval(label, *_possible(self._ends(label, of, self._n_together))) for label, of in weights.items()]
        )

    def _ends(self, label: str, weights: Floats, n_intervals: int) -> tuple[float, float]:
        """Return the ends of one of so many intervals that hold together, which may lie outside [0, 1], or cross."""
        tail = check_level(self.options.level, n_intervals) / 2
        if self.options.method == BETS and self.lists:
            return betting_interval(self.lists, tail)
        if self.options.method == EXACT and self.lists:
            raise DomainError(NO_EXACT)
        if self.options.method == "chernoff":
            return pooled_interval(self.arms, label, tail=tail, target=self.options.about)
        if self.options.method == EXACT:
            return exact_interval(self.arms, label, tail=tail)
        if self.options.method == "likelihood":
            return likelihood_interval(self.arms, label, tail=tail)
        least, most = _extremes(self.arms, weights)
        half_width = math.sqrt(-math.log(tail) * float(self.arms.n_each @ (most - least) ** 2) / 2)
        share = float((weights * self.arms.counts).sum())
        return share - half_width, share + half_width


def _possible(ends: tuple[float, float]) -> tuple[float, float]:
    """Return ends in [0, 1], where they cross the first."""
    low, high = (min(max(end, 0.0), 1.0) for end in ends)
    return low, max(low, high)


def variance(arms: Arms, weights: Floats, shares: Floats, target: Target) -> float:
    """Return the variance of sum(weights * counts) under shares of the columns.

    Population: of reports drawn with these shares. Respondents: of the reports alone, given who has which answer.
    """
    if target == "population":
        probs = arms.matrix @ shares
        each = (probs * weights**2).sum(axis=1) - (probs * weights).sum(axis=1) ** 2
    else:
        mean = np.einsum("jrc,jr->jc", arms.matrix, weights)
        each = (np.einsum("jrc,jr->jc", arms.matrix, weights**2) - mean**2) @ shares
    return max(0.0, float(arms.n_each @ each))


def _extremes(arms: Arms, weights: Floats) -> tuple[Floats, Floats]:
    """Return the least and the most that a possible report adds, by arm."""
    is_possible = arms.matrix.any(axis=2)
    return np.where(is_possible, weights, np.inf).min(axis=1), np.where(is_possible, weights, -np.inf).max(axis=1)


def _supporting(arms: Arms, label: str) -> np.ndarray:
    """Return which reports speak for a label: likelier where it is the answer than where it is not."""
    is_label = arms.is_of(label)
    return np.asarray(arms.matrix[..., is_label].mean(axis=2) > arms.matrix[..., ~is_label].mean(axis=2))
