"""Whose reports of a survey: of one wave, of one stratum, or of all."""

from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np

from sotto_estimator.errors import SourceError
from sotto_protocol import Survey
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.record import STRATUM, WAVE
from sotto_protocol.strata import in_tree_order, parents_of


@dataclass(frozen=True, slots=True)
class Selection:
    """Which reports: those of a `wave`, by its number, and of a `stratum` or a parent, by its name; None: of all."""

    wave: int | None = None
    stratum: str | None = None

    def __bool__(self) -> bool:
        """Whether not all are meant."""
        return self != Selection()

    @property
    def members(self) -> dict[str, int | str]:
        """What is asked for, by name: in an address, and in an output that says whose reports these are."""
        return {name: value for name, value in ((WAVE, self.wave), (STRATUM, self.stratum)) if value is not None}

    @property
    def query(self) -> str:
        """The end of an address that asks for these alone."""
        return f"?{urlencode(self.members)}" if self else ""

    def __str__(self) -> str:
        """Return in words, a comma before each, whose reports these are; nothing where of all."""
        return "".join(f", {name} {value}" for name, value in self.members.items())

    def check(self, survey: Survey) -> None:
        """Raise SourceError where the survey has no such wave, or no such stratum."""
        if self.wave is not None and not 1 <= self.wave <= survey.waves:
            raise SourceError(f"wave ({self.wave}) must be in [1, {survey.waves}], the survey's.")
        if self.stratum is not None and not self.strata(survey):
            groups = ", ".join(in_tree_order(survey.strata))
            names = f"one of {groups}" if groups else "left out: the survey has no strata"
            raise SourceError(f"stratum must be {names}.")

    def strata(self, survey: Survey) -> tuple[str, ...]:
        """Return the strata that are meant: the one of this name, or those of this parent; () where there is neither.

        Of no stratum all are meant.
        """
        if self.stratum is None or self.stratum in survey.strata:
            return survey.strata if self.stratum is None else (self.stratum,)
        return parents_of(survey.strata).get(self.stratum, ())

    def of(self, survey: Survey, records: Bytes) -> Bytes:
        """Return these of a survey's packed reports. Raises SourceError as `check` does."""
        self.check(survey)
        if self.wave is not None:
            records = records[survey.layout.numbers(records, WAVE) == self.wave]
        if self.stratum is not None:
            places = [survey.strata.index(name) + 1 for name in self.strata(survey)]
            records = records[np.isin(survey.layout.numbers(records, STRATUM), places)]
        return records
