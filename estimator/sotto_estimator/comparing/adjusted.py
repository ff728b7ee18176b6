"""P-values of several tests that hold together, or of which few that find something are wrong."""

from collections.abc import Sequence
from typing import Protocol

from sotto_estimator.errors import DomainError
from sotto_estimator.results.words import level_digits

HOLM = "; P-values valid together by Holm's method, which may find what an interval does not rule out"


class Adjustment(Protocol):
    """What options say of several tests. `fdr`: on average at most 1 - level of what is found is wrong."""

    @property
    def level(self) -> float:
        """The confidence level."""

    @property
    def simultaneous(self) -> bool:
        """Whether all tests hold together."""

    @property
    def fdr(self) -> bool:
        """Whether the false discovery rate is held."""


def check_adjustment(options: Adjustment) -> None:
    """Raise DomainError for both at once."""
    if options.simultaneous and options.fdr:
        raise DomainError("simultaneous and fdr do not go together: all tests hold, or few of the finds are wrong.")


def adjusted(
    p_values: Sequence[float], options: Adjustment, *, void: Sequence[bool] = (), independent: bool = False
) -> list[float]:
    """Return P-values by what the options ask for.

    `void`: which tests find nothing whatever their P-value. Were they counted as finds, more of the others might be
    wrong. `independent`: whether the tests are.
    """
    if options.simultaneous:
        return holm(p_values)
    if not options.fdr:
        return [*p_values]
    held = [
        1.0 if is_void else p_value for p_value, is_void in zip(p_values, void or [False] * len(p_values), strict=True)
    ]
    return hochberg(held) if independent else yekutieli(held)


def adjusted_words(options: Adjustment, *, independent: bool = False) -> str:
    """Return what is said of adjusted P-values after how they are made."""
    if not options.fdr:
        return HOLM * options.simultaneous
    by = (
        "Benjamini & Hochberg, for independent tests: each group is other people"
        if independent
        else ("Benjamini & Yekutieli, for tests that share a group or people")
    )
    rate = level_digits(round(1 - options.level, 12))
    return f"; on average at most {rate} % of the rows that find something are wrong (P-values by {by})"


def holm(p_values: Sequence[float]) -> list[float]:
    """Return P-values that all hold together, however the tests depend on one another (Holm 1979), in their order.

    Those at most alpha are of tests of which, with probability 1 - alpha at least, none finds what is not there.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    found, least = [0.0] * len(p_values), 0.0
    for n_before, place in enumerate(_in_order(p_values)):
        least = max(least, min(1.0, (len(p_values) - n_before) * p_values[place]))
        found[place] = least
    return found


def hochberg(p_values: Sequence[float]) -> list[float]:
    """Return P-values of independent tests, in their order (Benjamini & Hochberg 1995, theorem 1).

    Of the tests whose value is at most alpha the share that is wrong, 0 where there is none, is at most alpha on
    average.

    >>> hochberg([0.01, 0.02, 0.04])
    [0.03, 0.03, 0.04]
    """
    found, most, n = [0.0] * len(p_values), 1.0, len(p_values)
    for rank, place in reversed([*enumerate(_in_order(p_values), 1)]):
        most = min(most, n / rank * p_values[place])
        found[place] = most
    return found


def yekutieli(p_values: Sequence[float]) -> list[float]:
    """Return the same however the tests depend on one another (Benjamini & Yekutieli 2001, theorem 1.3)."""
    factor = sum(1 / rank for rank in range(1, len(p_values) + 1))
    return hochberg([factor * p_value for p_value in p_values])


def _in_order(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=lambda place: p_values[place])
