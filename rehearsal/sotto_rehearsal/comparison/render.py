"""A comparison as tables and sentences for people, as JSON and CSV for programs: the same numbers in all three."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sotto_estimator.results.encode import csv_text, json_text
from sotto_estimator.results.forms.text import wrapped
from sotto_estimator.results.words import escaped, method_words
from sotto_estimator.views.numbers import value_words
from sotto_estimator.views.plan_table import width_words
from sotto_estimator.views.plan_words import points
from sotto_protocol.tables import align
from sotto_protocol.words import counted, epsilon_above
from sotto_rehearsal.comparison.comparison import Comparison
from sotto_rehearsal.comparison.knowledge import Knowledge
from sotto_rehearsal.comparison.shuffled import Shuffled
from sotto_rehearsal.comparison.subject import Subject
from sotto_rehearsal.comparison.totals import Total

_ADVANCED = (
    "Of so few answers, or of so large an epsilon, advanced composition and zCDP are no better than the plain sum, "
    "which needs no delta: in those rows take that."
)
_SHUFFLED = (
    "Shuffled: to whoever sees the reports of one wave in random order, and nothing else of them: not when one came, "
    "from where, in which order or with which others. n counts honest devices; fakes hide nobody. Whether a collector "
    "sees no more cannot be checked from outside: so nothing of this is promised to respondents, who are promised the "
    "epsilon of a report."
)

_SHUFFLED_DRAWN = (
    "A question's row is of somebody who is known to be asked it, among about n; whole reports hide who is asked what."
)


def comparison_text(comparison: Comparison) -> str:
    """Return all of it for people."""
    study = comparison.study
    head = [
        f"{comparison.survey.title}: {study.n:,} respondents, delta {study.delta:.3g}",
        method_words(study.options.level, study.options.method, study.options.about),
    ]
    pairs = zip(comparison.subjects, comparison.known, strict=True)
    questions = [_question_text(subject, rows, study.n_runs) for subject, rows in pairs]
    left_out = [f"not compared: {', '.join(comparison.left_out)} (text)"] * bool(comparison.left_out)
    parts = ["\n".join([*head, *left_out]), *questions, _totals_text(comparison.totals)]
    return "\n\n".join([*parts, _shuffled_text(comparison)])


def _question_text(subject: Subject, rows: Sequence[Knowledge], n_runs: int) -> str:
    columns = ["known by", "epsilon", "delta", "n", "noise", "std. deviation", "simulated", "half-width"]
    cells = [_cells(row, subject) for row in rows if row.half_width is not None]
    parts = [_heading(subject), align([columns, *cells], n_left=1)]
    named = [[row.by, _percent(row.named), _percent(row.simulated_named)] for row in rows if _names(row)]
    parts += [align([["named right by", "expected", "simulated"], *named], n_left=1)] if named else []
    parts += _error_words(rows)
    if rows[0].n_runs < n_runs:
        parts.append(f"Of so many people devices are simulated in {rows[0].n_runs:,} runs, not in {n_runs:,}.")
    return "\n".join([*parts, price_words(subject, rows)])


def _error_words(rows: Sequence[Knowledge]) -> list[str]:
    """Return how exact the expected names are; nothing where they are."""
    error = 2 * max(row.named_error or 0.0 for row in rows)
    return [f"expected: on average over made-up crowds, the same at every time; +- {points(error)}"] * (error > 0)


def _heading(subject: Subject) -> str:
    question = subject.question
    if subject.is_number:
        return f"{question.id} (number): the mean of numbers"
    what = "yes" if question.type == "yes-no" else f"“{escaped(question.labels[subject.label])}”, the most common"
    return f"{question.id} ({question.type}): the share of {what}, expected {width_words(subject.value)}"


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
    return value_words(width, width) if subject.is_number else width_words(width)


def price_words(subject: Subject, rows: Sequence[Knowledge]) -> str:
    """Return in a sentence what trusting nobody costs, by the half-widths of devices and of Laplace noise."""
    known, trusted = (_amount(row.half_width or 0.0, subject) for row in rows[:2])
    if (rows[1].half_width or 0.0) >= subject.size:
        what = "mean" if subject.is_number else "share"
        return wrapped(
            f"So few people are too few for a curator, too, whose noise hides the {what} as well.", indent=""
        )
    return wrapped(
        f"A curator who is trusted with the answers would know the {'mean' if subject.is_number else 'share'} to +- "
        f"{trusted} (Laplace); you will know it to +- {known}: that is the price of trusting nobody."
        f"{_needed(rows[0])}",
        indent="",
    )


def _needed(devices: Knowledge) -> str:
    return (
        ""
        if devices.n_needed is None
        else f" To know as much you would need {counted(devices.n_needed, 'respondent')}."
    )


def _amount(width: float, subject: Subject) -> str:
    if not subject.is_number:
        return points(width)
    return f"{value_words(width, width)} {getattr(subject.question.kind, 'unit', '')}".rstrip()


def _totals_text(totals: Sequence[Total]) -> str:
    columns = ["epsilon in all of", "answers", "ledger", "plain sum", "advanced", "zCDP", "optimal"]
    cells = []
    for total in totals:
        of = total.composed
        sums = [total.ledger, of.basic, of.advanced, of.zcdp, of.optimal]
        cells.append(
            [total.what, f"{of.n_reports:,}", *("-" if part is None else epsilon_above(part) for part in sums)]
        )
    is_no_better = any(min(total.composed.advanced, total.composed.zcdp) >= total.composed.basic for total in totals)
    return "\n".join([align([columns, *cells], n_left=1), *[wrapped(_ADVANCED, indent="")] * is_no_better])


def _shuffled_text(comparison: Comparison) -> str:
    columns = ["epsilon of", "n", "a report", "shuffled: at most", "at least"]
    cells = [_shuffled_cells(row) for row in comparison.shuffled]
    said = [_SHUFFLED, *[_SHUFFLED_DRAWN] * bool(comparison.survey.draw)]
    return "\n".join([align([columns, *cells], n_left=1), wrapped(" ".join(said), indent="")])


def _shuffled_cells(row: Shuffled) -> list[str]:
    least = "-" if row.least is None else epsilon_above(row.least)
    what = "whole reports" if row.question is None else row.question
    return [what, f"{row.n_reports:,}", epsilon_above(row.epsilon), epsilon_above(row.shuffled), least]


def comparison_json(comparison: Comparison) -> str:
    """Return a JSON object; shares as fractions."""
    return json_text(
        {
            **_options(comparison),
            "questions": [asdict(row) for rows in comparison.known for row in rows],
            "left_out": list(comparison.left_out),
            "totals": [asdict(total) for total in comparison.totals],
            "shuffled": [asdict(row) for row in comparison.shuffled],
        }
    )


def comparison_csv(comparison: Comparison) -> str:
    """Return CSV: a row for each who knows of each question, then of each total, then of each that is shuffled."""
    known = [{"table": "questions"} | asdict(row) for rows in comparison.known for row in rows]
    totals = [
        {"table": "totals", "what": of.what, "ledger": of.ledger} | asdict(of.composed) for of in comparison.totals
    ]
    shuffled = [{"table": "shuffled"} | asdict(row) for row in comparison.shuffled]
    rows = [*known, *totals, *shuffled]
    columns = dict.fromkeys(name for row in rows for name in row)
    options = _options(comparison)
    return csv_text([{name: row.get(name) for name in columns} | options for row in rows])


def _options(comparison: Comparison) -> dict[str, Any]:
    study = comparison.study
    options = study.options
    said = {"survey": comparison.survey.id, "n": study.n, "delta_of": study.delta, "share": study.share}
    return said | {"n_runs": study.n_runs, "level": options.level, "method": options.method, "target": options.about}
