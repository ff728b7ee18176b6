"""What the estimator's commands share: groups of options, --json and --csv, a token for a collector only, warnings."""

from collections.abc import Callable
from dataclasses import fields
from functools import reduce, wraps
from typing import Any

import click

from sotto_estimator.channel import TARGETS
from sotto_estimator.methods import METHODS


def grouped(name: str, kind: type, *options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add options of which the command gets one argument, `name`: a dataclass whose fields are what they give."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_group(*arguments: Any, **given: Any) -> Any:
            group = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            return command(*arguments, **{name: group}, **given)

        return reduce(lambda inner, option: option(inner), reversed(options), with_group)

    return add


level_option = click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level, a share between 0 and 1.",
)


def interval_options(default_method: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --level, --method and --target, which estimates and plans share."""
    options = (
        click.option(
            "--target",
            type=click.Choice(TARGETS),
            default="population",
            show_default=True,
            help="Whom shares and means are about: a population that respondents are drawn from, or the respondents.",
        ),
        click.option(
            "--method",
            type=click.Choice(METHODS),
            default=default_method,
            show_default=True,
            help="How intervals are made.",
        ),
        level_option,
    )
    return lambda command: reduce(lambda inner, option: option(inner), options, command)


def style_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --json and --csv, of which one at most may be given; the command gets `style`: "json", "csv" or ""."""

    @wraps(command)
    def styled(*arguments: Any, is_json: bool, is_csv: bool, **options: Any) -> Any:
        if is_json and is_csv:
            raise click.UsageError("Give --json or --csv, one of the two.")
        return command(*arguments, style="json" if is_json else "csv" if is_csv else "", **options)

    with_csv = click.option("--csv", "is_csv", is_flag=True, help="Print CSV.")(styled)
    return click.option("--json", "is_json", is_flag=True, help="Print JSON.")(with_csv)


def refuse_token() -> None:
    """Raise UsageError if --token was typed where no collector is asked; the environment may hold one."""
    if click.get_current_context().get_parameter_source("token") == click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError("--token goes with a collector's URL.")


def plan_error(fault: ValueError) -> click.UsageError:
    """Return the error of a plan that cannot be made, which names the option."""
    return click.UsageError(str(fault).replace("wanted_half_width", "--half-width"))


def warn(text: str) -> None:
    """Say it on stderr, beside the result."""
    click.echo(f"Warning: {text}", err=True)
