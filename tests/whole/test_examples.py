"""Examples in docstrings run, and give what they say they give.

Not by pytest's --doctest-modules, which would import every module of the product in every process of the tests.
"""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
SIDES = ("protocol", "client", "collector", "estimator", "rehearsal", "author", "relay")


def modules_with_examples() -> list[str]:
    """Return the names of all modules of the packages whose text holds an example."""
    files = [(side, path) for side in SIDES for path in sorted((REPOSITORY / side).glob("sotto_*/**/*.py"))]
    texts = [(path.relative_to(REPOSITORY / side), path.read_text()) for side, path in files]
    found = [path.with_suffix("") for path, text in texts if ">>> " in text]
    return [".".join(path.parts[:-1] if path.name == "__init__" else path.parts) for path in found]


@pytest.mark.parametrize("module", modules_with_examples())
def test_examples_in_docstrings_hold(module: str) -> None:
    done = doctest.testmod(import_module(module))
    assert done.attempted > 0
    assert done.failed == 0
