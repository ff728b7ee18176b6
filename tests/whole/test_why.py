"""docs/why.md: what noise costs, computed again."""

import re
from math import exp, sqrt
from pathlib import Path

import pytest

WHY = (Path(__file__).parents[2] / "docs" / "why.md").read_text()


def test_the_costs_of_noise_are_those_of_a_binomial_share_of_reports() -> None:
    """The reports that say yes are binomial, and their share is divided by what the device keeps of a difference."""
    share, n = 0.1, 1000
    rows = re.findall(r"^\| (directly|at epsilon (\d)).*? \| ([\d.]+) \| ([\d,]+) \|$", WHY, re.MULTILINE)
    assert [row[1] for row in rows] == ["", "4", "2", "1"]
    for _, epsilon, error, people in rows:
        keeps = exp(float(epsilon)) / (1 + exp(float(epsilon))) if epsilon else 1.0
        reported = share * keeps + (1 - share) * (1 - keeps)
        variance = reported * (1 - reported) / (2 * keeps - 1) ** 2
        assert 100 * sqrt(variance / n) == pytest.approx(float(error), abs=0.05)
        assert n * variance / (share * (1 - share)) == pytest.approx(float(people.replace(",", "")), abs=0.51)
