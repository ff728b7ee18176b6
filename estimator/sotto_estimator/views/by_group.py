"""Estimates of groups beside one another: what is known of each, how they differ, and all numbers."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sotto_estimator.results.document import Cell, Column, Lines, Part, Table, marks
from sotto_estimator.results.figure import Panel
from sotto_estimator.results.view import View
from sotto_estimator.shares.by_group import SideBySide, name_of
from sotto_estimator.shares.estimates import STRATUM, Estimates
from sotto_estimator.shares.verdict.compare import Comparison
from sotto_estimator.views.column_words import ABOUT
from sotto_estimator.views.estimates_members import csv_records, json_members
from sotto_estimator.views.estimates_words import notes
from sotto_estimator.views.figure_view import drawn, view_of_kind, views_of
from sotto_estimator.views.pooled import coverage_words, pooled_members, pooled_panels, pooled_parts, pooled_records
from sotto_estimator.views.scores import group_score_table
from sotto_estimator.views.survey_document import groups_document
from sotto_estimator.views.verdict import said_of, verdict_rows
from sotto_estimator.views.verdict_words import order_words, quote_words, width_words
from sotto_protocol.language import ENGLISH

_COLUMNS = [
    Column("n", "count"),
    Column("epsilon", "epsilon"),
    Column("estimate", "estimate"),
    Column("std. error", "share"),
    Column("low", "share"),
    Column("high", "share"),
    Column("unit", "word"),
]
_MOST = 5
"""What is said alike of more groups than these is said in one line, with how many they are."""
_TOO_FEW = "too few reports for a best estimate; the table has the ranges"


def _parts(of: SideBySide) -> list[Part]:
    """Return what is known of every stratum, and all numbers: of every answer, and every mean, a row a stratum.

    What is to be said of every stratum is said once, of some with their names, of many with their number.
    """
    strata = of.estimates
    named = [Column("question"), Column("answer"), Column(of.kind)]
    known = [Table([*named, Column("what is known")], rows, is_plain=True)] if (rows := _known(of)) else []
    table = Table([*named, *_COLUMNS], _by_answer([row for one in strata for row in _rows(one)]))
    scores = group_score_table(of)
    compared = [_compared(one, "strata" if of.kind == STRATUM else f"groups by {of.kind}") for one in of.comparisons]
    compared += [_compared(one, "groups of the first level") for one in of.parent_comparisons]
    sentences = [*_say_of(of, _sentences_of(of)), *compared]
    alone = [] if of.pooled is None else [f"each {of.kind} alone, of its own reports:"]
    heading = [*alone, str(of), of.interval_words, *_say_of(of, notes)]
    marked = marks([table, *scores]).lines
    unpooled = ["mean scores are not pooled"] * bool(scores and of.pooled is not None)
    remarks = [*_say_of(of, _remarks), *unpooled, *marked, *[quote_words(ENGLISH)] * bool(marked and known)]
    return [
        Part("What is known", [*known, Lines(sentences)]),
        Part("All numbers", [Lines(heading), table, *scores, Lines(remarks)]),
        *pooled_parts(of),
    ]


def _by_answer(rows: Sequence[list[Cell]]) -> list[list[Cell]]:
    """Return rows of (question, answer, ..), those of one answer beside one another."""
    order = list(dict.fromkeys((row[0], row[1]) for row in rows))
    return sorted(rows, key=lambda row: order.index((row[0], row[1])))


def _known(of: SideBySide) -> list[list[Cell]]:
    """Return a row for what is known of each answer in each group; one for all groups of too few reports, if many."""
    undecided: dict[tuple[str, str], list[str]] = {}
    for one in of.estimates:
        for verdict in one.verdicts:
            for finding in verdict.findings if not verdict.is_decided else ():
                undecided.setdefault((verdict.question, finding.answer), []).append(str(one.stratum))
    folded = {key: {*groups} for key, groups in undecided.items() if len(groups) > _MOST}
    rows: list[list[Cell]] = [
        [question, answer, str(one.stratum), words]
        for one in of.estimates
        for question, answer, words in verdict_rows(one.verdicts)
        if str(one.stratum) not in folded.get((question, answer), ())
    ]
    return _by_answer(rows + [[*key, f"{len(groups)} {of.nouns}", _TOO_FEW] for key, groups in folded.items()])


def _sentences_of(of: SideBySide) -> Callable[[Estimates], list[str]]:
    """Return what says the sentences of a group: what it aims at is said of each group, not of all together."""

    def sentences(one: Estimates) -> list[str]:
        lines = []
        for verdict in one.verdicts:
            if not verdict.aim:
                lines += said_of([verdict])
                continue
            lines += said_of([replace(verdict, aim=None)])
            width, n_needed = width_words(verdict.aim, ENGLISH), verdict.aim.n_needed
            reports = "No number of" if n_needed is None else f"About {n_needed:,}"
            lines.append(f"{verdict.question}: {reports} reports in each {of.kind} would narrow this to ± {width}.")
        return lines

    return sentences


def _compared(one: Comparison, groups: str) -> str:
    name = f"{one.question}, {one.answer}"
    if one.order.is_undecided:
        return f"{name}: the {groups} are too close to rank."
    if len(one.order.groups) == 1:
        high, low = (", ".join(one.order.at(place)) for place in ("high", "low"))
        return f"{name}, the {groups} surely above another one: {high}. Those surely below another one: {low}."
    return f"{name}, ranking of {groups} from the highest: {order_words(one.order, ENGLISH)}."


def _members(of: SideBySide) -> dict[str, Any]:
    groups = [json_members(one) for one in of.estimates]
    listed = {"strata" if of.kind == STRATUM else "groups": groups, "comparisons": _orders(of.comparisons)}
    of_parents = {"parent_comparisons": _orders(of.parent_comparisons)} if of.parent_comparisons else {}
    return listed | of_parents | pooled_members(of)


def _orders(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    return [
        {"question": one.question, "answer": one.answer, "order": [list(group) for group in one.order.groups]}
        for one in comparisons
    ]


def _say_of(of: SideBySide, lines_of: Callable[[Estimates], Sequence[str]]) -> list[str]:
    """Return what is said of the strata: each line once: of all, of many with how many, or of few with their names."""
    said = [(one, line) for one in of.estimates for line in dict.fromkeys(lines_of(one))]
    n_of, n_all = Counter(line for _, line in said), len(of.estimates)
    shared = [line for line, n in n_of.items() if n == n_all]
    many = [f"{n} of the {n_all} {of.nouns}: {line}" for line, n in n_of.items() if _MOST < n < n_all]
    few: dict[str, list[Estimates]] = {}
    for one, line in said:
        if n_of[line] <= min(_MOST, n_all - 1):
            few.setdefault(line, []).append(one)
    return [*shared, *many, *(f"{_name_all(ones)}{line}" for line, ones in few.items())]


def _name_all(ones: Sequence[Estimates]) -> str:
    """Return what a line begins with that is said of these groups."""
    others = "".join(f", {one.stratum}" for one in ones[1:])
    return name_of(ones[0]).removesuffix(": ") + others + ": "


def _remarks(one: Estimates) -> list[str]:
    """Return what is said below the numbers."""
    views = [*views_of(one)]
    said = [line for view in views for line in view.remarks(one)]
    return [*map(str, one.quality), *said, *(line for view in views for line in view.made(one))]


def _rows(one: Estimates) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for found in one.main_figures:
        words = view_of_kind(found.kind).words(one, found) if found.is_told else [None] * 4
        rows.append([found.question, found.answer, one.stratum, found.n_reports, found.epsilon, *words, found.unit])
    return rows


def _panels(groups: SideBySide) -> tuple[str, Sequence[Panel]]:
    """Return a title, and the panels of each kind of figure, those of all groups together."""
    said, panels = drawn([view.group_panels(groups) for view in views_of(*groups.estimates)])
    pooled = [f"pooled: approximate {coverage_words(groups)}"] * bool(groups.pooled)
    return "\n".join([str(groups), groups.interval_words, *pooled, *said]), [*panels, *pooled_panels(groups)]


VIEW: View[SideBySide] = View(
    parts=_parts,
    members=_members,
    records=lambda of: pooled_records(of, csv_records(of.estimates)),
    panels=_panels,
    about=ABOUT,
    survey_document=groups_document,
)
