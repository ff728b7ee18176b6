"""What several commands have in common: options made from the settings' table."""

from collections.abc import Callable
from typing import Any

import click

from sotto_collector.settings import SETTINGS, Setting

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
journal_option = setting_option(SETTINGS[1])
token_option = click.option(
    "--token", envvar="SOTTO_TOKEN", show_envvar=True, required=True, help="Admin's token for the collector."
)
