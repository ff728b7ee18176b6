"""A planned test: how likely it finds what is there, of so many respondents; or how many of them that takes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any, Self

from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.intervals.margin import MARGINS
from sotto_estimator.planning.asked import exact
from sotto_estimator.planning.power import (
    MAX_PLANNED,
    Errors,
    MakeTest,
    PlannedTest,
    PowerRow,
    power_curve,
    power_rows,
)
from sotto_estimator.planning.power_association import AssociationTest
from sotto_estimator.planning.power_change import ChangeTest
from sotto_estimator.planning.power_margin import groups_test, share_test
from sotto_estimator.planning.power_regression import RegressionTest
from sotto_estimator.planning.power_trend import TrendTest
from sotto_estimator.results.result import Result

TESTS: Mapping[str, tuple[Callable[..., PlannedTest], Mapping[str, Any]]] = {
    "share": (share_test, {"null": ..., "share": ..., "within": None}),
    "groups": (groups_test, {"share": ..., "other_share": ..., **dict.fromkeys(MARGINS)}),
    "change": (ChangeTest, {"share": ..., "later_share": ..., "people": "other"}),
    "trend": (TrendTest, {"n_waves": ..., "share": ..., "last_share": ...}),
    "association": (AssociationTest, {"share": 0.5, "share_if_yes": ..., "share_if_no": ...}),
    "regression": (RegressionTest, {"share": ..., "slope": ..., "covariate_share": None}),
}
"""What is planned, by the name of its command; what is given of each, with what it is by default; `...`: it must be."""
_NOT_REAL = ("n_waves", "people")
USUAL_POWER = 0.8


@dataclass(frozen=True, slots=True)
class PowerPlan(Result):
    """A test's power, epsilon by epsilon, and without privacy.

    `test`: one of `TESTS`. `given`: what is true, and what the test is of, by the names of the test's fields.
    `n_options`: of a one-of question; 0 of yes-no. `is_curve`: whether rows are points along each epsilon's curve.
    """

    test: str
    given: Mapping[str, Any]
    errors: Errors
    epsilons: tuple[Decimal, ...]
    n_options: int
    rows: tuple[PowerRow, ...]
    is_curve: bool = False
    title: str = ""

    def __str__(self) -> str:
        """Return one line: the test, and what is true."""
        given = ", ".join(f"{name} {value}" for name, value in self.given.items() if value is not None)
        return f"{self.title or 'Power'}: test of {self.test}, {given}"

    @property
    def margin(self) -> str | None:
        """The kind of the margin that is to be shown; None of a difference."""
        return _margin_of(self.given)

    def curve(self) -> Self:
        """Return the same at sizes from below the least to beyond the most of these."""
        if self.is_curve:
            return self
        rows = power_curve(_maker(self.test, self.given, self.errors), self.epsilons, self.n_options, self.rows)
        return replace(self, rows=tuple(rows), is_curve=True)


def power(
    test: str,
    epsilons: Sequence[float | Decimal],
    *,
    n: int | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    one_sided: bool = False,
    n_options: int = 0,
    **given: Any,
) -> PowerPlan:
    """Return the power of a test with n respondents, or how many respondents give a `power`, by default 0.8.

    `test` is share, groups, change, trend, association or regression. `given` has the truth that the test is planned
    for, by its fields, such as `null` and `share`. `alpha` is the probability of a finding where there is nothing. With
    `n_options`, the share is that of one option of a one-of question. A share takes `within`, in points. Groups
    take `within`, `not_lower_by` or `not_higher_by`. Then the power is that of showing it. Raises DomainError.
    """
    given = _complete(test, given)
    if n is not None and power is not None:
        raise DomainError("give n or power, one of the two.")
    if n is not None and not 2 <= n <= MAX_PLANNED:
        raise DomainError(f"n ({n}) must be in [2, {MAX_PLANNED}].")
    if one_sided and _margin_of(given):
        raise DomainError("one_sided does not go with a margin, which says its side. Leave out one of the two.")
    asked, errors = exact(epsilons), Errors(alpha, 1 if one_sided or _margin_of(given) else 2)
    rows = power_rows(_maker(test, given, errors), asked, n_options, n, USUAL_POWER if power is None else power)
    return PowerPlan(test, given, errors, asked, n_options, tuple(rows))


def _margin_of(given: Mapping[str, Any]) -> str | None:
    return next((kind for kind in MARGINS if given.get(kind) is not None), None)


def _maker(test: str, given: Mapping[str, Any], errors: Errors) -> MakeTest:
    """Return what makes the test of a channel."""
    return partial(TESTS[test][0], errors=errors, **given)


def _complete(test: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is given, with defaults. Raises DomainError for a name that the test has not, or lacks."""
    if test not in TESTS:
        raise DomainError(f"test ({test!r}) {one_of(TESTS, test)}")
    known = TESTS[test][1]
    if wrong := [*given.keys() - known.keys()]:
        raise DomainError(f"{wrong[0]} does not go with a test of {test}, which takes {', '.join(known)}.")
    complete = {**known, **given}
    if missing := [name for name, value in complete.items() if value is ...]:
        raise DomainError(f"a test of {test} needs {', '.join(missing)}.")
    return {
        name: value if name in _NOT_REAL or value is None else _real(name, value) for name, value in complete.items()
    }


def _real(name: str, value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]  # else it is refused
    except (TypeError, ValueError):
        raise DomainError(f"{name} ({value!r:.40}) must be a number.") from None
