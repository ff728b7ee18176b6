"""Each kind of input has its own section in a command's help, and an option of another kind is refused by its name."""

import re

import click
import pytest
from click.testing import CliRunner

from commands import LEAVES
from sotto_client.cli import main
from sotto_estimator.commands.sections import OTHER, SectionedCommand, section_of

MOST_UNSORTED = 12
SETTINGS = ("install", "serve")
"""Whose options are all of one kind: the collector's settings."""
COMMANDS = {
    " ".join(path): command
    for path, command in LEAVES
    if sum(isinstance(one, click.Option) for one in command.params) > MOST_UNSORTED and path[0] not in SETTINGS
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_stands_once_under_the_heading_of_its_section(name: str) -> None:
    command = COMMANDS[name]
    assert isinstance(command, SectionedCommand)
    shown = CliRunner().invoke(main, [*name.split(), "--help"]).stdout
    parts = dict(re.findall(r"^(\S.*):\n((?:  .*\n|\n)+)", shown, flags=re.MULTILINE))
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            having = [
                title for title, of in parts.items() if re.search(rf"^  {parameter.opts[0]}\b(?!-)", of, re.MULTILINE)
            ]
            assert having == [section_of(parameter).title]
    assert "Options:" not in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_only_help_is_among_other_options(name: str) -> None:
    options = [one for one in COMMANDS[name].params if isinstance(one, click.Option)]
    assert [one.opts[0] for one in options if section_of(one) == OTHER and not one.hidden] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("estimate --yes 4 --n 10 --warner 3/4 --arm half", "--arm goes with a table: --column says which column has"),
        ("estimate --yes 4 --n 10 --warner 3/4 --weights w", "--weights goes with a table: --column says which"),
        ("test groups --counts 4,6 --counts 5,5 --warner 3/4 --clusters c", "--clusters goes with a table: --column"),
        ("plan --epsilon 1 --n 100 --bits 8", "--bits goes with --text."),
        ("plan --epsilon 1 --n 100 --write", "--write goes with a survey file."),
        ("plan survey.toml --n 100 --minimum 1", "--minimum does not go with a survey file: it plans one question"),
        ("plan survey.toml --n 100 --against n", "--against does not go with a survey file"),
    ],
)
def test_an_option_of_another_input_is_refused_with_what_it_belongs_to(words: str, said: str) -> None:
    ran = CliRunner().invoke(main, words.split())
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert said in " ".join(ran.stderr.split())
