"""docs/client.md: its programs run as they stand there, and the one for asyncio never blocks the loop."""

import asyncio
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from fault_server import FaultServer, Scripted, fault_server
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


def programs() -> list[str]:
    """Return the page's Python that stands by itself, as it imports what it uses."""
    return [text for text in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if "import" in text]


def test_the_page_begins_with_a_program_of_ten_lines() -> None:
    assert PAGE.read_text().startswith("# The Python client\n\n```python\n")
    assert programs()[0].count("\n") <= 10


@pytest.mark.parametrize("number", range(len(programs())))
def test_a_program_of_the_page_runs_and_delivers(number: int, tmp_path: Path) -> None:
    with fault_server(ASKED) as http:
        program = programs()[number].replace(DOCUMENTED, http.url)
        command = [sys.executable, "-W", "error", "-c", program]
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=300, env={"XDG_STATE_HOME": str(tmp_path)}
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert len(http.seen) == 1
        if number == 0:
            [receipt, shown] = done.stdout.splitlines()
            assert receipt.split()[0] in http.seen
            assert shown.startswith(f"<SurveyClient lunch at {http.url}, pending ")


def test_every_program_is_run() -> None:
    assert len(programs()) == 2
    assert "asyncio.to_thread(device.answer" in programs()[1]


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
