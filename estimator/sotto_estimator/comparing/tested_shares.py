"""Are shares what somebody says they are? Exact tests of every answer, of independent reports of one channel."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sotto_estimator.comparing.adjusted import adjusted, adjusted_words, check_adjustment
from sotto_estimator.comparing.exact_tests import Alternative, Method, share_test
from sotto_estimator.comparing.group import Group
from sotto_estimator.comparing.group_estimates import GroupEstimate, People
from sotto_estimator.comparing.result import Row, Span, Tested
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.group_misfit import GroupMisfit, contradicting
from sotto_estimator.intervals.intervals import check_level, confidence_interval, is_interval
from sotto_estimator.intervals.margin import margin_around
from sotto_estimator.results.words import level_words, misfit_sentence

_FOUND = {"two-sided": "another", "greater": "greater", "less": "less"}
_SAID = {"not ruled out": "could be", "another": "differs from"}
WITHIN, NOT_SHOWN = "within", "not shown"
"""The verdicts of a share that is held against a margin around the tested one."""


@dataclass(frozen=True, slots=True)
class ShareTested(Row):
    """The test of one answer's share being `null`, and the interval of the same method.

    `low`, `high`: None where the interval holds no share. `verdict`: "not ruled out", or what the share is instead:
    "another", "greater", "less"; with a margin of `within` points around it "within" or "not shown". `group`: "" where
    there is one. Where counts contradict the design, verdict, P-value, share and its error are None.
    """

    question: str
    answer: str
    n: int
    epsilon: float
    share: float | None
    standard_error: float | None
    low: float | None
    high: float | None
    null: float
    p_value: float | None
    verdict: str | None
    group: str = ""
    within: float | None = None

    FOUND: ClassVar[tuple[str, ...]] = ("share", "standard_error", "low", "high", "p_value", "verdict")

    @property
    def compared(self) -> tuple[str, ...]:
        """The one group."""
        return (self.group,)

    def estimates_without(self, contradicting: Collection[str]) -> dict[str, Any]:
        """Return nothing more: there is one group."""
        return {}

    @property
    def span(self) -> Span:
        """What is drawn of it."""
        low, high = (math.nan if end is None else end for end in (self.low, self.high))
        return Span(self._of_group, math.nan if self.share is None else self.share, low, high, None)

    @property
    def sentence(self) -> str:
        """What is known, in plain words."""
        if self.verdict is None:
            return misfit_sentence(self.question, self.group)
        if self.within is not None:
            said = f"the share is within {self.within:g} points of {100 * self.null:g} %"
            return f"{self._of_group}: {said if self.verdict == WITHIN else f'it is not shown that {said}'}."
        return (
            f"{self._of_group}: the share {_SAID.get(self.verdict, f'is {self.verdict} than')} {100 * self.null:g} %."
        )

    @property
    def _of_group(self) -> str:
        """The group, the question, and the answer."""
        return ", ".join(filter(None, [self.group, self.named]))


@dataclass(frozen=True, slots=True)
class ShareTestOptions:
    """The share that is tested, against which others, and how.

    `within`: where it is to be shown that the share is that near the tested one, in points. `fdr`: on average at
    most 1 - level of the rows that find something are wrong; `people`: whether groups are other people.
    """

    null: float
    alternative: Alternative = "two-sided"
    method: Method = "clopper-pearson"
    level: float = 0.95
    simultaneous: bool = False
    within: float | None = None
    fdr: bool = False
    people: People = "other"

    def __post_init__(self) -> None:
        check_adjustment(self)
        if self.within is None:
            return
        object.__setattr__(self, "within", margin_around(self.null, self.within).points)
        if self.alternative != "two-sided" or self.method != "clopper-pearson":
            raise DomainError("within is by two one-sided tests: leave out alternative and method.")
        if self.level <= 1 / 2:
            raise DomainError(f"level ({self.level:g}) must be above 0.5 for a margin: intervals are at 2 level - 1.")


def shares_tested(
    title: str,
    groups: Mapping[str, Sequence[GroupEstimate]],
    options: ShareTestOptions,
    contradictions: Sequence[GroupMisfit] = (),
) -> Tested[ShareTested]:
    """Test every share of every group. `contradictions`: of groups that find nothing.

    Raises `DomainError` where there is none, or several waves or designs are pooled in one.
    """
    shares = [(name, side) for name, sides in groups.items() for side in sides if side.unit is None]
    if not shares:
        raise DomainError("there is no share to test.")
    exact = [(name, side, side.group) for name, side in shares if side.group is not None]
    if not exact:
        raise DomainError(
            "an exact test takes reports of one wave that went through one channel, each for one answer. `sotto "
            "estimate` gives an interval."
        )
    n_rows = len(exact) if options.simultaneous else 1
    void = [bool(contradicting(contradictions, side.question, [name])) for name, side, _ in exact]
    is_independent = options.people == "other" and len({name for name, _, _ in exact}) == len(exact)
    found = [_p_value(group, options) for _, _, group in exact]
    p_values = adjusted(found, options, void=void, independent=is_independent)
    rows = tuple(_row(*of, options, n_rows, p_value) for of, p_value in zip(exact, p_values, strict=True))
    together = "all valid together" if options.simultaneous else "each valid on its own"
    lines = (
        _tested_words(options) + adjusted_words(options, independent=is_independent),
        f"{level_words(_level(options))} intervals by the same method, about the population, {together}",
        *_left_out([side for _, side in shares]),
    )
    members = {
        "alternative": options.alternative,
        "method": options.method,
        "level": options.level,
        "simultaneous": options.simultaneous,
        "target": "population",
    }
    members |= ({"fdr": True} if options.fdr else {}) | ({"within": options.within} if options.within else {})
    return Tested("share", title, lines, members, rows)


def _level(options: ShareTestOptions) -> float:
    """Return the level of intervals: each end of one that is held against a margin misses in 1 - level."""
    return options.level if options.within is None else round(2 * options.level - 1, 12)


def _tested_words(options: ShareTestOptions) -> str:
    """Return what is tested, and how."""
    if options.within is not None:
        return (
            f"P of a share that is {options.within:g} points or more from {100 * options.null:g} %: exact, by two "
            f"one-sided tests at {level_words(round(1 - options.level, 12))}"
        )
    other = {"two-sided": "another", "greater": "a greater", "less": "a smaller"}[options.alternative]
    return f"share = {100 * options.null:g} % against {other} one: P is exact, by the {options.method} method"


def _left_out(shares: Sequence[GroupEstimate]) -> list[str]:
    """Return of which questions there is no test beside others: of those whose reports are for several answers."""
    names = ", ".join(dict.fromkeys(side.question for side in shares if side.group is None))
    return [f"no exact test of {names}: one report can be for several of its answers"] if names else []


def _p_value(group: Group, options: ShareTestOptions) -> float:
    def p_value(null: float, alternative: Alternative) -> float:
        counts = group.support_count, group.n, group.channel
        return share_test(*counts, null, alternative=alternative, method=options.method).p_value

    if options.within is None:
        return p_value(options.null, options.alternative)
    low, high = options.null - options.within / 100, options.null + options.within / 100
    of_less = p_value(low, "greater") if low >= 0 else 0.0  # no share is below 0, or above 1
    return max(of_less, p_value(high, "less") if high <= 1 else 0.0)


def _row(
    name: str, side: GroupEstimate, group: Group, options: ShareTestOptions, n_rows: int, p_value: float
) -> ShareTested:
    """Return the row of a test that gave this P-value, which holds with those of the other rows where they must."""
    low, high = confidence_interval(
        group.support_count, group.n, group.channel, level=_level(options), method=options.method, n_intervals=n_rows
    )
    has_interval = is_interval(float(low), float(high))
    is_found, is_margin = p_value <= check_level(options.level), options.within is not None
    verdict = (WITHIN if is_found else NOT_SHOWN) if is_margin else _FOUND[options.alternative]
    if not is_found and not is_margin:
        verdict = "not ruled out"
    return ShareTested(
        question=side.question,
        answer=side.answer,
        n=side.n,
        epsilon=side.epsilon,
        share=side.estimate,
        standard_error=side.standard_error,
        low=float(low) if has_interval else None,
        high=float(high) if has_interval else None,
        null=options.null,
        p_value=p_value,
        verdict=verdict,
        group=name,
        within=options.within,
    )
