"""Reports of pooled waves: how many of them can be of the same devices.

Devices are independent of one another, and send one report a wave at most. Notation: of waves of n1 >= n2 >= .. reports
at most n2 devices sent two, n3 three, and so on; N_k = n_k - n_(k+1). If no device sends more than m, those that would
send more send m, and others send the rest. Proofs are in docs/maths-waves.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sotto_estimator.errors import DomainError

if TYPE_CHECKING:
    from sotto_protocol.counted import Counted


@dataclass(frozen=True, slots=True)
class Devices:
    """The most dependent devices that reports can be of: `n_devices[i]` of them sent `n_each[i]`, different, ascending.

    `n_devices` are no integers where it is not known how many reports are of which wave.
    """

    n_each: tuple[int, ...]
    n_devices: tuple[float, ...]

    @staticmethod
    def of(counted: "Counted", most: int | None = None) -> "Devices":
        """Return those of waves' reports; those of which the wave is not known make the waves as alike as they can.

        `most`: the most reports of one device, >= 1 (`Survey.max_reports`); by default one of every wave.
        """
        sizes = sorted(_fill(sorted(counted.by_wave.values()), counted.n_unsplit), reverse=True)
        if most is not None and most < len(sizes):
            return _of_at_most(most, sizes)
        n_each = {k: n - smaller for k, (n, smaller) in enumerate(pairwise([*sizes, 0.0]), 1) if n > smaller}
        return Devices(tuple(n_each), tuple(n_each.values()))

    @staticmethod
    def alike(n_reports: int, n_waves: int) -> "Devices":
        """Return devices that all sent a report in every one of so many waves: what holds whatever the waves' sizes.

        Raises `DomainError` unless n_waves >= 1.
        """
        if not n_waves >= 1:
            raise DomainError(f"n_waves ({n_waves!r}) must be >= 1.")
        return Devices((n_waves,), (n_reports / n_waves,))

    @property
    def n_reports(self) -> float:
        """How many reports there are."""
        return sum(k * n for k, n in zip(self.n_each, self.n_devices, strict=True))

    @property
    def n_waves(self) -> int:
        """The most reports of one device."""
        return max(self.n_each, default=1)

    @property
    def effect(self) -> float:
        """The design effect: the reports are worth as many independent ones, divided by it; in [1, n_waves]."""
        if len(self.n_each) < 2:
            return self.n_waves
        return sum(k * k * n for k, n in zip(self.n_each, self.n_devices, strict=True)) / self.n_reports


def _of_at_most(most: int, sizes: Sequence[float]) -> Devices:
    """Return the most dependent devices that send no more than `most` reports each; `sizes` of waves descend.

    Any j devices send at most min(sum of min(n_w, j), j most) reports. The first is smaller from j = `tall` on: so many
    devices send `most`, and those after them are nested.
    """
    for k in reversed(range(most)):
        tall = sum(sizes[k:]) / (most - k)
        if k == 0 or tall <= sizes[k - 1]:
            break
    n_each = {each: sizes[each - 1] - max(sizes[each], tall) for each in range(1, k + 1)} | {most: tall}
    sent = {each: n for each, n in n_each.items() if n > 0}
    return Devices(tuple(sent), tuple(sent.values()))


def _fill(sizes: Iterable[int], n_more: int) -> list[float]:
    """Return ascending sizes with so many more reports in the smallest, which these make as large as each other."""
    filled, below, least = [float(size) for size in sizes], 0.0, 0.0
    for index, size in enumerate([*filled[1:], np.inf] if filled else []):
        below += filled[index]
        least = (below + n_more) / (index + 1)
        if least <= size:
            break
    return [max(size, least) for size in filled]
