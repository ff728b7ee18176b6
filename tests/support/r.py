"""R, where this machine has it with the packages that a test loads; else the test is skipped, with the reason.

It fails where SOTTO_TEST_BROWSER is set, as `.ci/run` does: there nothing may be skipped.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from node import give_up

PACKAGES = ("survey", "haven", "jsonlite")


def run_r(code: str, folder: Path) -> str:
    """Run lines of R in a folder; return what they printed."""
    path = shutil.which("Rscript")
    known = [f'requireNamespace("{name}", quietly = TRUE)' for name in PACKAGES]
    if path is None or _run([path, "-e", f"cat({' && '.join(known)})"], folder).stdout != "TRUE":
        give_up(
            "R is not installed with all packages (Debian: r-base-core r-cran-survey r-cran-haven r-cran-jsonlite)."
        )
    (folder / "lines.R").write_text(code)
    done = _run([path, "lines.R"], folder)
    if done.returncode != 0:
        pytest.fail(f"R ended with {done.returncode}:\n{done.stdout}{done.stderr}", pytrace=False)
    return done.stdout


def _run(command: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=300, cwd=folder)
