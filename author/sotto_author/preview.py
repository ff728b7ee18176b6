"""`sotto preview`: a survey as its respondents and readers will see it, on this machine, with nothing published."""

import tempfile
import webbrowser
from importlib.util import find_spec
from pathlib import Path

import click

from sotto_author.errors import AuthorError
from sotto_client.commands import echo, read_file
from sotto_protocol.extras import install_command
from sotto_protocol.protection import warn_of_little
from sotto_protocol.words import examples

NEEDED = ("flask", "sqlalchemy", "waitress")


@click.command(
    epilog=examples("sotto preview survey.toml --seconds 600", "sotto preview survey.toml --port 8123 --seconds 600")
)
@click.argument("survey_file", type=click.Path(path_type=Path))
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="TCP port on this machine  [default: a free one]."
)
@click.option("--open", "is_opened", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--seconds", type=click.IntRange(1), help="Stop after this many seconds  [default: when you press Ctrl-C]."
)
def preview(survey_file: Path, port: int, is_opened: bool, seconds: int | None) -> None:
    """Show a survey file as a page on this machine.

    You get the page that respondents will see, and can try it up to what would be sent. You also get the results page,
    with reports of made-up people, as many as `people` in the file. Nothing is published, sent or kept, except in a
    temporary folder until it stops. After you change the file, load the page again. Ctrl-C stops it.
    """
    survey = read_file(survey_file)
    if not all(map(find_spec, NEEDED)):
        raise AuthorError(f"sotto preview needs: {install_command('collector')}")
    from sotto_author.previewed import Previewed, serve_preview

    def announce(url: str, previewed: Previewed) -> None:
        click.echo(f"survey   {url}/")
        click.echo(f"results  {url}/results  of {previewed.n_made_up:,} made-up people")
        click.echo("Nothing is published or kept. Ctrl-C stops it.")
        if little := warn_of_little(survey):
            echo(f"Warning: {little}", is_error=True)
        if is_opened:
            webbrowser.open(f"{url}/")

    with tempfile.TemporaryDirectory(prefix="sotto-preview-") as folder:
        serve_preview(survey_file, survey, Path(folder), port, seconds, announce)
