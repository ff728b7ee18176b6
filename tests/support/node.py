"""The Node that runs the JavaScript client, and the packages of npm that check it.

Tests that need them are skipped, with the reason, where they are missing; but they fail
where SOTTO_TEST_BROWSER is set, as `.ci/run` does: there nothing may be skipped.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

JS = Path(__file__).parents[2] / "client" / "js"
PACKAGE: str = json.loads((JS / "package.json").read_text())["name"]
MIN_MAJOR = 20
SCRIPTS = {"tsc": "typescript/bin/tsc"}
"""By the command: the script itself, where several packages have one of that name."""


def require_node() -> str:
    """Return the path of a Node of version 20 or later."""
    path = shutil.which("node") or shutil.which("nodejs")
    if path is None:
        give_up(f"Node {MIN_MAJOR} or later is not installed (Debian: apt-get install nodejs npm).")
    version = subprocess.run([path, "--version"], check=True, capture_output=True, text=True, timeout=300).stdout
    if int(version.lstrip("v").partition(".")[0]) < MIN_MAJOR:
        give_up(f"Node is {version.strip()}; the JavaScript client's tests need {MIN_MAJOR} or later.")
    return path


def require_npm() -> list[str]:
    """Return the start of a command line that runs npm."""
    path = shutil.which("npm")
    if path is None:
        give_up("npm is not installed (Debian: apt-get install npm).")
    return [path]


def require_package(command: str) -> list[str]:
    """Return the start of a command line that runs a command of npm's packages."""
    node = require_node()
    script = JS / "node_modules" / SCRIPTS.get(command, f".bin/{command}")
    if not script.exists():
        give_up("client/js/node_modules is missing; run: npm ci --prefix client/js")
    with script.open("rb") as opened:
        is_program = opened.read(4) == b"\x7fELF"  # esbuild's is no script
    return [str(script)] if is_program else [node, str(script)]


def run(command: list[str], *, timeout_s: float, cwd: Path = JS) -> str:
    """Run a command in client/js; return what it printed, and fail with that where it ends with another code than 0."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=timeout_s, cwd=cwd)
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}", pytrace=False)
    return done.stdout


def give_up(reason: str) -> NoReturn:
    if os.environ.get("SOTTO_TEST_BROWSER"):
        pytest.fail(f"{reason} SOTTO_TEST_BROWSER is set: nothing may be skipped.", pytrace=False)
    pytest.skip(reason)
