"""A heat map: groups by questions, in a reader's language. A colour says only what intervals tell of groups' order."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sotto_estimator.results.document import HeatCell, HeatMap, PageBlock
from sotto_estimator.shares.verdict.order import Order
from sotto_estimator.shares.verdict.verdict import Finding
from sotto_estimator.views.beside import Beside
from sotto_estimator.views.score_section import score_label
from sotto_estimator.views.section import Section
from sotto_estimator.views.verdict_words import range_words
from sotto_protocol.language import Language

_LEAST_GROUPS = 2
_NOTHING = "–"
_MARKS = {"high": "▲ ", "low": "▼ ", "": ""}


class _Figure(NamedTuple):
    """The one figure of a question in every group: which of the findings it is, and the groups' order by it."""

    of: Beside
    name: str
    order: Order | None

    def finding(self, section: Section) -> Finding | None:
        """Return what is known of it in a group; None where nothing is."""
        verdict = section.verdict
        if self.of.scores:
            return verdict.score
        return next(iter(verdict.findings), None)


def heat_map(questions: Sequence[Beside], say: Language) -> list[PageBlock]:
    """Return a map of all questions that have one figure: a yes, a mean, or a mean score; nothing of fewer than two.

    A cell is coloured, and marked, only where its group is surely above another and below none, or the reverse, by
    intervals of all groups that are valid together. Where an interval is too wide to name an estimate, the cell says
    so.
    """
    figures = [*_figures(questions, say)]
    groups = [*dict.fromkeys(name for one in questions for name in one.sections)]
    if len(groups) < _LEAST_GROUPS or not figures:
        return []
    rows = [(name, [_cell(one, name, say) for one in figures]) for name in groups]
    heads = [(one.of.text, one.name) for one in figures]
    said = [
        say.gettext("Each cell is a range. A range in parentheses is too wide to say much."),
        say.gettext("▲ is surely higher than at least one other group, and surely lower than none."),
        say.gettext("▼ is surely lower than at least one other group, and surely higher than none."),
    ]
    return [HeatMap(say.gettext("All groups at a glance"), say.gettext("Group"), heads, rows, said)]


def _figures(questions: Sequence[Beside], say: Language) -> Iterator[_Figure]:
    for one in questions:
        if one.scores:
            yield _Figure(one, score_label(one.scores[0][1].answer, say), one.score_order)
        elif len(one.answers) == 1:
            answer = one.answers[0]
            yield _Figure(one, one.labels.get(answer, say.gettext("Mean")), one.orders.get(answer))


def _cell(figure: _Figure, name: str, say: Language) -> HeatCell:
    section = figure.of.sections.get(name)
    finding = figure.finding(section) if section else None
    if finding is None:
        return HeatCell(_NOTHING, "none")
    if finding.kind == "unknown":
        return HeatCell(say.gettext("too few reports to say"), "none")
    words = _range_words(finding, say)
    place = figure.order.place_of(name) if figure.order else ""
    if finding.is_decided:
        return HeatCell(f"{_MARKS[place]}{words}", place)
    return HeatCell(f"{_MARKS[place]}({words})", place or "none")


def _range_words(finding: Finding, say: Language) -> str:
    if finding.unit is None:
        return range_words(finding, say)
    ends = " – ".join(say.number(end) for end in (finding.low, finding.high))
    return f"{ends} {finding.unit}".rstrip()
