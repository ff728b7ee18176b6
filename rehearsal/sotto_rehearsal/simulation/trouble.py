"""What goes wrong with a survey's people, besides chance: how much of each, all 0 by default."""

from dataclasses import dataclass, fields
from typing import Any

from sotto_protocol.documents import Fields
from sotto_rehearsal.simulation.errors import TruthError
from sotto_rehearsal.simulation.shares import take_share

MAX_DEVICES = 100


@dataclass(frozen=True, slots=True)
class Trouble:
    """Shares in [0, 1]: of people, but for the fakes, which are so many of the devices that send reports.

    `liars` say what is desired, or anything. `clumsy_fakes` send noise that no device makes, `clever_fakes` reports
    that devices can make, all for one answer. `duplicated` people answer on `devices` devices each, in [2, 100].
    `change`: who thinks anew of every answer before each wave but the first.
    """

    liars: float = 0.0
    clumsy_fakes: float = 0.0
    clever_fakes: float = 0.0
    duplicated: float = 0.0
    devices: int = 2
    change: float = 0.0

    def __post_init__(self) -> None:
        shares = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "devices"}
        for name, share in shares.items():
            if not 0 <= share <= 1:
                raise TruthError(f"$.trouble.{name}", "must be a share in [0, 1].")
        if self.clumsy_fakes + self.clever_fakes > 1:
            raise TruthError("$.trouble", "must have at most as many fakes as devices: their shares exceed 1.")

    def replaced_by(self, given: dict[str, Any]) -> "Trouble":
        """Return this trouble, but for what is given by name; None was not given. Raises TruthError."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        if unknown := [name for name in given if name not in own]:
            raise TruthError("$.trouble", f"has no {unknown[0]}: it may have {', '.join(own)}.")
        return Trouble(**own | {name: value for name, value in given.items() if value is not None})

    def in_words(self, n_waves: int) -> list[str]:
        """Return what goes wrong in so many waves, each in a few words."""
        told = [
            (self.liars, f"{_percent(self.liars)} do not answer truthfully"),
            (self.clumsy_fakes, f"{_percent(self.clumsy_fakes)} of the devices are clumsy fakes"),
            (self.clever_fakes, f"{_percent(self.clever_fakes)} of the devices are clever fakes"),
            (self.duplicated, f"{_percent(self.duplicated)} answer on {self.devices} devices"),
            (self.change * (n_waves > 1), f"{_percent(self.change)} think anew before each wave"),
        ]
        return [words for share, words in told if share]


def read_trouble(document: Any) -> Trouble:
    """Return what a truth's table `trouble` says. Raises TruthError with the place."""
    table = Fields(document, "$.trouble", TruthError)
    given: dict[str, Any] = {}
    for field in fields(Trouble):
        if not table.has(field.name):
            continue
        if field.name == "devices":
            given["devices"] = table.integer("devices", 2, MAX_DEVICES)
        else:
            given[field.name] = take_share(table, field.name)
    table.finish()
    return Trouble(**given)


def _percent(share: float) -> str:
    return f"{100 * share:g} %"
