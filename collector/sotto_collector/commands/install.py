"""`sotto install`: put the collector on a machine."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sotto_collector.commands.options import setting_option
from sotto_collector.settings import SETTINGS, Settings
from sotto_collector.units import STATE, Service
from sotto_protocol.words import examples

_DB = SETTINGS[0]._replace(default=str(STATE / "sottovoce.db"))


def _settings_of_a_machine(command: Callable[..., Any]) -> Callable[..., Any]:
    for row in reversed((_DB, *SETTINGS[1:])):
        command = setting_option(row)(command)
    return command


@click.command(
    epilog=examples(
        "sotto install --systemd --db /srv/survey/survey.db --port 8000",
        "sotto install --systemd --db /srv/survey/survey.db --port 8000 --backup-to /mnt/backup",
    )
)
@click.option("--systemd", is_flag=True, required=True, help="Make a service of systemd, the only kind there is.")
@click.option("--user", default="sottovoce", show_default=True, help="User that the collector runs as.")
@click.option(
    "--backup-to",
    type=click.Path(path_type=Path),
    help="Folder on another disk for one backup a day  [default: no backups].",
)
@click.option("--keep", default=2, show_default=True, type=click.IntRange(1), help="Number of daily backups to keep.")
@_settings_of_a_machine
def install(systemd: bool, user: str, backup_to: Path | None, keep: int, **values: Any) -> None:
    """Print a script that makes the collector a service of this machine.

    The command itself changes nothing. Read the script, then run it as root. The script makes a user, a folder, the
    units and the database. Then it starts the service from the virtual environment of this command. The settings that
    you give here go into the unit.
    """
    service = Service(Path(sys.prefix) / "bin" / "sotto", user, Settings(**values), backup_to, keep)
    click.echo(service.make_script(), nl=False)
    for path in dict.fromkeys(service.list_hidden(Path(sys.base_prefix))):
        click.echo(f"Warning: the service cannot see {path}. Move it, for example to /opt or /var/lib.", err=True)
