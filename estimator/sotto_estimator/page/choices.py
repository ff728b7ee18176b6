"""What a reader of the results can choose: the wave, and how intervals are made. All of it stands in the address."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode

from sotto_estimator.channel import TARGETS, Target
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.methods import METHODS
from sotto_estimator.page.errors import ChoiceError, NoSuchWaveError
from sotto_estimator.render import level_words
from sotto_protocol import Survey

LEVELS = ("0.9", "0.95", "0.99")
ALL = "all"
_WAVE = re.compile(r"[1-9][0-9]{0,3}")
_TOGETHER = {"no": "each by itself", "yes": "all together"}


@dataclass(frozen=True, slots=True)
class Field:
    """A select of the form: its name in the query, its label, and (value, words, whether it is chosen) of each."""

    name: str
    label: str
    options: tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """One choice of each; the defaults are those of `sotto estimate`. `wave` None: all waves, pooled."""

    wave: int | None = None
    level: str = "0.95"
    method: str = "chernoff"
    target: Target = "population"
    simultaneous: str = "no"

    @property
    def interval_options(self) -> IntervalOptions:
        """How intervals are made."""
        return IntervalOptions(float(self.level), self.method, self.target, self.simultaneous == "yes")

    @property
    def query(self) -> str:
        """The query that chooses this, of what differs from the defaults; with its ?, or empty.

        >>> Choices(wave=2, level="0.99").query, Choices().query
        ('?wave=2&level=0.99', '')
        """
        usual = Choices()
        chosen = {name: getattr(self, name) for name in self.__slots__ if getattr(self, name) != getattr(usual, name)}
        return "?" + urlencode(chosen) if chosen else ""

    @property
    def words(self) -> str:
        """How intervals are made, in a few words.

        >>> Choices().words
        '95 % intervals, chernoff, population, each by itself'
        """
        level = level_words(float(self.level))
        return f"{level} intervals, {self.method}, {self.target}, {_TOGETHER[self.simultaneous]}"

    def fields(self, survey: Survey) -> list[Field]:
        """Return the form's selects; of a survey of one wave there is none for the wave."""
        waves = {ALL: "all waves"} | {str(wave): f"wave {wave}" for wave in range(1, survey.waves + 1)}
        listed = [
            *([("wave", "Wave", waves)] if survey.waves > 1 else []),
            ("level", "Level", {level: level_words(float(level)) for level in LEVELS}),
            ("method", "Method", {method: method for method in METHODS}),
            ("target", "About", {target: target for target in TARGETS}),
            ("simultaneous", "Intervals hold", _TOGETHER),
        ]
        return [
            Field(name, label, tuple((key, words, key == self._text(name)) for key, words in options.items()))
            for name, label, options in cast(list[tuple[str, str, dict[str, str]]], listed)
        ]

    def _text(self, name: str) -> str:
        value = getattr(self, name)
        return ALL if value is None else str(value)


def read_choices(query: Mapping[str, Sequence[str]], survey: Survey) -> Choices:
    """Return what a query chooses; members that it does not know are for others.

    Raises NoSuchWaveError and ChoiceError, which say what can be chosen, and never what was.
    """
    domains = {"level": LEVELS, "method": tuple(METHODS), "target": TARGETS, "simultaneous": tuple(_TOGETHER)}
    chosen: dict[str, Any] = {}
    for name, domain in domains.items():
        if name in query:
            if len(query[name]) > 1 or query[name][0] not in domain:
                raise ChoiceError(f"{name} must be given once, as one of {', '.join(domain)}.")
            chosen[name] = query[name][0]
    return Choices(wave=_read_wave(query.get("wave", [ALL]), survey), **chosen)


def _read_wave(asked: Sequence[str], survey: Survey) -> int | None:
    if list(asked) == [ALL]:
        return None
    if len(asked) > 1 or not _WAVE.fullmatch(asked[0]) or int(asked[0]) > survey.waves:
        raise NoSuchWaveError(f"wave must be given once, as {ALL} or an integer in [1, {survey.waves}].")
    return int(asked[0])
