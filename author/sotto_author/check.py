"""`sotto check`: is a survey file right, what does it take, and what will so many people show."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sotto_author.consent import people_option
from sotto_author.crowd import Crowd, crowd_members, judge_file, outlook_members
from sotto_author.crowd_words import say_crowd, say_never, say_useless
from sotto_author.errors import AuthorError
from sotto_author.promises import find_promises, say_past
from sotto_author.takes import say_beyond, say_in_english, say_takes, summarise
from sotto_client.commands import echo, read_file
from sotto_client.errors import ClientError
from sotto_protocol import Survey, SurveyError
from sotto_protocol.members import TARGETS
from sotto_protocol.minimum import say_few_tokens
from sotto_protocol.protection import warn_of_little
from sotto_protocol.words import examples

if TYPE_CHECKING:
    from sotto_estimator.channel.channel import Target

_NO_CROWD = "what will it show? sotto check --n PEOPLE says how precise each question will be with that many people"


@click.command(epilog=examples("sotto check survey.toml", "sotto check survey.toml --n 300"))
@click.argument("survey_file", type=click.Path(path_type=Path))
@people_option
@click.option(
    "--target",
    type=click.Choice(TARGETS),
    help="Whom results are about, a population or only the respondents  [default: as in the file, else population].",
)
@click.option(
    "--smallest",
    type=click.IntRange(min=1),
    metavar="PEOPLE",
    help="Number of people in the smallest stratum  [default: all strata are as large].",
)
@click.option("--canonical", is_flag=True, help="Print the canonical JSON that sotto publish sends.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def check(
    survey_file: Path, n: int | None, target: "Target | None", smallest: int | None, canonical: bool, as_json: bool
) -> None:
    """Check a survey file: faults, privacy, and what results will show.

    SURVEY_FILE is TOML, JSON or canonical JSON. Every epsilon is in nats. The command compares the survey's epsilon
    with the limits of a device, unless its app sets other limits.

    With --n, or `people` in the file, it says how precise each question will be, and what would help. It warns if the
    survey promises too much, or protects answers too little. It fails if a question can never be shown: for example, a
    text question whose cohorts the people cannot fill. It also fails if the survey's last day is past.

    If the file has faults, --json prints an object with `faults`. Each has a `where`, a `problem` and often a `line`.
    """
    if canonical and as_json:
        raise click.UsageError("Give --canonical or --json, not both.")
    survey = _read(survey_file, as_json=as_json)
    if canonical:
        if survey.is_oblivious and not survey.gateway_key:
            raise AuthorError("--canonical needs a gateway_key in the file: sotto publish asks the collector for it.")
        click.echo(survey.canonical)
        return
    people = n or survey.people
    if target and people is None:
        raise click.UsageError("--target needs --n, or `people` in the file.")
    _check_smallest(smallest, survey, people)
    crowd = judge_file(survey_file, survey, people, target, smallest) if people else None
    found = [say_beyond(survey), warn_of_little(survey), say_in_english(survey)]
    warnings = [*filter(None, found), *find_promises(survey)]
    if people:
        warnings += say_few_tokens(survey, people * survey.max_reports // survey.n_cells)
    past = say_past(survey, datetime.now(UTC).date())
    if as_json:
        echo(json.dumps(_members(survey, crowd, [*warnings, *[past] * bool(past)]), default=float, indent=2))
    else:
        echo("\n".join([*say_takes(survey), f"\n{say_crowd(crowd)}" if crowd else _NO_CROWD]))
    _shout(crowd, warnings, past)


def _check_smallest(smallest: int | None, survey: Survey, people: int | None) -> None:
    """Raise UsageError for a smallest stratum that these people cannot have."""
    if smallest is None:
        return
    if not survey.strata or people is None:
        raise click.UsageError("--smallest goes with a survey that has strata, and with --n or `people` in the file.")
    if smallest > (most := max(1, people // survey.n_strata)):
        raise click.UsageError(
            f"--smallest ({smallest}) must be at most {most}: {people:,} people are in {survey.n_strata} strata."
        )


def _read(path: Path, *, as_json: bool) -> Survey:
    """Return the survey of a file. Raises ClientError where it has faults, which are printed first as JSON if asked."""
    try:
        return read_file(path)
    except ClientError as error:
        if as_json and isinstance(error.__cause__, SurveyError):
            echo(json.dumps({"faults": [fault._asdict() for fault in error.__cause__.faults]}, indent=2))
        raise


def _members(survey: Survey, crowd: Crowd | None, warnings: list[str]) -> dict[str, object]:
    """Return all that is said, for programs."""
    summary = summarise(survey) | {"warnings": warnings}
    if crowd is None:
        return summary
    outlooks = {one.question.id: outlook_members(one) for one in crowd.outlooks}
    for question in summary["questions"]:
        for one in (question, *question.get("items", ())):
            one |= outlooks.get(one["id"], {})
    return summary | crowd_members(crowd)


def _shout(crowd: Crowd | None, warnings: list[str], past: str) -> None:
    """Say on stderr what is wrong. Raises AuthorError where something can never be shown, or its time is `past`."""
    for line in [*warnings, *(say_useless(crowd) if crowd else [])]:
        echo(f"Warning: {line}", is_error=True)
    if faults := list(filter(None, [say_never(crowd) if crowd else "", past])):
        raise AuthorError("\n  ".join(faults))
