"""A simulation: for people, as members for programs, and as a picture."""

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sotto_estimator.inference.registry import FIGURES
from sotto_estimator.intervals.methods import find_method
from sotto_estimator.results.document import Column, Lines, Part, Table
from sotto_estimator.results.percents import percent, signed_percent
from sotto_estimator.results.rehearsed_figure import rehearsed_figure
from sotto_estimator.results.view import View
from sotto_estimator.results.words import interval_words
from sotto_estimator.views.numbers import value_words
from sotto_protocol.minimum import needs_of
from sotto_protocol.words import counted, epsilon_above
from sotto_rehearsal.simulation.summary import FALSE_ALARM, Row, Simulation

if TYPE_CHECKING:
    from sotto_estimator.results.figure import Panel

_FIGURES = [
    *("n", "epsilon", "truth", "found in", "bias", "RMSE", "half-width", "median", "planned"),
    *("covered", "verdict"),
]
_UNCUT = "planned: before an interval is cut to 0 to 100 %, so that others come out narrower"
_LEAST_MISSES = 5
"""Runs of which fewer are to miss, of an interval that holds its level, say little of how often it does."""
_WARNINGS = {
    "implausible": "more reports of implausible shape than an honest crowd sends",
    "contradiction": "counts that contradict the design",
    "misfit": "strings that do not explain the counts",
}


def _parts(simulation: Simulation) -> list[Part]:
    """Return a caption, a table for each kind of value, and what is to be learnt from it."""
    tables = [_table(simulation, kind) for kind in _kinds(simulation)]
    said = Lines(_caption(simulation)), Lines(_lessons(simulation))
    return [Part("What was simulated, and what came out", [said[0], *tables, said[1]])]


def _kinds(simulation: Simulation) -> list[str]:
    """Return the kinds of figures that there are, in the order in which they are shown."""
    return [kind for kind in FIGURES if any(row.kind == kind for row in simulation.rows)]


def _caption(simulation: Simulation) -> list[str]:
    """Return what was simulated, and what the intervals mean, a line for each thing to know."""
    task, options = simulation.task, simulation.options
    runs = counted(simulation.n_runs, "run")
    waves = f" in {task.n_waves} waves" if task.n_waves > 1 else ""
    lines = [
        f"{simulation.named}: {runs} of {task.n_people:,} people{waves}, on average {simulation.n_reports:,.0f} "
        f"reports a run, epsilon {epsilon_above(task.survey.epsilon)} a report",
        interval_words(options),
    ]
    if task.n_waves > 1:
        lines.append(
            f"estimates are of wave {task.wave} by itself" if task.wave else "estimates are of all waves, pooled"
        )
    if task.survey.asked_in:
        lines.append(f"asked_in: each device is asked in {task.survey.asked_in} of {task.survey.waves} waves")
    if simulation.seed is not None:
        lines.append(f"seed {simulation.seed}: people and coins can be foreseen, and are made up")
    if task.truth.assumed:
        lines.append(f"every answer is taken to be as likely to {', '.join(task.truth.assumed)}: no truth says more")
    lines += [f"trouble: {words}" for words in _trouble(simulation)]
    lines += [
        f"the interval of the {of.figure.answer_of(of.question)} of {of.question.id}: {made}"
        for of in task.truth.rehearsed
        if (made := of.figure.interval(of.question, options, len(task.waves_of(of.question))))
    ]
    return lines + [note for kind in _kinds(simulation) if (note := rehearsed_figure(kind).note)]


def _trouble(simulation: Simulation) -> list[str]:
    truth = simulation.task.truth
    leaving = [
        f"{100 * share:g} % of those whose answer to {of.question.id} is {label} send nothing"
        for of in truth.questions
        for label, share in (of.leaving or {}).items()
    ]
    return [*truth.trouble.in_words(simulation.task.n_waves), *leaving]


def _table(simulation: Simulation, kind: str) -> Table:
    columns = [Column("question"), Column(rehearsed_figure(kind).heading), *(Column(name, "word") for name in _FIGURES)]
    return Table(columns, [_cells(row) for row in simulation.rows if row.kind == kind])


def _cells(row: Row) -> list[str]:
    say, signed = (percent, signed_percent) if row.figure.is_in_points else (_number_of(row), _signed_of(row))
    widths = (row.mean_half_width, row.median_half_width, row.planned_half_width)
    return [
        row.question,
        row.answer,
        f"{row.n_reports:,.0f}",
        epsilon_above(row.epsilon),
        f"{_or_dash(row.truth, say)} {row.unit}".rstrip(),
        f"{row.n_found:,}",
        _or_dash(row.bias, signed),
        _or_dash(row.rmse, say),
        *(_or_dash(width, say) for width in widths),
        _or_dash(row.coverage, _percent_of_runs),
        row.verdict or "-",
    ]


def _or_dash(number: float | None, say: Any) -> str:
    return "-" if number is None else str(say(number))


def _number_of(row: Row) -> Callable[[float], str]:
    """Return how a figure in a unit and what is about it is written: as far as its error lets it be known."""
    return lambda number: value_words(number, row.rmse or 0.0)


def _signed_of(row: Row) -> Callable[[float], str]:
    return lambda number: ("+" if number > 0 else "") + value_words(number, row.rmse or 0.0)


def _percent_of_runs(share: float) -> str:
    return f"{100 * share:.1f} %"


def _lessons(simulation: Simulation) -> list[str]:
    """Return in words how intervals did, what is named right, which warnings were given."""
    lines = [_on_coverage(simulation)]
    if off := ", ".join(_name(row) for row in simulation.rows if row.is_off):
        lines.append(f"off on average by more than chance, and with more people as much: {off}")
    lines += [_UNCUT] * any(_is_cut(row) for row in simulation.rows)
    lines += [
        f"{naming.question}: the most common answer ({naming.answer}) comes out first in "
        f"{_percent_of_runs(naming.named_right)} of the runs"
        for naming in simulation.naming
    ]
    lines += [
        f"{warned.question}: a warning of {_WARNINGS[warned.warning]} in {_percent_of_runs(warned.share)} of the runs"
        for warned in simulation.warned
    ]
    lines += _on_minimum(simulation)
    if _trouble(simulation) and not simulation.warned:
        lines.append("no warning was given in any run: this trouble does not show in the reports")
    return lines


def _is_cut(row: Row) -> bool:
    """Whether the interval that is planned goes beyond what shares there are."""
    if not row.figure.is_in_points or row.truth is None or row.planned_half_width is None:
        return False
    return row.planned_half_width > min(row.truth, 1 - row.truth)


def _on_minimum(simulation: Simulation) -> list[str]:
    """Return in words what of these reports a collector would not show, as the survey promises a least number."""
    task = simulation.task
    n_reports = simulation.n_reports / (1 if task.wave else task.n_waves)
    return [
        f"{question}: a collector shows {'nothing' if n_reports < need.least else 'perhaps nothing'} of it, as the "
        f"survey's min_reports asks for {need.least:,} reports of a wave at the least, {need.likely:,} to be likely"
        for question, need in needs_of(task.survey).items()
        if task.survey.min_reports > 1 and n_reports < need.likely
    ]


def _on_coverage(simulation: Simulation) -> str:
    judged = [row for row in simulation.rows if row.coverage_error is not None]
    if not judged:
        return "no estimate in any run: there is nothing to judge"
    level = simulation.options.level
    error = min(row.coverage_error or 0 for row in judged)
    covered = (
        f"{100 * level:g} +- {100 * error:.1f} %" if level + error <= 1 else f"{100 * (level - error):.1f} to 100 %"
    )
    yardstick = f"an interval that holds its level covers {covered} in this many runs"
    if not simulation.missing:
        if simulation.not_shown:
            named = ", ".join(_name(row) for row in simulation.not_shown)
            return f"not shown to hold the truth as often as they say: {named} ({yardstick}); more runs would tell"
        few = "; so few runs tell little" if simulation.n_runs * (1 - level) < _LEAST_MISSES else ""
        return f"no interval is seen to hold the truth more rarely than it says ({yardstick}){few}"
    named = ", ".join(_name(row) for row in simulation.missing)
    return f"too rarely in their intervals: {named} ({yardstick}){'' if _trouble(simulation) else _why(simulation)}"


def _why(simulation: Simulation) -> str:
    """Return why honest people are too rarely in their intervals."""
    is_guaranteed = find_method(simulation.options.method).is_guaranteed
    if is_guaranteed and all(row.figure.is_guaranteed for row in simulation.missing):
        return f"; by chance, as in at most {100 * FALSE_ALARM:g} % of such simulations"
    return "; the method is approximate, and its intervals are too narrow here"


def _name(row: Row) -> str:
    return f"{row.question} {row.answer}"


def _members(simulation: Simulation) -> dict[str, Any]:
    truth = simulation.task.truth
    return _heading(simulation) | {
        "assumed": list(truth.assumed),
        "trouble": asdict(truth.trouble),
        "leave": {of.question.id: dict(of.leaving) for of in truth.questions if of.leaving},
        "rows": [asdict(row) for row in simulation.rows],
        "most_common": [asdict(naming) for naming in simulation.naming],
        "warnings": [asdict(warned) for warned in simulation.warned],
    }


def _records(simulation: Simulation) -> list[dict[str, Any]]:
    """Return a row a value, what was simulated in every row; what does not apply is None.

    How often the most common answer is named right, and warnings are given, stands in every row of the question.
    """
    right = {naming.question: naming.named_right for naming in simulation.naming}
    warned = {(of.question, of.warning): of.share for of in simulation.warned}
    return [
        asdict(row)
        | {"named_right": right.get(row.question)}
        | {warning: warned.get((row.question, warning), 0.0) for warning in _WARNINGS}
        | _heading(simulation)
        for row in simulation.rows
    ]


def _heading(simulation: Simulation) -> dict[str, Any]:
    task, options = simulation.task, simulation.options
    return {
        "title": simulation.named,
        "n_people": task.n_people,
        "n_runs": simulation.n_runs,
        "n_waves": task.n_waves,
        "wave": task.wave,
        "seed": simulation.seed,
        "mean_n_reports": simulation.n_reports,
        "survey_epsilon": float(task.survey.epsilon),
        "level": options.level,
        "simultaneous": options.simultaneous,
        "method": options.method,
        "target": options.about,
    }


def _panels(simulation: Simulation) -> "tuple[str, list[Panel]]":
    """Return a picture: the first run beside the truth."""
    from sotto_rehearsal.simulation.picture import first_run

    return first_run(simulation, _caption(simulation))


VIEW: View[Simulation] = View(parts=_parts, members=_members, records=_records, panels=_panels)
