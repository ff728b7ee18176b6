"""What the commands of `sotto power` share: their options, and what they print."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import click

from sotto_estimator.commands.options import grouped, style_options
from sotto_estimator.planning.power import MAX_PLANNED, Errors, PlannedTest, PowerRow, power_curve, power_rows
from sotto_estimator.views.power import Named, power_csv, power_json, power_lines, power_table

Command = Callable[..., Any]
_USUAL_POWER = 0.8
SHARE = click.FloatRange(0, 1)


@dataclass(frozen=True, slots=True)
class PowerAsk:
    """What all tests are asked: of which questions, how many respondents or which power, which errors."""

    epsilons: tuple[float, ...]
    n_reports: int | None
    power: float | None
    alpha: float
    plot_path: Path | None
    style: str


_OPTIONS = (
    click.option(
        "--epsilon",
        "epsilons",
        type=float,
        multiple=True,
        required=True,
        help="Epsilon of the question, in nats, 0.001 to 20; may be given more than once.",
    ),
    click.option("--n", "n_reports", type=click.IntRange(2, MAX_PLANNED), help="Which power have so many respondents?"),
    click.option(
        "--power",
        type=float,
        help="How many respondents find it with this probability, between 0 and 1?  [default: 0.8, without --n]",
    ),
    click.option(
        "--alpha",
        type=float,
        default=0.05,
        show_default=True,
        help="The probability of finding something where nothing is, between 0 and 0.5.",
    ),
    click.option(
        "--plot",
        "plot_path",
        type=click.Path(path_type=Path),
        help="Draw power against n into this PNG, PDF or SVG file, and print the curve's points.",
    ),
)
one_sided_option = click.option(
    "--one-sided",
    "is_one_sided",
    is_flag=True,
    help="Look to the side on which it is expected only  [default: to both].",
)
options_option = click.option(
    "--options",
    "n_options",
    type=click.IntRange(2, 4096),
    help="The share is that of one of so many options, of a one-of question  [default: of a yes-no question].",
)


def power_options(command: Command) -> Command:
    """Add the options of every test; the command gets `ask`."""
    return style_options(grouped("ask", PowerAsk, *_OPTIONS)(command))


def share_option(name: str, text: str) -> Callable[[Command], Command]:
    """Return a required option that takes a share."""
    return click.option(name, type=SHARE, required=True, help=text)


def power_output(
    ask: PowerAsk,
    named: Named,
    kind: Callable[..., PlannedTest],
    is_one_sided: bool = False,
    n_options: int | None = None,
) -> str:
    """Return what a test's command prints, and draw its curve where one is asked for. Raises UsageError.

    `kind`: what makes the test of a channel, the errors and the members of its name.
    """
    if ask.n_reports is not None and ask.power is not None:
        raise click.UsageError("Give --n or --power, one of the two.")
    power = _USUAL_POWER if ask.power is None else ask.power
    epsilons = [Decimal(str(epsilon)) for epsilon in ask.epsilons]
    try:
        errors = Errors(ask.alpha, 1 if is_one_sided else 2)
        make = partial(kind, errors=errors, **named.members)
        rows = power_rows(make, epsilons, n_options or 0, ask.n_reports, power)
        if ask.plot_path:
            rows = power_curve(make, epsilons, n_options or 0, rows)
    except ValueError as fault:
        raise click.UsageError(str(fault)) from None
    if ask.plot_path:
        _draw(ask.plot_path, rows, named)
    members = named.members | {"alpha": errors.alpha, "n_sides": errors.n_sides}
    return {"json": power_json, "csv": power_csv}.get(ask.style, power_table)(rows, named, members)


def _draw(path: Path, rows: list[PowerRow], named: Named) -> None:
    from sotto_estimator.views.curves import draw_curves  # matplotlib takes a second to load

    draw_curves(power_lines(rows), (f"n, {named.of_n}", "power"), f"{named.title}\n{named.words}", path)
