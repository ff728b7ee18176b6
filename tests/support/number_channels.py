"""The channel of a number's question, written from its definition."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from sotto_estimator.numbers.channel import NumberChannel


def window(levels: int, width: int, epsilon: float) -> NumberChannel:
    """Return the channel, written from its definition; the mean's line through its ends."""
    odds = math.exp(epsilon) * width / (levels - 1)
    prob = Fraction(odds / (1 + odds)).limit_denominator(2**32)
    columns = [
        [prob / width if at <= y < at + width else (1 - prob) / (levels - 1) for y in range(levels + width - 1)]
        for at in range(levels)
    ]
    means = [sum((y * share for y, share in enumerate(column)), Fraction(0)) for column in columns]
    return NumberChannel(np.array(columns, np.float64).T, means[0], means[-1] - means[0], range(levels + width - 1))


def of_table(table: dict[str, Any]) -> NumberChannel:
    """Return the channel of a published table of segments: probabilities and worths are parts of 2^32."""
    columns = [
        [inside if first <= level <= last else outside for first, last, inside, outside, _ in table["outputs"]]
        for level in range(table["levels"])
    ]
    return NumberChannel(
        np.array(columns, np.float64).T / 2**32, Fraction(0), Fraction(2**32), [row[4] for row in table["outputs"]]
    )
