"""One question's part of the results page."""

from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import NamedTuple

from sotto_estimator.estimate import Estimate
from sotto_estimator.largest import largest
from sotto_estimator.numbers.distribution import Distribution
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.page.charts import draw_shares, draw_waves
from sotto_estimator.page.drawing import Drawing
from sotto_estimator.page.number_chart import draw_number
from sotto_estimator.page.waves import WaveSeries
from sotto_estimator.quality import Quality
from sotto_protocol import Question
from sotto_protocol.words import counted, epsilon_above

MAX_ROWS = 1000
"""A page of more would be slow to look at; the files have all."""
_CAPTION_COLUMNS = 98


class NumberResult(NamedTuple):
    """The mean of a question that asks for numbers, and their distribution where reports show it."""

    mean: MeanEstimate
    distribution: Distribution | None


@dataclass(frozen=True)
class Section:
    """One question's results: `rows` of the waves that were chosen, `last_rows` of the last wave, `series` of them all.

    `number`: of a question that asks for numbers, which has no rows; `last_mean`: of the last wave.

    None of it of a text question: `commands` say how its strings are found, `withheld` what of its reports is not yet
    counted. `remarks`: what the intervals are.
    """

    question: Question
    n_reports: int
    remarks: tuple[str, ...]
    quality: Quality | None
    rows: tuple[Estimate, ...] = ()
    last_rows: tuple[Estimate, ...] = ()
    series: tuple[WaveSeries, ...] = ()
    commands: tuple[str, ...] = ()
    withheld: str = ""
    number: NumberResult | None = None
    last_mean: MeanEstimate | None = None

    @property
    def asks_one(self) -> bool:
        """Whether a device is asked one of the options, so that each share has its own n."""
        return bool(self.rows) and self.question.mechanism.has_cohorts

    @property
    def caption(self) -> list[str]:
        """What stands beside a chart: n and epsilon first."""
        return [
            f"n = {counted(self.n_reports, 'report')}, epsilon {epsilon_above(self.question.epsilon)}",
            *self.remarks,
        ]

    def caption_of(self, chart: str) -> list[str]:
        """Return what stands over a chart that is downloaded, in lines that fit."""
        lines = self.caption
        if chart == "waves":
            waves = [point.wave for point in self.series[0].points]
            about = f"waves {waves[0]} to {waves[-1]}, each by itself; epsilon {epsilon_above(self.question.epsilon)}"
            lines = [about, *self.remarks[:1]]
        return [part for line in lines for part in wrap(line, _CAPTION_COLUMNS)]

    @cached_property
    def table(self) -> list[tuple[Estimate, Estimate | None]]:
        """The rows of the table, each beside the last wave's; of very many those of the largest shares."""
        last = {row.answer: row for row in self.last_rows}
        return [(row, last.get(row.answer)) for row in largest(self.rows, MAX_ROWS)]

    @cached_property
    def charts(self) -> dict[str, Drawing]:
        """The question's charts, by name; of a survey of one wave there is none over the waves."""
        drawn = {"shares": draw_shares(self.question.text, self.rows)} if self.rows else {}
        drawn |= {"mean": draw_number(self.question.text, *self.number)} if self.number else {}
        return drawn | ({"waves": draw_waves(f"{self.question.text} Wave by wave", self.series)} if self.series else {})
