"""Which answers are more common than which, as far as intervals that hold together say: an order of groups."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal, NamedTuple


class ShareInterval(NamedTuple):
    """The interval of one answer's share; all of a question hold together."""

    answer: str
    low: float
    high: float


Place = Literal["high", "low", ""]


@dataclass(frozen=True, slots=True)
class Order:
    """`groups`: each answer of a group is surely more common than each of the next; together they are all answers.

    `leaders`: those that may be the most common one. With the probability with which the intervals hold together, all
    of it is so. `spans`: these intervals.
    """

    groups: tuple[tuple[str, ...], ...]
    leaders: tuple[str, ...]
    spans: tuple[ShareInterval, ...] = field(default=(), repr=False, compare=False)

    def place_of(self, answer: str) -> Place:
        """Return "high" for what is surely above another and below none, "low" for the reverse, else ""."""
        own = next((span for span in self.spans if span.answer == answer), None)
        above = own is not None and any(own.low > other.high for other in self.spans)
        below = own is not None and any(own.high < other.low for other in self.spans)
        return "" if above == below else "high" if above else "low"

    @property
    def is_undecided(self) -> bool:
        """Whether none is surely above another."""
        return len(self.groups) == 1 and not self.at("high")

    def at(self, place: Place) -> list[str]:
        """Return those at a place, in the order of the groups."""
        return [answer for group in self.groups for answer in group if self.place_of(answer) == place]


def order_of(spans: Sequence[ShareInterval]) -> Order:
    """Return what the intervals of one answer or more say of their order; groups as fine as may be.

    >>> order_of([ShareInterval("a", 0.1, 0.2), ShareInterval("b", 0.5, 0.7), ShareInterval("c", 0.15, 0.4)])
    Order(groups=(('b',), ('c', 'a')), leaders=('b',))
    """
    falling = sorted(spans, key=lambda span: (span.low + span.high, span.low), reverse=True)
    most_of_rest = list(accumulate((span.high for span in reversed(falling)), max, initial=-math.inf))[-2::-1]
    groups: list[tuple[str, ...]] = []
    start, lowest = 0, math.inf
    for place, span in enumerate(falling):
        lowest = min(lowest, span.low)
        if lowest > most_of_rest[place]:
            groups.append(tuple(one.answer for one in falling[start : place + 1]))
            start, lowest = place + 1, math.inf
    highest = max(span.low for span in spans)
    leaders = tuple(span.answer for span in falling if span.high >= highest)
    return Order(tuple(groups), leaders, tuple(spans))
