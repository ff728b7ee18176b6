"""`sotto publish`: a survey file becomes a survey at a collector."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import click

from sotto_author.consent import agree, confirm, people_option, repeat, yes_option
from sotto_author.crowd import Crowd, judge_file
from sotto_author.gateway_key import with_gateway_key
from sotto_author.takes import say_beyond
from sotto_client.commands import echo, read_file
from sotto_collector.commands.options import token_option
from sotto_collector.errors import RemoteError
from sotto_collector.remote import RemoteCollector, survey_path
from sotto_protocol import Survey, SurveyError
from sotto_protocol.minimum import say_needs
from sotto_protocol.protection import warn_of_little
from sotto_protocol.words import examples


def page_address(collector: RemoteCollector, survey_id: str) -> str:
    """Return where people can answer a survey, as this command reaches the collector."""
    return f"{collector.url}/s/{quote(survey_id, safe='')}"


def with_token_keys(collector: RemoteCollector, survey: Survey) -> Survey:
    """Return a survey as it is published: if its invitations are blind with the public keys that the collector makes.

    It makes them once for an id. So the same file always gives the same survey. Raises RemoteError.
    """
    if not survey.is_blind or survey.token_keys:
        return survey
    made = collector.ask("POST", survey_path(survey.id, "/token-keys"), {"count": survey.n_cells})
    try:
        return replace(survey, token_keys=tuple(made.get("token_keys", ())))
    except SurveyError as fault:
        raise RemoteError(f"{collector.url} did not respond with keys: {fault}") from fault


@click.command(
    epilog=examples(
        "sotto publish survey.toml http://127.0.0.1:8000", "sotto publish first.toml http://127.0.0.1:8000 --draft"
    )
)
@click.argument("survey_file", type=click.Path(path_type=Path))
@click.argument("url")
@click.option(
    "--draft",
    "is_draft",
    is_flag=True,
    help="Publish a draft: only people with its link see it, and you can still change it.",
)
@people_option
@yes_option
@token_option
def publish(survey_file: Path, url: str, is_draft: bool, n: int | None, is_sure: bool, token: str) -> None:
    """Publish a survey at a collector.

    SURVEY_FILE is TOML, JSON or canonical JSON, and URL is the collector's. The command prints the survey's id, its
    fingerprint, and the address of its page. With min_reports it says how many reports each question needs.

    A published survey never changes. So the command asks first if the survey takes more epsilon than devices allow by
    default. With --n, or `people` in the file, it says what that many people will show. It asks first if that is
    nothing useful.

    If the survey has blind invitations, the collector first makes the keys of their tokens. It keeps the private ones.

    With --draft nobody can answer the survey. Only people with the printed address see its page. The next draft with
    the same id replaces it, and so does the published survey.
    """
    if str(survey_file).startswith(("http:", "https:")):
        raise click.UsageError("The survey's file comes first, then the collector's URL.")
    collector = RemoteCollector(url, token)
    survey = with_gateway_key(read_file(survey_file), collector)
    if little := warn_of_little(survey):
        echo(f"Warning: {little}", is_error=True)
    if beyond := say_beyond(survey):
        echo(f"Warning: {beyond}", is_error=True)
        refusal = (
            f"{survey.id} is not published. Mend it (sotto check), or give --yes if your app allows that much epsilon."
        )
        confirm(f"Publish {survey.id} anyway?", refusal, is_sure=is_sure or is_draft)
    people = n or survey.people
    crowd = judge_file(survey_file, survey, people) if people else None
    if crowd and not crowd.is_usable:
        refusal = (
            f"{survey.id} is not published: {crowd.n:,} people are too few {_for_what(crowd)}. "
            "Mend it (sotto check), or give --yes to publish it anyway."
        )
        agree(crowd, f"Publish {survey.id} anyway?", refusal, is_sure=is_sure or is_draft)
    if not is_draft:
        survey = with_token_keys(collector, survey)
    published = collector.ask("POST", "/v1/drafts" if is_draft else "/v1/surveys", survey.canonical)
    click.echo(f"{published.get('id')}  {published.get('fingerprint')}")
    click.echo(page_address(collector, survey.id) + (f"?preview={published.get('preview')}" if is_draft else ""))
    if crowd and crowd.is_usable:  # no error of the collector's stands below it
        repeat(crowd)
    if not survey.keeps_reports:
        click.echo(
            "The collector keeps only counts. It has no reports to erase, recount, export or associate.",
            err=True,
        )
    if survey.is_oblivious:
        click.echo(f"Reports come through {survey.relay}. Somebody else must run it.", err=True)
    for line in say_needs(survey):
        click.echo(line, err=True)


def _for_what(crowd: Crowd) -> str:
    return "for its strata" if all(one.is_usable for one in crowd.outlooks) else "to show anything useful"
