"""Mean scores as readers see them: two sides of a scale, the mean wave by wave, and a scale on the survey page."""

import re

import numpy as np
import pytest

from sotto_collector.pages.single import single_page
from sotto_estimator import IntervalOptions
from sotto_estimator.results.figure import Box, RowLabel, Spot, Whisker
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.views.score_section import scale_panels, score_of, score_series_of
from sotto_estimator.views.waves import draw_waves
from sotto_protocol import Coins, Survey, Tally, compile_toml
from sotto_protocol.language import ENGLISH

SURVEY = compile_toml("""
id = "s"
title = "S"
waves = 2
[[questions]]
id = "q"
type = "likert"
text = "Proud?"
options = ["no", "so", "yes", "no answer"]
skip = "no answer"
epsilon = 3
""")


def tally_of(survey: Survey, answers: list[int], wave: int) -> Tally:
    (question,) = survey.questions
    reports = question.mechanism.perturb(np.array(answers), Coins(np.random.default_rng(wave).bytes))
    return Tally.of(survey, survey.layout.join([reports], {"wave": [wave] * len(answers)}))


WAVES = {1: tally_of(SURVEY, [0, 1, 2, 3] * 200, 1), 2: tally_of(SURVEY, [2, 2, 1, 3] * 200, 2)}


def test_answers_below_the_middle_of_the_scale_are_drawn_to_the_left_as_far_as_to_the_right() -> None:
    found = score_of(estimate_tally(WAVES[1]).figures)
    assert found
    drawn = [(RowLabel(name), 0.25, (0.2, 0.4)) for name in "abcd"]
    mean, answers = scale_panels(found, drawn, ENGLISH, is_decided=True)
    assert mean.ends() == (1, 3)
    assert [(of.left, of.right) for of in answers.shapes if isinstance(of, Box)] == [(-0.25, 0)] + [(0, 0.25)] * 3
    spans = [(of.low, of.high) for of in answers.shapes if isinstance(of, Whisker)]
    assert spans == [(-0.4, -0.2)] + [(0.2, 0.4)] * 3
    low, high = answers.ends()
    assert (low, answers.x.write(low)) == (-high, answers.x.write(high))
    dots = scale_panels(found, drawn, ENGLISH, is_decided=False)[1].shapes
    assert {type(of) for of in dots} == {Spot, Whisker}, "an interval too wide to name an estimate has no bar"


def test_the_mean_of_every_wave_is_that_of_its_own_estimate() -> None:
    (series,) = score_series_of(SURVEY.questions[0], WAVES, IntervalOptions(), 5, ENGLISH)
    for point, tally in zip(series.points, WAVES.values(), strict=True):
        (of,) = estimate_tally(tally).of_kind("score")
        assert (point.value, point.low, point.high) == pytest.approx((of.mean, of.low, of.high))
    assert "in wave 2" in draw_waves("T", [series], ENGLISH).description


def test_the_survey_page_shows_a_scale_in_its_order() -> None:
    page = single_page(compile_toml(SURVEY_FILE), "http://127.0.0.1:8000")
    assert re.findall(r'<div class="choices ?(\w*)">', page)[:1] == ["scale"]
    assert page.count('type="radio"') == 11


SURVEY_FILE = 'id = "s"\ntitle = "S"\n[[questions]]\nid = "q"\ntype = "enps"\ntext = "Would you?"\nepsilon = 1\n'
