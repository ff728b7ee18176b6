"""All there is to read of one question where groups stand beside one another, in its reader's language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sotto_estimator.results.document import Heading, Known, Lines, PageBlock, Picture, isolated
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.shares.verdict.compare import Comparison
from sotto_estimator.shares.verdict.order import Order
from sotto_estimator.views.figure_tables import FigureTables
from sotto_estimator.views.section import MAX_ROWS, QuestionPart, Section, wrapped
from sotto_estimator.views.verdict_words import finding_words, order_words

MAX_ANSWERS = 12
"""Of more answers to a question the largest are told in words, by the largest share of any group."""


@dataclass(frozen=True)
class Beside(QuestionPart):
    """One question's results in every group: its `sections` by the group's name, in the survey's order.

    `orders`: of the groups by an answer's share, or by the mean, by the answer; of one group alone there is none.
    """

    sections: Mapping[str, Section]
    orders: Mapping[str, Order]

    @cached_property
    def answers(self) -> list[str]:
        """The answers that are told in words, in the survey's order; of numbers the mean."""
        told = {finding.answer: "" for section in self.sections.values() for finding in section.verdict.findings}
        falling = sorted(self.rows, key=lambda pair: -pair[1].value)
        most = [*dict.fromkeys(row.answer for _, row in falling)][:MAX_ANSWERS]
        return [answer for answer, label in (self.labels or told).items() if answer in told and label in ("", *most)]

    def findings(self, answer: str) -> list[tuple[str, str]]:
        """Return what is known of an answer in each group, by the group's name."""
        return [
            (name, finding_words(finding, self.spoken.say))
            for name, section in self.sections.items()
            for finding in section.verdict.findings
            if finding.answer == answer
        ]

    def compared(self, answer: str) -> str:
        """Return in which groups an answer is more common, as far as is sure; "" where there is nothing to compare."""
        order = self.orders.get(answer)
        if order is None:
            return ""
        if len(order.groups) == 1:
            return self.spoken.say.gettext("The groups are too close to rank.")
        said = order_words(order, self.spoken.say)
        return self.spoken.say.gettext("The groups in order, the highest first: %(order)s.", order=said)

    @property
    def notices(self) -> list[str]:
        """What has to be known before any of it is read, with the group's name."""
        return [f"{isolated(name)}: {line}" for name, of in self.sections.items() for line in of.notices]

    @property
    def made_of(self) -> list[str]:
        """What this is of: n in every group, and what the intervals are."""
        say = self.spoken.say
        n_of = [f"{name} {say.number(section.n_reports)}" for name, section in self.sections.items()]
        first = next(iter(self.sections.values()))
        return [say.gettext("n by group: %(listed)s", listed=say.joined(n_of)), *first.remarks]

    def caption_of(self, chart: str) -> list[str]:
        """Return what stands over a chart that is downloaded, in lines that fit."""
        return wrapped(self.made_of)

    @cached_property
    def rows(self) -> list[tuple[str, Any]]:
        """Every answer's figure in each group, those of one answer beside one another, with the group's name."""
        listed = [(name, row) for name, section in self.sections.items() for row in section.rows]
        place = {label: number for number, label in enumerate(self.labels.values())}
        return sorted(listed, key=lambda pair: place.get(pair[1].answer, 0))

    @cached_property
    def charts(self) -> dict[str, Drawing]:
        """The question's charts, by name: a row for each group under every answer, or of each group's mean."""
        if not (self.part and self.rows):
            return {}
        unit = self.spoken.unit(self.question)
        return {self.part.chart: self.part.draw_groups(self.text, self.rows, self.spoken.say, unit)}

    @property
    def known(self) -> list[PageBlock]:
        """What is known of every answer in each group, in words."""
        blocks: list[PageBlock] = []
        for answer in self.answers:
            named = [Heading(self.labels[answer])] if self.labels else []
            compared = filter(None, [self.compared(answer)])
            blocks += [*named, Known(self.findings(answer)), Lines([*compared])]
        return [*blocks, Lines(self.notices, look="notice")]

    @property
    def shown(self) -> list[PageBlock]:
        """The chart, and what it is made of."""
        is_any = any(section.shows for section in self.sections.values())
        pictures = [Picture(name, drawing) for name, drawing in self.charts.items() if is_any]
        return [*pictures, Lines([f"{'; '.join(self.made_of)}."], look="small")]

    @property
    def numbers(self) -> list[PageBlock]:
        """The exact numbers, a row for each group; of very many the first ones."""
        if not (self.part and self.rows):
            return []
        has_interval = next(iter(self.sections.values())).has_interval
        table = FigureTables(self.question, self.part, self.spoken, has_interval).of_groups(self.rows[:MAX_ROWS])
        values = {"n": len(table.rows), "all": len(self.rows)}
        cut = self.spoken.say.gettext("The first %(n)s of %(all)s rows; the files have all.", **values)
        return [table, Lines([cut] * (len(table.rows) < len(self.rows)), look="small")]


def all_beside(sections: Mapping[str, Sequence[Section]], comparisons: Sequence[Comparison]) -> list[Beside]:
    """Return every question with all groups beside one another, from the sections of each group by its name."""
    return [
        Beside(
            asked[0].question,
            asked[0].spoken,
            dict(zip(sections, asked, strict=True)),
            {one.answer: one.order for one in comparisons if one.question == asked[0].key},
        )
        for asked in zip(*sections.values(), strict=True)
    ]
