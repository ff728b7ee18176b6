"""docs/classroom.md is true: the lesson that it shows is held, ended and read again, in at most ten commands."""

import re
import subprocess
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner

import starting
from console import DOCUMENTED_URL, Console, blocks, compare
from sotto_author.classroom import commands, serving
from sotto_author.classroom.question import lesson_toml
from sotto_client.cli import main
from sotto_protocol import Coins, Report, batch_body, compile_toml, hmac_bytes

PAGE = Path(__file__).parents[2] / "docs" / "classroom.md"
LESSON = compile_toml(lesson_toml())
TIMEOUT_S = 60


def reports() -> list[Report]:
    """Return the reports of 40 people, half of whom say yes, always the same."""
    coins = Coins(hmac_bytes(bytes(32), b"lesson"))
    records = LESSON.perturb({"answer": [True, False] * 20}, coins)
    return [Report(bytes(14) + number.to_bytes(2), record.tobytes()) for number, record in enumerate(records)]


class Teacher(Console):
    """Holds the lesson when the page does, with a room of phones, and presses the button."""

    def run_command(self, command: str) -> str:
        if command.startswith(("python3 -m venv", ".venv/bin/pip", ". .venv")):
            return ""  # `test_installed` does
        return self.hold(command.split()) if command == "sotto classroom" else super().run_command(command)

    def hold(self, words: list[str]) -> str:
        """Hold a lesson on a free port; return what it printed, with the documented address."""
        start = [*words, "--port", "0"]
        with (
            starting.Popen(start, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True) as process,
            requests.Session() as browser,
        ):
            said = [process.stdout.readline() for _ in range(4)]
            board = said[1].split()[1]
            url = board.partition("/classroom")[0]
            assert browser.get(board, timeout=TIMEOUT_S).status_code == 200
            headers = {"Content-Type": "application/json"}
            body = batch_body(LESSON, reports())
            sent = browser.post(f"{url}/v1/surveys/{LESSON.id}/reports", body, headers=headers, timeout=TIMEOUT_S)
            assert sent.status_code == 200
            assert browser.post(f"{url}/classroom/end", timeout=TIMEOUT_S).status_code == 200
            rest, _ = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 0
        return "".join([*said, rest]).replace(url, DOCUMENTED_URL)


@pytest.fixture
def teacher(tmp_path: Path) -> Teacher:
    return Teacher(tmp_path)


@pytest.mark.thorough
def test_the_lesson_is_held_ended_and_read_again_in_at_most_ten_commands(teacher: Teacher) -> None:
    sessions = [text for language, text in blocks(PAGE) if language == "console"]
    assert len(re.findall(r"^\$ ", "".join(sessions), flags=re.MULTILINE)) <= 10
    for text in sessions:
        if "--lan --folder" not in text:
            teacher.run_session(text)
    assert "40 reports" in (teacher.folder / "classroom" / "results.html").read_text()


def test_with_a_room_it_says_what_it_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lesson itself is `test_classroom.py`'s; no test opens a port to the network."""
    given: list[object] = []

    def hold(survey, folder, announce, *, host, port, url, seconds):  # type: ignore[no-untyped-def]
        folder.mkdir()
        given.extend([host, port, url, seconds])
        here = f"http://{host}:{port}"
        announce(serving.Opened(f"{here}/s/{survey.id}", f"{here}/classroom?key=x", True))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(commands, "find_lan_address", lambda: "192.168.1.7")
    monkeypatch.setattr(serving, "hold_lesson", hold)
    [shown] = [text for language, text in blocks(PAGE) if "--lan --folder" in text and language == "console"]
    command, _, expected = shown.removeprefix("$ ").partition("\n")
    ended = CliRunner().invoke(main, command.split()[1:])
    assert ended.exit_code == 0, ended.output
    compare(
        ended.output.replace("Too few reports came for a result. monday has the database.\n", ""), expected, command
    )
    assert given == ["192.168.1.7", 8000, "", None]
