"""Several strata together: the reports are those of the strata that are shown, and no others."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add

from sotto_protocol import Tally


@dataclass(frozen=True, slots=True)
class Parent:
    """Which strata, of a parent or of all, are `shown`, and so are in the counts; and which are `missing` there too."""

    shown: tuple[str, ...]
    missing: tuple[str, ...]

    @classmethod
    def of(cls, strata: Iterable[str], shown: Collection[str]) -> "Parent":
        """Return the parent of these strata, of which some are shown."""
        named = tuple(strata)
        return cls(tuple(name for name in named if name in shown), tuple(name for name in named if name not in shown))

    def __str__(self) -> str:
        n = len(self.shown) + len(self.missing)
        if not self.missing:
            return f"{n} strata together"
        verb = "is" if len(self.missing) == 1 else "are"
        few = f"{', '.join(self.missing)} {verb} too small to be shown alone, and not counted here"
        return f"counts {len(self.shown)} of {n} strata; {few}"


def together(shown: Mapping[str, Tally], cells: Mapping[str, Iterable[Tally]]) -> tuple[Tally, list[Tally]]:
    """Return the tally of some strata together, and those of its waves: of one wave none.

    `cells`: of each stratum the tallies of its waves.
    """
    by_wave: dict[int, Tally] = {}
    for listed in cells.values():
        for tally in listed:
            for wave in tally.waves[:1]:
                by_wave[wave] = by_wave[wave] + tally if wave in by_wave else tally
    waves = [tally for _, tally in sorted(by_wave.items())]
    return reduce(add, shown.values()), waves if len(waves) > 1 else []
