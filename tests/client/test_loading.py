"""What is loaded when: an app that starts with the client, and a command that says its version, wait for little."""

import ast
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import sotto_client
import sotto_estimator
import sotto_protocol
import sotto_rehearsal
from devices import LUNCH
from fault_server import fault_server

HEAVY = {"numpy", "requests", "urllib3", "sotto_protocol.survey"}
"""What takes most of the time, of what the client needs."""


def loaded_by(program: str, *arguments: str) -> set[str]:
    """Return the names of the modules that a Python has loaded as a program ends."""
    script = f"import atexit, json, sys; atexit.register(lambda: print(json.dumps([*sys.modules])))\n{program}"
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    return {*json.loads(done.stdout.splitlines()[-1])}


@pytest.mark.parametrize(
    "program",
    [
        "import sotto_protocol",
        "import sotto_client",
        "from sotto_client import SurveyClient, AnswerError, Receipt, Rejected, __version__",
        "from sotto_client import SurveyClient; repr(SurveyClient('http://x', 'lunch', state=':memory:'))",
    ],
)
def test_neither_numpy_nor_requests_is_loaded_before_it_is_needed(program: str) -> None:
    loaded = loaded_by(program)
    assert "sotto_protocol" in loaded
    assert not loaded & HEAVY


ANSWER = """
import sys
from sotto_client import SurveyClient
with SurveyClient(sys.argv[1], "lunch", state=":memory:") as device:
    device.answer({"paid": True, "dish": "soup", "drinks": []})
"""


def test_they_are_loaded_for_an_answer() -> None:
    """So the test above can fail."""
    with fault_server(LUNCH) as http:
        assert loaded_by(ANSWER, http.url) >= HEAVY


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["-h"]], ids=" ".join)
def test_the_command_says_its_version_and_lists_commands_without_them(words: list[str]) -> None:
    assert not loaded_by(f"from sotto_client.cli import main; main({words})") & HEAVY


FORK_WHILE_LOADING = """
import os, sys, threading
from sotto_client import SurveyClient
from sotto_client.database import no_fork

device = SurveyClient(sys.argv[1], "lunch", state=":memory:")
begun = threading.Event()

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            begun.set()
            is_over.wait(0.2)  # nothing is decided by it: a fork that does not wait comes in the meantime

is_over = threading.Event()
sys.meta_path.insert(0, Slow())
thread = threading.Thread(target=lambda: device._answering)
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    import numpy  # stuck for good where the parent's thread had begun to load it
    os._exit(0)
thread.join()
_, status = os.waitpid(child, 0)
sys.exit(status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_fork_waits_for_what_is_being_loaded() -> None:
    command = [sys.executable, "-c", FORK_WHILE_LOADING, "http://127.0.0.1:1"]
    subprocess.run(command, check=True, capture_output=True, timeout=300)


@pytest.mark.parametrize(
    "package", [sotto_client, sotto_estimator, sotto_protocol, sotto_rehearsal], ids=lambda package: package.__name__
)
def test_types_see_the_names_that_are_there(package: ModuleType) -> None:
    """Each name is said twice: to type checkers, and to programs."""
    tree = ast.parse(inspect.getsource(package))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    typed = {alias.asname: node.module for node in imports for alias in node.names if alias.asname}
    assert {*typed, "__version__"} == {*package.__all__} == {*dir(package)}
    for name in package.__all__:
        home = sys.modules[typed[name] or ""] if name in typed and typed[name] in sys.modules else package
        assert getattr(package, name) is getattr(home, name)


TYPED = """
from sotto_client import Receipt, Rejected, SurveyClient, explain, os_coins
from sotto_protocol import Survey, compile_toml

def tell(receipt: Receipt) -> str:
    return receipt.id

device = SurveyClient("https://x", "lunch", on_delivered=tell, on_rejected=lambda rejected: rejected.problem.code)
survey: Survey = device.survey
said: str = explain(survey).questions[0].id
wave: int = device.answer({"paid": True}).wave
coins: int = os_coins()  # type: ignore[assignment]
none: int = device.pending  # type: ignore[assignment]
SurveyClient("https://x", "lunch", on_delivered=len)  # type: ignore[arg-type]
from sotto_client import Surveys  # type: ignore[attr-defined]
"""


@pytest.mark.thorough
def test_a_program_that_uses_the_packages_is_checked_by_mypy(tmp_path: Path) -> None:
    """An ignore that is not needed is an error: of names that are loaded on demand, the types are known."""
    (tmp_path / "program.py").write_text(TYPED)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "program.py"]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True, timeout=300)
    assert done.stdout == "Success: no issues found in 1 source file\n"


@pytest.mark.parametrize(
    "package", [sotto_client, sotto_estimator, sotto_protocol], ids=lambda package: package.__name__
)
def test_a_name_that_is_not_there_is_an_attribute_error_that_names_it(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"^module '{package.__name__}' has no attribute 'Surveys'$"):
        _ = package.Surveys
