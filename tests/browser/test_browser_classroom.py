"""A lesson in a browser: phones answer over http from another host, and the board moves by itself until it is ended."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import starting
from engines import ENGINES, engines, until
from sotto_client import SurveyClient

SHOWN = "(id) => document.getElementById(id)?.checkVisibility() && document.getElementById(id).textContent"
HOSTS = {"chromium": "lecture.test", "firefox": "lecture.test", "webkit": "127.0.0.1"}
"""This machine, by a name that makes it another one to the browser. WebKit has no such name here."""


@contextmanager
def lesson(folder: Path, host: str) -> Iterator[tuple[str, str, "subprocess.Popen[str]"]]:
    """Yield where phones answer a lesson, its board, and its process."""
    command = [starting.SOTTO, "classroom", "--port", "0", "--url", f"http://{host}", "--folder", folder]
    environment = os.environ | {"TMPDIR": str(folder.parent)}
    with starting.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            _, board = (process.stdout.readline().split()[1] for _ in range(2))
            yield board.partition("/classroom")[0].replace("127.0.0.1", host), board, process
        finally:
            process.kill()


@pytest.mark.parametrize("engine", engines("chromium"))
def test_a_phone_answers_over_http_and_the_board_moves_until_it_is_ended(engine: str, tmp_path: Path) -> None:
    with (
        lesson(tmp_path / "kept", HOSTS[engine]) as (phones, board, process),
        ENGINES[engine](tmp_path / "profile") as tab,
    ):
        tab.goto(f"{phones}/s/classroom")
        until(tab, "() => !document.getElementById('fields').disabled")
        is_other = HOSTS[engine] != "127.0.0.1"
        assert tab.run("() => isSecureContext") != is_other
        assert tab.run("() => !!document.querySelector('[data-unencrypted]')") == is_other
        tab.click("input[value='true']")
        tab.click("#review-button")
        until(tab, SHOWN, "review")
        tab.click("#send-button")
        until(tab, f"() => ({SHOWN})('delivery') === 'Your report was delivered.'")
        tab.goto(board)
        assert tab.run("() => location.pathname + location.search") == "/classroom"
        until(tab, "() => document.getElementById('count').textContent === '1 report.'")
        for _ in range(4):
            with SurveyClient(board.partition("/classroom")[0], "classroom", state=":memory:") as device:
                device.answer({"answer": False})
                assert device.flush(60)
        until(tab, "() => document.querySelector('#range svg.chart')?.getBoundingClientRect().height > 50")
        assert "5 reports." in tab.run("() => document.getElementById('count').textContent")
        tab.click("form button")
        until(tab, "() => document.body.textContent.includes('The survey is closed.')")
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "n = 5 reports" in said
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {
        *("collector.db", "results.html", "survey.toml", "tally.json")
    }
