"""The container in deploy/ has all that the collector needs, no more, and runs as a user without rights."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from collecting import TIMEOUT_S
from containers import CONTAINERFILE, copied_names

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_container_has_every_package_and_runs_as_nobody_special() -> None:
    packages = {path.split("/")[0] for path in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]}
    [readme] = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["fragments"]
    files = {readme["path"], *PROJECT["project"]["license-files"], "pyproject.toml"}
    assert copied_names() == packages | files
    assert all((ROOT / name).exists() for name in copied_names())
    assert CONTAINERFILE.index("\nUSER sottovoce") < CONTAINERFILE.index("\nENTRYPOINT")
    assert "VOLUME /var/lib/sottovoce" in CONTAINERFILE
    assert {*re.findall(r"(SOTTO_\w+)=", CONTAINERFILE)} == {"SOTTO_DB", "SOTTO_HOST", "SOTTO_PORT"}


def test_what_is_copied_is_all_that_the_build_is_given() -> None:
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert lines[0] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == copied_names()
    assert {line for line in lines[1:] if not line.startswith("!")} == {"**/__pycache__", "**/node_modules"}


@pytest.mark.thorough
def test_the_package_that_the_container_builds_is_the_whole_one(tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "node_modules")
    for name in copied_names():
        source, target = ROOT / name, tmp_path / "context" / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=ignored)
        else:
            target.parent.mkdir(exist_ok=True)
            shutil.copy(source, target)
    wheels = []
    for number, folder in enumerate((ROOT, tmp_path / "context")):
        words = ["hatchling", "build", "--target", "wheel", "--directory", tmp_path / str(number)]
        subprocess.run([sys.executable, "-m", *words], cwd=folder, check=True, capture_output=True, timeout=TIMEOUT_S)
        [wheel] = (tmp_path / str(number)).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            wheels.append({info.filename: info.CRC for info in archive.infolist()})
    assert wheels[0] == wheels[1]
    assert len(wheels[0]) > 300
