"""`sotto install`: put the collector on a machine."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sotto_collector.commands.options import setting_option
from sotto_collector.settings import SETTINGS, Settings
from sotto_collector.units import STATE, Service

_DB = SETTINGS[0]._replace(default=str(STATE / "sottovoce.db"))


def _settings_of_a_machine(command: Callable[..., Any]) -> Callable[..., Any]:
    for row in reversed((_DB, *SETTINGS[1:])):
        command = setting_option(row)(command)
    return command


@click.command(epilog="Example:  sotto install --systemd --db /srv/survey/survey.db --port 8000")
@click.option("--systemd", is_flag=True, required=True, help="As a service of systemd: no default, and no other way.")
@click.option("--user", default="sottovoce", show_default=True, help="The user that it runs as.")
@click.option(
    "--backup-to", type=click.Path(path_type=Path), help="Folder for a copy a day, on another disk; none by default."
)
@click.option("--keep", default=2, show_default=True, type=click.IntRange(1), help="Daily copies that are kept.")
@_settings_of_a_machine
def install(systemd: bool, user: str, backup_to: Path | None, keep: int, **values: Any) -> None:
    """Print a script that makes the collector a service of this machine.

    It changes nothing: read what it prints, then run that as root. The script makes a user, a folder, the units and the
    database, and starts the service, from the virtual environment that this command is of. Settings that are given here
    stand in the unit.
    """
    service = Service(Path(sys.prefix) / "bin" / "sotto", user, Settings(**values), backup_to, keep)
    click.echo(service.make_script(), nl=False)
    for path in dict.fromkeys(service.list_hidden(Path(sys.base_prefix))):
        click.echo(f"Warning: the service cannot see {path}: move it, to /opt or /var/lib.", err=True)
