"""`sotto publish`: a survey file becomes a survey at a collector."""

from pathlib import Path
from urllib.parse import quote

import click

from sotto_author.consent import agree, confirm, people_option, repeat, yes_option
from sotto_author.crowd import judge_file
from sotto_author.takes import say_beyond
from sotto_client.commands import echo, read_file
from sotto_collector.commands.options import token_option
from sotto_collector.remote import RemoteCollector
from sotto_protocol.minimum import say_needs
from sotto_protocol.protection import warn_of_little


def page_address(collector: RemoteCollector, survey_id: str) -> str:
    """Return where people can answer a survey, as this command reaches the collector."""
    return f"{collector.url}/s/{quote(survey_id, safe='')}"


@click.command(epilog="Example:  sotto publish survey.toml http://127.0.0.1:8000")
@click.argument("survey_file", type=click.Path(path_type=Path))
@click.argument("url")
@click.option(
    "--draft", "is_draft", is_flag=True, help="Show it to who has its link, as long as it may change; off by default."
)
@people_option
@yes_option
@token_option
def publish(survey_file: Path, url: str, is_draft: bool, n: int | None, is_sure: bool, token: str) -> None:
    """Publish a survey at a collector.

    Reads SURVEY_FILE (TOML, JSON or canonical JSON), posts it to URL, and prints its id and fingerprint, and the
    address of the page where it can be answered. With min_reports it says from how many reports each question is shown.
    Of --n people, or the `people` of the file, it says what they will show, and asks first where that is of no use to
    anybody, or where a report takes more epsilon than devices allow by default: a published survey never changes.

    With --draft nobody can answer it: its page is for who has the address that is printed, and the next draft of the
    same id takes its place. Without --draft it takes a draft's place for good: what is published never changes.
    """
    if str(survey_file).startswith(("http:", "https:")):
        raise click.UsageError("The survey's file comes first, then the collector's URL.")
    survey, collector = read_file(survey_file), RemoteCollector(url, token)
    if little := warn_of_little(survey):
        echo(f"Warning: {little}", is_error=True)
    if beyond := say_beyond(survey):
        echo(f"Warning: {beyond}", is_error=True)
        refusal = f"{survey.id} is not published. Mend it (sotto check), or give --yes where your app allows as much."
        confirm(f"Publish {survey.id} all the same?", refusal, is_sure=is_sure or is_draft)
    people = n or survey.people
    crowd = judge_file(survey_file, survey, people) if people else None
    if crowd and not crowd.is_usable:
        refusal = (
            f"{survey.id} is not published: {crowd.n:,} people show nothing useful of it. "
            "Mend it (sotto check), or give --yes: it is published even so."
        )
        agree(crowd, f"Publish {survey.id} all the same?", refusal, is_sure=is_sure or is_draft)
    published = collector.ask("POST", "/v1/drafts" if is_draft else "/v1/surveys", survey.canonical)
    click.echo(f"{published.get('id')}  {published.get('fingerprint')}")
    click.echo(page_address(collector, survey.id) + (f"?preview={published.get('preview')}" if is_draft else ""))
    if crowd and crowd.is_usable:  # no error of the collector's stands below it
        repeat(crowd)
    if not survey.keeps_reports:
        click.echo(
            "The collector keeps counts alone, and no report: none can be erased, recounted, exported or associated.",
            err=True,
        )
    for line in say_needs(survey):
        click.echo(line, err=True)
