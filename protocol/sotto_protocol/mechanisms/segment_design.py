"""From an epsilon to segments: the best of a table of designs, in integers that take no more than the epsilon.

`scripts/segments.py` makes the table (`segment_designs.json`) with a program that is nearly linear. A design is the
flow of each output: how much more often it is reported at its own levels than at others. At every level the flows of
the outputs that stand for it add up to the same, and so they suit any epsilon; they are best at the design's own.
"""

import json
from bisect import bisect_left
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from math import exp, floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.bounds import exp_below
from sotto_protocol.coins import COIN_SCALE
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.levels import LevelResponse, largest_variance, mean_variance
from sotto_protocol.mechanisms.segments import Segment, SegmentsResponse
from sotto_protocol.mechanisms.thresholds import check_epsilon
from sotto_protocol.mechanisms.window import WindowResponse
from sotto_protocol.mechanisms.window_design import levels_of, window, window_of

_FINEST = 2**48
"""The worth of an output is worked out in such parts of a design's unit."""
_NEAR = 1.02
"""A window is taken where it has no more variance than this, for it is published in a few numbers."""


class Arc(NamedTuple):
    """An output that stands for the levels `first` to `last`, with its flow, and what it is worth in any unit."""

    first: int
    last: int
    flow: int
    worth: int


@dataclass(frozen=True)
class Design:
    """Outputs of the levels 0 .. `levels` - 1, best at `epsilon`: each has a mirror image among them."""

    epsilon: float
    levels: int
    arcs: tuple[Arc, ...]

    @cached_property
    def flow(self) -> int:
        """That of all outputs that stand for one level, whichever it is."""
        return sum(arc.flow for arc in self.arcs if arc.first == 0)

    @cached_property
    def rises(self) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """The slope of the mean worth, and the square of the worth: summed over flows, and over flows at each level."""
        first, last, flow, worth = np.array(self.arcs, np.float64).T
        level = np.arange(self.levels)[:, None]
        covers = (level >= first) & (level <= last)
        squares = flow * worth**2
        slope = (covers[-1].astype(np.float64) - covers[0]) @ (flow * worth)
        return float(slope), np.array([flow.sum(), squares.sum()]), covers @ squares

    def squares(self, epsilon: float) -> NDArray[np.float64]:
        """Return about the mean of the squared place at each level, of places from 0 to 1, at another epsilon."""
        slope, (flows, all_squares), squares = self.rises
        odds = exp(epsilon) - 1
        total = self.flow + flows / odds
        around_middle: NDArray[np.float64] = (squares + all_squares / odds) * total / slope**2
        return around_middle + np.linspace(0, 1, self.levels) - 0.25


def ask_segments(asked: Asked) -> SegmentsResponse:
    """Return the segments that an author asks for."""
    return best_segments(asked.n_options - 1, asked.require_epsilon())


def ask_number(asked: Asked, is_repeated: bool) -> LevelResponse:
    """Return the best for what an author asks of a number: its mean, unless a distribution or two stages are asked.

    Where a number is asked for again, a window: it has fewer levels, and a number that changes takes epsilon for each.
    """
    levels = levels_of(asked)
    if asked.epsilon_forever is not None or levels or is_repeated:
        return window_of(asked, levels)
    return best_for_mean(asked.n_options - 1, asked.require_epsilon())


def best_for_mean(span: int, epsilon: Decimal) -> LevelResponse:
    """Return segments, or a window where its worst variance, with the mean variance counted as below, is as good."""
    best, usual = best_segments(span, epsilon), window(span, epsilon)
    is_near = usual.worst_variance <= _NEAR * _score(squares_of(best), span, usual)
    return usual if is_near else best


@cache
def designs() -> list[list[Design]]:
    """Return the designs by family, the least epsilon first."""
    table = json.loads((files(__package__) / "segment_designs.json").read_text(encoding="utf-8"))
    return [[_design(of, each) for each in of["designs"]] for of in table]


def _design(family: dict[str, int], written: dict[str, list[int] | float]) -> Design:
    levels, rows = family["levels"], written["arcs"]
    arcs = [Arc(*row) for row in rows]  # type: ignore[union-attr,misc]
    mirrored = [Arc(levels - 1 - arc.last, levels - 1 - arc.first, arc.flow, -arc.worth) for arc in arcs]
    each = sorted({*arcs, *mirrored}, key=lambda arc: (arc.worth, arc.first))
    return Design(float(written["epsilon"]), levels, tuple(each))  # type: ignore[arg-type]


@lru_cache(maxsize=256)
def best_segments(span: int, epsilon: Decimal) -> SegmentsResponse:
    """Return the segments of the least worst variance, of a number of so many steps, by the designs of near epsilons.

    One whose mean variance, over all numbers alike, is above the window's is passed over as if its worst were as much
    above it, twice.
    """
    asked, usual = float(check_epsilon(epsilon)), window(span, epsilon)
    near = [design for family in designs() for design in _near(family, asked)]
    best = min(near, key=lambda design: _score(design.squares(asked), span, usual))
    return make_segments(best, span, epsilon)


def _near(family: list[Design], epsilon: float) -> list[Design]:
    place = bisect_left([design.epsilon for design in family], epsilon)
    return family[max(0, place - 1) : place + 1]


def _score(squares: NDArray[np.float64], span: int, usual: WindowResponse) -> float:
    too_much = max(1.0, mean_variance(squares, span) / mean_variance(squares_of(usual), span))
    return largest_variance(squares, span) * too_much**2


def squares_of(mechanism: LevelResponse) -> NDArray[np.float64]:
    """Return the mean of the squared place at each level, of places from 0 to 1."""
    offset, slope = map(float, mechanism.mean_output)
    places = (np.array(mechanism.scores, np.float64) - offset) / slope
    squares: NDArray[np.float64] = places**2 @ mechanism.channel
    return squares


def make_segments(design: Design, span: int, epsilon: Decimal) -> SegmentsResponse:
    """Return a design's segments in integers, of which each output's two probabilities are at most e^epsilon apart."""
    odds = exp_below(check_epsilon(epsilon))
    flows, outside = _fill([arc.flow for arc in design.arcs], _fewest(design), design.flow, odds)
    worths = _worths(design, flows, outside)
    rows = [
        Segment(arc.first, arc.last, flow + out, out, worth)
        for arc, flow, out, worth in zip(design.arcs, flows, outside, worths, strict=True)
    ]
    return SegmentsResponse("segments", len(rows), design.levels, span, tuple(sorted(rows, key=lambda row: row.worth)))


def _fill(flows: list[int], path: list[int], flow: int, odds: Fraction) -> tuple[list[int], list[int]]:
    """Return flows, and probabilities at all other levels, that add up to 2**32 at every level.

    The flows are multiples of the design's; what is left goes down one path from end to end, and the last few units to
    the outputs that are the likeliest at other levels.
    """

    def outside_of(flow: int) -> int:
        return -(-flow * (odds - 1).denominator // (odds - 1).numerator)

    times = floor(COIN_SCALE / (flow + Fraction(sum(flows)) / (odds - 1)))
    while (left := COIN_SCALE - times * flow - sum(outside_of(times * each) for each in flows)) < 0:
        times -= 1
    more = floor(left / (1 + len(path) / (odds - 1)))
    while True:
        filled = [times * each + more * (output in path) for output, each in enumerate(flows)]
        outside = [outside_of(each) for each in filled]
        if (rest := COIN_SCALE - times * flow - more - sum(outside)) >= 0:
            break
        more -= 1
    for number, output in enumerate(sorted(range(len(flows)), key=lambda at: -outside[at])):
        outside[output] += (rest + len(flows) - 1 - number) // len(flows)
    return filled, outside


def _fewest(design: Design) -> list[int]:
    """Return the fewest outputs that stand for all levels together, each for one only once."""
    ways: dict[int, list[int]] = {0: []}
    for level in range(design.levels):
        for output, arc in enumerate(design.arcs):
            if arc.first == level in ways and len(ways[level]) + 1 < len(ways.get(arc.last + 1, design.arcs)):
                ways[arc.last + 1] = [*ways[level], output]
    return ways[design.levels]


def _worths(design: Design, flows: list[int], outside: list[int]) -> list[int]:
    """Return what outputs are worth, so that at every level the mean is the level, but for how they are rounded.

    From level to level the mean must rise as much: the output of the largest flow of those that begin there is moved.
    """
    worths = [Fraction(arc.worth) for arc in design.arcs]

    def mean_flow(level: int) -> Fraction:
        standing = zip(design.arcs, flows, worths, strict=True)
        return sum((flow * worth for arc, flow, worth in standing if arc.first <= level <= arc.last), Fraction(0))

    least = mean_flow(0)
    rise = (mean_flow(design.levels - 1) - least) / (design.levels - 1)
    for level in range(1, design.levels):
        begins = [output for output, arc in enumerate(design.arcs) if arc.first == level]
        moved = max(begins, key=lambda output: flows[output])
        off = least + level * rise - mean_flow(level)
        worths[moved] += Fraction(round(off / flows[moved] * _FINEST), _FINEST)
    scale = COIN_SCALE / (rise * (design.levels - 1))
    start = scale * (least + sum(out * worth for out, worth in zip(outside, worths, strict=True))) / COIN_SCALE
    return [round((scale * worth - start) * COIN_SCALE) for worth in worths]
