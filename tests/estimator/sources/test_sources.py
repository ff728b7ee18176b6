"""What estimate, decode and associate are pointed at: read by one rule, refused in the same words."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator.commands.sources import read_source
from sotto_estimator.sources.source import CollectorSource, FileSource, names_collector

URL = "http://127.0.0.1:9"
COMMANDS = {
    "estimate": ([URL, "lunch"], []),
    "decode": ([URL, "lunch", "place"], ["--candidates", __file__]),
    "decode unknown": ([URL, "lunch", "place"], ["--unknown"]),
    "associate": ([URL, "lunch", "paid", "place"], []),
}


def refusal_of(command: str, words: list[str], options: list[str]) -> str:
    result = CliRunner().invoke(main, [command.split()[0], *words, *options], env={"SOTTO_TOKEN": None})
    assert result.exit_code == 2
    return result.stderr.splitlines()[-1]


@pytest.fixture
def context() -> click.Context:
    """A command's, whose token came from the environment: it is not refused."""
    return click.Context(main)


def test_a_url_and_a_survey_are_a_collectors(context: click.Context) -> None:
    with context:
        source = read_source([URL, "lunch"], "secret")
    assert source == CollectorSource(URL, "lunch", "secret")
    assert "secret" not in repr(source)


def test_what_is_no_url_are_files(context: click.Context) -> None:
    with context:
        assert read_source(["north.json", "south.json"], "") == FileSource((Path("north.json"), Path("south.json")))
    assert not names_collector(["north.json"])
    assert not names_collector([])


@pytest.mark.parametrize("command", COMMANDS)
def test_a_collector_is_not_asked_without_a_token(command: str) -> None:
    words, options = COMMANDS[command]
    expected = "Error: A collector answers only analysts: give --token, or set SOTTO_TOKEN."
    assert refusal_of(command, words, options) == expected


@pytest.mark.parametrize("command", COMMANDS)
def test_a_token_that_was_typed_goes_with_a_collector(command: str) -> None:
    words, options = COMMANDS[command]
    expected = "Error: --token goes with a collector's URL."
    assert refusal_of(command, ["kept", *words[2:]], [*options, "--token", "t"]) == expected


@pytest.mark.parametrize("command", ["estimate", "decode"])
def test_a_wave_of_a_tally_file_cannot_be_chosen(command: str) -> None:
    words, options = COMMANDS[command]
    expected = "Error: --wave goes with a collector's URL, or with packed reports."
    assert refusal_of(command, ["tally.json", *words[2:]], [*options, "--wave", "1"]) == expected
