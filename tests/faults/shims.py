"""Libraries in C that are preloaded into a collector and make the system under it misbehave."""

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).with_name("c")


def compile_shim(name: str, folder: Path) -> Path:
    """Return the library made of c/NAME.c; skip the test where there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (cc) to make the shim with")
    library = folder / f"{name}.so"
    command = [compiler, "-O1", "-shared", "-fPIC", "-o", library, SOURCES / f"{name}.c", "-ldl"]
    subprocess.run(command, check=True, capture_output=True)
    return library
