"""Environments that have sottovoce from its wheel, what one extra asks for, and nothing else: no checkout, no home.

What is asked for is taken from the environment that runs the tests: nothing is fetched.
"""

import subprocess
import sys
import venv
import zipfile
from dataclasses import dataclass
from email import message_from_bytes
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TIMEOUT_S = 300


def asked_for(wheel: Path, extra: str) -> dict[str, Distribution]:
    """Return the distributions that a wheel asks for with an extra, and those that these ask for, by name."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        ours = message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])
    found: dict[str, Distribution] = {}
    waiting, seen = [("sottovoce", extra), ("sottovoce", "")], set()
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        if name != "sottovoce":
            try:
                found[name] = distribution(name)
            except PackageNotFoundError:
                pytest.skip(f"{name} is not installed here: scripts/setup dev")
        for line in ours if name == "sottovoce" else found[name].requires or []:
            asked = Requirement(line)
            if asked.marker is None or asked.marker.evaluate({"extra": extra}):
                waiting += [(canonicalize_name(asked.name), each) for each in ("", *asked.extras)]
    return found


@dataclass(frozen=True)
class Installed:
    """An environment, and the folder in which its commands run."""

    folder: Path

    @property
    def bin(self) -> Path:
        return self.folder / "env" / "bin"

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.folder / "home"), "SOTTO_PORT": "0"}

    def try_run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run one of its programs with an empty home."""
        program = [str(self.bin / command[0]), *command[1:]]
        return subprocess.run(
            program, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=TIMEOUT_S
        )

    def run(self, *command: str) -> str:
        """Return what one of its programs prints. It must end well."""
        ended = self.try_run(*command)
        assert ended.returncode == 0, f"{command}: {ended.stderr}"
        return ended.stdout


def install(wheel: Path, extra: str, folder: Path) -> Installed:
    """Make an environment below a folder, with the wheel and what it asks for with this extra."""
    made = Installed(folder)
    (folder / "home").mkdir(parents=True)
    venv.create(folder / "env", with_pip=False)
    uv = [str(Path(sys.executable).with_name("uv")), "pip", "install", "--quiet", "--offline", "--no-deps"]
    command = [*uv, "--python", str(made.bin / "python"), str(wheel)]
    subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT_S)
    [packages] = (folder / "env").glob("lib/python*/site-packages")
    for found in asked_for(wheel, extra).values():
        for top in {file.parts[0] for file in found.files or [] if file.parts[0] not in ("..", "__pycache__")}:
            if not (packages / top).exists():
                (packages / top).symlink_to(Path(str(found.locate_file(top))))
    return made
