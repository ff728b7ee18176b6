"""The `sotto` command as it is installed, walked through."""

import re

import click

from sotto_client.cli import main


def walk(command: click.Command, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    """Return a command and all below it that can be run."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        below = [(name, command.get_command(context, name)) for name in command.list_commands(context)]
        return [found for name, sub in below if sub for found in walk(sub, (*path, name))]
    return [(path, command)]


LEAVES = walk(main)
"""Every command that can be run, with the words that lead to it."""


def examples_of(command: click.Command) -> list[str]:
    """Return the examples that a command's help ends with."""
    found = re.fullmatch("(?:\b\n)?Examples?:\\s+(.+)", command.epilog or "", re.DOTALL)
    assert found, command.epilog
    return [line.strip() for line in found[1].splitlines()]
