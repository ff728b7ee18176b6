"""What goes wrong around a collector: real processes, which are killed, cut off, stalled, and left without room."""

from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all of this folder: what each holds of the code alone, a test of the collector's holds."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker("thorough")
