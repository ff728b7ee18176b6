"""Which of a test's cases wait for a release."""

from typing import Any

import pytest


def rare(*values: Any) -> Any:
    """Return a case that `scripts/test --full` alone runs."""
    return pytest.param(*values, marks=pytest.mark.rare)
