"""What the results page is made of: the tallies that are released to its reader."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import reduce
from hashlib import sha256
from operator import add

from sotto_protocol import Survey, Tally
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.strata import groups_of, places_in


@dataclass(frozen=True)
class Release:
    """What of a survey's results is released to a reader.

    `tallies`: by cell (`Survey.cells`; without strata that is the wave), ascending, of those of which anything is
    given. `n_known`: how many reports there are in all, where the reader may know that even of tallies that are
    withheld; else None. `may_search`: whether they may look for texts among the answers to a text question.
    `digest`: what `digest_of` gives of the tallies; it is kept beside them, for of large ones it takes long.
    `language`: of the page's words; `lang`: the tag of that of the survey's texts. `turnout`: of each wave, how many
    were invited and how many answered, where the reader may know it; None of a wave with too few to be told.
    `floored`: the cells of which nothing was given since a restore, unless enough further reports have come.
    """

    survey: Survey
    is_open: bool
    tallies: Mapping[int, Tally] = field(default_factory=dict)
    n_known: int | None = None
    may_search: bool = True
    digest: str = ""
    language: Language = ENGLISH
    lang: str = ""
    turnout: Mapping[int, tuple[int, int | None]] = field(default_factory=dict)
    floored: Collection[int] = ()

    def places_of(self, group: int) -> tuple[int, ...]:
        """Return the places of a group's strata: of a stratum, or of a parent, by its place in `groups_of`."""
        return places_in(self.survey.strata, groups_of(self.survey.strata)[group - 1])

    def by_wave(self, stratum: int | None = None) -> dict[int, Tally]:
        """Return the tallies of one group, or of all, by wave, ascending; of waves of which anything is given."""
        places = self.places_of(stratum) if stratum else range(1, self.survey.n_strata + 1)
        found: dict[int, Tally] = {}
        for cell, tally in self.tallies.items():
            if (cell - 1) // self.survey.waves + 1 in places:
                wave = self.survey.wave_of(cell)
                found[wave] = found[wave] + tally if wave in found else tally
        return dict(sorted(found.items()))

    def tally(self, wave: int | None = None, stratum: int | None = None) -> Tally:
        """Return the tally of one wave, of one stratum, or of all; the empty one where nothing is given."""
        chosen = [tally for number, tally in self.by_wave(stratum).items() if wave in (None, number)]
        return reduce(add, chosen) if chosen else Tally.empty(self.survey)

    def say_missing(self, say: Language = ENGLISH, wave: int | None = None, stratum: int | None = None) -> str:
        """Return why nothing is shown of a wave, of a stratum, or of all: what of it may be said to this reader."""
        least = self.survey.min_reports
        if least == 1:
            return say.gettext("No reports yet.")
        several = [self.survey.cells(wave, place) for place in (self.places_of(stratum) if stratum else [None])]
        is_floored = any(cells is None or cell in cells for cell in self.floored for cells in several)
        if is_floored:
            promise = say.gettext(
                "The database was restored from a backup. Results stay hidden until they surely differ by "
                "enough reports from all results that were given before."
            )
        elif self.survey.waves > 1 or self.survey.strata:
            promise = say.gettext(
                "As the survey promises, a wave or a group with fewer than %(n)s reports is not shown.",
                n=least,
            )
        else:
            promise = say.gettext("As the survey promises, results of fewer than %(n)s reports are not shown.", n=least)
        lines = [promise]
        if self.n_known is not None and stratum is None:
            missing = least - self.n_known
            lines.append(say.ngettext("So far there is %(n)s.", "So far there are %(n)s.", self.n_known))
            if missing > 0 and not is_floored:
                lines.append(say.ngettext("At least %(n)s is missing.", "At least %(n)s are missing.", missing))
        if not self.is_open:
            lines.append(say.gettext("The survey is closed, so no further reports will come."))
        return " ".join(lines)


def digest_of(survey: Survey, tallies: Mapping[int, Tally]) -> str:
    """Return what tells one state of the counts from another.

    Their number does not: an erased report and a new one leave it alone.
    """
    counts = sha256(survey.fingerprint.encode())
    for cell, tally in tallies.items():
        counts.update(b"%d:%d:" % (cell, tally.n_reports) + tally.pack().counts.tobytes())
    return counts.hexdigest()


ReadRelease = Callable[[str], Release]
"""Returns what the sender of the request in hand may see of the survey of this id; or raises, for who may not."""
