"""docs/client.md: its programs run as they stand there, and the one for asyncio never blocks the loop."""

import asyncio
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blind import blind_server
from collecting import SMALL as OTHER
from fault_server import FaultServer, Scripted, fault_server
from house import open_house
from sotto_collector.invitations import make_invitations
from sotto_protocol import compile_toml

PAGE = Path(__file__).parents[2] / "docs" / "client.md"
DOCUMENTED = "https://collector.example"
ASKED = compile_toml("""
id = "lunch"
title = "Lunch"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
""")
INVITED = replace(ASKED, invited=True)
WITH_INVITATION = 2
"""The place of the program that has an invitation."""


def programs() -> list[str]:
    """Return the page's Python that stands by itself, as it imports what it uses."""
    return [text for text in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if "import" in text]


def test_the_page_begins_with_a_program_of_ten_lines() -> None:
    assert PAGE.read_text().startswith("# The Python client\n\n```python\n")
    assert programs()[0].count("\n") <= 10


@pytest.mark.parametrize("number", range(len(programs())))
def test_a_program_of_the_page_runs_and_delivers(number: int, tmp_path: Path) -> None:
    with fault_server(INVITED if number == WITH_INVITATION else ASKED) as http:
        shown = run_program(programs()[number], http.url, tmp_path)
        assert len(http.seen) == 1
        if number == 0:
            [receipt, device] = shown.splitlines()
            assert receipt.split()[0] in http.seen
            assert device.startswith(f"<SurveyClient lunch at {http.url}, pending ")
        if number == WITH_INVITATION:
            assert [*http.admitted] == [(documented_invitation().replace("-", ""), 1)]


def test_the_program_with_an_invitation_trades_a_blind_one_for_its_token(tmp_path: Path) -> None:
    survey = replace(INVITED, invitations="blind")
    with open_house(tmp_path / "survey.db", OTHER) as house, blind_server(house, survey) as http:
        (code,) = make_invitations(house.collector.store, house.stored(survey), 1, 1)
        text = programs()[WITH_INVITATION]
        run_program(text.replace(documented_invitation(), code), http.url, tmp_path)
        (wish,), (batch,) = http.sent("/token"), http.sent("/reports")
        assert wish["invitation"] == code
        assert code not in str(batch)
        assert "token" in batch["reports"][0]
        assert house.collector.store.count_tallied(house.stored(survey).key) == 1


def documented_invitation() -> str:
    """Return the invitation of the page."""
    found = re.search(r'typed = "(.*?)"', PAGE.read_text())
    assert found
    return found[1]


def run_program(text: str, url: str, folder: Path) -> str:
    """Run a program of the page; return what it prints."""
    command = [sys.executable, "-W", "error", "-c", text.replace(DOCUMENTED, url)]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=300, env={"XDG_STATE_HOME": str(folder)}
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_every_program_is_run() -> None:
    assert len(programs()) == 3
    assert "asyncio.to_thread(device.answer" in programs()[1]
    assert "invitation=typed" in programs()[WITH_INVITATION]


class Gate(dict[str, Scripted]):
    """Replies that come when the gate is opened."""

    def __init__(self) -> None:
        self.opened = threading.Event()

    def get(self, path: str, reply: Any = None) -> Any:
        assert self.opened.wait(300)
        return reply


async def open_later(http: FaultServer, gate: Gate) -> None:
    """Open the gate when the collector has been asked: in a loop that is blocked, never."""
    while not http.gets:
        await asyncio.sleep(0.01)
    gate.opened.set()


def test_the_loop_goes_on_while_the_collector_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that waited for the collector would wait for good: it answers when the loop has gone on."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with fault_server(ASKED) as http:
        http.by_address = gate = Gate()
        text = programs()[1].replace(DOCUMENTED, http.url).replace("asyncio.run(main())", "")
        names: dict[str, Any] = {}
        exec(text, names)  # noqa: S102  # the page's own program

        async def both() -> None:
            await asyncio.wait_for(asyncio.gather(names["main"](), open_later(http, gate)), 300)

        try:
            asyncio.run(both())
        finally:
            gate.opened.set()
        assert len(http.seen) == 1
