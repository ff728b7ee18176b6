"""Shares in per cent as tables show them: with the digits that an interval bears, and marked where none can be so."""

from typing import Protocol

from sotto_estimator.results.rounding import step_of
from sotto_protocol.language import Language

OUTSIDE = "*"
OUTSIDE_WORDS = f"{OUTSIDE} outside the possible range, where an estimate can lie, and an interval never"
NOTHING = "-"
"""In a table, where nothing can be said."""
_N_DECIMALS = 2
_ERRORS = 4
"""So many standard errors are about as wide as an interval."""


class Measured(Protocol):
    """A number with its standard error and its interval."""

    @property
    def standard_error(self) -> float | None: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


def percent(share: float, n_decimals: int = _N_DECIMALS) -> str:
    """Return a share in per cent; a zero has no sign.

    >>> percent(0.12345), percent(-0.00001), percent(0.000037, 4)
    ('12.35 %', '0.00 %', '0.0037 %')
    """
    return f"{percent_digits(share, n_decimals)} %"


def percent_digits(share: float, n_decimals: int = _N_DECIMALS) -> str:
    """Return the digits of a share in per cent; a zero has no sign."""
    digits = f"{100 * share:.{n_decimals}f}"
    return digits if digits.strip("-0.") else digits.removeprefix("-")


def percent_words(share: float, say: Language, n_decimals: int = _N_DECIMALS) -> str:
    """Return a share in per cent as a language writes it."""
    return say.percent(percent_digits(share, n_decimals))


def mark_of(share: float, n_decimals: int = _N_DECIMALS) -> str:
    """Return what stands before an unbiased share: a mark where it is not from 0 to 100 %, as it is shown.

    >>> mark_of(1.24), mark_of(-0.5), mark_of(1.0), mark_of(-0.00001)
    ('*', '*', '', '')
    """
    return "" if 0 <= float(percent_digits(share, n_decimals)) <= 100 else OUTSIDE


def share_percent(share: float, n_decimals: int = _N_DECIMALS) -> str:
    """Return an unbiased share in per cent, marked where it is not possible."""
    return mark_of(share, n_decimals) + percent(share, n_decimals)


def signed_percent(shift: float, n_decimals: int = _N_DECIMALS) -> str:
    """Return a difference of shares in per cent with its sign, where it has one.

    >>> signed_percent(-0.0123), signed_percent(-1e-18), signed_percent(0.000037, 4)
    ('-1.23 %', '0.00 %', '+0.0037 %')
    """
    words = f"{100 * shift:+.{n_decimals}f} %"
    return words if words.strip("+-0. %") else words[1:]


def n_decimals_of(row: Measured) -> int:
    """Return how many decimals of per cent a share is shown with: two, and as many as what is said of it in words.

    Those of an interval from 0 to .0037 % are four, or it would be one from 0.00 to 0.00 %.
    """
    return n_decimals_of_width(row.high - row.low or _ERRORS * (row.standard_error or 0))


def n_decimals_of_width(width: float) -> int:
    """Return the same of an interval that is this wide, as a share.

    >>> n_decimals_of_width(0.1), n_decimals_of_width(0.000037)
    (2, 4)
    """
    return max(_N_DECIMALS, -2 - step_of(width).adjusted()) if 0 < width < 1 else _N_DECIMALS
