"""Strings as paths through a graph: its nodes are n-grams at positions, its edges join those that go together."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.text import PADDING

Shares = NDArray[np.float64]


def join_grams(
    grams: Sequence[Sequence[str]], edges: Mapping[tuple[int, int], Shares], most: int
) -> tuple[tuple[str, ...], bool]:
    """Return the strings of one n-gram a position, all joined to one another, and whether the search was cut.

    `grams`: those of each position. `edges[i, j]`, i < j counted from 0: the share of people with both n-grams, shape
    (len(grams[i]), len(grams[j])), 0 where there is no edge. Paths are made from the first position on; at each, the
    `most` whose weakest edge is heaviest are followed. Padding is followed by padding only, and falls away at the end.
    """
    paths: list[tuple[float, tuple[int, ...]]] = [(np.inf, (node,)) for node in range(len(grams[0]))]
    is_cut = False
    for position in range(1, len(grams)):
        longer = [step for weight, path in paths for step in _extend(weight, path, position, grams, edges)]
        longer.sort(key=lambda step: (-step[0], step[1]))
        is_cut |= len(longer) > most
        paths = longer[:most]
    texts = ("".join(grams[place][node] for place, node in enumerate(path)).rstrip(PADDING) for _, path in paths)
    return tuple(dict.fromkeys(text for text in texts if text)), is_cut


def _extend(
    weight: float,
    path: tuple[int, ...],
    position: int,
    grams: Sequence[Sequence[str]],
    edges: Mapping[tuple[int, int], Shares],
) -> list[tuple[float, tuple[int, ...]]]:
    weakest = np.full(len(grams[position]), weight)
    for place, node in enumerate(path):
        weakest = np.minimum(weakest, edges[place, position][node])
    is_over = grams[position - 1][path[-1]].endswith(PADDING)
    return [
        (float(weakest[node]), (*path, node))
        for node in np.flatnonzero(weakest > 0).tolist()
        if not is_over or not grams[position][node].strip(PADDING)
    ]
