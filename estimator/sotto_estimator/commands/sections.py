"""Options under headings: each kind of input has its own section in a command's help, and in the words of a refusal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from sotto_estimator.commands.option_names import naming_options


@dataclass(frozen=True, slots=True)
class HelpSection:
    """A heading of a command's help. `belongs`: what its options go with, for what is said of one without it."""

    title: str
    belongs: str = ""


SURVEY = HelpSection("A survey: URL and SURVEY, or files", "a collector's URL")
COUNTS = HelpSection("Counts of reports")
DESIGN = HelpSection("How people were asked (for counts or a table)")
TABLE = HelpSection("A table with one row per person", "a table: --column says which column has the reports")
DRAWN = HelpSection("How the people in a table were sampled", TABLE.belongs)
MISFIT = HelpSection("Non-compliance with the design (for counts or a table)")
MODEL = HelpSection("The model")
FORMAT = HelpSection("Files of other programs")
QUESTIONS = HelpSection("The questions")
TEST = HelpSection("The test")
TEXTS = HelpSection("Which texts")
AUDIT = HelpSection("What to audit")
PEOPLE = HelpSection("People and runs")
TROUBLE = HelpSection("What goes wrong")
CHOICE = HelpSection("Which question and answer")
PLAN_FILE = HelpSection("A survey file", "a survey file")
QUESTION = HelpSection("One question, without a survey file")
NUMBERS = HelpSection("One question that asks for a number")
TEXT = HelpSection("One text question, or the text questions of a survey file", "--text")
GOALS = HelpSection("What to plan")
INTERVALS = HelpSection("Confidence intervals")
OUTPUT = HelpSection("Output")
OTHER = HelpSection("Other options")
_ORDER = (
    *(TEST, CHOICE, QUESTIONS, TEXTS, AUDIT, PEOPLE, TROUBLE, GOALS, PLAN_FILE, QUESTION, NUMBERS, TEXT),
    *(SURVEY, COUNTS, DESIGN, TABLE, MODEL, DRAWN, MISFIT, FORMAT, INTERVALS, OUTPUT, OTHER),
)


class SectionedCommand(click.Command):
    """A command whose help shows its options under the headings of their sections, and whose refusals name them."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; errors of the estimator name its options."""
        with naming_options(ctx):
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections, each kind of input with its own."""
        records: dict[HelpSection, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)):
                records.setdefault(section_of(parameter), []).append(record)
        for section in sorted(records, key=_ORDER.index):
            with formatter.section(section.title):
                formatter.write_dl(records[section])


def in_section(section: HelpSection, *options: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """Return options that stand under a heading."""
    return tuple(_marked(section, option) for option in options)


def _marked(section: HelpSection, option: Callable[..., Any]) -> Callable[..., Any]:
    def add(command: Any) -> Any:
        command = option(command)
        command.__click_params__[-1].help_section = section
        return command

    return add


def section_of(parameter: click.Parameter) -> HelpSection:
    """Return the section of an option; of an argument, and of what has none, the last one."""
    section: HelpSection = getattr(parameter, "help_section", OTHER)
    return section


def typed_of(*sections: HelpSection) -> list[click.Parameter]:
    """Return the options of these sections that were typed: not left out, and not of the environment."""
    context = click.get_current_context()
    typed = click.core.ParameterSource.COMMANDLINE
    return [
        parameter
        for parameter in context.command.params
        if section_of(parameter) in sections and context.get_parameter_source(str(parameter.name)) == typed
    ]


def refuse_sections(*sections: HelpSection) -> None:
    """Raise UsageError for an option of these sections that was typed: it says what the option goes with."""
    for parameter in typed_of(*sections):
        raise click.UsageError(f"{parameter.opts[0]} goes with {section_of(parameter).belongs}.")
