"""The `sotto` command: what it lists, what it says, what it needs."""

import inspect
import json
import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints, entry_points, requires
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from commands import LEAVES, examples_of
from sotto_client import cli
from sotto_client.cli import main
from sotto_client.command_help import SHORT_HELP, TASKS
from sotto_protocol import __version__
from sotto_protocol.extras import DISTRIBUTION, EXTRAS, MissingExtra

POINTS = entry_points(group="sotto.commands")
COMMANDS = sorted(point.name for point in POINTS)


def test_help_lists_every_command_below_its_task_and_cuts_nothing_off() -> None:
    result = CliRunner().invoke(main, ["--help"])
    assert result.exit_code == 0
    lines = " ".join(result.stdout.split())
    for task, commands in TASKS.items():
        assert f" {task}: {next(iter(commands))} " in lines
        assert all(f" {name} {said}" in lines for name, said in commands.items())
    assert [*SHORT_HELP] == [name for commands in TASKS.values() for name in commands]
    assert sorted(SHORT_HELP) == COMMANDS


def test_a_command_of_another_program_is_listed_below_its_own_heading(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = click.Command("count", help="Count what they count.")
    monkeypatch.setattr(cli, "_describe_all", lambda: {"count": theirs})
    assert "Other commands:\n  count  Count what they count.\n" in CliRunner().invoke(main, ["--help"]).stdout


def test_help_says_of_every_command_what_it_says_itself() -> None:
    said = {point.name: inspect.cleandoc(point.load().help).split("\n\n")[0] for point in POINTS}
    assert {name: " ".join(sentence.split()) for name, sentence in said.items()} == SHORT_HELP


def test_help_is_that_of_the_commands_as_click_writes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = CliRunner().invoke(main, ["--help"]).stdout
    monkeypatch.setattr(cli, "_describe", cli._load)
    assert CliRunner().invoke(main, ["--help"]).stdout == listed


def test_help_imports_no_command() -> None:
    _, imported = run_and_list_modules("main(['--help'], standalone_mode=False)")
    assert "sotto_client.cli" in imported
    assert not imported & {point.module for point in POINTS}
    assert not imported & {"sotto_author", "sotto_collector", "sotto_estimator"}


def run_and_list_modules(statement: str, **environment: str) -> tuple[list[str], set[str]]:
    """Return the lines that a process prints in which `main` is called so, and the modules that it has loaded."""
    script = (
        "import atexit, json, sys; from sotto_client.cli import main;"
        f"atexit.register(lambda: print(json.dumps([*sys.modules]))); {statement}"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ | environment
    )
    *lines, modules = result.stdout.splitlines()
    return lines, {*json.loads(modules)}


def complete(words: str) -> tuple[list[str], set[str]]:
    """Return what bash is offered for the last of these words, and the modules that it took."""
    asked = {"_SOTTO_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    lines, imported = run_and_list_modules("main(prog_name='sotto')", **asked)
    return [line.removeprefix("plain,") for line in lines], imported


def test_completion_of_a_command_imports_no_command() -> None:
    offered, imported = complete("sotto ")
    assert offered == COMMANDS
    assert "sotto_client.cli" in imported
    assert not imported & {point.module for point in POINTS}
    assert not imported & {"sotto_author", "sotto_collector", "sotto_estimator"}
    assert complete("sotto e")[0] == ["erase", "estimate", "explain", "export"]
    assert complete("sotto --v")[0] == ["--version"]


def test_completion_behind_a_command_is_by_that_command_alone() -> None:
    offered, imported = complete("sotto explain --time")
    assert offered == ["--timeout-s"]
    assert imported & {point.module for point in POINTS} == {"sotto_client.commands"}


def test_a_command_that_others_install_says_its_own_help(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lines = ("import click", "@click.command()", "def shout():", "    'Say it aloud.'")
    (tmp_path / "loud.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(tmp_path))
    others = [EntryPoint(name, "loud:shout", "sotto.commands") for name in ("shout", "check")]
    kept = [point for point in POINTS if point.name != "check"]
    monkeypatch.setattr(cli, "entry_points", lambda **_: EntryPoints([*kept, *others]))
    listed = CliRunner().invoke(main, ["--help"]).stdout
    assert [line.split()[0] for line in listed.splitlines() if "Say it aloud." in line] == ["check", "shout"]


@pytest.mark.parametrize("side", EXTRAS)
def test_what_an_extra_brings_is_what_help_looks_for(side: str) -> None:
    extra, modules = EXTRAS[side]
    found = [
        re.match(r"[\w-]+", need)
        for need in requires(DISTRIBUTION) or []
        if f'extra == "{extra}"' in need.replace("'", '"')
    ]
    assert {name[0].replace("-", "_") for name in found if name} == {*modules}


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=[" ".join(path) for path, _ in LEAVES])
def test_the_help_of_every_command_ends_with_two_examples_of_it(path: tuple[str, ...], command: click.Command) -> None:
    examples = examples_of(command)
    assert len(examples) == 2
    assert all(f"sotto {' '.join(path)}" in example for example in examples)
    shown = CliRunner().invoke(main, [*path, "--help"]).stdout.splitlines()
    assert [line.strip() for line in shown if line.strip()][-2:] == examples


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=[" ".join(path) for path, _ in LEAVES])
def test_every_option_has_help(path: tuple[str, ...], command: click.Command) -> None:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"sotto {' '.join(path)} {parameter.opts}"


def test_an_unknown_command_is_a_usage_error() -> None:
    assert CliRunner().invoke(main, ["whisper"]).exit_code == 2


@pytest.mark.parametrize(
    ("missing", "command", "extra"), [("flask", "serve", "collector"), ("scipy", "plan", "estimator")]
)
def test_a_device_without_the_extra_is_told_what_to_install(missing: str, command: str, extra: str) -> None:
    script = f"import sys; sys.modules[{missing!r}] = None; from sotto_client.cli import main; main({[command]!r})"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr == f"Error: sotto {command} needs: pip install 'sottovoce[{extra}]'\n"


@pytest.mark.parametrize("side", EXTRAS)
def test_a_side_that_is_imported_without_its_extra_says_which(side: str) -> None:
    extra, modules = EXTRAS[side]
    for missing in modules:
        script = f"import sys; sys.modules[{missing!r}] = None; import {side}"
        command = [sys.executable, "-W", "error", "-c", script]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        need = f"{side} needs: pip install 'sottovoce[{extra}]' ({missing} is not there)."
        assert result.stderr.splitlines()[-1] == f"sotto_protocol.extras.MissingExtra: {need}"
    assert issubclass(MissingExtra, ImportError)


def test_without_extras_the_command_still_lists_itself() -> None:
    script = (
        "import sys; sys.modules.update(dict.fromkeys(['flask', 'waitress', 'msgspec', 'scipy', 'matplotlib']));"
        "from sotto_client.cli import main; main(['--help'])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pip install 'sottovoce[collector]'" in result.stdout
    assert "explain" in result.stdout


def test_the_installed_command_runs() -> None:
    sotto = Path(sys.executable).with_name("sotto")
    result = subprocess.run([sotto, "--version"], capture_output=True, text=True, check=True)
    assert result.stdout == f"sotto, version {__version__}\n"
