"""The tutorial on programs that ask on their own works as it stands, and so does the container that it names."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from console import Console
from containers import COMPOSE as WHOLE, instruction
from node import JS, PACKAGE, require_node

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorial-telemetry.md"
COMPOSE_FILE = ROOT / "deploy" / "telemetry" / "compose.yaml"
COMPOSE: dict[str, Any] = yaml.safe_load(COMPOSE_FILE.read_text())
N_MADE_UP = 298
INSTALLED = [["auth", "maps"], ["search", "maps"]] + [
    ["auth"] if number % 10 < 6 else ["maps"] if number % 10 == 6 else ["search"] for number in range(N_MADE_UP)
]
"""As the tutorial has it: those of its two programs, and of the made-up installs."""
TRUE = {
    "most": Counter(installed[0] for installed in INSTALLED),
    "plugins": Counter(plugin for installed in INSTALLED for plugin in installed),
}
FURTHEST = 7.0
"""In standard errors: a false alarm is about as likely as 1 in 10^11 for each of seven shares, were they normal."""


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Console]:
    terminal = Console(tmp_path)
    yield terminal
    terminal.close()


@pytest.mark.thorough
def test_the_tutorials_installs_answer_by_themselves_and_the_results_are_near_the_truth(console: Console) -> None:
    require_node()
    console.environment |= {"SOTTOVOCE_OFF": "", "DO_NOT_TRACK": ""}
    (console.folder / "node_modules").mkdir()
    (console.folder / "node_modules" / PACKAGE).symlink_to(JS)
    console.run_document(TUTORIAL, {"range(398)": f"range({N_MADE_UP})"})
    kept = b"".join(path.read_bytes() for path in (console.folder / "state").rglob("*") if path.is_file())
    assert b"a plugin of my own" not in kept
    command = "sotto estimate http://127.0.0.1:8000 plugins --token sotto_analyst_.. --json"
    estimates = json.loads(console.run_command(command))["estimates"]
    assert {each["n_reports"] for each in estimates if each["question"] == "most"} == {N_MADE_UP + 2}
    for each in estimates:
        true = TRUE[each["question"]][each["answer"]] / (N_MADE_UP + 2)
        assert abs(each["share"] - true) < FURTHEST * each["standard_error"], each


def test_the_container_is_confined_and_reached_from_this_machine_alone() -> None:
    [service] = COMPOSE["services"].values()
    known = WHOLE["services"]["collector"]
    for key in ("read_only", "cap_drop", "security_opt", "logging", "restart", "image", "command"):
        assert service[key] == known[key], key
    assert service["command"] == instruction("CMD")
    assert [port.split(":")[0] for port in service["ports"]] == ["127.0.0.1"]
    assert {volume.split(":")[0] for volume in service["volumes"]} == COMPOSE["volumes"].keys()
    context, file = (service["build"][key] for key in ("context", "dockerfile"))
    assert (COMPOSE_FILE.parent / context / file).is_file()
    assert COMPOSE.keys() == {"name", "services", "volumes"}
    assert service.keys() - known.keys() == {"ports"}


def test_the_tutorial_types_in_the_container_what_it_types_without_one() -> None:
    typed = re.findall(r"docker compose (?:run --rm|exec|up) ?(?:collector|--detach) ?(.*)", TUTORIAL.read_text())
    assert instruction("ENTRYPOINT") == ["sotto"]
    assert typed == ["db init", "", "sotto token create --role analyst"]
    text = TUTORIAL.read_text()
    assert "$ sotto db init" in text
    assert "$ sotto token create --role analyst" in text
    assert all(f"collector {words}" in COMPOSE_FILE.read_text() for words in typed if words)
