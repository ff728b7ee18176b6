"""An axis of shares, or of numbers: from where to where it goes, and where its ticks stand."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from sotto_protocol.language import Language

_MAX_STEPS = 5
_STEPS = (1, 2, 2.5, 5, 10, 20)
_LEAST = 0.01
"""The shortest axis, as a share: a survey in which nobody says yes needs no finer one."""


@dataclass(frozen=True, slots=True)
class Axis:
    """From `low` to `high`, low < high, in `n_steps` equal steps. One of shares has low <= 0 < high."""

    low: float
    high: float
    n_steps: int

    @staticmethod
    def over(values: Iterable[float]) -> "Axis":
        """Return an axis of at most six ticks that holds 0 and all values, which are finite.

        >>> Axis.over([0.03, 0.38]), Axis.over([-0.02, 0.11]).ticks
        (Axis(low=0.0, high=0.4, n_steps=4), [-0.05, 0.0, 0.05, 0.1, 0.15])
        """
        listed = [0.0, _LEAST, *values]
        return Axis.spanning(min(listed), max(listed))

    @staticmethod
    def spanning(least: float, most: float) -> "Axis":
        """Return an axis of at most six ticks from `least` or before to `most` or behind, least < most.

        >>> Axis.spanning(41.2, 43.9).ticks
        [41.0, 42.0, 43.0, 44.0]
        """
        magnitude = 10.0 ** math.floor(math.log10((most - least) / _MAX_STEPS))
        for step in (factor * magnitude for factor in _STEPS):
            first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
            if last - first <= _MAX_STEPS:
                break
        return Axis(first * step, last * step, last - first)

    @property
    def ticks(self) -> list[float]:
        """Where ticks stand, ascending; no zero is negative."""
        step = (self.high - self.low) / self.n_steps
        return [round(self.low + number * step, 12) + 0.0 for number in range(self.n_steps + 1)]

    def place(self, value: float) -> float:
        """Return where a share or number stands, from 0 at `low` to 1 at `high`."""
        return (value - self.low) / (self.high - self.low)


def tick_words(share: float, say: Language) -> str:
    """Return a tick's share in per cent, without digits that say nothing.

    >>> from sotto_protocol.language import ENGLISH
    >>> tick_words(0.25, ENGLISH), tick_words(-0.005, ENGLISH)
    ('25 %', '-0.5 %')
    """
    return say.percent(f"{round(100 * share, 6):g}")


def shortest(number: float, say: Language) -> str:
    """Return a number as a language writes it, with no more digits than it has, of at most twelve.

    >>> from sotto_protocol.language import ENGLISH
    >>> shortest(0.1 + 0.2, ENGLISH), shortest(1e15, ENGLISH)
    ('0.3', '1,000,000,000,000,000')
    """
    return say.number(f"{Decimal(f'{number:.12g}').normalize():f}")
