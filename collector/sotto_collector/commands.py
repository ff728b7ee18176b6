"""The operator's commands: `sotto serve`, `token`, `publish`, `close`."""

import signal
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from sotto_collector import remote
from sotto_collector.app import create_app
from sotto_collector.errors import CollectorError
from sotto_collector.logs import set_up_logs
from sotto_collector.server import SWITCH_INTERVAL_S, Server, make_server
from sotto_collector.settings import SETTINGS, Setting, Settings
from sotto_collector.store import Store
from sotto_collector.tokens import ROLES, create_token, revoke_token
from sotto_protocol import Survey, read_survey

Command = Callable[..., Any]


def _option(row: Setting) -> Callable[[Command], Command]:
    return click.option(
        row.flag, row.name, default=row.default, envvar=row.env, show_default=True, show_envvar=True, help=row.help
    )


def _all_settings(command: Command) -> Command:
    for row in reversed(SETTINGS):
        command = _option(row)(command)
    return command


_db = _option(SETTINGS[0])
_token = click.option(
    "--token", envvar="SOTTO_TOKEN", show_envvar=True, required=True, help="Admin token of the collector; no default."
)


@click.command(epilog="Example:  sotto serve --db survey.db --port 8000")
@_all_settings
def serve(**values: Any) -> None:
    """Run the collector.

    SIGTERM or SIGINT end it: it finishes what was begun, and exits.
    """
    settings = Settings(**values)
    set_up_logs()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    app = create_app(settings)
    with closing(app.extensions["collector"]):
        server = make_server(app, settings)
        _stop_on_signals(server)
        click.echo(f"sotto collector listening on {server.url}")
        server.run()


def _stop_on_signals(server: Server) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop())


@click.group(epilog="Example:  sotto token create --db survey.db --role analyst")
def token() -> None:
    """Make, list and revoke a collector's tokens."""


@token.command(epilog="Example:  sotto token create --db survey.db --role admin --label alice")
@_db
@click.option(
    "--role",
    type=click.Choice(ROLES),
    required=True,
    help="admin publishes and closes, analyst reads tallies; no default.",
)
@click.option("--label", default="", help="Whose it is, for `sotto token list`; empty by default.")
def create(db: str, role: str, label: str) -> None:
    """Print a new token. It is shown this once; the database keeps its hash."""
    with closing(Store(db)) as store:
        click.echo(create_token(store, role, label))


@token.command("list", epilog="Example:  sotto token list --db survey.db")
@_db
def list_tokens(db: str) -> None:
    """List the tokens: the first digits of the hash, role, label."""
    with closing(Store(_existing(db))) as store:
        for row in store.list_tokens():
            click.echo(f"{row.token_hash.hex()[:12]}  {row.role:<7}  {row.label}".rstrip())


@token.command(epilog="Example:  sotto token revoke --db survey.db 3f9a1c20b7de")
@_db
@click.argument("hash_prefix")
def revoke(db: str, hash_prefix: str) -> None:
    """Forget the token whose hash begins with HASH_PREFIX (see `sotto token list`)."""
    with closing(Store(_existing(db))) as store:
        row = revoke_token(store, hash_prefix)
    click.echo(f"revoked {row.token_hash.hex()[:12]}  {row.role}  {row.label}".rstrip())


@click.command(epilog="Example:  sotto publish survey.toml http://127.0.0.1:8000")
@click.argument("survey_file", type=click.Path(path_type=Path))
@click.argument("url")
@_token
def publish(survey_file: Path, url: str, token: str) -> None:
    """Publish a survey at a collector.

    Reads SURVEY_FILE (TOML, JSON or canonical JSON), posts it to URL, and prints its id and fingerprint.
    """
    if str(survey_file).startswith(("http:", "https:")):
        raise click.UsageError("The survey's file comes first, then the collector's URL.")
    answer = remote.publish(url, _read_file(survey_file), token)
    click.echo(f"{answer.get('id')}  {answer.get('fingerprint')}")


@click.command(epilog="Example:  sotto close http://127.0.0.1:8000 my-survey")
@click.argument("url")
@click.argument("survey")
@_token
def close(url: str, survey: str, token: str) -> None:
    """Let a survey take no more reports.

    SURVEY is its id at the collector at URL.
    """
    answer = remote.close(url, survey, token)
    click.echo(f"{answer.get('id')}  closed")


def _read_file(path: Path) -> Survey:
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise CollectorError(f"survey file ({path}) must be readable: {fault.strerror}.") from fault
    return read_survey(content, is_json=path.suffix == ".json")


def _existing(db: str) -> str:
    if db and not (Path(db).is_file() and Path(db).stat().st_size):  # the store has words for an empty name
        raise CollectorError(f"db ({db}) must be an existing database file.")
    return db
