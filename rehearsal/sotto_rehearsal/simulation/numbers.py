"""Numbers that people answer: what a truth says of them, as a share of every number of the range."""

from collections.abc import Mapping
from decimal import Decimal

import numpy as np

from sotto_protocol.documents import Fields, is_decimal, parse_decimal
from sotto_protocol.questions.number import Number
from sotto_rehearsal.simulation.answers import Floats, Numbers
from sotto_rehearsal.simulation.shares import read_shares

_SHAPES = ("uniform", "bell", "low", "high", "two-peaks")
_BELL = 1 / 6
"""The deviation of each peak of a shape, as a part of the range."""
_MAX_DIGITS = 20
"""No range has numbers of more."""


def spread_evenly(kind: Number) -> Numbers:
    """Return numbers of which each is as likely."""
    return _numbers(kind, np.ones(kind.n_options))


def read_numbers(fields: Fields, kind: Number) -> Numbers:
    """Take `shape`, or `shares` of numbers, or `mean` and `deviation`. Raises TruthError.

    A mean and a deviation are a bell's before it is cut to the range: what is left of it may have others.
    """
    if fields.has("shape"):
        return _numbers(kind, _shaped(fields.one_of("shape", _SHAPES), _places(kind)))
    if fields.has("shares"):
        return _numbers(kind, _listed(fields, kind))
    low, high = Decimal(kind.minimum), Decimal(kind.maximum)
    mean = fields.take("mean", f"a number in [{low:f}, {high:f}]", lambda v: is_decimal(v, low, high))
    size = high - low
    deviation = fields.take(
        "deviation", f"a number above 0, to {size:f}", lambda v: is_decimal(v, Decimal(0), size) and v > 0
    )
    return _numbers(kind, _bell(_places(kind), float((mean - low) / size), float(deviation / size)))


def _listed(fields: Fields, kind: Number) -> Floats:
    shares = np.zeros(kind.n_options)
    for name, share in read_shares(fields, "shares", None, adds_up=True).items():
        step = kind.encode(_read_number(name), 1)
        if step is None:
            raise fields.fail("shares", f"must be of numbers that may be answered, {kind.expected(1)}.")
        shares[step] += share
    return shares


def _read_number(text: str) -> int | Decimal | None:
    """Return the number that a text writes, a whole one as an int; None where it writes none."""
    try:
        number = parse_decimal(text)
    except ValueError:
        return None
    is_whole = number.is_finite() and abs(number.adjusted()) < _MAX_DIGITS and number == number.to_integral_value()
    return int(number) if is_whole else number


def _places(kind: Number) -> Floats:
    """Return where each number stands in the range, from 0 to 1."""
    return np.linspace(0, 1, kind.n_options)


def _shaped(shape: str, places: Floats) -> Floats:
    weights: Mapping[str, Floats] = {
        "uniform": np.ones(len(places)),
        "bell": _bell(places, 0.5, _BELL),
        "low": _bell(places, 0.0, _BELL),
        "high": _bell(places, 1.0, _BELL),
        "two-peaks": _bell(places, 0.25, _BELL / 2) + _bell(places, 0.75, _BELL / 2),
    }
    return weights[shape]


def _bell(places: Floats, mean: float, deviation: float) -> Floats:
    logs = -(((places - mean) / deviation) ** 2) / 2
    return np.asarray(np.exp(logs - logs.max()))


def _numbers(kind: Number, weights: Floats) -> Numbers:
    numbers = float(kind.minimum) + _places(kind) * (float(kind.maximum) - float(kind.minimum))
    return Numbers(numbers, weights / weights.sum())
