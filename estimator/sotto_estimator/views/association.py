"""A joint table: for people, as members for programs, and as a picture."""

from dataclasses import asdict
from typing import Any

from sotto_estimator.association.associate import Association, Cell as JointCell
from sotto_estimator.intervals.group_misfit import lines_of, misfit_members
from sotto_estimator.results.document import Cell, Column, Lines, Part, Table
from sotto_estimator.results.figure import Bar, Panel, bar_panels
from sotto_estimator.results.percents import signed_percent
from sotto_estimator.results.view import View
from sotto_estimator.results.words import level_words, misfit_sentence
from sotto_protocol.words import counted, epsilon_above

_MOST_ROWS = 60
_CONDITIONAL_COLUMNS = [Column(name, "share") for name in ("share", "low", "high")]
_COLUMNS = [Column("share", "share"), Column("std. error", "share"), Column("low", "share"), Column("high", "share")]


def parts(association: Association) -> list[Part]:
    """Return what the numbers mean, and a table of the joint shares, the largest first."""
    said = Lines(_caption(association))
    if association.contradictions:
        void = Lines([misfit_sentence(found.question) for _, found in association.contradictions])
        return [Part("What is known", [void]), Part("How it was found", [said])]
    cells = sorted(association.cells, key=lambda cell: -(cell.share or 0))
    more = len(cells) - _MOST_ROWS
    left_out = [f"and {more:,} more combinations, each of a smaller share: see --csv"] if more > 0 else []
    columns = [*map(Column, association.questions), *_COLUMNS]
    rows = [[*cell.answers, *_numbers(cell).values()] for cell in cells[:_MOST_ROWS]]
    joint = Part("Joint shares", [said, Table(columns, rows), Lines(left_out)])
    return [joint, *([_conditional_part(association)] if association.conditionals else [])]


def _conditional_part(association: Association) -> Part:
    """Return shares among those who gave one answer, of questions that were asked together."""
    made = Lines([f"{level_words(association.level)} intervals, guaranteed for any number of people (Chernoff)"])
    columns = [Column("share who answer"), Column("of those who answer"), *_CONDITIONAL_COLUMNS]
    rows: list[list[Cell]] = []
    for one in association.conditionals:
        among = f"{one.of}: {one.given}" + (f", less those who answer {one.less}" if one.less else "")
        kept = [one.share, one.low, one.high]
        shown: list[Cell] = [signed_percent(of) if one.less and of is not None else of for of in kept]
        rows.append([f"{one.question}: {one.answer}", among, *shown])
    return Part("Conditional shares", [made, Table(columns, rows)])


def _caption(association: Association) -> list[str]:
    """Return what the numbers mean, a line for each thing to know."""
    test, convergence = association.independence, association.convergence
    verdict = "converged" if convergence.converged else "NOT converged"
    heading = (
        f"{association.title}: n = {counted(association.n_reports, 'report')}, "
        f"epsilon {epsilon_above(association.epsilon)} for {' and '.join(association.questions)} together"
        f"{association.chosen}"
    )
    if association.contradictions:
        return [heading, "no shares are estimated and nothing is tested", *lines_of(association.contradictions)]
    return [
        heading,
        f"maximum likelihood, {verdict} in {convergence.n_iterations} iterations (log-likelihood within "
        f"{convergence.gap:.2g} of its maximum); {level_words(association.level)} normal intervals, each "
        "valid on its own",
        f"independence: chi-square {test.statistic:.2f} with {test.degrees_of_freedom} degrees of freedom, "
        f"p = {test.p_value:.3g} ({'Wald' if association.conditionals else 'score'} test)",
    ]


def members(association: Association) -> dict[str, Any]:
    """Return the members of its JSON object."""
    marginals = {
        name: [{"answer": cell.answers[0]} | _numbers(cell) for cell in cells]
        for name, cells in zip(association.questions, association.marginals, strict=True)
    }
    cells = [{"answers": list(cell.answers)} | _numbers(cell) for cell in association.cells]
    return {
        "title": association.title,
        "questions": list(association.questions),
        "n_reports": association.n_reports,
        "epsilon": association.epsilon,
        "level": association.level,
        "independence": asdict(association.independence),
        "convergence": asdict(association.convergence),
        "warnings": list(association.warnings),
        "contradictions": misfit_members(association.contradictions),
        "marginals": marginals,
        "cells": cells,
        **({"conditionals": [asdict(of) for of in association.conditionals]} if association.conditionals else {}),
    } | association.chosen.members


def records(association: Association) -> list[dict[str, Any]]:
    """Return the joint table as rows of CSV, a column a question."""
    beside = {
        "n_reports": association.n_reports,
        "epsilon": association.epsilon,
        "level": association.level,
        "p_independence": association.independence.p_value,
        "converged": association.convergence.converged,
        **association.chosen.members,
    }
    return [_named(association.questions, cell) | _numbers(cell) | beside for cell in association.cells]


def panels(association: Association) -> tuple[str, list[Panel]]:
    """Return a picture: a bar with its interval for every combination of answers."""
    title = "\n".join(_caption(association))
    if association.contradictions:
        return title, []
    bars = [
        Bar(", ".join(cell.answers), cell.share, cell.low, cell.high)
        for cell in association.cells
        if cell.share is not None and cell.low is not None and cell.high is not None
    ]
    return bar_panels(bars, title)


def _named(questions: tuple[str, ...], cell: JointCell) -> dict[str, Any]:
    """Return the answers by question; a question may be called like a number's column."""
    return {f"answer to {name}": answer for name, answer in zip(questions, cell.answers, strict=True)}


def _numbers(cell: JointCell) -> dict[str, Any]:
    return {"share": cell.share, "standard_error": cell.standard_error, "low": cell.low, "high": cell.high}


VIEW: View[Association] = View(parts=parts, members=members, records=records, panels=panels)
