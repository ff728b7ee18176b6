"""Waves and groups whose shares may all differ: each is held against the design by itself, and all of them together."""

import dataclasses
import json
import math
from collections.abc import Sequence
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binom

from published import YES_NO, survey_of
from sotto_client.cli import main
from sotto_estimator import Estimates, estimate_tally
from sotto_estimator.api import estimate as estimate_of_source
from sotto_estimator.intervals.contradiction import FALSE_ALARM
from sotto_estimator.page.choices import Choices
from sotto_estimator.page.release import Release
from sotto_estimator.page.results import find_results
from sotto_protocol import Survey, Tally

SURVEY = dataclasses.replace(survey_of(YES_NO), waves=5)
PROBS = (1 / (1 + math.e), math.e / (1 + math.e))
"""Of a yes, where the answer is no and yes: `YES_NO` is asked by Warner's spinner of epsilon 1."""


def tally_of(wave: int, n: int, n_yes: int, survey: Survey = SURVEY) -> Tally:
    return Tally(survey, {wave: n}, {"q0": np.array([n_yes])})


def pooled(tallies: Sequence[Tally]) -> Tally:
    return sum(tallies[1:], tallies[0])


def estimate(tallies: Sequence[Tally]) -> Estimates:
    return estimate_tally(pooled(tallies), by_wave=tallies)


FAKED = [*(tally_of(wave, 400, 150) for wave in range(1, 5)), tally_of(5, 400, 390)]
"""In the last wave nearly all say yes; all waves together are as if .28 did."""


def test_wave_that_contradicts_the_design_is_found_among_waves_that_hide_it() -> None:
    assert estimate_tally(pooled(FAKED)).contradictions == ()
    (found,) = estimate(FAKED).contradictions
    assert found.warning.startswith("q0, wave 5: 390 of 400 reports point to yes. At most 292.4 are expected")
    assert str(found).startswith("q0, wave 5: the counts contradict the design")
    assert estimate(FAKED[:4]).contradictions == ()


@pytest.mark.rare
def test_two_waves_give_a_false_alarm_once_in_a_thousand_at_most() -> None:
    """Enumerated: 30 people in each of two waves, whose answers may all differ, so that reports are independent."""
    n, survey = 30, dataclasses.replace(SURVEY, waves=2)
    alarms = np.zeros((n + 1, n + 1), bool)
    for s, t in combinations_with_replacement(range(n + 1), 2):  # it is the same with the waves in the other order
        found = estimate([tally_of(1, n, s, survey), tally_of(2, n, t, survey)]).contradictions
        alarms[s, t] = alarms[t, s] = bool(found)
    assert alarms.any()
    ends = [binom.pmf(np.arange(n + 1), n, prob) for prob in (*PROBS, 0.5)]
    worst = max(float(first @ alarms @ second) for first in ends for second in ends)
    assert FALSE_ALARM / 1000 < worst <= FALSE_ALARM


def test_groups_make_a_warning_rarer() -> None:
    tally = tally_of(1, 400, 333)
    (alone,) = estimate_tally(tally).contradictions
    (beside,) = estimate_tally(tally, n_groups=3).contradictions
    assert beside.p_value == pytest.approx(3 * alone.p_value)
    assert estimate_tally(tally, n_groups=10_000).contradictions == ()


def test_results_page_says_which_wave_it_is() -> None:
    results = find_results(Release(SURVEY, True, dict(enumerate(FAKED, 1))), Choices())
    (section,) = results.questions
    assert section.verdict.is_void
    assert any(line.startswith("q0, wave 5: 390 of 400 reports point to yes") for line in section.technical)
    one = find_results(Release(SURVEY, True, dict(enumerate(FAKED, 1))), Choices(wave=1))
    assert not one.questions[0].verdict.is_void


def test_command_finds_it_among_files_of_one_wave_each(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.json" for number, _ in enumerate(FAKED)]
    for path, tally in zip(paths, FAKED, strict=True):
        path.write_bytes(tally.to_json())
    result = CliRunner().invoke(main, ["estimate", *map(str, paths), "--json"])
    assert result.stderr.startswith("Warning: q0, wave 5: 390 of 400 reports")
    (found,) = json.loads(result.stdout)["contradictions"]
    assert found["wave"] == 5
    assert estimate_of_source(paths).contradictions[0].wave == 5  # type: ignore[union-attr]  # not of samples


@pytest.mark.thorough
def test_groups_of_a_file_share_one_chance_of_a_false_alarm(tmp_path: Path) -> None:
    """Of 400 people 327 said yes: P is 1e-4 or so, and 60 groups beside it make it more than 1e-3."""
    counts = {"many": (327, 73), **{f"group {number}": (5, 5) for number in range(60)}}
    rows = [
        f"{group},{said}"
        for group, of in counts.items()
        for said, n in zip(("yes", "no"), of, strict=True)
        for _ in range(n)
    ]
    for name, kept in (("all", rows), ("few", rows[:410])):
        (tmp_path / f"{name}.csv").write_text("\n".join(["group,said", *kept]) + "\n")
    warned = {}
    for name in ("all", "few"):
        words = ["--column", "said", "--by", "group", "--epsilon", "1"]
        warned[name] = CliRunner().invoke(main, ["estimate", str(tmp_path / f"{name}.csv"), *words]).stderr
    assert warned["all"] == ""
    assert "327 of 400 reports say yes" in warned["few"]
