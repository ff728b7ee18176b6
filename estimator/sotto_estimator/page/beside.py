"""One question's part of the page where all strata stand beside one another."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sotto_estimator.page.figure_page import FigurePage, page_of
from sotto_estimator.page.section import MAX_ROWS, Section, wrapped
from sotto_estimator.page.spoken import Spoken
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.shares.verdict.order import Order
from sotto_estimator.views.verdict_words import finding_words, order_words
from sotto_protocol import Question

MAX_ANSWERS = 12
"""Of more answers to a question the largest are told in words, by the largest share of any stratum."""


@dataclass(frozen=True)
class Beside:
    """One question's results in every stratum: its `sections` by the stratum's name, in the survey's order.

    `orders`: of the strata by an answer's share, or by the mean, by the answer; of one stratum alone there is none.
    """

    question: Question
    spoken: Spoken
    sections: Mapping[str, Section]
    orders: Mapping[str, Order]

    @cached_property
    def answers(self) -> list[str]:
        """The answers that are told in words, as they are shown, in the survey's order; of numbers the mean."""
        told = {finding.answer for section in self.sections.values() for finding in section.verdict.findings}
        falling = sorted(self.rows, key=lambda pair: -pair[1].value) if self._has_names else []
        most = [*dict.fromkeys(row.answer for _, row in falling)][:MAX_ANSWERS]
        return [answer for answer, label in self._labels.items() if answer in told and (not most or label in most)]

    def label(self, answer: str) -> str:
        """Return how an answer is shown; of a mean, which needs no name, nothing."""
        return self._labels[answer] if self._has_names else ""

    @property
    def part(self) -> FigurePage | None:
        """How the question's kind of figure stands on the page; None of text."""
        return page_of(self.question)

    @property
    def _has_names(self) -> bool:
        return self.part is not None and self.part.has_names

    @cached_property
    def _labels(self) -> dict[str, str]:
        return self.spoken.labels(self.question)

    def findings(self, answer: str) -> list[tuple[str, str]]:
        """Return what is known of an answer in each stratum, by the stratum's name."""
        return [
            (name, finding_words(finding, self.spoken.say))
            for name, section in self.sections.items()
            for finding in section.verdict.findings
            if finding.answer == answer
        ]

    def compared(self, answer: str) -> str:
        """Return in which strata an answer is more common, as far as is sure; "" where there is nothing to compare."""
        order = self.orders.get(answer)
        if order is None:
            return ""
        if len(order.groups) == 1:
            return self.spoken.say.gettext("The groups are too close to rank.")
        said = order_words(order, self.spoken.say)
        return self.spoken.say.gettext("The groups in order, the highest first: %(order)s.", order=said)

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """What is to be said of one stratum's reports to the question, with the stratum's name."""
        return [
            (name, line)
            for name, section in self.sections.items()
            for line in [*section.conditions, *filter(None, [section.withheld])]
        ]

    @property
    def alarms(self) -> list[str]:
        """The strata of which too many reports are unlike any that honest devices send."""
        return [name for name, of in self.sections.items() if of.quality and of.quality.is_alarming]

    @property
    def hint(self) -> str:
        """How texts can be looked for; "" where the question is not for texts."""
        return next((section.hint for section in self.sections.values() if section.hint), "")

    @property
    def shows(self) -> bool:
        """Whether of any stratum something is known that a chart could show."""
        return any(section.shows for section in self.sections.values())

    @property
    def made_of(self) -> list[str]:
        """What this is of: n in every stratum, and what the intervals are."""
        say = self.spoken.say
        n_of = [f"{name} {say.number(section.n_reports)}" for name, section in self.sections.items()]
        first = next(iter(self.sections.values()))
        return [say.gettext("n by group: %(listed)s", listed=say.joined(n_of)), *first.remarks]

    def caption_of(self, chart: str) -> list[str]:
        """Return what stands over a chart that is downloaded, in lines that fit."""
        return wrapped(self.made_of)

    @cached_property
    def rows(self) -> list[tuple[str, Any]]:
        """Every answer's figure in each stratum, those of one answer beside one another, with the stratum's name."""
        listed = [(name, row) for name, section in self.sections.items() for row in section.rows]
        place = {label: number for number, label in enumerate(self._labels.values())}
        return sorted(listed, key=lambda pair: place.get(pair[1].answer, 0))

    @property
    def table(self) -> list[tuple[str, Any]]:
        """The rows of the table: of very many the first ones."""
        return self.rows[:MAX_ROWS]

    @cached_property
    def charts(self) -> dict[str, Drawing]:
        """The question's charts, by name: a row for each stratum under every answer, or of each stratum's mean."""
        text, unit = self.spoken.text(self.question), self.spoken.unit(self.question)
        if not (self.part and self.rows):
            return {}
        return {self.part.chart: self.part.draw_groups(text, self.rows, self.spoken.say, unit)}
