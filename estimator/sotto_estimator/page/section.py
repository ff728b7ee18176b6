"""One question's part of the results page."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import Any

from sotto_estimator.intervals.intervals import is_interval
from sotto_estimator.page.charts import draw_waves
from sotto_estimator.page.figure_page import FigurePage, page_of
from sotto_estimator.page.spoken import Spoken
from sotto_estimator.page.waves import WaveSeries
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.results.largest import largest
from sotto_estimator.shares.estimates import Estimate
from sotto_estimator.shares.verdict.verdict import Verdict
from sotto_estimator.sources.quality import Quality
from sotto_estimator.views.verdict_words import finding_words, quote_words, sentences
from sotto_protocol import Question
from sotto_protocol.words import epsilon_above

MAX_ROWS = 1000
"""A page of more would be slow to look at; the files have all."""
_CAPTION_COLUMNS = 98
_ISOLATE, _POP = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
"""Between them a text of the author's runs its own way, and the sentence around it another."""


def wrapped(lines: Sequence[str]) -> list[str]:
    """Return lines as they stand over a chart that is downloaded."""
    return [part for line in lines for part in wrap(line, _CAPTION_COLUMNS)]


@dataclass(frozen=True)
class Section:
    """One question's figures: `rows` of the waves that were chosen, `last_rows` of the last wave, `series` of them all.

    Answers are as their reader reads them. `verdict`: what is known of it; where counts contradict the design there are
    no figures and no series. `more`: what stands beside the figures, as a distribution beside a mean. None of it of a
    text question, among whose answers `most_texts` texts can be looked for at once;
    `hint`: why not, where they cannot be now. `withheld`: what of its reports is not yet counted. `remarks`: what the
    intervals are, in the page's language; `technical`: what the command would say besides, in English.
    """

    question: Question
    n_reports: int
    spoken: Spoken
    verdict: Verdict
    remarks: tuple[str, ...] = ()
    technical: tuple[str, ...] = ()
    quality: Quality | None = None
    rows: Sequence[Any] = ()
    last_rows: Sequence[Any] = ()
    more: Sequence[Any] = ()
    series: Sequence[WaveSeries] = ()
    hint: str = ""
    most_texts: int = 0
    withheld: str = ""
    is_of_respondents: bool = False

    @property
    def part(self) -> FigurePage | None:
        """How the question's kind of figure stands on the page; None of text."""
        return page_of(self.question)

    @property
    def asks_one(self) -> bool:
        """Whether a device is asked one of the options, so that each share has its own n."""
        return bool(self.rows) and self.question.mechanism.asks_one

    def has_interval(self, row: Estimate) -> bool:
        """Whether any share in [0, 1] is in a row's interval (`Estimates.has_interval`)."""
        return is_interval(row.low, row.high, may_be_point=self.is_of_respondents and not row.is_outside)

    @property
    def is_outside(self) -> bool:
        """Whether an unbiased estimate is not in what is possible."""
        points = [point for one in self.series for point in one.points]
        return self.part is not None and any(map(self.part.is_marked, [*self.rows, *self.last_rows, *points]))

    @property
    def quoted(self) -> str:
        """Which range to quote of an impossible estimate, under its table; "" where there is none."""
        is_marked = self.part is not None and any(map(self.part.is_marked, self.rows))
        return quote_words(self.spoken.say) if is_marked else ""

    @property
    def findings(self) -> list[tuple[str, str]]:
        """What is known of each answer, with its name; of a mean, which needs none, with an empty one."""
        labels = self.spoken.labels(self.question) if self.part and self.part.has_names else {}
        return [(labels.get(of.answer, ""), finding_words(of, self.spoken.say)) for of in self.verdict.findings]

    @property
    def shows(self) -> bool:
        """Whether anything is known that a chart could show; of numbers it shows quantiles, which take more."""
        if self.part and not (self.part.shows_undecided or self.verdict.is_decided):
            return False
        return bool(self.verdict.findings) and not self.verdict.is_unknown

    @property
    def sentences(self) -> list[str]:
        """What else is to be said of what is known."""
        labels = {answer: f"{_ISOLATE}{label}{_POP}" for answer, label in self.spoken.labels(self.question).items()}
        return sentences(self.verdict, self.spoken.say, labels)

    @property
    def conditions(self) -> list[str]:
        """What has to be known before any of it is read: that the counts contradict the design."""
        return sentences(Verdict(self.question.id, is_void=self.verdict.is_void), self.spoken.say)

    @property
    def made_of(self) -> list[str]:
        """What this is of, under its chart: n and epsilon first, then whom its intervals are about."""
        say, epsilon = self.spoken.say, epsilon_above(self.question.epsilon, self.spoken.say)
        return [say.gettext("n = %(n)s, epsilon %(epsilon)s", n=self.n_reports, epsilon=epsilon), *self.remarks]

    def caption_of(self, chart: str) -> list[str]:
        """Return what stands over a chart that is downloaded, in lines that fit."""
        lines = self.made_of
        if chart == "waves":
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

    @property
    def named(self) -> list[tuple[str, Any]]:
        """The figures, with whose they are."""
        say = self.spoken.say
        listed = (say.gettext("these reports"), self.rows), (say.gettext("the last wave"), self.last_rows)
        return [(name, figure) for name, figures in listed for figure in figures]

    @cached_property
    def charts(self) -> dict[str, Drawing]:
        """The question's charts, by name; of a survey of one wave there is none over the waves."""
        say, text = self.spoken.say, self.spoken.text(self.question)
        drawn = {}
        if self.part and self.rows:
            unit = self.spoken.unit(self.question)
            drawn[self.part.chart] = self.part.draw(text, self.rows, self.more, say, unit)
        if self.series:
            drawn["waves"] = draw_waves(say.gettext("%(question)s Wave by wave", question=text), self.series, say)
        return drawn
