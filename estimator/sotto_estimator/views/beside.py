"""All there is to read of one question where groups stand beside one another, in its reader's language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sotto_estimator.intervals.pooled_groups import LEAST_GROUPS
from sotto_estimator.results.document import Caption, Heading, Known, Lines, PageBlock, Picture, isolated
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.results.words import level_digits
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.pooling import PooledFigure, PooledStratum
from sotto_estimator.shares.scores import ScoreMean
from sotto_estimator.shares.verdict.order import Order
from sotto_estimator.views.figure_tables import FigureTables
from sotto_estimator.views.pooled import pooled_findings
from sotto_estimator.views.score_section import SCORES, score_label, score_of
from sotto_estimator.views.section import MAX_ROWS, QuestionPart, Section, wrapped
from sotto_estimator.views.verdict_words import finding_words, order_words

MAX_ANSWERS = 12
"""Of more answers to a question the largest are told in words, by the largest share of any group."""


@dataclass(frozen=True)
class Beside(QuestionPart):
    """One question's results in every group: its `sections` by the group's name, in the survey's order.

    `orders`: of the groups by an answer's share, or by the mean, by the answer; of one group alone there is none.
    `parent_orders`: of the first level of a tree of groups. `score_order`: of the groups by the mean score.
    `pooled`: by the answer too; None where it was not asked for.
    """

    sections: Mapping[str, Section]
    orders: Mapping[str, Order]
    parent_orders: Mapping[str, Order]
    pooled: Mapping[str, PooledFigure] | None = None
    score_order: Order | None = None

    @cached_property
    def scores(self) -> list[tuple[str, ScoreMean]]:
        """The mean score of every group that has any, with the group's name."""
        found = ((name, score_of(section.more)) for name, section in self.sections.items())
        return [(name, score) for name, score in found if score]

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

    def compared(self, answer: str) -> list[str]:
        """Return in which groups an answer is more common, as far as is sure; nothing where there is none to compare.

        Of a tree's first level also, if it can be ranked.
        """
        of_parents = self.parent_orders.get(answer)
        orders = [self.orders.get(answer), of_parents if of_parents and len(of_parents.groups) > 1 else None]
        return [self._compared(order) for order in orders if order]

    def _compared(self, order: Order) -> str:
        say = self.spoken.say
        if order.is_undecided:
            return say.gettext("The groups are too close to rank.")
        if len(order.groups) == 1:
            high, low = (say.joined(order.at(place)) for place in ("high", "low"))
            return say.gettext(
                "Surely above another group: %(high)s. Surely below another one: %(low)s.", high=high, low=low
            )
        said = order_words(order, say)
        return say.gettext("The groups in order, the highest first: %(order)s.", order=said)

    @property
    def notices(self) -> list[str]:
        """What has to be known before any of it is read, with the group's name."""
        return [f"{isolated(name)}: {line}" for name, of in self.sections.items() for line in of.notices]

    @property
    def made_of(self) -> list[str]:
        """What this is of: n in every group, and what the intervals are."""
        return [self._n_by_group, *next(iter(self.sections.values())).remarks]

    @property
    def _n_by_group(self) -> str:
        say = self.spoken.say
        strata = [(name, of.n_reports) for name, of in self.sections.items() if of.estimates.parent is None]
        n_of = [f"{name} {say.number(n)}" for name, n in strata]
        return say.gettext("n by group: %(listed)s", listed=say.joined(n_of))

    def caption_of(self, chart: str) -> list[str]:
        """Return what stands over a chart that is downloaded, in lines that fit."""
        return wrapped([self._n_by_group, self._right_on_average] if chart == "pooled" else self.made_of)

    @cached_property
    def rows(self) -> list[tuple[str, Any]]:
        """Every answer's figure in each group, those of one answer beside one another, with the group's name."""
        listed = [(name, row) for name, section in self.sections.items() for row in section.rows]
        place = {label: number for number, label in enumerate(self.labels.values())}
        return sorted(listed, key=lambda pair: place.get(pair[1].answer, 0))

    @cached_property
    def pooled_rows(self) -> list[tuple[str, Any]]:
        """The pooled figures, as `rows`."""
        pooled = [one for answer in self.labels or self.pooled or () for one in self._pooled_strata(answer)]
        figures = self.spoken.labelled(self.question, [one.figure for one in pooled])
        return list(zip((one.stratum for one in pooled), figures, strict=True))

    def _pooled_strata(self, answer: str) -> Sequence[PooledStratum]:
        return self.pooled[answer].strata if self.pooled and answer in self.pooled else ()

    @cached_property
    def charts(self) -> dict[str, Drawing]:
        """The question's charts, by name: a row for each group under every answer, or of each group's mean."""
        if not (self.part and self.rows):
            return {}
        say, unit = self.spoken.say, self.spoken.unit(self.question)
        drawn = {SCORES.chart: SCORES.draw_groups(self.text, self.scores, say, unit)} if self.scores else {}
        drawn[self.part.chart] = self.part.draw_groups(self.text, self.rows, say, unit)
        if self.pooled_rows:
            title = say.gettext("%(question)s Pooled, approximate", question=self.text)
            drawn["pooled"] = self.part.draw_groups(title, self.pooled_rows, say, unit)
        return drawn

    @property
    def known(self) -> list[PageBlock]:
        """What is known of every answer in each group, in words."""
        blocks: list[PageBlock] = self._known_scores
        for answer in self.answers:
            named = [Heading(self.labels[answer])] if self.labels else []
            compared = Lines(self.compared(answer))
            blocks += [*named, Known(self.findings(answer)), compared, *self._known_pooled(answer)]
        return [*blocks, *self._about_pooled, Lines(self.notices, look="notice")]

    @property
    def _known_scores(self) -> list[PageBlock]:
        """What is known of the mean score in each group."""
        say = self.spoken.say
        found = [(name, of) for name, section in self.sections.items() if (of := section.verdict.score)]
        if not found:
            return []
        compared = [self._compared(self.score_order)] if self.score_order else []
        known = Known([(name, finding_words(of, say)) for name, of in found])
        return [Heading(score_label(found[0][1].answer, say)), known, Lines(compared)]

    def _known_pooled(self, answer: str) -> list[PageBlock]:
        """Return what is likely of an answer in each group, if figures are pooled."""
        pooled = self._pooled_strata(answer)
        if not pooled:
            return []
        say = self.spoken.say
        findings = pooled_findings([one.figure for one in pooled], self.spoken.unit(self.question))
        named = [(one.stratum, finding_words(of, say)) for one, of in zip(pooled, findings, strict=True)]
        return [Lines([say.gettext("Pooled, approximate:")]), Known(named)]

    @property
    def _about_pooled(self) -> list[PageBlock]:
        """What pooled figures are worth."""
        if self.pooled is None or not (self.part and self.rows):
            return []
        say = self.spoken.say
        if not self.pooled:
            too_few = say.gettext("Nothing is pooled: fewer than %(n)s groups have results.", n=LEAST_GROUPS)
            return [Lines([too_few], look="small")]
        how = say.gettext(
            "A pooled estimate also uses the reports of the other groups, and the more so the smaller the group."
        )
        limits = say.gettext(
            "Ranges are more often wrong for groups that are unlike the others. Do not rank groups by pooled estimates."
        )
        return [Lines([say.text([how, self._right_on_average, limits])], look="small")]

    @property
    def _right_on_average(self) -> str:
        """How often the ranges of pooled figures are right."""
        say, first = self.spoken.say, next(iter(self.sections.values()))
        level = say.percent(level_digits(first.estimates.options.level))
        return say.gettext("About %(level)s of the ranges are right, on average over the groups.", level=level)

    @property
    def shown(self) -> list[PageBlock]:
        """The chart, and what it is made of."""
        is_any = any(section.shows for section in self.sections.values())
        own = [Picture(name, of) for name, of in self.charts.items() if is_any and name != "pooled"]
        pooled = [Picture(name, of) for name, of in self.charts.items() if name == "pooled"]
        return [*own, Lines([f"{'; '.join(self.made_of)}."], look="small"), *pooled]

    @property
    def numbers(self) -> list[PageBlock]:
        """The exact numbers, a row for each group; of very many the first ones."""
        if not (self.part and self.rows):
            return []
        has_interval = next(iter(self.sections.values())).has_interval
        tables = FigureTables(self.question, self.part, self.spoken, has_interval)
        say, table = self.spoken.say, tables.of_groups(self.rows[:MAX_ROWS])
        values = {"n": len(table.rows), "all": len(self.rows)}
        cut = say.gettext("The first %(n)s of %(all)s rows; the files have all.", **values)
        name = Caption(
            "pooled", say.gettext("Pooled estimates by group, approximate"), self.key, self.spoken.unit(self.question)
        )
        pooled = [tables.of_groups(self.pooled_rows[:MAX_ROWS], name)] if self.pooled_rows else []
        return [table, *pooled, Lines([cut] * (len(table.rows) < len(self.rows)), look="small")]


def all_beside(sections: Mapping[str, Sequence[Section]], groups: SideBySide | None) -> list[Beside]:
    """Return every question with all groups beside one another, from the sections of each group by its name.

    `groups`: their estimates; None of texts alone.
    """
    comparisons, pooled = (groups.comparisons, groups.pooled) if groups else ((), None)
    of_parents = groups.parent_comparisons if groups else ()
    return [
        Beside(
            asked[0].question,
            asked[0].spoken,
            dict(zip(sections, asked, strict=True)),
            {one.answer: one.order for one in comparisons if one.question == asked[0].key and one.kind != "score"},
            {one.answer: one.order for one in of_parents if one.question == asked[0].key},
            None if pooled is None else {one.answer: one for one in pooled if one.question == asked[0].key},
            next((one.order for one in comparisons if (one.question, one.kind) == (asked[0].key, "score")), None),
        )
        for asked in zip(*sections.values(), strict=True)
    ]
