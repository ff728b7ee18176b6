"""What the estimator's commands share: groups of options, --json and --csv, a token for a collector only, warnings."""

from collections.abc import Callable, Collection
from dataclasses import MISSING, fields
from functools import reduce, wraps
from typing import Any

import click

from sotto_estimator.channel.channel import TARGETS
from sotto_estimator.commands.sections import INTERVALS, OUTPUT, SURVEY, in_section
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.intervals.methods import METHODS
from sotto_estimator.sources.selection import Selection


def grouped(name: str, kind: type, *options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add options of which the command gets one argument, `name`: a dataclass whose fields are what they give.

    A field that has a default, and whose option is not among these, keeps it.
    """
    own = [str(parameter.name) for parameter in click.command(reduce(_added, options, lambda: None)).params]
    needed = [field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING]
    names = [*own, *(name for name in needed if name not in own)]

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_group(*arguments: Any, **given: Any) -> Any:
            group = kind(**{name: given.pop(name) for name in names})
            return command(*arguments, **{name: group}, **given)

        return reduce(_added, reversed(options), with_group)

    return add


def _added(command: Any, option: Callable[..., Any]) -> Any:
    return option(command)


level_option = click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level, between 0 and 1.",
)


def interval_options(
    kind: type[IntervalOptions], *more: Callable[..., Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --level, --method, --target and `more`; the command gets `options`, of this kind."""
    return grouped("options", kind, *more, *in_section(INTERVALS, level_option, _METHOD, target_option))


_METHOD = click.option(
    "--method",
    type=click.Choice(METHODS),
    default=IntervalOptions().method,
    show_default=True,
    help="Method of the confidence intervals.",
)
target_option = click.option(
    "--target",
    type=click.Choice(TARGETS),
    help="Describe the population that respondents are drawn from, or only the respondents  "
    "[default: the survey's `about`, else population].",
)
simultaneous_option = click.option(
    "--simultaneous",
    is_flag=True,
    help="Widen the intervals so that all of them, in all groups, hold together at the level (Bonferroni).",
)


def anytime_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --anytime, which is --method anytime, to a command with `interval_options`, above it."""

    @wraps(command)
    def of_method(*arguments: Any, is_anytime: bool, method: str, **options: Any) -> Any:
        if is_anytime and is_typed("method") and method != "anytime":
            raise click.UsageError("--anytime means --method anytime: give one method.")
        return command(*arguments, method="anytime" if is_anytime else method, **options)

    words = "Make intervals that stay valid however often you look: the same as --method anytime."
    (option,) = in_section(INTERVALS, click.option("--anytime", "is_anytime", is_flag=True, help=words))
    found: Callable[..., Any] = option(of_method)
    return found


def old_option(old: str, new: str, name: str, **attributes: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let option `new`, whose parameter is `name`, be typed as `old` for one more version, with a line on stderr."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_old(*arguments: Any, **given: Any) -> Any:
            value = given.pop(f"old_{name}")
            if is_typed(f"old_{name}"):
                if is_typed(name):
                    raise click.UsageError(f"{old} is now called {new}: give one of the two.")
                warn(f"{old} is now called {new}. The next version will refuse {old}.")
                given[name] = value
            return command(*arguments, **given)

        return click.option(old, f"old_{name}", hidden=True, help=f"The old spelling of {new}.", **attributes)(with_old)

    return add


FORMS = {
    "json": "Print JSON.",
    "csv": "Print CSV.",
    "markdown": "Print Markdown: headings, sentences and tables.",
    "latex": "Print LaTeX to \\input into a document: headings, sentences and tables.",
}
"""In which forms a command prints a result, but as text, by the option's name."""

_HOW_MANY = {2: "two", 3: "three", 4: "four"}


def form_options(*forms: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add an option for each of these forms, of which one at most may be given; the command gets its name as `style`.

    Of none it gets "".
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def styled(*arguments: Any, **options: Any) -> Any:
            typed = [form for form in forms if options.pop(f"is_{form}")]
            if len(typed) > 1:
                raise click.UsageError(
                    f"Give {' or '.join(f'--{form}' for form in typed)}, one of the {_HOW_MANY[len(typed)]}."
                )
            return command(*arguments, style="".join(typed), **options)

        listed = (click.option(f"--{form}", f"is_{form}", is_flag=True, help=FORMS[form]) for form in reversed(forms))
        return reduce(_added, in_section(OUTPUT, *listed), styled)

    return add


(token_option,) = in_section(
    SURVEY,
    click.option("--token", envvar="SOTTO_TOKEN", default="", help="An analyst's access token [env: SOTTO_TOKEN]."),
)


def refuse_token() -> None:
    """Raise UsageError if --token was typed where no collector is asked; the environment may hold one."""
    if is_typed("token"):
        raise click.UsageError("--token goes with a collector's URL.")


def refuse_others(taken: Collection[str], option: str) -> None:
    """Raise UsageError for a typed option whose name is not in `taken`: it says nothing beside this one."""
    refuse_token()
    names = [str(parameter.name) for parameter in click.get_current_context().command.params]
    refuse_beside(option, [name for name in names if name not in taken])


def refuse_beside(option: str, names: Collection[str]) -> None:
    """Raise UsageError for a typed option of these names: it does not go with this one."""
    for parameter in click.get_current_context().command.params:
        if parameter.name in names and is_typed(str(parameter.name)):
            raise click.UsageError(f"{parameter.opts[0]} does not go with {option}.")


def is_typed(name: str) -> bool:
    """Return whether an option of the command that runs was typed: not left out, and not of the environment."""
    source = click.get_current_context().get_parameter_source(name)
    return source == click.core.ParameterSource.COMMANDLINE


def plan_error(fault: ValueError) -> click.UsageError:
    """Return the error of a plan that cannot be made, which names the option."""
    return click.UsageError(str(fault).replace("wanted_half_width", "--half-width"))


def warn(text: str) -> None:
    """Say it on stderr, beside the result."""
    click.echo(f"Warning: {text}", err=True)


def chosen_options(wave: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --wave, with this help, and --stratum; the command gets `chosen`."""
    return grouped(
        "chosen",
        Selection,
        *in_section(
            SURVEY,
            click.option("--wave", type=click.IntRange(min=1), help=wave),
            click.option(
                "--stratum", metavar="NAME", help="Use only the people in this stratum, or parent  [default: all]."
            ),
        ),
    )
