"""Whose reports counts hold: how many of each wave; and counts, packed, with that beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

PackedCounts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Counted:
    """How many reports of each wave, ascending; waves without reports are left out.

    `n_unsplit`: so many more are of the waves that stand there, of which is not known: a tally of several waves in the
    first format says no more. All waves that they may be of then stand there, with the reports that are known, or 0.
    """

    by_wave: Mapping[int, int] = field(default_factory=dict)
    n_unsplit: int = 0

    def __post_init__(self) -> None:
        by_wave = {wave: n for wave, n in sorted(self.by_wave.items()) if n or self.n_unsplit}
        if len(by_wave) == 1 and self.n_unsplit:  # of which they are is known
            by_wave = {wave: n + self.n_unsplit for wave, n in by_wave.items()}
            object.__setattr__(self, "n_unsplit", 0)
        object.__setattr__(self, "by_wave", by_wave)

    @staticmethod
    def unsplit(n_reports: int, waves: tuple[int, ...]) -> "Counted":
        """Return so many reports of these waves, where it is not known how many are of each."""
        return Counted(dict.fromkeys(waves, 0), n_reports)

    @property
    def n_reports(self) -> int:
        """How many reports there are, of all waves."""
        return sum(self.by_wave.values()) + self.n_unsplit

    @property
    def waves(self) -> tuple[int, ...]:
        """The waves that the reports are of, ascending."""
        return tuple(self.by_wave)

    def __add__(self, other: "Counted") -> "Counted":
        """Return both together."""
        by_wave = {wave: self.by_wave.get(wave, 0) + other.by_wave.get(wave, 0) for wave in self._waves_with(other)}
        return Counted(by_wave, self.n_unsplit + other.n_unsplit)

    def __sub__(self, other: "Counted") -> "Counted":
        """Return what is left without others, wave by wave as far as it is known; what cannot be is negative."""
        by_wave = {wave: self.by_wave.get(wave, 0) - other.by_wave.get(wave, 0) for wave in self._waves_with(other)}
        n_unsplit = self.n_unsplit - other.n_unsplit
        if (self.n_unsplit or other.n_unsplit) and min(n_unsplit, *by_wave.values()) < 0:
            return Counted.unsplit(self.n_reports - other.n_reports, self.waves)
        return Counted(by_wave, n_unsplit)

    def may_hold(self, other: "Counted") -> bool:
        """Whether the other's reports can all be among these."""
        is_known = not (self.n_unsplit or other.n_unsplit)
        return (
            {*other.by_wave} <= {*self.by_wave}
            and other.n_reports <= self.n_reports
            and (not is_known or all(n <= self.by_wave[wave] for wave, n in other.by_wave.items()))
        )

    def _waves_with(self, other: "Counted") -> set[int]:
        return {*self.by_wave, *other.by_wave}


@dataclass(frozen=True, slots=True, eq=False)
class PackedTally:
    """A tally's counts, as `Tally.pack` lays them out, and whose reports they are of: what is stored and sent.

    Packed tallies of one survey add up, and subtract. Whether they can be is looked at where they are unpacked.
    """

    counted: Counted
    counts: PackedCounts

    @staticmethod
    def of_wave(wave: int, n_reports: int, counts: PackedCounts) -> "PackedTally":
        """Return the packed tally of so many reports of one wave."""
        return PackedTally(Counted({wave: n_reports}), counts)

    @property
    def n_reports(self) -> int:
        """How many reports there are, of all waves."""
        return self.counted.n_reports

    def __add__(self, other: "PackedTally") -> "PackedTally":
        """Return the tally of both sets of reports."""
        return PackedTally(self.counted + other.counted, self.counts + other.counts)

    def __sub__(self, other: "PackedTally") -> "PackedTally":
        """Return the tally without reports that are in it."""
        return PackedTally(self.counted - other.counted, self.counts - other.counts)
