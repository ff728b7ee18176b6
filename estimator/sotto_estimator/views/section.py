"""All there is to read of one question, in its reader's language: on the results page, and in a report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from textwrap import wrap
from typing import Any

from sotto_estimator.inference.marginal import estimated_of
from sotto_estimator.inference.registry import FIGURES, is_text
from sotto_estimator.results.document import Heading, Known, Lines, PageBlock, Picture, isolated
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.results.largest import largest
from sotto_estimator.shares.estimates import Estimate, Estimates
from sotto_estimator.shares.verdict.verdict import Verdict
from sotto_estimator.views.figure_section import OVER_WAVES, FigureSection, section_of
from sotto_estimator.views.figure_tables import FigureTables
from sotto_estimator.views.score_section import score_label
from sotto_estimator.views.section_lines import remarks_on, say_fakes, say_parent, say_withheld, technical_lines
from sotto_estimator.views.spoken import Spoken
from sotto_estimator.views.verdict_words import finding_words, quote_words, sentences
from sotto_estimator.views.waves import WaveSeries, draw_waves, wave_tables
from sotto_protocol import Question
from sotto_protocol.words import epsilon_above

MAX_ROWS = 1000
"""A page of more would be slow to look at; the files have all."""
_CAPTION_COLUMNS = 98


def wrapped(lines: Sequence[str]) -> list[str]:
    """Return lines as they stand over a chart that is downloaded."""
    return [part for line in lines for part in wrap(line, _CAPTION_COLUMNS)]


@dataclass(frozen=True)
class QuestionPart:
    """One question of a survey, and how it is read."""

    question: Question
    spoken: Spoken

    @property
    def key(self) -> str:
        """The question's id."""
        return self.question.id

    @property
    def text(self) -> str:
        """The question, as it is read."""
        return self.spoken.text(self.question)

    @property
    def part(self) -> FigureSection | None:
        """How the question's kind of figure is read; None of text."""
        return section_of(self.question)

    @cached_property
    def labels(self) -> dict[str, str]:
        """How answers that have names are shown, by answer; of a mean, which needs none, nothing."""
        return self.spoken.labels(self.question) if self.part and self.part.has_names else {}


@dataclass(frozen=True)
class Section(QuestionPart):
    """One question's figures in `estimates`, of the reports that were chosen; there may be none.

    `last`: of the last wave alone, and `series` of every wave, where they stand beside these; `score_series`: of the
    mean score. Answers are as their reader reads them. Where counts contradict the design there are no figures and no
    series.
    """

    estimates: Estimates
    last: Estimates | None = None
    series: Sequence[WaveSeries] = ()
    score_series: Sequence[WaveSeries] = ()

    @property
    def n_reports(self) -> int:
        """How many reports answer the question."""
        return self.estimates.n_answering.get(self.key, 0)

    @cached_property
    def verdict(self) -> Verdict:
        """What is known of the question, in the unit as it is read."""
        bare = Verdict(self.key, is_void=self.key in self.estimates.void, is_text=is_text(self.question))
        found = next((of for of in self.estimates.verdicts if of.question == self.key), bare)
        if not (unit := self.spoken.unit(self.question)):
            return found
        findings = tuple(replace(of, unit=unit) for of in found.findings)
        return replace(found, findings=findings, aim=found.aim and replace(found.aim, unit=unit))

    @cached_property
    def rows(self) -> list[Any]:
        """The figures of which something may be said."""
        return self._figures_of(self.estimates)

    @cached_property
    def last_rows(self) -> list[Any]:
        """Those of the last wave."""
        return self._figures_of(self.last) if self.last and self.rows else []

    def _figures_of(self, estimates: Estimates) -> list[Any]:
        found = [one for one in estimates.main_figures if one.is_told and one.question == self.key]
        return self.spoken.labelled(self.question, found)

    @property
    def more(self) -> list[Any]:
        """What stands beside the figures, as a distribution beside a mean."""
        listed = [one for one in self.estimates.figures if one.is_told and one.question == self.key]
        return [one for one in listed if FIGURES[one.kind].of is not None]

    def has_interval(self, row: Any) -> bool:
        """Whether anything that is possible is in a figure's interval."""
        return self.estimates.has_interval(row) if isinstance(row, Estimate) else bool(row.has_interval)

    @property
    def is_outside(self) -> bool:
        """Whether an unbiased estimate is not in what is possible."""
        points = [point for one in self.series for point in one.points]
        return self.part is not None and any(map(self.part.is_marked, [*self.rows, *self.last_rows, *points]))

    @property
    def quoted(self) -> list[str]:
        """Which range to quote of an impossible estimate, where there is one, and ranges stand above."""
        is_marked = self.part is not None and any(map(self.part.is_marked, self.rows))
        return [quote_words(self.spoken.say)] * (is_marked and bool(self.verdict.findings))

    @property
    def findings(self) -> list[tuple[str, str]]:
        """What is known of each answer, with its name; of a mean, which needs none, with an empty one."""
        say, score = self.spoken.say, self.verdict.score
        mean = [(score_label(score.answer, say), finding_words(score, say))] if score else []
        return mean + [(self.labels.get(of.answer, ""), finding_words(of, say)) for of in self.verdict.findings]

    @property
    def shows(self) -> bool:
        """Whether anything is known that a chart could show; of numbers it shows quantiles, which take more."""
        if self.part and not (self.part.shows_undecided or self.verdict.is_decided):
            return False
        return bool(self.verdict.findings or not self.estimates.verdicts) and not self.verdict.is_unknown

    @property
    def sentences(self) -> list[str]:
        """What else is to be said of what is known."""
        labels = {answer: isolated(label) for answer, label in self.labels.items()}
        return sentences(self.verdict, self.spoken.say, labels)

    @property
    def notices(self) -> list[str]:
        """What has to be known before any of it is read: fakes, counts that contradict the design, and what waits."""
        say, void = self.spoken.say, Verdict(self.key, is_void=self.verdict.is_void)
        is_alarming = any(of.is_alarming for of in self.estimates.quality if of.question == self.key)
        withheld = [say_withheld(of, say) for of in self.estimates.withheld if of.question == self.key]
        of = self.estimates.counted_in.get(self.key, self.estimates.parent)
        parent = [say_parent(of, say)] if of and of.missing else []
        return [*parent, *[say_fakes(say)] * is_alarming, *sentences(void, say), *withheld]

    @property
    def remarks(self) -> list[str]:
        """What the intervals are, and of which reports."""
        return remarks_on(self.question, self.estimates, self.spoken.say)

    @property
    def technical(self) -> list[str]:
        """What the command would say besides, in English."""
        return technical_lines(self.question, self.estimates)

    @property
    def made_of(self) -> list[str]:
        """What this is of, under its chart: n and epsilon first, then whom its intervals are about."""
        say, group = self.spoken.say, self.estimates.stratum
        epsilon = epsilon_above(self.question.epsilon, say)
        first = say.gettext("n = %(n)s, epsilon %(epsilon)s", n=self.n_reports, epsilon=epsilon)
        alone = [] if group is None else [say.gettext("group “%(group)s” alone", group=group)]
        return [first, *self.remarks, *alone]

    def caption_of(self, chart: str) -> list[str]:
        """Return what stands over a chart that is downloaded, in lines that fit."""
        lines = self.made_of
        if chart in OVER_WAVES:
            waves = [point.wave for point in self.series[0].points]
            values = {
                "first": waves[0],
                "last": waves[-1],
                "epsilon": epsilon_above(self.question.epsilon, self.spoken.say),
            }
            about = self.spoken.say.gettext(
                "waves %(first)s to %(last)s, each separately; epsilon %(epsilon)s", **values
            )
            lines = [about, *self.remarks[:1]]
        return wrapped(lines)

    @cached_property
    def table(self) -> list[Any]:
        """The rows of the tables; of very many those of the largest shares."""
        return largest(self.rows, MAX_ROWS)

    @property
    def last_table(self) -> list[Any]:
        """The same rows of the last wave."""
        shown = {row.answer for row in self.table}
        return [row for row in self.last_rows if row.answer in shown]

    @cached_property
    def charts(self) -> dict[str, Drawing]:
        """The question's charts, by name; of a survey of one wave there is none over the waves."""
        say, drawn = self.spoken.say, {}
        if self.part and self.rows:
            unit = self.spoken.unit(self.question)
            drawn[self.part.chart] = self.part.draw(self.text, self.rows, self.more, say, unit)
        title = say.gettext("%(question)s Wave by wave", question=self.text)
        for name, series in zip(OVER_WAVES, (self.score_series, self.series), strict=True):
            if series:
                drawn[name] = draw_waves(title, series, say)
        return drawn

    @property
    def known(self) -> list[PageBlock]:
        """What is known, in words."""
        say = self.spoken.say
        unknown = Lines([say.gettext("Too few reports to say.")], look="verdict")
        of_text = say.gettext(
            "Nobody can read single texts. You can find out which of the texts that you name are common."
        )
        return [
            unknown if self.verdict.is_unknown else Known(self.findings),
            Lines(self.notices, look="notice"),
            Lines([] if self.verdict.is_void else self.sentences),
            Lines([of_text] * (self.verdict.is_text and self.n_reports > 0)),
        ]

    @property
    def shown(self) -> list[PageBlock]:
        """The charts, and what they are made of."""
        say, blocks = self.spoken.say, list[PageBlock]()
        charts = self.charts if self.shows else {}
        first = next((name for name in charts if name in OVER_WAVES), "")
        for name, drawing in charts.items():
            is_last = name == "waves"
            blocks += [*[Heading(say.gettext("Wave by wave"))] * (name == first), Picture(name, drawing)]
            if is_last and len(self.series) < len(self.rows):
                values = {"n": len(self.series), "all": len(self.rows)}
                said = say.gettext("The %(n)s answers with the highest estimates, out of %(all)s.", **values)
                blocks.append(Lines([said], look="small"))
        has_any = self.n_reports or self.rows
        return [*blocks, Lines([f"{'; '.join(self.made_of)}."] if has_any else [], look="small")]

    @property
    def numbers(self) -> list[PageBlock]:
        """The exact numbers as tables that fit a telephone, and for who knows statistics what the command would say."""
        say, technical = self.spoken.say, Lines(self.technical, look="small", lang="en")
        if not (self.part and self.rows):
            return [technical] if self.verdict.is_void else []
        tables = FigureTables(self.question, self.part, self.spoken, self.has_interval)
        outside = say.gettext(
            "An unbiased estimate may be lower or higher than any possible value. Chance moves it both ways and "
            "nothing is cut off, so its average over many surveys is the truth. The figures above are limited to "
            "possible values."
        )
        values = {"n": len(self.table), "all": len(self.rows)}
        cut = say.gettext("The %(n)s answers with the highest estimates, out of %(all)s; the files have all.", **values)
        return [
            Lines([f"* {outside}"] * self.is_outside, look="small"),
            *tables.of_reports(self.table, self.last_table, self.more),
            Lines(self.quoted, look="small"),
            Lines([cut] * (len(self.table) < len(self.rows)), look="small"),
            *wave_tables(self.key, [*self.score_series, *self.series], say),
            technical,
        ]


def sections_of(estimates: Estimates, spoken: Spoken) -> list[Section]:
    """Return the part of every question of the survey, in its order, and behind joint ones of their items."""
    return [Section(question, spoken, estimates) for question in estimated_of(spoken.survey)]
