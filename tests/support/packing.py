"""Wheels and source distributions as they would be published, built here."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
needs_hatch = pytest.mark.skipif(
    not (find_spec("hatchling") and find_spec("hatch_fancy_pypi_readme")), reason="hatchling is not installed"
)


def build(folder: Path, target: str, source: Path = ROOT) -> Path:
    """Build a wheel or an sdist of a checkout, or of a source distribution; return its path."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1600000000"}
    subprocess.run(command, cwd=source, env=environment, check=True, capture_output=True, timeout=300)
    [made] = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return made
