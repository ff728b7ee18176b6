"""Every command that prints a result prints it in every form."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from beacons import beacons, write_lines
from sotto_client.cli import main
from sotto_estimator.commands.options import FORMS
from written_forms import read_latex, read_markdown

SURVEY = """
id = "lunch"
title = "Lunch | 50 %"
[[questions]]
id = "paid"
type = "yes-no"
text = "?"
epsilon = 2
"""
DESIGN = "crosswise(prob_innocuous={})"
ARMS = [
    *("--design", DESIGN.format(".2"), "--counts", "66,95"),
    *("--design", DESIGN.format(".8"), "--counts", "95,66"),
]
COMMANDS = {
    "estimate": ["estimate", "--yes", "150", "--n", "400", "--truth", ".75"],
    "estimate --format": ["estimate", "--format", "navigation-timing", "b.ndjson"],
    "estimate --model": ["estimate", "--model", "one-sayers", *ARMS],
    "estimate --what-if": ["estimate", "--what-if", "random=.1", *ARMS],
    "estimate --by": ["estimate", "p.csv", "--column", "paid", "--design", DESIGN.format(".2"), "--by", "of"],
    "test share": ["test", "share", "--null", ".3", "--yes", "150", "--n", "400", "--truth", ".75"],
    "regress": ["regress", "p.csv", "paid ~ of", "--design", DESIGN.format(".2")],
    "plan": ["plan", "--epsilon", "1", "--n", "100"],
    "plan FILE": ["plan", "lunch.toml", "--n", "300"],
    "power": ["power", "share", "--null", ".3", "--share", ".4", "--epsilon", "1", "--n", "500"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "b.ndjson", beacons(300))
    (tmp_path / "lunch.toml").write_text(SURVEY)
    rows = [f"{'a_b' if at % 2 else 'c|d'},{int(at % 5 < 2)}" for at in range(200)]
    (tmp_path / "p.csv").write_text("\n".join(["of,paid", *rows, ""]))
    return tmp_path


def commands(of: click.Group, words: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(of)
    for name in of.list_commands(context):
        command = of.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{words}{name} ")
        elif command is not None:
            yield f"{words}{name}", command


def test_commands_with_csv_have_every_form() -> None:
    assert isinstance(main, click.Group)
    of_room = {name: of for name, of in commands(main) if of.callback.__module__.startswith("sotto_estimator.")}
    typed = {name: {word for option in command.params for word in option.opts} for name, command in of_room.items()}
    with_csv = {name: options for name, options in typed.items() if "--csv" in options}
    assert with_csv.keys() >= {"estimate", "associate", "decode", "regress", "plan", "test groups", "power trend"}
    lacking = {name: {f"--{form}" for form in FORMS} - options for name, options in with_csv.items()}
    assert not {name: options for name, options in lacking.items() if options}


@pytest.mark.few(4)
@pytest.mark.parametrize("command", COMMANDS)
def test_it_prints_the_same_tables_as_markdown_and_latex(folder: Path, command: str) -> None:
    printed = {form: CliRunner().invoke(main, [*COMMANDS[command], f"--{form}"]) for form in FORMS}
    assert {form: (run.exit_code, run.output) for form, run in printed.items() if run.exit_code} == {}
    assert printed["markdown"].stdout.startswith("# ")
    tables = read_markdown(printed["markdown"].stdout)
    assert tables
    assert read_latex(printed["latex"].stdout) == tables


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        (("--json", "--latex"), "Give --json or --latex, one of the two."),
        (("--latex", "--markdown", "--csv"), "Give --csv or --markdown or --latex, one of the three."),
    ],
)
def test_one_form_at_most_is_printed(forms: tuple[str, ...], expected: str) -> None:
    run = CliRunner().invoke(main, [*COMMANDS["estimate"], *forms])
    assert run.exit_code == 2
    assert expected in " ".join(run.output.split())
