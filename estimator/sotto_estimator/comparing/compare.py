"""Groups held against one of them: differences and ratios with intervals that hold, and tests of equality."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, get_args

from sotto_estimator.channel.channel import Target
from sotto_estimator.comparing.adjusted import adjusted, adjusted_words, check_adjustment
from sotto_estimator.comparing.bonferroni import difference_from_two_intervals, p_of_two, ratio_of_two
from sotto_estimator.comparing.fisher import fisher_p_value
from sotto_estimator.comparing.group import Group
from sotto_estimator.comparing.group_estimates import GroupEstimate, People
from sotto_estimator.comparing.result import Row, Span, Tested
from sotto_estimator.comparing.two_groups import anytime_difference, anytime_p_value
from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.intervals.difference import difference_interval, p_above, ratio_interval
from sotto_estimator.intervals.group_misfit import GroupMisfit, contradicting
from sotto_estimator.intervals.intervals import check_level
from sotto_estimator.results.words import level_words, misfit_sentence

MADE = {
    "chernoff": "by the Chernoff bound of the difference of two independent groups",
    "two intervals": "from each group's own interval, at half the error each; valid for related groups, too",
    "anytime": "by a confidence sequence, valid at every look",
}
_NO_WIDTH = 1e-12
"""Less is rounding, of what is searched by halving."""
TESTS = {
    "fisher": "Fisher's exact test",
    "chernoff": "the Chernoff bound",
    "two intervals": "the two intervals",
    "anytime": "the confidence sequence",
}


@dataclass(frozen=True, slots=True)
class Difference(Row):
    """The share, or mean, of one answer in `group`, less that in `reference`. `unit`: of means; None of shares.

    `test`: by which the P-value of equality is; `interval`: by which the intervals are, of which every one holds at the
    level; its ends are None where no difference from -1 to 1 is in it. `verdict`: "more", "less", or "not told apart",
    by the P-value. The ratio's are None for means, and where it
    is not known; its upper end too where it is infinite. `contradicting`: the groups, with commas between, whose counts
    contradict how they were asked: then verdict, P-value, difference, ratio and their estimates are None.
    """

    question: str
    answer: str
    reference: str
    group: str
    unit: str | None
    n_reference: int
    n_group: int
    epsilon: float
    reference_estimate: float | None
    group_estimate: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    p_value: float | None
    test: str
    interval: str
    verdict: str | None
    contradicting: str = ""

    FOUND: ClassVar[tuple[str, ...]] = (
        "difference",
        "difference_low",
        "difference_high",
        "ratio",
        "ratio_low",
        "ratio_high",
        "p_value",
        "verdict",
    )

    @property
    def compared(self) -> tuple[str, ...]:
        """The two groups."""
        return self.reference, self.group

    @property
    def is_found(self) -> bool:
        """Whether the test found anything."""
        return self.verdict not in (None, "not told apart")

    @property
    def differs(self) -> bool:
        """Whether the test found that the difference is not 0."""
        return self.verdict in ("more", "less")

    def estimates_without(self, contradicting: Collection[str]) -> dict[str, Any]:
        """Return the two groups' estimates without those of these groups, and which these are."""
        return {
            "reference_estimate": None if self.reference in contradicting else self.reference_estimate,
            "group_estimate": None if self.group in contradicting else self.group_estimate,
            "contradicting": ", ".join(name for name in self.compared if name in contradicting),
        }

    @property
    def span(self) -> Span:
        """What is drawn of it."""
        named = f"{self.named}, {self.group} - {self.reference}".removeprefix(", ")
        low, high = (math.nan if end is None else end for end in (self.difference_low, self.difference_high))
        return Span(named, math.nan if self.difference is None else self.difference, low, high, self.unit)

    @property
    def sentence(self) -> str:
        """What is known, in plain words."""
        if self.is_void:
            return misfit_sentence(self.question, self.contradicting)
        if self.verdict == "not told apart":
            return f"{self.named}: no difference between {self.group} and {self.reference} can be shown."
        return f"{self.named}: {self.verdict} in {self.group} than in {self.reference}."

    @property
    def alike(self) -> str:
        """What is known of many groups of which the same is known."""
        named, reference = (text.replace("{", "{{").replace("}", "}}") for text in (self.named, self.reference))
        if self.is_void:
            return f"{named}: {{n}} groups cannot be compared, because counts contradict the survey's design."
        if self.verdict == "not told apart":
            return f"{named}: no difference from {reference} can be shown for {{n}} groups."
        return f"{named}: {self.verdict} in {{n}} groups than in {reference}."


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """How groups are compared. `people`: "same" where both groups' reports may be of the same people, or devices.

    `simultaneous`: all rows hold together, intervals by Bonferroni and P-values by Holm. `anytime`: at every look.
    `fdr`: on average at most 1 - level of the rows that find something are wrong; intervals stay as they are.
    """

    level: float = 0.95
    target: Target = "population"
    simultaneous: bool = False
    anytime: bool = False
    people: People = "other"
    fdr: bool = False

    def __post_init__(self) -> None:
        check_level(self.level)
        check_adjustment(self)
        if self.people not in get_args(People):
            raise DomainError(f"people ({self.people!r}) {one_of(get_args(People), self.people)}")
        if self.anytime and self.people == "same":
            raise DomainError("anytime needs groups of other people, whose reports are independent.")

    @property
    def members(self) -> dict[str, object]:
        """Those of the JSON that rows do not have."""
        members: dict[str, object] = {
            "level": self.level,
            "simultaneous": self.simultaneous,
            "target": self.target,
            "people": self.people,
        }
        return members | ({"fdr": True} if self.fdr else {})


def compare_sides(
    title: str,
    groups: Mapping[str, Sequence[GroupEstimate]],
    options: CompareOptions,
    contradictions: Sequence[GroupMisfit] = (),
) -> Tested[Difference]:
    """Hold every group against the first, by question and answer.

    `contradictions`: of groups that find nothing. Raises `DomainError` where there is nothing to compare.
    """
    pairs = pairs_of(groups)
    n_rows = len(pairs) if options.simultaneous else 1
    found = [_p_value(pair.first, pair.second, options) for pair in pairs]
    void = [is_void(pair, contradictions) for pair in pairs]
    p_values = adjusted([p_value for p_value, _ in found], options, void=void)
    rows = tuple(
        _row(pair, options, n_rows, p_value, test)
        for pair, p_value, (_, test) in zip(pairs, p_values, found, strict=True)
    )
    of_asked = any(side.of_asked for pair in pairs for side in (pair.first, pair.second))
    return Tested("groups", title, _lines(rows, options, of_asked), options.members, rows)


class Pair(NamedTuple):
    """Two groups of which the second is held against the first."""

    reference: str
    first: GroupEstimate
    group: str
    second: GroupEstimate


def pairs_of(groups: Mapping[str, Sequence[GroupEstimate]]) -> list[Pair]:
    """Return every other group beside the first, by question and answer. Raises `DomainError` where there is none."""
    if len(groups) < 2:
        raise DomainError(f"groups ({', '.join(groups)}) must be two or more.")
    (reference, of_reference), *others = groups.items()
    keyed = {(side.question, side.answer): side for side in of_reference}
    pairs = [
        Pair(reference, keyed[side.question, side.answer], label, side)
        for key in keyed
        for label, sides in others
        for side in sides
        if (side.question, side.answer) == key
    ]
    if not pairs:
        raise DomainError("the groups have no question with reports in common.")
    return pairs


def is_void(pair: Pair, contradictions: Sequence[GroupMisfit]) -> bool:
    """Return whether the counts of one of the two contradict how they were asked."""
    return bool(contradicting(contradictions, pair.first.question, (pair.reference, pair.group)))


def _lines(rows: Sequence[Difference], options: CompareOptions, of_asked: bool) -> tuple[str, ...]:
    made = by_question(MADE, [(row.question, row.interval) for row in rows])
    tests = by_question(TESTS, [(row.question, row.test) for row in rows])
    lines = [
        f"{level_words(options.level)} intervals{valid_words(options, of_asked)}",
        *(f"intervals{of}: {words}" for of, words in made),
        *(f"P of equality{of}: by {words}" for of, words in tests),
    ]
    return (*lines[:-1], lines[-1] + adjusted_words(options))


def valid_words(options: CompareOptions, of_asked: bool) -> str:
    """Return how far intervals are valid, and about whom."""
    together = "all valid together" if options.simultaneous else "each valid on its own"
    about = "those respondents who were asked" if of_asked else "these respondents"
    about = "the population" if options.target == "population" else about
    return f", guaranteed for any number of reports, {together}, about {about}"


def by_question(words: Mapping[str, str], ways: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the words for each way there is, after the questions that go that way where there are several ways."""
    questions = {name: [of for of in dict(ways) if (of, name) in ways] for name in words}
    used = {name: of for name, of in questions.items() if of}
    return [(f" of {', '.join(of)}" if len(used) > 1 else "", words[name]) for name, of in used.items()]


def _row(pair: Pair, options: CompareOptions, n_rows: int, p_value: float, test: str) -> Difference:
    """Return the row of a test that gave this P-value, which holds with those of the other rows where they must."""
    first, second = pair.first, pair.second
    low, high, ratio, interval = _intervals(first, second, options, n_rows)
    difference = second.estimate - first.estimate
    is_found = p_value <= 1 - options.level
    is_none = first.unit is None and holds_none(low, high, interval, options.target)
    is_ratio_known = first.unit is None and ratio is not None
    return Difference(
        question=first.question,
        answer=first.answer,
        reference=pair.reference,
        group=pair.group,
        unit=first.unit,
        n_reference=first.n,
        n_group=second.n,
        epsilon=max(first.epsilon, second.epsilon),
        reference_estimate=first.estimate,
        group_estimate=second.estimate,
        difference=difference,
        difference_low=None if is_none else low,
        difference_high=None if is_none else high,
        ratio=second.estimate / first.estimate if is_ratio_known and min(first.estimate, second.estimate) > 0 else None,
        ratio_low=ratio[0] if is_ratio_known and ratio else None,
        ratio_high=ratio[1] if is_ratio_known and ratio and math.isfinite(ratio[1]) else None,
        p_value=p_value,
        test=test,
        interval=interval,
        verdict=("more" if difference > 0 else "less") if is_found else "not told apart",
    )


def holds_none(low: float, high: float, interval: str, target: Target) -> bool:
    """Whether every difference of shares is refuted, so that both ends are the nearest edge.

    Of respondents two intervals may be points that hold: nobody here, and all there.
    """
    if target == "respondents":
        return interval == "chernoff" and low == high
    return high - low < _NO_WIDTH


def independent(first: GroupEstimate, second: GroupEstimate, options: CompareOptions) -> tuple[Group, Group] | None:
    """Return the counts of both, where they are independent of one another."""
    if first.group is None or second.group is None or options.people == "same":
        return None
    return first.group, second.group


def _intervals(
    first: GroupEstimate, second: GroupEstimate, options: CompareOptions, n_rows: int
) -> tuple[float, float, tuple[float, float] | None, str]:
    """Return the ends of the difference, those of the ratio, and by what they are."""
    pair, level = independent(first, second, options), 1 - (1 - options.level) / n_rows
    if options.anytime:
        if pair is None:
            raise DomainError("anytime needs shares of independent reports that went through one channel.")
        found = anytime_difference(*pair, level=level, target=options.target)
        return found.low, found.high, None, "anytime"
    if pair is None:
        ratio = ratio_of_two(first, second, level) if first.unit is None else None
        return *difference_from_two_intervals(first, second, level), ratio, "two intervals"
    n_intervals, target = 2 * n_rows if options.simultaneous else 1, options.target
    low, high = difference_interval(*pair, target=target, level=options.level, n_intervals=n_intervals)
    of_ratio = ratio_interval(*pair, target=target, level=options.level, n_intervals=n_intervals)
    return low, high, of_ratio, "chernoff"


def _p_value(first: GroupEstimate, second: GroupEstimate, options: CompareOptions) -> tuple[float, str]:
    pair = independent(first, second, options)
    if pair is None:
        return p_of_two(first, second), "two intervals"
    if options.anytime:
        return anytime_p_value(*pair, target=options.target), "anytime"
    if options.target == "population" and pair[0].channel == pair[1].channel:
        return fisher_p_value(*pair), "fisher"
    smaller = min(p_above(*pair, target=options.target), p_above(*reversed(pair), target=options.target))
    return min(1.0, 2 * smaller), "chernoff"
