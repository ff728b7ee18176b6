"""One wave at the epsilon of all waves: a plan says where it shows more than these pooled, with both widths."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planned import plan_file
from sotto_estimator.channel.channel import Channel
from sotto_estimator.intervals.intervals import confidence_interval
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.one_wave import one_waves_of
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.survey import plan_survey
from sotto_protocol import compile_toml

N = 500
WAVES = """
id = "w"
title = "W"
waves = 5

[[questions]]
id = "smokes"
type = "yes-no"
text = "Do you smoke?"
mechanism = "basic-rappor"
epsilon = 1
epsilon_forever = 2

[[questions]]
id = "hours"
type = "number"
text = "Hours a week?"
minimum = 0
maximum = 100
epsilon = 1
epsilon_forever = 3

[[questions]]
id = "place"
type = "text"
text = "Where?"
epsilon = 1

[[questions]]
id = "once"
type = "yes-no"
text = "Ever?"
epsilon = 1
"""


def draft_of(folder: Path, text: str, name: str = "survey.toml") -> Draft:
    (folder / name).write_text(text)
    return Draft.read(folder / name)


def test_both_widths_are_those_of_intervals(tmp_path: Path) -> None:
    found = one_waves_of(draft_of(tmp_path, WAVES), plan_survey(compile_toml(WAVES), N, PlanOptions()))
    assert [one.plan.question.id for one in found] == ["smokes", "hours"]
    share = found[0]
    kept, true = 1 / (1 + np.exp(-2)), 1 / (1 + np.exp(-1))
    low, high = confidence_interval(N // 2, N, Channel(kept, 1 - kept), method="clopper-pearson")
    assert share.method == "clopper-pearson"
    assert share.width == pytest.approx((high - low) / 2, rel=1e-3)
    one = (true - (1 - kept)) / (2 * kept - 1)
    low, high = confidence_interval(5 * N // 2, 5 * N, Channel(true, 1 - true, one, 1 - one), n_waves=5)
    assert share.width_of_waves == pytest.approx((high - low) / 2, rel=1e-3)
    assert share.width < share.width_of_waves
    mean = found[1]
    kept = 1 / (1 + np.exp(-3))
    one = (true - (1 - kept)) / (2 * kept - 1)
    low, high = confidence_interval(5 * N // 2, 5 * N, Channel(true, 1 - true, one, 1 - one), n_waves=5)
    assert mean.width_of_waves == pytest.approx(100 * (high - low) / 2, rel=1e-3)


def test_of_one_wave_nothing_is_said(tmp_path: Path) -> None:
    once = WAVES.replace("waves = 5", "")
    assert not one_waves_of(draft_of(tmp_path, once), plan_survey(compile_toml(once), N, PlanOptions()))


def test_of_a_published_survey_nothing_is_said(tmp_path: Path) -> None:
    survey = compile_toml(WAVES)
    final = draft_of(tmp_path, survey.canonical.decode(), "survey.json")
    assert not one_waves_of(final, plan_survey(survey, N, PlanOptions()))


def test_another_method_is_that_of_both(tmp_path: Path) -> None:
    options = replace(PlanOptions(), method="hoeffding")
    found = one_waves_of(draft_of(tmp_path, WAVES), plan_survey(compile_toml(WAVES), N, options))
    assert {one.method for one in found} == {"hoeffding"}


@pytest.mark.thorough
def test_the_plan_says_it_in_a_sentence_and_to_programs(tmp_path: Path) -> None:
    said = " ".join(plan_file(tmp_path, WAVES, "--n", str(N)).output.split())
    assert (
        "smokes: one wave at epsilon 2 shows more than 5 waves pooled, if nobody's answer changes. It gives "
        "+- 5.87 points by clopper-pearson, and the waves give +- 7.08 points." in said
    )
    members = json.loads(plan_file(tmp_path, WAVES, "--n", str(N), "--json").stdout)["one_wave"]
    assert members[0]["question"] == "smokes"
    assert members[0]["width"] == pytest.approx(0.0587, abs=1e-4)
