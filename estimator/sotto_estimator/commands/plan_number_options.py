"""The options of `sotto plan --minimum --maximum`, and what it prints."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

import click

from sotto_estimator.commands.options import grouped, is_typed, plan_error
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.numbers import NumberPlanRow, NumberStudy, plan_numbers
from sotto_estimator.results.encode import csv_text, json_text
from sotto_estimator.results.words import method_words
from sotto_estimator.views.numbers import value_words
from sotto_protocol.documents import Fields, parse_decimal
from sotto_protocol.errors import SurveyError
from sotto_protocol.questions.number import Number
from sotto_protocol.tables import align

_OPTIONS = (
    click.option("--minimum", help="Plan the mean of numbers: the least that can be answered; with --maximum."),
    click.option("--maximum", help="Plan the mean of numbers: the greatest."),
    click.option("--step", help="Of numbers: the step between two that can be answered  [default: 1]."),
    click.option(
        "--deviation",
        type=click.FloatRange(0, min_open=True),
        help="Of numbers: the standard deviation between people that is expected  [default: a quarter of the range].",
    ),
)
_MIDDLE = (
    "Half-widths are of people one standard deviation to each side of the range's middle, deviations of the number\n"
    "with the most noise. Where a distribution's half-width is smaller, it has less noise there, and more elsewhere."
)
_NEVER_NUMBERS = {
    "n_options": "--options",
    "max_selected": "--max-selected",
    "share": "--share",
    "assurance": "--assurance",
    "is_text": "--text",
}


@dataclass(frozen=True, slots=True)
class NumberAsk:
    """What is asked of a question for numbers, as it was typed; None where it was not."""

    minimum: str | None
    maximum: str | None
    step: str | None
    deviation: float | None


def number_plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --minimum, --maximum and the options that go with them; the command gets `of_numbers`."""
    return grouped("of_numbers", NumberAsk, *_OPTIONS)(command)


def read_study(ask: NumberAsk) -> NumberStudy | None:
    """Return the study that is asked for, None where there is none of its options. Raises UsageError."""
    minimum, maximum, step, deviation = ask.minimum, ask.maximum, ask.step, ask.deviation
    if minimum is None and maximum is None:
        if step is not None or deviation is not None:
            raise click.UsageError("--step and --deviation go with --minimum and --maximum.")
        return None
    if minimum is None or maximum is None:
        raise click.UsageError("--minimum and --maximum go together.")
    for name, flag in _NEVER_NUMBERS.items():
        if is_typed(name):
            raise click.UsageError(f"{flag} does not go with --minimum and --maximum.")
    texts = {"minimum": minimum, "maximum": maximum, "step": "1" if step is None else step}
    given = {name: _decimal(f"--{name}", text) for name, text in texts.items()}
    try:
        kind = Number.read(Fields(given, "-", SurveyError))
    except SurveyError as fault:
        raise click.UsageError(str(fault).replace("-.", "--", 1)) from None
    study = NumberStudy(kind, (float(kind.maximum) - float(kind.minimum)) / 4 if deviation is None else deviation)
    if 2 * study.deviation > study.size:
        raise click.UsageError(
            f"--deviation ({deviation}) must be at most half of the range: no numbers of it differ more."
        )
    return study


def _decimal(flag: str, text: str) -> Decimal:
    try:
        return parse_decimal(text)
    except ValueError:
        raise click.UsageError(f"{flag} ({text!r}) must be a number.") from None


def number_plan_output(
    style: str,
    study: NumberStudy,
    epsilons: Sequence[float],
    n_reports: int | None,
    half_width: float | None,
    options: IntervalOptions,
    forever: float | None,
) -> str:
    """Return the plan of a question that asks for numbers, as text, JSON or CSV. Raises UsageError."""
    try:
        asked = [Decimal(str(epsilon)) for epsilon in epsilons]
        lasting = None if forever is None else Decimal(str(forever))
        rows = plan_numbers(study, asked, n_reports, half_width, options, lasting)
    except ValueError as fault:
        raise plan_error(fault) from None
    beside = {
        "minimum": float(study.kind.minimum),
        "maximum": float(study.kind.maximum),
        "deviation": study.deviation,
        "level": options.level,
        "method": options.method,
        "target": options.about,
    } | ({} if forever is None else {"epsilon_forever": forever})
    if style == "json":
        return json_text({**beside, "plan": [asdict(row) for row in rows]})
    return csv_text([asdict(row) | beside for row in rows]) if style == "csv" else _table(rows, study, options)


def _table(rows: Sequence[NumberPlanRow], study: NumberStudy, options: IntervalOptions) -> str:
    cells = [["epsilon", "mechanism", "n", "worst report", "std. deviation", "half-width"]]
    for row in rows:
        epsilon = "-" if row.epsilon is None else f"{row.epsilon:g}"
        figures = (row.worst_deviation, row.standard_deviation, row.half_width)
        said = ["-" if figure is None else value_words(figure, figure) for figure in figures]
        cells.append([epsilon, row.mechanism, f"{row.n_reports:,}", *said])
    ends = f"{float(study.kind.minimum):,.12g} to {float(study.kind.maximum):,.12g}"
    names: dict[str, dict[str, None]] = {}  # in the order of the rows, each once
    for row in rows:
        if row.interval:
            names.setdefault(row.interval, {})[row.mechanism] = None
    remarks = [
        f"Half-width of {', '.join(of)}: {method_words(options.level, options.method, options.about, made)}."
        for made, of in names.items()
    ]
    remarks += [_MIDDLE] if any(row.mechanism.startswith("distribution") for row in rows) else []
    said_of_widths = "\n".join(remarks)
    return (
        f"{align(cells, n_left=2)}\n\nMeans of numbers from {ends}; the standard deviation of people's numbers is "
        f"{study.deviation:,.4g}.\nWorst report: the standard deviation of one report's noise, of the number where it "
        f"is largest.\n{said_of_widths}\n"
        "Without a half-width: not in this program; as many respondents as the first row of that epsilon."
    )
