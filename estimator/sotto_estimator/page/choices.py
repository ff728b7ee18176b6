"""What a reader of the results can choose: the wave, and how intervals are made. All of it stands in the address."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from sotto_estimator.channel.channel import TARGETS, Target
from sotto_estimator.intervals.intervals import IntervalOptions, target_of
from sotto_estimator.intervals.methods import METHODS
from sotto_estimator.page.errors import ChoiceError, NoSuchStratumError, NoSuchWaveError
from sotto_estimator.results.words import level_digits
from sotto_protocol import Survey
from sotto_protocol.language import Language, direction
from sotto_protocol.language_names import own_name
from sotto_protocol.strata import groups_of, in_tree_order

LEVELS = ("0.9", "0.95", "0.99")
ALL = "all"
EACH = "each"
"""All strata, beside one another."""
POOLED = "pooled"
"""The same with pooled figures."""
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")


@dataclass(frozen=True, slots=True)
class Field:
    """A select of the form: its name in the query, its label, and (value, words, whether it is chosen) of each."""

    name: str
    label: str
    options: tuple[tuple[str, str, bool], ...]


class PageLanguage(NamedTuple):
    """A language that the survey can be read in, by the name that its speakers have for it, and the page's address."""

    tag: str
    name: str
    direction: str
    address: str


@dataclass(frozen=True, slots=True)
class Choices:
    """One choice of each; the defaults are those of `sotto estimate`. `wave` None: all waves, pooled.

    `stratum`: ALL together, EACH beside the others, or POOLED too, or one by its place in `groups_of`: a name could be
    any text. `lang`: the language of the survey that was asked for; "" where none was. `about`: whom the
    survey is about, which is the target unless another was chosen.
    """

    wave: int | None = None
    stratum: str = ALL
    level: str = "0.95"
    method: str = "chernoff"
    target: Target = "population"
    simultaneous: str = "no"
    lang: str = ""
    about: Target = "population"

    @property
    def place(self) -> int | None:
        """The place of the one stratum that was chosen; None where none was."""
        return None if self.stratum in (ALL, EACH, POOLED) else int(self.stratum)

    @property
    def is_beside(self) -> bool:
        """Whether all strata stand beside one another."""
        return self.stratum in (EACH, POOLED)

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
        usual = self._usual
        chosen = {name: getattr(self, name) for name in self.__slots__ if getattr(self, name) != getattr(usual, name)}
        return "?" + urlencode(chosen) if chosen else ""

    def others(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return what is chosen besides these, by name, of what differs from the defaults."""
        return [(name, value) for name, value in parse_qsl(self.query.removeprefix("?")) if name not in names]

    @property
    def is_advanced(self) -> bool:
        """Whether intervals are chosen that are not the usual ones."""
        return self.interval_options != self._usual.interval_options

    @property
    def _usual(self) -> "Choices":
        return Choices(target=self.about, about=self.about)

    @property
    def holds_at_every_look(self) -> bool:
        """Whether intervals hold at every look, however often somebody looks."""
        return self.method == "anytime"

    @property
    def query_at_every_look(self) -> str:
        """The query that chooses the same with intervals that hold at every look."""
        return replace(self, method="anytime").query

    def query_in(self, lang: str) -> str:
        """Return the query that chooses the same in another language."""
        return replace(self, lang=lang).query

    def tongues(self, survey: Survey) -> list[PageLanguage]:
        """Return the languages to choose from; none where there is one."""
        tags = survey.languages if len(survey.languages) > 1 else ()
        return [PageLanguage(tag, own_name(tag), direction(tag), f"results{self.query_in(tag)}") for tag in tags]

    def report_fields(self, survey: Survey, say: Language) -> list[Field]:
        """Return the selects that say whose reports are shown: the wave, the stratum, where there are several."""
        fields = []
        if survey.waves > 1:
            waves = {ALL: say.gettext("all waves")}
            waves |= {str(wave): say.gettext("wave %(n)s", n=wave) for wave in range(1, survey.waves + 1)}
            fields.append(self._field("wave", say.gettext("Wave"), waves))
        if survey.strata:
            strata = {ALL: say.gettext("all groups together"), EACH: say.gettext("all groups side by side")}
            strata[POOLED] = say.gettext("all groups side by side, and pooled")
            places = {name: str(place) for place, name in enumerate(groups_of(survey.strata), 1)}
            strata |= {places[name]: name for name in in_tree_order(survey.strata)}
            fields.append(self._field("stratum", say.gettext("Group"), strata))
        return fields

    def interval_fields(self, say: Language) -> list[Field]:
        """Return the selects that say how intervals are made."""
        targets = {"population": say.gettext("the population"), "respondents": say.gettext("these respondents")}
        together = {"no": say.gettext("each range on its own"), "yes": say.gettext("all ranges together")}
        return [
            self._field(
                "level", say.gettext("Level"), {level: say.percent(level_digits(float(level))) for level in LEVELS}
            ),
            self._field("method", say.gettext("Method"), {method: method for method in METHODS}),
            self._field("target", say.gettext("About"), targets),
            self._field("simultaneous", say.gettext("Confidence in"), together),
        ]

    def _field(self, name: str, label: str, options: Mapping[str, str]) -> Field:
        return Field(name, label, tuple((key, words, key == self._text(name)) for key, words in options.items()))

    def _text(self, name: str) -> str:
        value = getattr(self, name)
        return ALL if value is None else str(value)


def read_choices(query: Mapping[str, Sequence[str]], survey: Survey) -> Choices:
    """Return what a query chooses; members that it does not know are for others.

    Raises NoSuchWaveError, NoSuchStratumError and ChoiceError, which say what can be chosen, and never what was.
    """
    domains = {"level": LEVELS, "method": tuple(METHODS), "target": TARGETS, "simultaneous": ("no", "yes")}
    about = target_of(survey)
    chosen: dict[str, Any] = {"target": about, "about": about}
    for name, domain in domains.items():
        if name in query:
            if len(query[name]) > 1 or query[name][0] not in domain:
                raise ChoiceError(f"{name} must be given once, as one of {', '.join(domain)}.")
            chosen[name] = query[name][0]
    lang = query.get("lang", [""])[0]
    asked = lang if lang in survey.languages else ""  # whoever asks for another gets one that is there
    wave, stratum = _read_wave(query.get("wave", [ALL]), survey), _read_stratum(query.get("stratum", [ALL]), survey)
    return Choices(wave=wave, stratum=stratum, lang=asked, **chosen)


def _read_wave(asked: Sequence[str], survey: Survey) -> int | None:
    if list(asked) == [ALL]:
        return None
    if len(asked) > 1 or not _NUMBER.fullmatch(asked[0]) or int(asked[0]) > survey.waves:
        raise NoSuchWaveError(f"wave must be given once, as {ALL} or an integer in [1, {survey.waves}].")
    return int(asked[0])


def _read_stratum(asked: Sequence[str], survey: Survey) -> str:
    groups = groups_of(survey.strata)
    places = map(str, range(1, len(groups) + 1))
    if len(asked) > 1 or asked[0] not in (ALL, *((EACH, POOLED, *places) if survey.strata else ())):
        listed = ", ".join(f"{place} for {name}" for place, name in enumerate(groups, 1))
        domain = f"{ALL}, {EACH}, {POOLED}, {listed}" if survey.strata else f"{ALL}: the survey has no strata"
        raise NoSuchStratumError(f"stratum must be given once, as {domain}.")
    return asked[0]
