"""Samples that contradict their designs only together: two of them, or all counts at once.

Each arm by itself may fit some share: an extended crosswise shows only in both of its samples who does not follow it.
Each count may, where no shares of the answers give all of them: three draws of cards are a mixture of two binomials.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.designs.design import Arm, Design, check_arms
from sotto_estimator.designs.fit import fit_of, unfit_by
from sotto_estimator.designs.item_count import is_item_count
from sotto_estimator.intervals.contradiction import (
    FALSE_ALARM,
    Contradiction,
    DesignEffect,
    Disagreement,
    QuestionCounts,
    Unfit,
    contradictions_of,
)

_OUTSIDE = 1e-7
"""The probability, at most, that the true share is not among those that are tried (Berger & Boos 1994)."""
_N_STEPS = 800
_LEAST_TAIL = 1e-300
_MARGIN = 1e-6
"""Relative widening of a P-value: more than the rounding of its tails."""
MAX_ARMS = 40
"""Of more, none are held against one another: they would be as many as are people."""

_Placed = Sequence[tuple[int, Arm]]
"""Arms with their places, counted from 1."""


@dataclass(frozen=True, slots=True)
class _Binary:
    """Of n reports `count` speak for yes; P(one does | share) = other + (true - other) share."""

    count: float
    n: float
    true: float
    other: float

    @property
    def share(self) -> float:
        return (self.count / self.n - self.other) / (self.true - self.other)

    def prob(self, share: Floats) -> Floats:
        return self.other + (self.true - self.other) * share

    def as_many(self, share: Floats) -> Floats:
        """Return P(count or more)."""
        return _as_many(self.count, self.n, self.prob(share))

    def as_few(self, share: Floats) -> Floats:
        """Return P(count or fewer)."""
        return _as_many(self.n - self.count, self.n, 1 - self.prob(share))

    def slope(self, share: Floats) -> Floats:
        """Return by how many standard deviations the count moves with the share."""
        prob = self.prob(share)
        slope: Floats = (self.true - self.other) * np.sqrt(self.n / np.maximum(prob * (1 - prob), 1 / self.n))
        return slope

    def possible(self, tail: float) -> tuple[float, float]:
        """Return the least and the most share of which neither tail is below `tail` (Clopper & Pearson 1934)."""
        s, n = self.count, self.n
        low = special.betaincinv(s, n - s + 1, tail) if s else 0.0
        high = special.betaincinv(s + 1, n - s, 1 - tail) if s < n else 1.0
        width = self.true - self.other
        return float((low - self.other) / width), float((high - self.other) / width)


def misfits_of(
    arms: Sequence[Arm], question: str = "", *, n_groups: int = 1
) -> tuple[Contradiction | Disagreement, ...]:
    """Return the worst sign that the arms are not what their designs say: one count, two arms, or all counts together.

    With probability 1 - FALSE_ALARM honest reports of one population give none. Tested are arms of whole counts.
    `n_groups`: in one output with so many. Raises DomainError where the arms are of different answers.
    """
    check_arms(arms)
    counted = [(at, arm) for at, arm in enumerate(arms, 1) if (arm.counts == np.round(arm.counts)).all()]
    samples = [(sample, round(arm.n)) for _, arm in counted for sample in _samples(arm, question)]
    pairs = list(_pairs(counted)) if len(counted) <= MAX_ARMS else []
    fitted = list(_fitted(counted, pairs)) if len(counted) <= MAX_ARMS else []
    n_tests = n_groups * (sum(sample.n_tests for sample, _ in samples) + 2 * len(pairs) + len(fitted))
    found: list[Contradiction | Disagreement] = []
    for sample, n in samples:
        found += contradictions_of([sample], n, n_tests=n_tests)
    for at, first, second in pairs:
        p_value = min(1.0, n_tests / 2 * p_value_of_two(first, second) * (1 + _MARGIN))
        n, shares = round(first.n + second.n), (first.share, second.share)
        if p_value <= FALSE_ALARM:
            kind = DesignEffect if is_item_count([arms[place - 1] for place in at]) else Disagreement
            found.append(kind(question, at, n, shares, _g_squared(first, second), p_value))
    return tuple(sorted(found or _unfit(fitted, question, n_tests), key=lambda one: one.p_value)[:1])


def _fitted(arms: _Placed, pairs: Sequence[object] = ()) -> Iterator[_Placed]:
    """Yield whose counts may contradict a design only together: an arm's of more than two reports, and all arms'.

    `pairs`: what two arms say of one number. Of an item count, and of two reports each, two say nothing else.
    """
    for at, arm in arms:
        if len(arm.counts) > 2 and (arm.design.matrix.max(axis=1) < 1).any():  # else any counts fit
            yield [(at, arm)]
    together = [arm for _, arm in arms]
    is_told_by_pair = len(arms) == 2 and bool(pairs) and all(len(arm.counts) == 2 for arm in together)
    if len(arms) > 1 and not is_told_by_pair and not is_item_count(together):
        yield arms


def _unfit(fitted: Sequence[_Placed], question: str, n_tests: int) -> Iterator[Disagreement]:
    """Yield those that do, of so many tests in one output."""
    for placed in fitted:
        arms = [arm for _, arm in placed]
        g_squared, tail = unfit_by(arms)
        p_value = min(1.0, max(_LEAST_TAIL, n_tests * tail * (1 + _MARGIN)))
        if p_value <= FALSE_ALARM:
            n = round(sum(arm.n for arm in arms))
            yield Unfit(question, tuple(at for at, _ in placed), n, (), g_squared, p_value)


def contradictions_of_arms(
    arms: Sequence[Arm], question: str, n_groups: int
) -> tuple[Contradiction | Disagreement, ...]:
    """Return the worst contradiction of arms that may be of different populations: one by itself, or all together.

    Of so many groups in one output. An arm by itself: each count, and all of them. Together the arms' counts are held
    against their mean probabilities: of as many coins with different ones the tails are lighter beyond the mean
    (Hoeffding 1956). Arms beyond MAX_ARMS are tested together alone.
    """
    alone = [(sample, round(arm.n)) for arm in arms for sample in _samples(arm, question)]
    samples = (alone if len(arms) <= MAX_ARMS else []) + (_together(arms, question) if len(arms) > 1 else [])
    fitted = [of for one in enumerate(arms, 1) for of in _fitted([one])]
    fitted = fitted if len(arms) <= MAX_ARMS else []
    n_tests = n_groups * (sum(sample.n_tests for sample, _ in samples) + len(fitted))
    found = [one for sample, n in samples for one in contradictions_of([sample], n, n_tests=n_tests)]
    certain = [one for one in found if len(arms) == 1 or abs(one.support_count - one.limit_count) >= 1]
    worst: list[Contradiction | Disagreement] = [*(certain or _unfit(fitted, question, n_tests))]
    return tuple(sorted(worst, key=lambda one: one.p_value)[:1])


def _together(arms: Sequence[Arm], question: str) -> list[tuple[QuestionCounts, int]]:
    """Return the arms' counts as those of one sample: of a first answer's supports, or of each report, by label."""
    n = sum(arm.n for arm in arms)
    if all(arm.design.is_binary for arm in arms):
        channels = [arm.design.channel for arm in arms]
        count = sum(arm.counts[int(arm.design.is_opposite)] for arm in arms)
        true = sum(arm.n * of.prob_support_if_true for arm, of in zip(arms, channels, strict=True)) / n
        other = sum(arm.n * of.prob_support_if_other for arm, of in zip(arms, channels, strict=True)) / n
        return [
            (QuestionCounts(question, (arms[0].design.labels[0],), (round(count),), Channel(true, other)), round(n))
        ]
    if len({arm.design.reports for arm in arms}) > 1:
        return []
    sizes = [arm.n for arm in arms]
    most = np.average([arm.design.matrix.max(axis=1) for arm in arms], axis=0, weights=sizes)
    least = np.average([arm.design.matrix.min(axis=1) for arm in arms], axis=0, weights=sizes)
    counts = np.sum([arm.counts for arm in arms], axis=0)
    rows = zip(arms[0].design.reports, counts, most, least, strict=True)
    return [
        (
            QuestionCounts(
                question, (report,), (round(count),), Channel(min(1.0, float(high)), float(low)), are_reports=True
            ),
            round(n),
        )
        for report, count, high, low in rows
        if high > low
    ]


def p_value_of_two(first: _Binary, second: _Binary) -> float:
    """Return the probability, at most, that counts of one share are as far apart, whatever the share is.

    Given the share, the two tails are at most as small as uniform numbers, so their normal scores in any fixed
    proportion, over its length, at most as large as a normal one (Stouffer). The proportion is that which the share
    moves least; it is constant in each step of shares, of which the ends bound the scores, for tails are monotone.
    """
    ends = [arm.possible(_OUTSIDE / 4) for arm in (first, second)]
    low, high = max(0.0, *(end[0] for end in ends)), min(1.0, *(end[1] for end in ends))
    if low > high:
        return 2 * _OUTSIDE
    edges = np.linspace(low, high, _N_STEPS + 1)
    middles = (edges[1:] + edges[:-1]) / 2
    slopes = first.slope(middles), second.slope(middles)
    first_more = _joined(first.as_many(edges[1:]), second.as_few(edges[:-1]), slopes)
    second_more = _joined(first.as_few(edges[:-1]), second.as_many(edges[1:]), slopes)
    return min(1.0, 2 * (min(float(first_more.max()), float(second_more.max())) + _OUTSIDE))


def _g_squared(first: _Binary, second: _Binary) -> float:
    both = [
        Arm(Design.of_channel("", Channel(arm.true, arm.other)), np.array([arm.count, arm.n - arm.count]))
        for arm in (first, second)
    ]
    return fit_of(both).g_squared


def _joined(first: Floats, second: Floats, slopes: tuple[Floats, Floats]) -> Floats:
    scores = [-special.ndtri(np.maximum(tail, _LEAST_TAIL)) for tail in (first, second)]
    joined: Floats = special.ndtr(-(slopes[1] * scores[0] + slopes[0] * scores[1]) / np.hypot(*slopes))
    return joined


def _as_many(count: float, n: float, prob: Floats) -> Floats:
    """Return P(Binomial(n, prob) >= count)."""
    if count <= 0:
        return np.ones_like(prob)
    tail: Floats = special.betainc(count, n - count + 1, prob.clip(0, 1))
    return tail


def _samples(arm: Arm, question: str) -> Iterator[QuestionCounts]:
    """Yield what an arm's reports are held against by themselves: each one's count, of two the first's."""
    matrix, reports = arm.design.matrix, arm.design.reports
    n_rows = 1 if len(matrix) == 2 else len(matrix)
    for report, row, count in zip(reports[:n_rows], matrix, arm.counts, strict=False):
        if row.max() > row.min():
            channel = Channel(float(row.max()), float(row.min()))
            yield QuestionCounts(question, (report,), (round(count),), channel, are_reports=True)


def _pairs(arms: _Placed) -> Iterator[tuple[tuple[int, int], _Binary, _Binary]]:
    """Yield what two arms say of one number: the share of yes, or, of more answers by one design, each report's."""
    for (at, one), (place, other) in combinations(arms, 2):
        if one.design.matrix.shape == (2, 2) == other.design.matrix.shape:
            yield (at, place), _binary(one), _binary(other)
        elif is_item_count([one, other]):
            for first, second in _lists(one, other):
                yield (at, place), first, second
        elif np.array_equal(one.design.matrix, other.design.matrix):
            for first, second in zip(one.counts, other.counts, strict=True):
                yield (at, place), _Binary(first, one.n, 1, 0), _Binary(second, other.n, 1, 0)


def _lists(one: Arm, other: Arm) -> Iterator[tuple[_Binary, _Binary]]:
    """Yield what a short and a long list contradict one another in: a design effect (Blair & Imai 2012).

    One item more adds 0 or 1 to a person's count. So as many or more people count at most k of the short list as of the
    long one, and as many or fewer as count at most k + 1 of the long one. What came the other way round is yielded:
    equal shares are then the worst that the design allows. For the others two equal counts are.
    """
    short, long = sorted((one, other), key=lambda arm: len(arm.counts))
    of_short, of_long = np.cumsum(short.counts)[:-1], np.cumsum(long.counts)[:-1]
    fewer = [*zip(of_long, of_short, strict=False), *zip(of_short, of_long[1:], strict=True)]
    sizes = [(long.n, short.n)] * len(of_short) + [(short.n, long.n)] * len(of_short)
    for (count, most), (n, n_most) in zip(fewer, sizes, strict=True):
        first, second = _Binary(float(count), n, 1, 0), _Binary(float(most), n_most, 1, 0)
        yield (first, second) if first.share > second.share else (second, second)


def _binary(arm: Arm) -> _Binary:
    matrix = arm.design.matrix
    row = int(matrix[0, 0] < matrix[0, 1])
    return _Binary(float(arm.counts[row]), arm.n, float(matrix[row, 0]), float(matrix[row, 1]))
