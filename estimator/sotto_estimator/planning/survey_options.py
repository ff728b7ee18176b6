"""The options of `sotto plan SURVEY_FILE`, and what it prints."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.options import grouped
from sotto_estimator.planning.outlook import Reach
from sotto_estimator.planning.survey import plan_survey
from sotto_estimator.planning.survey_render import survey_csv, survey_json, survey_table
from sotto_protocol import Survey, SurveyError
from sotto_protocol.definition import read_survey

_OF_FILE = ("survey_file",)
_WITH_FILE = ("n_reports", "half_width", "n_candidates", "level", "method", "target", "share", "is_json", "is_csv")


@dataclass(frozen=True, slots=True)
class SurveyAsk:
    """What is asked of a survey file, None where none is given."""

    survey_file: Path | None


def survey_plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add SURVEY_FILE and the options that go with it; the command gets `of_file`."""
    argument = click.argument("survey_file", required=False, type=click.Path(path_type=Path))
    return grouped("of_file", SurveyAsk, argument)(command)


def check_survey_options(ask: SurveyAsk) -> None:
    """Raise UsageError for an option that was typed and does not go with a survey file, or goes only with one."""
    context = click.get_current_context()
    typed = [
        param
        for param in context.command.params
        if context.get_parameter_source(param.name or "") == click.core.ParameterSource.COMMANDLINE
    ]
    for param in typed:
        if ask.survey_file is not None and param.name not in (*_OF_FILE, *_WITH_FILE):
            raise click.UsageError(f"{param.opts[0]} does not go with a survey file, which says it.")
        if ask.survey_file is None and param.name in _OF_FILE:
            raise click.UsageError(f"{param.opts[0]} goes with a survey file.")


def survey_plan_output(style: str, survey_file: Path, n: int | None, half_width: float | None, reach: Reach) -> str:
    """Return the plan of a survey file, as text, JSON or CSV. Raises UsageError and SourceError."""
    if n is None:
        raise click.UsageError("A survey file needs --n.")
    try:
        plan = plan_survey(_read(survey_file), n, reach, half_width)
    except DomainError as fault:
        raise click.UsageError(str(fault)) from None
    return {"json": survey_json, "csv": survey_csv}.get(style, survey_table)(plan)


def _read(path: Path) -> Survey:
    """Return the survey in a file, an author's or canonical JSON. Raises SourceError with the path."""
    try:
        return read_survey(path.read_bytes(), is_json=path.suffix == ".json")
    except OSError as fault:
        raise SourceError(f"{path}: {fault.strerror}.") from fault
    except SurveyError as fault:
        raise SourceError(f"{path}: {fault}") from fault
