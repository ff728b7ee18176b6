"""The option of `sotto plan --assurance`."""

import click

from sotto_estimator.commands.options import is_typed
from sotto_estimator.planning.assurance import EXPECTED

assurance_option = click.option(
    "--assurance",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=EXPECTED,
    show_default=True,
    help="Probability that a share's interval has the half-width, or a smaller one.",
)


def check_assurance_option(is_drawn: bool) -> None:
    """Raise UsageError for an --assurance that was typed where how many are asked a question is random as well."""
    if is_typed("assurance") and is_drawn:
        raise click.UsageError(
            "--assurance does not go with --questions: there, how many people are asked a question is random too."
        )
