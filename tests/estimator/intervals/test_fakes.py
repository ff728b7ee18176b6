"""Fakes: their worst is enumerated; intervals that allow for so many cover however they are chosen, others do not."""

import math
import re
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sotto_estimator import Channel, DomainError, allow_for_fakes, confidence_interval, debias

INCIDENT = Path(__file__).parents[3] / "docs" / "incident.md"
LEVEL = 0.9


def channel_of(epsilon: float) -> Channel:
    return Channel.warner_of_epsilon(epsilon)


def worst(supporting: int, n: int, n_fakes: int, channel: Channel) -> tuple[float, float]:
    """Return the least and the largest estimate of the honest reports alone, over all that fakes may have said."""
    honest = n - n_fakes
    possible = [supporting - said for said in range(n_fakes + 1) if 0 <= supporting - said <= honest]
    shares = [float(debias(count, honest, channel)) for count in possible]
    return min(shares), max(shares)


@pytest.mark.parametrize(("n", "n_fakes", "epsilon"), [*product((5, 12), (0, 1, 3), (0.5, 1.0, 3.0))])
def test_the_bound_of_the_incident_page_is_what_enumeration_finds_and_is_reached(
    n: int, n_fakes: int, epsilon: float
) -> None:
    channel = channel_of(epsilon)
    a, b = channel.prob_support_if_true, channel.prob_support_if_other
    for supporting in range(n_fakes, n - n_fakes + 1):
        f = float(debias(supporting, n, channel))
        rate = n_fakes / (n - n_fakes)
        low, high = f - rate * ((1 - b) / (a - b) - f), f + rate * (b / (a - b) + f)
        assert worst(supporting, n, n_fakes, channel) == pytest.approx((low, high), abs=1e-9)


def test_the_table_of_the_incident_page_is_right() -> None:
    """Of 1,000 reports whose estimate is 30 %, by the formula that enumeration holds."""
    rows = re.findall(r"^\| (\d+) \([\d.]+ %\) \| (.*) \|$", INCIDENT.read_text(), re.MULTILINE)
    assert [int(number) for number, _ in rows] == [10, 50, 100, 300]
    for number, cells in rows:
        rate = int(number) / (1000 - int(number))
        for epsilon, cell in zip((1, 2, 4), cells.split(" | "), strict=True):
            channel = channel_of(epsilon)
            b, contrast = channel.prob_support_if_other, channel.contrast
            low, high = 0.3 - rate * ((1 - b) / contrast - 0.3), 0.3 + rate * (b / contrast + 0.3)
            assert cell == f"{100 * low:.1f} to {100 * high:.1f} %"


N_REPORTS = 40


@cache
def ends_of(n_fakes: int) -> tuple[list[Any], list[Any]]:
    """Return the intervals of every count, with the allowance and without."""
    channel, counts = channel_of(2.0), range(N_REPORTS + 1)
    how: dict[str, Any] = {"level": LEVEL, "method": "clopper-pearson"}
    allowed = [allow_for_fakes(s, N_REPORTS, n_fakes, channel, **how) for s in counts]
    return allowed, [confidence_interval(s, N_REPORTS, channel, **how) for s in counts]


@pytest.mark.thorough
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n_fakes", [1, 4])
def test_interval_covers_whatever_the_fakes_say_and_one_without_allowance_does_not(share: float, n_fakes: int) -> None:
    """Exactly: every number of honest reports that support it, and for each the fakes that do the most harm."""
    n, channel = N_REPORTS, channel_of(2.0)
    honest = n - n_fakes
    prob = channel.prob_support_if_other + channel.contrast * share
    allowed, plain = ends_of(n_fakes)
    covered = covered_without = 0.0
    for count in range(honest + 1):
        chance = math.comb(honest, count) * prob**count * (1 - prob) ** (honest - count)
        said = range(count, count + n_fakes + 1)
        covered += chance * all(allowed[one][0] <= share <= allowed[one][1] for one in said)
        covered_without += chance * all(plain[one][0] <= share <= plain[one][1] for one in said)
    assert covered >= LEVEL
    if n_fakes == 4 and share == 0.3:
        assert covered_without < LEVEL


def test_no_fakes_change_nothing_and_impossible_numbers_are_refused() -> None:
    channel = channel_of(1.0)
    assert allow_for_fakes(30, 100, 0, channel) == confidence_interval(30, 100, channel)
    for wrong in (-1, 100, 1.0, True):
        with pytest.raises(DomainError, match=r"^n_fakes \(.*\) must be an integer in \[0, n - 1\], with n = 100\.$"):
            allow_for_fakes(30, 100, wrong, channel)  # type: ignore[arg-type]
