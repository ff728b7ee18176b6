"""What several commands have in common: options made from the settings' table, and files that must be there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sotto_collector.errors import CollectorError
from sotto_collector.settings import SETTINGS, Setting
from sotto_collector.store.store import POSTGRES

Command = Callable[..., Any]


def setting_option(row: Setting) -> Callable[[Command], Command]:
    """Return the option of one setting."""
    return click.option(
        row.flag, row.name, default=row.default, envvar=row.env, show_default=True, show_envvar=True, help=row.help
    )


def all_settings(command: Command) -> Command:
    """Give a command every setting as an option."""
    for row in reversed(SETTINGS):
        command = setting_option(row)(command)
    return command


db_option = setting_option(SETTINGS[0])
token_option = click.option(
    "--token", envvar="SOTTO_TOKEN", show_envvar=True, required=True, help="Admin token of the collector; no default."
)


def existing(db: str) -> str:
    """Return db if it is a database file, or a URL. Raises CollectorError: commands that only read make no file."""
    if db and not db.startswith(POSTGRES) and not _has_content(Path(db)):  # the store has words for an empty name
        raise CollectorError(f"db ({db}) must be an existing database file.")
    return db


def _has_content(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size > 0
    except OSError:  # a folder on the way may not be entered
        return False
