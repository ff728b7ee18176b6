"""Rehearsals of `asked_in`: each device reports in the waves that it drew, and intervals of all waves hold."""

from collections import Counter

import numpy as np
import pytest

from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_protocol import compile_toml
from sotto_rehearsal.simulation.crowd import Task, send_reports
from sotto_rehearsal.simulation.randomness import randomness_of
from sotto_rehearsal.simulation.summary import simulate_runs
from sotto_rehearsal.simulation.truth import read_truth

MOOD = """
id = "mood"
title = "Mood"
waves = 6
asked_in = {asked_in}
[[questions]]
id = "low"
type = "yes-no"
text = "Did you feel low?"
epsilon = 1
"""
TRUTH = "[questions.low]\nshare = 0.2\n"


@pytest.mark.parametrize("asked_in", [1, 2, 5])
def test_every_device_reports_in_as_many_waves_as_it_is_asked_in(asked_in: int) -> None:
    survey = compile_toml(MOOD.format(asked_in=asked_in))
    crowd = send_reports(Task(survey, read_truth(TRUTH, survey), 6000, 6, False), next(randomness_of(1, 0)))
    sizes = Counter({wave: tally.n_reports for wave, tally in crowd.tallies.items()})
    assert sum(sizes.values()) == asked_in * 6000
    expected = 1000 * asked_in
    assert np.abs(np.array([sizes[wave] for wave in range(1, 7)]) - expected).max() < 7 * np.sqrt(expected)


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["chernoff", "clopper-pearson"])
def test_intervals_of_pooled_waves_are_exact_where_each_device_is_asked_once(method: str) -> None:
    """All people think anew before each wave: nothing of that is seen, and nothing is lost by it."""
    survey = compile_toml(MOOD.format(asked_in=1))
    truth = read_truth(TRUTH + "[trouble]\nchange = 1.0\n", survey)
    simulation = simulate_runs(Task(survey, truth, 600, 6, False), IntervalOptions(method=method), 200, 1)
    assert simulation.missing == ()
    [row] = simulation.rows
    assert row.planned_half_width == pytest.approx(row.mean_half_width, rel=0.02)
    assert row.coverage is not None
    assert row.coverage >= 0.94
    assert row.n_reports == 600
