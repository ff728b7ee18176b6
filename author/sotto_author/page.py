"""`sotto page`: the survey page as one file."""

import hashlib
import json
from pathlib import Path

import click

from sotto_author.errors import AuthorError
from sotto_client.commands import read_file
from sotto_client.exchange import check_url
from sotto_protocol import Survey
from sotto_protocol.file_endings import check_ending
from sotto_protocol.words import examples


@click.command(
    epilog=examples(
        "sotto page survey.toml http://127.0.0.1:8000 --single lunch.html",
        "sotto page survey.toml http://127.0.0.1:8000 --single first.html --webcat webcat.json",
    )
)
@click.argument("survey_file", type=click.Path(path_type=Path))
@click.argument("url")
@click.option("--single", "target", type=click.Path(path_type=Path), required=True, help="New HTML file.")
@click.option("--wave", type=click.IntRange(1), default=1, show_default=True, help="Wave that the page asks for.")
@click.option(
    "--max-epsilon",
    type=click.IntRange(1, 10**9),
    default=8,
    show_default=True,
    help="Epsilon that a browser gives away in all waves at most.",
)
@click.option(
    "--resend-days",
    type=click.IntRange(0, 365),
    default=0,
    show_default=True,
    help="Days for which a browser keeps its report, to send it again if it is lost.",
)
@click.option(
    "--webcat",
    type=click.Path(path_type=Path),
    help="Write the manifest for WEBCAT of a host that serves only this page to this new JSON file  [default: none].",
)
def page(
    survey_file: Path, url: str, target: Path, wave: int, max_epsilon: int, resend_days: int, webcat: Path | None
) -> None:
    """Write the survey page as one file, and print its SHA-256.

    SURVEY_FILE is TOML, JSON or canonical JSON, and URL is the collector's. Scripts, styles and words in all languages
    are in the file. It asks that collector for the survey, sends reports there, and asks nobody for anything else. Put
    it on any host, or send it to people who open it from their disk. Put the SHA-256 into the invitation. The same
    survey, URL and release always give the same file, so anybody can check it.

    The collector must allow pages from elsewhere: sotto configure --cors-origin https://HOST. For a file on a disk that
    is --cors-origin null.
    """
    survey = read_file(survey_file)
    check_ending("--single", target, ".html", error=AuthorError)
    check_ending("--webcat", webcat, ".json", error=AuthorError)
    text = make_page(survey, url, wave=wave, max_epsilon=max_epsilon, resend_days=resend_days)
    _write(target, text.encode())
    click.echo(f"{hashlib.sha256(text.encode()).hexdigest()}  {target}")
    if webcat is not None:
        from sotto_collector.pages.single import describe_single

        _write(webcat, json.dumps(describe_single(survey, check_url(url), text.encode()), indent=1).encode())


def make_page(survey: Survey, url: str, *, wave: int = 1, max_epsilon: int = 8, resend_days: int = 0) -> str:
    """Return the page of a survey as one file, for the collector at `url`. Raises AuthorError."""
    from sotto_collector.pages.single import single_page

    if not 1 <= wave <= survey.waves:
        raise AuthorError(f"wave ({wave}) must be from 1 to {survey.waves}, the waves of survey {survey.id}.")
    if (survey.is_blind and not survey.token_keys) or (survey.is_oblivious and not survey.gateway_key):
        raise AuthorError(
            f"survey {survey.id} has no keys yet: it gets them as it is published. Save the published survey, and give "
            f"that file: curl -o {survey.id}.json {url.rstrip('/')}/v1/surveys/{survey.id}"
        )
    try:
        address = check_url(url)
    except ValueError as fault:
        raise AuthorError(str(fault)) from fault
    return single_page(survey, address, wave=wave, max_epsilon=max_epsilon, resend_days=resend_days)


def _write(path: Path, content: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(content)
    except OSError as fault:
        raise AuthorError(f"file ({path}) must be a new file that can be written: {fault.strerror}.") from fault
