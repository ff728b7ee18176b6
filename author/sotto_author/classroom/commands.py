"""`sotto classroom`: a lesson with phones and a projector."""

import webbrowser
from importlib.util import find_spec
from pathlib import Path

import click

from sotto_author.classroom.network import find_lan_address, is_everywhere, is_this_machine
from sotto_author.classroom.question import lesson_toml
from sotto_author.errors import AuthorError
from sotto_client.commands import echo, read_file
from sotto_protocol import compile_toml
from sotto_protocol.extras import install_command
from sotto_protocol.protection import warn_of_little
from sotto_protocol.words import examples

NEEDED = ("flask", "sqlalchemy", "waitress", "scipy", "segno")


@click.command(
    epilog=examples(
        "sotto classroom --port 8123 --seconds 600",
        "sotto classroom survey.toml --folder monday --port 8123 --seconds 600",
    )
)
@click.argument("survey_file", type=click.Path(path_type=Path), required=False)
@click.option("--lan", is_flag=True, help="Let phones in: listen at this machine's address in the local network.")
@click.option("--host", help="Listen at this address instead  [default: 127.0.0.1, which only this machine reaches].")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="TCP port; 0 takes any.")
@click.option("--url", default="", help="Where phones reach this collector, if a proxy or tunnel is in front of it.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default="classroom",
    show_default=True,
    help="New folder for the files.",
)
@click.option("--open", "is_opened", is_flag=True, help="Open the board in the browser.")
@click.option(
    "--seconds", type=click.IntRange(1), help="Stop after this many seconds  [default: at Ctrl-C or the button]."
)
def classroom(
    survey_file: Path | None,
    lan: bool,
    host: str | None,
    port: int,
    url: str,
    folder: Path,
    is_opened: bool,
    seconds: int | None,
) -> None:
    """Ask a room by phone, and show on the wall how the range closes.

    The board has a QR code, the number of reports, and a range that is valid at every look. The survey is SURVEY_FILE,
    or one question for a lecture in 13 languages. Phones change their answers before they send them. So the
    collector gets only noisy reports.

    Without --lan or --host, only this machine can open the pages. With --lan, everybody in its local network can open
    the survey, and its results if they are public. The board and its button need the key in the printed address.
    Ctrl-C or the button ends the lesson. Then the last estimates are printed, and counts, report and database are in
    the folder.
    """
    if not all(map(find_spec, NEEDED)):
        raise AuthorError(f"sotto classroom needs: {install_command('classroom')}")
    if lan and host is not None:
        raise AuthorError("--lan and --host cannot be used together: --lan finds the address by itself.")
    survey = read_file(survey_file) if survey_file else compile_toml(lesson_toml())
    listens_at = find_lan_address() if lan else host or "127.0.0.1"
    if is_everywhere(listens_at) and not url:
        raise AuthorError(f"--host {listens_at} is no address that a phone can open: use --lan, or add --url.")
    from sotto_author.classroom.serving import Opened, hold_lesson

    def announce(opened: Opened) -> None:
        if survey_file is None:
            (folder / "survey.toml").write_text(lesson_toml(), encoding="utf-8")
        click.echo(f"survey  {opened.survey}")
        click.echo(f"board   {opened.board}")
        if is_this_machine(listens_at):
            click.echo(
                "Only this machine can open these pages"
                + (", and the proxy." if url else ". With --lan phones can, too.")
            )
        else:
            click.echo("Every device that reaches this address can open the survey. Only the board's address ends it.")
        if opened.is_unencrypted:
            click.echo("Pages come over http. Someone on this network could change them: the survey page says so.")
        click.echo("Ctrl-C ends it.")
        if little := warn_of_little(survey):
            echo(f"Warning: {little}", is_error=True)
        if survey.min_reports == 1:
            echo("Warning: min_reports is 1, so the room sees each noisy report as it comes.", is_error=True)
        if is_opened:
            webbrowser.open(opened.board)

    estimates = hold_lesson(survey, folder, announce, host=listens_at, port=port, url=url, seconds=seconds)
    if estimates is None:
        click.echo(f"Too few reports came for a result. {folder} has the database.")
    else:
        echo(estimates.as_table())
        click.echo(f"{folder} has the counts (tally.json), a report (results.html) and the database.")
