"""The numbers of a question's figures, in any language: as tables that fit a telephone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sotto_estimator.results.document import Caption, Cell, Column, Said, Table
from sotto_estimator.views.figure_section import FigureSection
from sotto_estimator.views.spoken import Spoken
from sotto_protocol import Question

Named = Sequence[tuple[str, Any]]
"""Figures, each with what its row is called."""


@dataclass(frozen=True, slots=True)
class FigureTables:
    """What makes the tables of one question. `has_interval`: whether anything possible is in a figure's interval."""

    question: Question
    part: FigureSection
    spoken: Spoken
    has_interval: Callable[[Any], bool]

    def of_reports(self, figures: Sequence[Any], last: Sequence[Any], more: Sequence[Any]) -> list[Table]:
        """Return estimates and errors; `last`: of the last wave alone, `more`: what stands beside the figures."""
        say, part, key = self.spoken.say, self.part, self.question.id
        unit = self.spoken.unit(self.question)
        named = [(one.answer, one) for one in figures]
        if not part.has_names:
            listed = (say.gettext("these reports"), figures), (say.gettext("the last wave"), last)
            named = [(name, one) for name, ones in listed for one in ones]
        tables = [self._estimates("table", part.caption(say), named), self._errors(named)]
        if part.has_names and last:
            tables.append(self._estimates("last", say.gettext("The last wave alone"), [(of.answer, of) for of in last]))
        if any(part.consistent(one)[0] is not None for one in figures):
            tables.append(self._consistent(named))
        return [*tables, *part.more(more, key, unit, say)]

    def of_groups(self, named: Named, caption: Caption | None = None) -> Table:
        """Return the figures of several groups, those of one answer beside one another, each with its group's name."""
        say, part = self.spoken.say, self.part
        names = [*[say.gettext("Answer")] * part.has_names, say.gettext("Group")]
        estimate = part.heading(say) if caption else part.unbiased(say)
        heads = ["n", estimate, say.gettext("Low"), say.gettext("High"), say.gettext("Std. error")]
        rows = [
            [*[one.answer] * part.has_names, name, say.number(one.n_reports), *self._cells(one), part.error(one, say)]
            for name, one in named
        ]
        caption = caption or self._caption("table", say.gettext("Estimates by group"))
        return Table([*(Column(name, names=True) for name in names), *_numbers(heads)], rows, caption=caption)

    def _estimates(self, key: str, words: str, named: Named) -> Table:
        say = self.spoken.say
        heads = [self.part.unbiased(say), say.gettext("Low"), say.gettext("High")]
        rows: list[list[Cell]] = [[name, *self._cells(one)] for name, one in named]
        return self._table(self._caption(key, words), heads, rows)

    def _errors(self, named: Named) -> Table:
        say, part = self.spoken.say, self.part
        asks_some = self.question.mechanism.asks_some  # then each share has its own n
        heads = [*["n"] * asks_some, say.gettext("Std. error"), *part.fakes(say)]
        rows: list[list[Cell]] = [
            [name, *[say.number(one.n_reports)] * asks_some, part.error(one, say), *part.shifts(one, say)]
            for name, one in named
        ]
        words = say.gettext("Errors, and what fakes would add")
        return self._table(Caption("errors", words, self.question.id), heads, rows)

    def _consistent(self, named: Named) -> Table:
        say, part = self.spoken.say, self.part
        words = say.gettext("The closest possible values; their errors are approximate")
        rows: list[list[Cell]] = [
            [name, *("–" if of is None else Said(part.write(of, one, say), of) for of in part.consistent(one))]
            for name, one in named
        ]
        heads = [part.heading(say), say.gettext("Std. error")]
        return self._table(self._caption("consistent", words), heads, rows)

    def _table(self, caption: Caption, heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
        """Return a table whose first column says what its rows are of: of an answer, or of which reports."""
        say = self.spoken.say
        answer, reports = Column(say.gettext("Answer"), names=True), Column(say.gettext("Based on"), "word", names=True)
        return Table([answer if self.part.has_names else reports, *_numbers(heads)], rows, caption=caption)

    def _caption(self, key: str, words: str) -> Caption:
        return Caption(key, words, self.question.id, self.spoken.unit(self.question))

    def _cells(self, one: Any) -> list[Said | str]:
        return self.part.cells(one, self.spoken.say, has_interval=self.has_interval(one))


def _numbers(heads: Sequence[str]) -> list[Column]:
    return [Column(head, "number") for head in heads]
