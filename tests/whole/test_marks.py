"""Marks that choose cases: which of them each of scripts/test, --all and --full runs."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CASES = """
import pytest
@pytest.mark.few(2)
@pytest.mark.parametrize("n", range(6))
def test_many(n): ...
@pytest.mark.few(1, "rare")
@pytest.mark.parametrize("n", [pytest.param(0, marks=pytest.mark.thorough), 1, 2])
def test_rare(n): ...
@pytest.mark.few(1, "rare")
@pytest.mark.thorough
@pytest.mark.parametrize("n", [0, 1])
def test_long(n): ...
@pytest.mark.later("postgres", "rare")
@pytest.mark.parametrize("db", ["sqlite", "postgres"])
def test_db(db): ...
"""
QUICK = ["many[0]", "many[3]", "rare[1]", "db[sqlite]"]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("not thorough and not rare", QUICK),
        ("not rare", [*QUICK, "many[1]", "many[2]", "many[4]", "many[5]", "long[0]"]),
    ],
)
def test_few_keeps_so_many_cases_that_are_evenly_spread(tmp_path: Path, chosen: str, expected: list[str]) -> None:
    shutil.copy(Path(__file__).parents[1] / "conftest.py", tmp_path)
    (tmp_path / "test_cases.py").write_text(CASES)
    asked = [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", str(tmp_path), "-p", "no:schemathesis"]
    told = subprocess.run(
        [*asked, "-q", "--collect-only", "-m", chosen, str(tmp_path)], capture_output=True, text=True, check=False
    )
    found = [line.split("::test_")[1] for line in told.stdout.splitlines() if "::test_" in line]
    assert sorted(found) == sorted(expected), told.stderr
