"""What the commands of `sotto power` share: their options, and what they print."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from sotto_estimator.commands.options import grouped
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.commands.sections import GOALS, TEST, in_section
from sotto_estimator.planning.power import MAX_PLANNED
from sotto_estimator.planning.power_plan import power

Command = Callable[..., Any]
SHARE = click.FloatRange(0, 1)


@dataclass(frozen=True, slots=True)
class PowerAsk:
    """What all tests are asked: of which questions, how many respondents or which power, which errors."""

    epsilons: tuple[float, ...]
    n_reports: int | None
    power: float | None
    alpha: float

    def show(
        self, output: Output, test: str, is_one_sided: bool = False, n_options: int | None = None, **given: Any
    ) -> None:
        """Print a test's plan, and of a picture the points of its curve. Raises UsageError."""
        if self.n_reports is not None and self.power is not None:
            raise click.UsageError("Give --n or --power, one of the two.")
        try:
            found = power(
                test,
                self.epsilons,
                n=self.n_reports,
                power=self.power,
                alpha=self.alpha,
                one_sided=is_one_sided,
                n_options=n_options or 0,
                **given,
            )
            found = found.curve() if output.plot_path else found
        except ValueError as fault:
            raise click.UsageError(str(fault)) from fault
        output.show(found)


_OPTIONS = in_section(
    GOALS,
    click.option(
        "--epsilon",
        "epsilons",
        type=float,
        multiple=True,
        required=True,
        help="Epsilon of the question, in nats, 0.001 to 20. May be repeated.",
    ),
    click.option("--n", "n_reports", type=click.IntRange(2, MAX_PLANNED), help="Find the power for N respondents."),
    click.option(
        "--power",
        type=float,
        help="Find how many respondents give this power, between 0 and 1  [default: 0.8, without --n].",
    ),
    click.option(
        "--alpha",
        type=float,
        default=0.05,
        show_default=True,
        help="Probability of a finding where there is nothing, between 0 and 0.5.",
    ),
)


def test_option(*names: str, **attributes: Any) -> Callable[[Command], Command]:
    """Return an option that says what is tested."""
    (option,) = in_section(TEST, click.option(*names, **attributes))
    return option


one_sided_option = test_option(
    "--one-sided",
    "is_one_sided",
    is_flag=True,
    help="Test only in the direction that is expected  [default: both].",
)
options_option = test_option(
    "--options",
    "n_options",
    type=click.IntRange(2, 4096),
    help="Plan for one option of a question with N options  [default: a yes-no question].",
)


def power_options(command: Command) -> Command:
    """Add the options of every test; the command gets `ask` and `output`."""
    return output_options(grouped("ask", PowerAsk, *_OPTIONS)(command))


def share_option(name: str, text: str, *parameter: str) -> Callable[[Command], Command]:
    """Return a required option that takes a share. `parameter`: its own name, where that is not the option's."""
    return test_option(name, *parameter, type=SHARE, required=True, help=text)
