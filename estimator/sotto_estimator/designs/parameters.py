"""The parameters of designs: what each is in words, and its value read exactly from a text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from sotto_estimator.errors import DomainError

Row = tuple[Fraction, ...]
Value = Fraction | int | Row | tuple[Row, ...] | str
Kind = Literal["probability", "count", "probabilities", "rows", "path", "estimator", "list"]
LEAST_VARIANCE, PAPER = "least-variance", "paper"
"""How reports are weighed: by generalised least squares, or by their mean, as in the paper of the design."""
SHORT, LONG = "short", "long"
"""The list of items without the sensitive one, and with it."""
_CHOICES = {"estimator": (LEAST_VARIANCE, PAPER), "list": (SHORT, LONG)}

MAX_COUNT = 100
"""So many draws or answers, at the most: a matrix stays small."""

_READABLE = 10**6
_PROBABILITY = re.compile(r"[0-9]{1,17}/[0-9]{1,17}|[0-9]{0,17}(\.[0-9]{0,17})?")
"""Not whatever `Fraction` reads: it takes hours for 1e999999999."""
_LIKE_A_NUMBER = re.compile(r"[0-9.+-].*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a design: `words` say what it is and, of a probability, given what. `is_needed`: no default."""

    name: str
    words: str
    kind: Kind = "probability"
    is_needed: bool = True

    @property
    def may_be_column(self) -> bool:
        """Whether it may differ by record, as a column of a file says."""
        return self.kind in ("probability", "count")

    def read(self, text: str) -> Value:
        """Return the value that a text says. Raises `DomainError`, which names parameter, value and domain."""
        if self.kind == "path":
            return text
        if self.kind in _CHOICES:
            return self._choice(text, *_CHOICES[self.kind])
        if self.kind == "count":
            return self._count(text)
        if self.kind == "probability":
            return self._probability(text)
        if self.kind == "probabilities":
            return self._probabilities(text)
        return tuple(self._probabilities(row) for row in text.split(";"))

    def _probability(self, text: str) -> Fraction:
        try:
            return read_probability(text)
        except DomainError as fault:
            raise DomainError(f"{self.name} {fault}") from None

    def _probabilities(self, text: str) -> Row:
        if not text.split():
            raise DomainError(f"{self.name} must be probabilities, separated by spaces.")
        return tuple(self._probability(part) for part in text.split())

    def _choice(self, text: str, one: str, other: str) -> str:
        if text not in (one, other):
            raise DomainError(f"{self.name} ({text:.40}) must be {one} or {other}.")
        return text

    def _count(self, text: str) -> int:
        number = int(text) if re.fullmatch("[0-9]{1,9}", text) else 0
        if not 1 <= number <= MAX_COUNT:
            raise DomainError(f"{self.name} ({text:.40}) must be a whole number in [1, {MAX_COUNT}].")
        return number


def read_probability(text: str) -> Fraction:
    """Return a decimal or a fraction exactly. Raises `DomainError`, which does not name it, unless it is in [0, 1].

    >>> read_probability("1/6"), read_probability("0.25")
    (Fraction(1, 6), Fraction(1, 4))
    """
    try:
        number = Fraction(text if _PROBABILITY.fullmatch(text) else "")
    except (ValueError, ZeroDivisionError):
        message = "must be a decimal or a fraction such as 2/3, of at most 17 digits a side."
        raise DomainError(f"({text:.40}) {message}") from None
    if not 0 <= number <= 1:
        raise DomainError(f"({text}) must be in [0, 1].")
    return number


def written(value: Value) -> str:
    """Return a value as it may be written again: a fraction of few digits as one, others as decimals.

    >>> written(Fraction(1, 6)), written(Fraction(1, 4)), written((Fraction(1, 10), Fraction(1, 5)))
    ('1/6', '0.25', '0.1 0.2')
    """
    if isinstance(value, tuple):
        return ("; " if isinstance(value[0], tuple) else " ").join(map(written, value))
    if not isinstance(value, Fraction):
        return str(value)
    decimal = str(float(value))
    return decimal.removesuffix(".0") if Fraction(decimal) == value or value.denominator > _READABLE else str(value)


def call_of(name: str, parameters: Mapping[str, str]) -> str:
    """Return a design as it may be written again, of its parameters as they are written.

    >>> call_of("crosswise", {"prob_innocuous": "1/6"}), call_of("direct", {})
    ('crosswise(prob_innocuous=1/6)', 'direct')
    """
    listed = ", ".join(f"{key}={value}" for key, value in parameters.items())
    return f"{name}({listed})" if listed else name


def is_like_a_number(text: str) -> bool:
    """Whether a text is a number or meant to be one, and not the name of a column."""
    return bool(_LIKE_A_NUMBER.fullmatch(text)) or not text
