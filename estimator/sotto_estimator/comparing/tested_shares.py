"""Are shares what somebody says they are? Exact tests of every answer, of independent reports of one channel."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sotto_estimator.comparing.exact_tests import Alternative, Method, share_test
from sotto_estimator.comparing.group import Group
from sotto_estimator.comparing.group_estimates import GroupEstimate
from sotto_estimator.comparing.holm import HOLM, holm
from sotto_estimator.comparing.result import Row, Span, Tested
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import check_level, confidence_interval, is_interval
from sotto_estimator.results.words import level_words, misfit_sentence

_FOUND = {"two-sided": "another", "greater": "greater", "less": "less"}
_SAID = {"not ruled out": "could be", "another": "differs from"}


@dataclass(frozen=True, slots=True)
class ShareTested(Row):
    """The test of one answer's share being `null`, and the interval of the same method.

    `low`, `high`: None where the interval holds no share. `verdict`: "not ruled out", or what the share is instead:
    "another", "greater", "less". Where counts contradict the design, verdict, P-value, share and its error are None.
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

    FOUND: ClassVar[tuple[str, ...]] = ("share", "standard_error", "low", "high", "p_value", "verdict")

    @property
    def compared(self) -> tuple[str, ...]:
        """One group, which has no name."""
        return ("",)

    def estimates_without(self, contradicting: Collection[str]) -> dict[str, Any]:
        """Return nothing more: there is one group."""
        return {}

    @property
    def span(self) -> Span:
        """What is drawn of it."""
        low, high = (math.nan if end is None else end for end in (self.low, self.high))
        return Span(self.named, math.nan if self.share is None else self.share, low, high, None)

    @property
    def sentence(self) -> str:
        """What is known, in plain words."""
        if self.verdict is None:
            return misfit_sentence(self.question)
        return f"{self.named}: the share {_SAID.get(self.verdict, f'is {self.verdict} than')} {100 * self.null:g} %."


@dataclass(frozen=True, slots=True)
class ShareTestOptions:
    """The share that is tested, against which others, and how."""

    null: float
    alternative: Alternative = "two-sided"
    method: Method = "clopper-pearson"
    level: float = 0.95
    simultaneous: bool = False


def shares_tested(title: str, sides: Sequence[GroupEstimate], options: ShareTestOptions) -> Tested[ShareTested]:
    """Test every share. Raises `DomainError` where there is none, or several waves or designs are pooled in one."""
    shares = [side for side in sides if side.unit is None]
    if not shares:
        raise DomainError("there is no share to test.")
    exact = [(side, side.group) for side in shares if side.group is not None]
    if not exact:
        raise DomainError(
            "an exact test takes reports of one wave that went through one channel, each for one answer. `sotto "
            "estimate` gives an interval."
        )
    n_rows = len(exact) if options.simultaneous else 1
    p_values = [_p_value(group, options) for _, group in exact]
    p_values = holm(p_values) if options.simultaneous else p_values
    rows = tuple(
        _row(side, group, options, n_rows, p_value) for (side, group), p_value in zip(exact, p_values, strict=True)
    )
    other = {"two-sided": "another", "greater": "a greater", "less": "a smaller"}[options.alternative]
    together = "all valid together" if options.simultaneous else "each valid on its own"
    lines = (
        f"share = {100 * options.null:g} % against {other} one: P is exact, by the {options.method} method"
        + HOLM * options.simultaneous,
        f"{level_words(options.level)} intervals by the same method, about the population, {together}",
        *_left_out(shares),
    )
    members = {
        "alternative": options.alternative,
        "method": options.method,
        "level": options.level,
        "simultaneous": options.simultaneous,
        "target": "population",
    }
    return Tested("share", title, lines, members, rows)


def _left_out(shares: Sequence[GroupEstimate]) -> list[str]:
    """Return of which questions there is no test beside others: of those whose reports are for several answers."""
    names = ", ".join(dict.fromkeys(side.question for side in shares if side.group is None))
    return [f"no exact test of {names}: one report can be for several of its answers"] if names else []


def _p_value(group: Group, options: ShareTestOptions) -> float:
    found = share_test(
        group.support_count,
        group.n,
        group.channel,
        options.null,
        alternative=options.alternative,
        method=options.method,
    )
    return found.p_value


def _row(side: GroupEstimate, group: Group, options: ShareTestOptions, n_rows: int, p_value: float) -> ShareTested:
    """Return the row of a test that gave this P-value, which holds with those of the other rows where they must."""
    low, high = confidence_interval(
        group.support_count, group.n, group.channel, level=options.level, method=options.method, n_intervals=n_rows
    )
    has_interval = is_interval(float(low), float(high))
    verdict = _FOUND[options.alternative] if p_value <= check_level(options.level) else "not ruled out"
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
    )
