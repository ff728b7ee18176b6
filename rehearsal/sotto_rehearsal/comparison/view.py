"""A comparison: for people, as members for programs, and as a picture."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sotto_estimator.inference.marginal import Marginal
from sotto_estimator.results.document import Column, Lines, Part, Table
from sotto_estimator.results.view import View
from sotto_estimator.results.words import method_words
from sotto_estimator.views.numbers import value_words
from sotto_estimator.views.plan_table import width_words
from sotto_estimator.views.plan_words import points
from sotto_protocol.words import counted, epsilon_above
from sotto_rehearsal.comparison.comparison import Comparison
from sotto_rehearsal.comparison.knowledge import Knowledge
from sotto_rehearsal.comparison.observers import holds_against_collector, observer_words
from sotto_rehearsal.comparison.shuffled import n_in_wave
from sotto_rehearsal.comparison.subject import Subject
from sotto_rehearsal.comparison.totals import Total

if TYPE_CHECKING:
    from sotto_estimator.results.figure import Panel

_ROUNDING = 1e-9
_FIGURES = ["epsilon", "delta", "n", "noise", "std. deviation", "simulated", "half-width"]
_ADVANCED = (
    "For few answers or a large epsilon, advanced composition and zCDP are no better than the plain sum. In those rows "
    "use the plain sum, which needs no delta."
)
_SHUFFLED_DRAWN = (
    "A question's row is about a person who is known to be asked that question, one of about n. Whole reports hide who "
    "is asked what."
)
_SHUFFLED_IN_WAVES = "A row is about a person who is known to be asked in that wave, one of about n."


def _parts(comparison: Comparison) -> list[Part]:
    """Return what is known of each question, what one person's reports add up to, and what shuffling hides."""
    study = comparison.study
    left_out = [f"{one.id} ({one.type})" for one in comparison.survey.questions if one.id in comparison.left_out]
    survey = comparison.survey
    of_wave = f", each asked in {survey.asked_in} of the {survey.waves} waves" * bool(survey.asked_in)
    head = [
        f"{comparison.named}: {study.n:,} respondents{of_wave}, delta {study.delta:.3g}",
        *[f"n is of one wave, about {n_in_wave(survey, study.n):,} of these respondents"] * bool(survey.asked_in),
        method_words(study.options.level, study.options.method, study.options.about),
        *[f"not compared: {', '.join(left_out)}"] * bool(left_out),
    ]
    pairs = zip(comparison.subjects, comparison.known, strict=True)
    questions = [_question(subject, rows, study.n_runs) for subject, rows in pairs]
    return [Part("Compared", [Lines(head)]), *questions, _totals(comparison.totals), _shuffled(comparison)]


def _question(subject: Subject, rows: Sequence[Knowledge], n_runs: int) -> Part:
    columns = [Column("known by"), *(Column(name, "word") for name in _FIGURES)]
    table = Table(columns, [_cells(row, subject) for row in rows if row.half_width is not None])
    named = [[row.by, _percent(row.named), _percent(row.simulated_named)] for row in rows if _names(row)]
    naming = [Column("named right by"), Column("expected", "word"), Column("simulated", "word")]
    said = _error_words(rows)
    if rows[0].n_runs < n_runs:
        said.append(f"For this many people, devices are simulated in {rows[0].n_runs:,} runs, not in {n_runs:,}.")
    tables = [table, *[Table(naming, named)] * bool(named)]
    price = Lines([price_words(subject, rows)], "")
    return Part(subject.question.id, [Lines([_heading(subject)]), *tables, Lines(said), price], is_tight=True)


def _error_words(rows: Sequence[Knowledge]) -> list[str]:
    """Return how exact the expected names are; nothing where they are."""
    error = 2 * max(row.named_error or 0.0 for row in rows)
    return [f"expected: the average over made-up crowds, which are always the same; +- {points(error)}"] * (
        error > _ROUNDING
    )


def _heading(subject: Subject) -> str:
    question = subject.question
    if not subject.is_in_points:
        return f"{question.id} ({question.type}): the {subject.what} of numbers"
    what = "yes" if question.type == "yes-no" else f"“{question.labels[subject.label]}”, the most common"
    joined = ", asked together with others" * isinstance(question, Marginal)
    return (
        f"{question.id} ({question.type}{joined}): the {subject.what} of {what}, expected {width_words(subject.value)}"
    )


def _cells(row: Knowledge, subject: Subject) -> list[str]:
    epsilon = "-" if row.epsilon is None else epsilon_above(row.epsilon)
    delta = "-" if row.delta is None else f"{row.delta:.3g}"
    widths = [row.noise, row.deviation, row.simulated, row.half_width]
    return [row.by, epsilon, delta, f"{row.n_reports:,}", *(_width(width, subject) for width in widths)]


def _names(row: Knowledge) -> bool:
    return row.named is not None or row.simulated_named is not None


def _percent(part: float | None) -> str:
    return "-" if part is None else f"{100 * part:.1f} %"


def _width(width: float | None, subject: Subject) -> str:
    if width is None:
        return "-"
    return width_words(width) if subject.is_in_points else value_words(width, width)


def price_words(subject: Subject, rows: Sequence[Knowledge]) -> str:
    """Return in a sentence what trusting nobody costs, by the half-widths of devices and of Laplace noise."""
    known, trusted = (_amount(row.half_width or 0.0, subject) for row in rows[:2])
    if (rows[1].half_width or 0.0) >= subject.size:
        return f"These people are too few even for a curator, whose noise would hide the {subject.what} as well."
    return (
        f"A curator who is trusted with the answers would know the {subject.what} to +- "
        f"{trusted} (Laplace). You will know it to +- {known}. That is the price of trusting nobody."
        f"{_needed(rows[0])}"
    )


def _needed(devices: Knowledge) -> str:
    return (
        ""
        if devices.n_needed is None
        else f" To know it as exactly, you would need {counted(devices.n_needed, 'respondent')}."
    )


def _amount(width: float, subject: Subject) -> str:
    if subject.is_in_points:
        return points(width)
    return f"{value_words(width, width)} {getattr(subject.question.kind, 'unit', '')}".rstrip()


def _totals(totals: Sequence[Total]) -> Part:
    columns = [Column("epsilon in all of"), Column("answers", "count")]
    columns += [Column(name, "epsilon") for name in ("ledger", "plain sum", "advanced", "zCDP", "optimal")]
    cells = [
        [total.what, of.n_reports, total.ledger, of.basic, of.advanced, of.zcdp, of.optimal]
        for total in totals
        for of in [total.composed]
    ]
    is_no_better = any(min(total.composed.advanced, total.composed.zcdp) >= total.composed.basic for total in totals)
    return Part("Added up", [Table(columns, cells), Lines([_ADVANCED] * is_no_better, "")], is_tight=True)


def _shuffled(comparison: Comparison) -> Part:
    names = ("a report", "shuffled: at most", "at least")
    columns = [Column("epsilon of"), Column("n", "count"), *(Column(name, "epsilon") for name in names)]
    cells = [
        ["whole reports" if row.question is None else row.question, row.n_reports, row.epsilon, row.shuffled, row.least]
        for row in comparison.shuffled
    ]
    survey = comparison.survey
    more = [*[_SHUFFLED_IN_WAVES] * bool(survey.asked_in), *[_SHUFFLED_DRAWN] * bool(survey.draw)]
    said = " ".join([*observer_words(survey, comparison.study.batch), *more])
    return Part("Shuffled", [Table(columns, cells), Lines([said], "")], is_tight=True)


def _members(comparison: Comparison) -> dict[str, Any]:
    return _options(comparison) | {
        "questions": [asdict(row) for rows in comparison.known for row in rows],
        "left_out": list(comparison.left_out),
        "totals": [asdict(total) for total in comparison.totals],
        "shuffled": [asdict(row) for row in comparison.shuffled],
    }


def _records(comparison: Comparison) -> list[dict[str, Any]]:
    """Return a row for each who knows of each question, then of each total, then of each that is shuffled."""
    known = [{"table": "questions"} | asdict(row) for rows in comparison.known for row in rows]
    totals = [
        {"table": "totals", "what": of.what, "ledger": of.ledger} | asdict(of.composed) for of in comparison.totals
    ]
    shuffled = [{"table": "shuffled"} | asdict(row) for row in comparison.shuffled]
    rows = [*known, *totals, *shuffled]
    columns = dict.fromkeys(name for row in rows for name in row)
    options = _options(comparison)
    return [{name: row.get(name) for name in columns} | options for row in rows]


def _options(comparison: Comparison) -> dict[str, Any]:
    study = comparison.study
    options = study.options
    said: dict[str, Any] = {"survey": comparison.survey.id, "n": study.n, "delta_of": study.delta, "share": study.share}
    return said | {
        "n_runs": study.n_runs,
        "batch": study.batch,
        "holds_against_collector": holds_against_collector(comparison.survey, study.batch),
        "level": options.level,
        "method": options.method,
        "target": options.about,
    }


def _panels(comparison: Comparison) -> "tuple[str, list[Panel]]":
    """Return a picture: how far the interval of each who knows a question reaches, a panel a question."""
    from sotto_estimator.results.figure import Point, point_panel

    panels = []
    for subject, rows in zip(comparison.subjects, comparison.known, strict=True):
        scale = 100 if subject.is_in_points else 1
        reach = [
            Point(row.by, 0, -scale * row.half_width, scale * row.half_width)
            for row in rows
            if row.half_width is not None
        ]
        what = f"{subject.what} (%)" if subject.is_in_points else subject.what
        panels.append(point_panel(reach, f"{subject.question.id}: to both sides of the {what}"))
    return str(comparison), panels


VIEW: View[Comparison] = View(parts=_parts, members=_members, records=_records, panels=_panels)
