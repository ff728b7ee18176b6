"""The programs that can be audited by name: the installed clients, found without loading the collector."""

import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from sotto_protocol.extras import DISTRIBUTION
from sotto_rehearsal.audit.errors import AuditError

CLIENTS = ("python", "js")
MANY, FEW = 20_000, 5_000
"""So many reports take a few seconds: of a program that makes them fast, and of one that does not."""
_MIN_NODE = 20


@dataclass(frozen=True)
class Program:
    """What is audited: its name, the command that starts it, its version, and of how many reports unless it is said.

    `is_provable`: whether it runs the mechanisms of this very Python, whose coins can be gone through.
    """

    name: str
    command: tuple[str, ...]
    version: str
    n_reports: int
    is_provable: bool = False


def find_client(name: str) -> Program:
    """Return one of the installed clients. Raises AuditError where what it needs is missing."""
    if name == "python":
        command = (sys.executable, "-P", "-m", "sotto_rehearsal.audit.python_client")
        return Program(
            "python", command, f"sottovoce {version(DISTRIBUTION)}, Python {sys.version.split()[0]}", MANY, True
        )
    node, bundle = _find_node(), _find_bundle()
    said = f"sottovoce {version(DISTRIBUTION)}, node {_node_version(node)}"
    return Program("js", (node, str(Path(__file__).with_name("js_client.mjs")), str(bundle)), said, FEW)


def parse_program(line: str) -> Program:
    """Return the program that a command line starts. Raises AuditError for one that is none."""
    try:
        words = shlex.split(line)
    except ValueError:
        words = []
    if not words:
        raise AuditError("--program must be a command line: a program and its arguments, quoted as in a shell.")
    return Program(line, tuple(words), "not known", MANY)


def _find_node() -> str:
    path = shutil.which("node") or shutil.which("nodejs")
    if path is None:
        raise AuditError(
            f"node is missing, which runs the JavaScript client: install Node {_MIN_NODE} or later, or give "
            "--client python."
        )
    return path


def _node_version(node: str) -> str:
    """Return the version of node, as `20.1.0`. Raises AuditError below what the client needs."""
    done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    said = done.stdout.strip().lstrip("v")
    if not said.partition(".")[0].isdigit() or int(said.partition(".")[0]) < _MIN_NODE:
        raise AuditError(f"{node} must be Node {_MIN_NODE} or later, to run the JavaScript client.")
    return said


def _find_bundle() -> Path:
    """Return the JavaScript client that browsers load: where the collector was installed, else the checkout's."""
    found = find_spec("sotto_collector")
    if found is None or not found.submodule_search_locations:
        raise AuditError("the JavaScript client is missing: it comes with the collector.")
    package = Path(found.submodule_search_locations[0])
    for folder in (package / "js", package.parents[1] / "client" / "js"):
        if (folder / "sottovoce.min.js").is_file():
            return folder / "sottovoce.min.js"
    raise AuditError("the JavaScript client, sottovoce.min.js, is missing beside the collector.")
