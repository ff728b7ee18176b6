"""All counts of one question together: their fit, and estimates of a survey that they contradict."""

import numpy as np
import pytest

from athletes import arm
from sotto_estimator import Channel, estimate_tally
from sotto_estimator.designs.fit import fit_of
from sotto_estimator.designs.spec import read_design
from sotto_estimator.intervals.contradiction import Unfit
from sotto_estimator.intervals.joint_fit import g_squared_of_names
from sotto_estimator.shares.of_arms import estimate_arms
from sotto_estimator.shares.of_tally import waves_that_contradict
from sotto_protocol import Tally, compile_toml

SURVEY = compile_toml("""
id = "meals"
title = "Meals"
waves = 2
[[questions]]
id = "dish"
type = "one-of"
text = "Which?"
options = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
epsilon = 1
mechanism = "k-ary"
""")
APART = np.array([62] * 8 + [252] * 2)
"""Each may be by chance: nobody's dish is one of eight, and hardly more than all others' are two."""


@pytest.mark.parametrize("n_answers", [3, 7])
def test_names_fit_as_a_search_of_the_likelihood_says(n_answers: int) -> None:
    rng, design = np.random.default_rng(5), read_design(f"k-ary(n_answers={n_answers}, prob_truth=.4)")
    channel = Channel(0.4, 0.6 / (n_answers - 1))
    for concentration in (0.1, 1, 10, 100):
        counts = rng.multinomial(500, rng.dirichlet(np.full(n_answers, concentration)))
        found = g_squared_of_names(counts.tolist(), channel)
        assert found == pytest.approx(fit_of([arm(design, *counts)]).g_squared, abs=1e-8)


def test_names_that_contradict_only_together_get_no_figures_in_a_survey_and_on_paper() -> None:
    tally = Tally(SURVEY, {1: 1000}, {"dish": APART})
    estimates = estimate_tally(tally)
    (found,) = estimates.contradictions
    assert isinstance(found, Unfit)
    assert found.warning.startswith("dish: the design hardly ever gives all these counts of 1,000 reports")
    assert not estimates.told_rows
    truth = float(SURVEY.questions[0].mechanism.prob_support_if_true)
    (on_paper,) = estimate_arms(
        [arm(read_design(f"k-ary(n_answers=10, prob_truth={truth:.9f})"), *APART)]
    ).contradictions
    assert np.log(on_paper.p_value) == pytest.approx(np.log(found.p_value), abs=1e-3)


def test_a_wave_that_contradicts_is_named_and_pooled_waves_are_not_tested_together() -> None:
    """A device may have sent both of its reports alike."""
    tally = Tally(SURVEY, {1: 1000, 2: 1000}, {"dish": APART * 2})
    assert not estimate_tally(tally).contradictions
    waves = {wave: Tally(SURVEY, {wave: 1000}, {"dish": of}) for wave, of in ((1, APART), (2, np.full(10, 100)))}
    assert waves_that_contradict(SURVEY.questions[0], waves) == {1}
