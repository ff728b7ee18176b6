"""What the commands of `sotto power` share: their options, and what they print."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from sotto_estimator.commands.options import grouped
from sotto_estimator.commands.output import Output, output_options
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
            raise click.UsageError(str(fault)) from None
        output.show(found)


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
    """Add the options of every test; the command gets `ask` and `output`."""
    return output_options(grouped("ask", PowerAsk, *_OPTIONS)(command))


def share_option(name: str, text: str) -> Callable[[Command], Command]:
    """Return a required option that takes a share."""
    return click.option(name, type=SHARE, required=True, help=text)
