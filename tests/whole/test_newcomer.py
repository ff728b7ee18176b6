"""From nothing to a survey that is published, answered and read: twelve commands at most, the file included."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from console import DOCUMENTED_URL, Console

pytestmark = pytest.mark.thorough  # every command of it is a process, and has tests of its own

MOST_COMMANDS = 12
INSTALL = ["python3 -m venv .venv", ".venv/bin/pip install '.[collector,estimator]'"]  # as the README has it
ANSWER = """
import csv
from sotto_client import SurveyClient
with open("invitations.csv", newline="") as file:
    codes = [row["invitation"] for row in csv.DictReader(file)]
for number, code in enumerate(codes[:100]):
    answers = {"copied": "No" if number % 4 else "Yes", "helped": "Yes"}
    with SurveyClient("URL", "exam", state=":memory:", invitation=code) as device:
        device.answer(answers)
        assert device.flush(30)
"""
"""The respondents: each has one line of the file, and answers in an app. The page asks the same in a browser."""


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Console]:
    terminal = Console(tmp_path)
    yield terminal
    terminal.close()


def test_a_newcomer_reads_results_after_a_few_commands(console: Console) -> None:
    typed = list(INSTALL)

    def run(command: str) -> str:
        typed.append(command)
        return console.run_command(command)

    assert "cannot" not in run("sotto new survey.toml --from exam --people 120")
    assert "nothing useful" not in run("sotto check survey.toml")
    admin = run("sotto db init").strip()
    analyst = run("sotto token create --role analyst").strip()
    run("sotto serve")
    assert "/s/exam" in run(f"sotto publish survey.toml {DOCUMENTED_URL} --token {admin}")
    run(f"sotto invite create {DOCUMENTED_URL} exam --count 120 --to invitations.csv --page --token {admin}")
    with (console.folder / "invitations.csv").open(newline="") as file:
        assert all(row["page"].startswith(f"{console.url}/s/exam#") for row in csv.DictReader(file))
    (console.folder / "answer.py").write_text(ANSWER.replace("URL", console.url))
    run("python answer.py")
    said = run(f"sotto estimate {DOCUMENTED_URL} exam --token {analyst}")
    assert "n = 100 reports" in said
    assert all(name in said for name in ("copied", "helped"))
    assert len(typed) <= MOST_COMMANDS, typed
