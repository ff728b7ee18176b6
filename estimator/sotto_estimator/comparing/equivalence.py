"""Do groups differ by less than a margin? Equivalence, and non-inferiority: what a test that finds nothing cannot show.

Two one-sided tests, each at alpha, reject together at alpha (Schuirmann 1987; Berger 1982): a difference is shown to be
within the margin where both ends of the interval at 1 - 2 alpha are. Each test is a bound that holds for all shares.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sotto_estimator.comparing.adjusted import adjusted, adjusted_words
from sotto_estimator.comparing.bonferroni import difference_from_two_intervals, least_alpha
from sotto_estimator.comparing.compare import (
    MADE,
    TESTS,
    CompareOptions,
    Difference,
    Pair,
    by_question,
    holds_none,
    independent,
    is_void,
    pairs_of,
    valid_words,
)
from sotto_estimator.comparing.group_estimates import GroupEstimate
from sotto_estimator.comparing.result import Tested
from sotto_estimator.comparing.two_groups import anytime_difference, anytime_p_above
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.difference import difference_interval, p_above
from sotto_estimator.intervals.group_misfit import GroupMisfit
from sotto_estimator.intervals.margin import Kind, Margin
from sotto_estimator.results.words import level_words, misfit_sentence

_FOUND: dict[Kind, str] = {"within": "equivalent", "not_lower_by": "not lower", "not_higher_by": "not higher"}
"""The verdict where it is shown."""
NOT_SHOWN = "not shown"
_TESTED: dict[Kind, str] = {
    "within": "P of a difference of {points} points or more either way",
    "not_lower_by": "P of a share that is lower by {points} points or more",
    "not_higher_by": "P of a share that is higher by {points} points or more",
}
_SHOWN: dict[Kind, str] = {
    "within": "{group} and {reference} differ by less than {points} points",
    "not_lower_by": "{group} is not lower than {reference} by {points} points or more",
    "not_higher_by": "{group} is not higher than {reference} by {points} points or more",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginTested(Difference):
    """A difference held against a margin. `verdict`: what is shown, or NOT_SHOWN; it has no ratio.

    `p_value`: of a difference that is not within the margin. `level`: of the interval, which the verdict goes by.
    """

    margin: Kind
    points: float
    interval_level: float

    @property
    def is_found(self) -> bool:
        """Whether it is shown."""
        return self.verdict == _FOUND[self.margin]

    @property
    def sentence(self) -> str:
        """What is known, in plain words."""
        if self.is_void:
            return misfit_sentence(self.question, self.contradicting)
        said = _SHOWN[self.margin].format(group=self.group, reference=self.reference, points=f"{self.points:g}")
        return f"{self.named}: {said}." if self.is_found else f"{self.named}: it is not shown that {said}."

    @property
    def alike(self) -> str:
        """Nothing: each group is named."""
        return ""


def margin_tests(
    title: str,
    groups: Mapping[str, Sequence[GroupEstimate]],
    options: CompareOptions,
    margin: Margin,
    contradictions: Sequence[GroupMisfit] = (),
) -> Tested[MarginTested]:
    """Hold the difference of every group to the first against a margin, by question and answer.

    Means are left out. `contradictions`: of groups that find nothing. Raises `DomainError` where there is nothing to
    test, and for a level of 50 % or less.
    """
    if options.level <= 1 / 2:
        raise DomainError(
            f"level ({options.level:g}) must be above 0.5 for a margin: it takes intervals at 2 level - 1."
        )
    all_pairs = pairs_of(groups)
    pairs = [pair for pair in all_pairs if pair.first.unit is None]
    if not pairs:
        raise DomainError(f"{margin.kind} is a margin in points, so it goes with shares, not with means.")
    found = [_p_value(pair, options, margin) for pair in pairs]
    p_values = adjusted(found, options, void=[is_void(pair, contradictions) for pair in pairs])
    n_rows = len(pairs) if options.simultaneous else 1
    rows = tuple(_row(*of, options, margin, n_rows) for of in zip(pairs, p_values, strict=True))
    of_asked = any(side.of_asked for pair in pairs for side in (pair.first, pair.second))
    lines = _lines(rows, options, margin, of_asked)
    if means := list(dict.fromkeys(pair.first.question for pair in all_pairs if pair.first.unit is not None)):
        lines.append(f"no margin for means: {', '.join(means)}")
    return Tested("groups", title, tuple(lines), options.members | {margin.kind: margin.points}, rows)


def _lines(rows: Sequence[MarginTested], options: CompareOptions, margin: Margin, of_asked: bool) -> list[str]:
    tests = by_question(TESTS, [(row.question, row.test) for row in rows])
    made = by_question(MADE, [(row.question, row.interval) for row in rows])
    levels = {row.interval: level_words(row.interval_level) for row in rows}
    by = {words: levels[interval] for interval, words in MADE.items() if interval in levels}
    what = _TESTED[margin.kind].format(points=f"{margin.points:g}")
    how = "two one-sided tests" if margin.kind == "within" else "a one-sided test"
    lines = [
        f"intervals{valid_words(options, of_asked)}",
        *(f"intervals{of}: {by[words]}, {words}" for of, words in made),
        *(f"{what}{of}: by {how} at {level_words(round(1 - options.level, 12))}, by {words}" for of, words in tests),
    ]
    return [*lines[:-1], lines[-1] + adjusted_words(options)]


def _p_value(pair: Pair, options: CompareOptions, margin: Margin) -> float:
    counted = independent(pair.first, pair.second, options)
    if counted is None:

        def is_shown(alpha: float) -> bool:
            return margin.holds(*difference_from_two_intervals(pair.first, pair.second, 1 - alpha))

        return least_alpha(is_shown)
    above = anytime_p_above if options.anytime else p_above
    first, second = counted
    of_lower = above(first, second, target=options.target, difference=-margin.share)
    return margin.larger(of_lower, above(second, first, target=options.target, difference=-margin.share))


def _interval(pair: Pair, options: CompareOptions, n_rows: int) -> tuple[float, float, str, float]:
    """Return the interval by which a margin is held, what it is by, and its level.

    Each of its ends misses in at most alpha: that is known of two intervals at 1 - alpha only.
    """
    level, counted = round(2 * options.level - 1, 12), independent(pair.first, pair.second, options)
    if counted is None:
        if options.anytime:
            raise DomainError("anytime needs shares of independent reports that went through one channel.")
        together = 1 - (1 - options.level) / n_rows
        ends = difference_from_two_intervals(pair.first, pair.second, together)
        return *ends, "two intervals", options.level
    if options.anytime:
        found = anytime_difference(*counted, level=1 - (1 - level) / n_rows, target=options.target)
        return found.low, found.high, "anytime", level
    ends = difference_interval(*counted, target=options.target, level=level, n_intervals=n_rows)
    return *ends, "chernoff", level


def _row(pair: Pair, p_value: float, options: CompareOptions, margin: Margin, n_rows: int) -> MarginTested:
    low, high, interval, level = _interval(pair, options, n_rows)
    is_none = holds_none(low, high, interval, options.target)
    return MarginTested(
        question=pair.first.question,
        answer=pair.first.answer,
        reference=pair.reference,
        group=pair.group,
        unit=None,
        n_reference=pair.first.n,
        n_group=pair.second.n,
        epsilon=max(pair.first.epsilon, pair.second.epsilon),
        reference_estimate=pair.first.estimate,
        group_estimate=pair.second.estimate,
        difference=pair.second.estimate - pair.first.estimate,
        difference_low=None if is_none else low,
        difference_high=None if is_none else high,
        ratio=None,
        ratio_low=None,
        ratio_high=None,
        p_value=p_value,
        test=interval,
        interval=interval,
        verdict=_FOUND[margin.kind] if p_value <= 1 - options.level else NOT_SHOWN,
        margin=margin.kind,
        points=margin.points,
        interval_level=level,
    )
