"""Ways to ask in waves: none tells more of a person in all, and each width is that of the interval that it says."""

import json
import math
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator.channel.channel import Channel
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.intervals import IntervalOptions, confidence_interval
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.counts import NumberCounts
from sotto_estimator.numbers.mean import estimate_mean
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.numbers import NumberStudy, expected_outputs
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.survey_plan import plan_draft
from sotto_estimator.planning.waves_plan import KEPT, KEPT_CHANGING, ONCE, WavesPlan
from sotto_protocol.mechanisms.levels import LevelResponse
from sotto_protocol.mechanisms.registry import best_of
from sotto_protocol.questions.number import Number

LOW = '[[questions]]\nid = "low"\ntype = "yes-no"\ntext = "Low?"\n'
JOB = '[[questions]]\nid = "job"\ntype = "one-of"\ntext = "Job?"\noptions = ["a", "b", "c"]\n'
N, WAVES = 24_000, 12


def plans_of(folder: Path, members: str, *questions: str) -> dict[str, WavesPlan]:
    file = folder / "s.toml"
    file.write_text(f'id = "s"\ntitle = "S"\n{members}\n{"".join(questions)}')
    found = plan_draft(Draft.read(file), N, PlanOptions()).waves
    return {one.question.id: one for one in found}


def width(n: int, epsilon: float, share: float = 0.5, **options: float) -> float:
    channel = Channel.warner_of_epsilon(epsilon)
    low, high = confidence_interval(round(n * channel.reported_share(share)), n, channel, **options)  # type: ignore[arg-type]
    return float(high - low) / 2


def test_every_way_tells_the_same_of_a_person_in_all(tmp_path: Path) -> None:
    lasting = "epsilon = 1\nepsilon_forever = 3\n"
    for asked_in in ("", "asked_in = 1\n", "asked_in = 3\n"):
        more = lasting if not asked_in else "epsilon = 1\n"
        plans = plans_of(tmp_path, f"waves = {WAVES}\n{asked_in}", LOW + "epsilon = 1\n", JOB + more)
        for one in plans.values():
            kept, changing, once = (one.of(name) for name in (KEPT, KEPT_CHANGING, ONCE))
            assert kept is not None
            assert changing is not None
            assert once is not None
            assert kept.question.epsilon_of(WAVES) <= one.total + Decimal("0.001")
            assert WAVES * changing.epsilon <= one.total
            assert once.epsilon <= one.total
            assert one.most_if_changing == WAVES * kept.epsilon
            assert (kept.n_answers, changing.n_answers, once.n_answers) == (N, N, N // WAVES)
        assert plans["job"].total == {"": 3, "asked_in = 1\n": 1, "asked_in = 3\n": 3}[asked_in] - Decimal("0.001") * (
            plans["job"].total % 1 > 0
        )


def test_widths_are_those_of_intervals_and_mechanisms_the_best_ones(tmp_path: Path) -> None:
    plan = plans_of(tmp_path, f"waves = {WAVES}\nasked_in = 1", LOW + "epsilon = 1\n", JOB + "epsilon = 1\n")["low"]
    kept, changing, once = plan.ways
    assert kept.width_of_wave == pytest.approx(width(N, 1.0), rel=1e-3)
    assert kept.width_of_pooled == pytest.approx(width(N * WAVES, 1.0, n_waves=WAVES), rel=1e-3)
    assert kept.width_of_change == pytest.approx(2 * width(N, 1.0, n_intervals=2), rel=1e-3)
    assert changing.width_of_wave == pytest.approx(width(N, 0.083), rel=1e-3)
    assert once.width_of_wave == pytest.approx(width(N // WAVES, 1.0), rel=1e-3)
    assert once.width_of_pooled == pytest.approx(width(N, 1.0), rel=1e-3)
    assert once.width_of_change == pytest.approx(math.sqrt(2) * once.width_of_wave)
    assert plan.gain == changing.width_of_change / once.width_of_change > 2
    job = plans_of(tmp_path, f"waves = {WAVES}", LOW + "epsilon = 1\n", JOB + "epsilon = 1\n")["job"].of(ONCE)
    assert job is not None
    assert job.question.mechanism == best_of("one-of", 3, Decimal(1))


def test_a_mean_of_waves_is_planned_as_it_is_estimated(tmp_path: Path) -> None:
    """Waves may have other means each, so their pooled mean has no interval of draws from one population."""
    hours = '[[questions]]\nid = "hours"\ntype = "number"\ntext = "Hours?"\nminimum = 0\nmaximum = 8\nepsilon = 1\n'
    once = plans_of(tmp_path, f"waves = {WAVES}\nasked_in = 1", hours)["hours"].of(ONCE)
    assert once is not None
    kind, mechanism = cast(Number, once.question.kind), cast(LevelResponse, once.question.mechanism)
    expected = np.rint(N * expected_outputs(mechanism, NumberStudy(kind, 2))).astype(int)
    counts = NumberCounts("hours", kind, NumberChannel.of(mechanism), 1, expected, Devices.alike(N, 1), WAVES)
    pooled, drawn = (estimate_mean(replace(counts, n_waves=n_waves), IntervalOptions(), 1) for n_waves in (WAVES, 1))
    assert once.width_of_pooled == pytest.approx((pooled.high - pooled.low) / 2, rel=1e-3)
    assert pooled.high - pooled.low > 1.01 * (drawn.high - drawn.low)


def test_nothing_is_compared_in_one_wave_or_where_the_epsilon_is_given_by_probabilities(tmp_path: Path) -> None:
    assert plans_of(tmp_path, "", LOW + "epsilon = 1\n") == {}
    assert plans_of(tmp_path, f"waves = {WAVES}", LOW + 'prob_truth = "3/4"\n') == {}


def test_the_plan_counts_the_answers_of_a_wave_and_the_respondents_of_all(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    text = f'id = "s"\ntitle = "S"\nwaves = {WAVES}\nasked_in = 1\n{LOW}epsilon = 1\nwant = 0.05\n'
    file.write_text(text)
    asked = plan_draft(Draft.read(file), N, PlanOptions())
    file.write_text(text.replace(f"waves = {WAVES}\nasked_in = 1\n", ""))
    once = plan_draft(Draft.read(file), N // WAVES, PlanOptions())
    assert asked.questions[0].n_answers == N // WAVES == once.questions[0].n_answers
    assert asked.questions[0].figures == once.questions[0].figures
    assert asked.helps[0].respondents == WAVES * (once.helps[0].respondents or 0)
    assert asked.wishes[0].least_epsilon == once.wishes[0].least_epsilon
    assert asked.helps[0].width_of_waves is None


def test_the_command_says_which_way_to_take_and_gives_the_figures_to_programs(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(f'id = "s"\ntitle = "S"\nwaves = {WAVES}\n{LOW}epsilon = 1\n')
    said = " ".join(CliRunner().invoke(main, ["plan", str(file), "--n", str(N)]).output.split())
    assert "If it changes in every wave, it is up to 12." in said
    assert "If answers change, write asked_in = 1 and epsilon = 1." in said
    found = json.loads(CliRunner().invoke(main, ["plan", str(file), "--n", str(N), "--json"]).stdout)["waves"]
    assert [way["way"] for way in found[0]["ways"]] == [KEPT, KEPT_CHANGING, ONCE]
    assert (found[0]["epsilon_in_all"], found[0]["epsilon_if_changing"]) == (1, 12)
