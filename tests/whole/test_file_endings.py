"""No command writes one form into a file whose name promises another; it says so before it does anything else."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sotto_client.cli import main

SURVEY = 'id = "s"\ntitle = "S"\nquestions = [{id = "a", type = "yes-no", text = "?", epsilon = 1}]\n'
NOBODY = "http://127.0.0.1:1"  # a collector that is asked before the name is looked at would say so
WRITING = [
    ("estimate {url} s --token x --save-tally", "--save-tally", ".csv", ".json"),
    ("associate {url} s a b --token x --save-records", "--save-records", ".parquet", ".bin"),
    ("decode {url} s a --token x --candidates none --rappor-csv", "--rappor-csv", ".json", ".csv"),
    ("tally archive --save", "--save", ".parquet", ".json"),
    ("erase {url} s --all --yes --token x --certificate", "--certificate", ".pdf", ".json"),
    ("backup --db none.db --to", "--to", ".csv", ".db"),
    ("invite create {url} s --count 3 --token x --to", "--to", ".xlsx", ".csv"),
    ("survey import form.json --to", "survey file", ".json", ".toml"),
    ("new --from staff", "survey file", ".json", ".toml"),
    ("audit survey.toml --junit", "--junit", ".json", ".xml"),
]
"""A command that a file's name ends, what it calls the file, another form's ending, and its own."""


@pytest.mark.parametrize(
    ("command", "called", "wrong", "right"), WRITING, ids=[row[0].split(" ")[0] for row in WRITING]
)
def test_a_name_that_promises_another_form_is_refused(
    command: str, called: str, wrong: str, right: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(SURVEY)
    (tmp_path / "archive").mkdir()
    done = CliRunner().invoke(main, [*command.format(url=NOBODY).split(" "), f"new{wrong}"])
    expected = f"Error: {called} (new{wrong}) must end in {right}: no other form is written.\n"
    assert (done.exit_code, done.output) == (1, expected)
    assert not [*tmp_path.glob("new*")]


@pytest.mark.parametrize("name", ["new.toml", "new.TOML", "new", "new.draft", "new.2026-11"])
def test_a_name_that_promises_no_other_form_is_taken(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["new", "--from", "staff", name])
    assert (done.exit_code, (tmp_path / name).read_text()[:1]) == (0, "#")
