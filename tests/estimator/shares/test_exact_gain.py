"""`sotto estimate` says what an exact method would gain, where it may be used and gains anything."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from published import ONE_OF, YES_NO, survey_of
from sotto_client.cli import main
from sotto_estimator.channel.channel import TARGETS, Channel, Target
from sotto_estimator.intervals.intervals import confidence_interval
from sotto_protocol import Survey, Tally

COUNTS = ("--yes", "831", "--n", "2435", "--warner", "3/4")
LINE = "--method clopper-pearson would make these intervals {} % narrower, with the same guarantee"


def estimated(*words: str) -> str:
    result = CliRunner().invoke(main, ["estimate", *words])
    assert result.exit_code == 0, result.output
    return result.stdout


def gain(method: str, target: Target, population_size: int | None = None) -> int:
    channel, widths = Channel.warner(0.75), []
    for of in ("clopper-pearson", method):
        low, high = confidence_interval(831, 2435, channel, method=of, target=target, population_size=population_size)
        widths.append(high - low)
    return round(100 * (1 - float(widths[0] / widths[1])))


@pytest.mark.parametrize("method", ["chernoff", "hoeffding"])
@pytest.mark.parametrize("target", TARGETS)
def test_the_gain_is_that_of_the_widths(method: str, target: Target) -> None:
    said = estimated(*COUNTS, "--method", method, "--target", target)
    assert said.rstrip().splitlines()[-1] == LINE.format(gain(method, target))
    assert gain(method, target) > 15


def test_it_is_said_of_a_finite_population_too() -> None:
    said = estimated(*COUNTS, "--population-size", "3000")
    assert LINE.format(gain("chernoff", "population", 3000)) in said


@pytest.mark.parametrize("method", ["clopper-pearson", "blaker", "wilson", "anytime"])
def test_nothing_is_said_beside_methods_that_are_no_bounds(method: str) -> None:
    assert "narrower, with" not in estimated(*COUNTS, "--method", method)


def test_nothing_is_said_where_the_gain_is_nothing_or_its_tails_are_not_known() -> None:
    assert "narrower, with" not in estimated("--yes", "0", "--n", "2435", "--warner", "3/4", "--target", "respondents")
    many = ("--yes", "60000", "--n", "200000", "--warner", "3/4")
    assert "narrower, with" in estimated(*many)
    assert "narrower, with" not in estimated(*many, "--population-size", "300000")


def test_of_a_tally_it_is_of_all_its_questions_and_not_said_of_pooled_waves(tmp_path: Path) -> None:
    def said(survey: Survey, by_wave: dict[int, int]) -> str:
        path = tmp_path / "tally.json"
        counts = {"q0": np.array([300]), "q1": np.array([250, 300, 350])}
        path.write_bytes(Tally(survey, by_wave, counts).to_json())
        return estimated(str(path))

    survey = survey_of(YES_NO, ONE_OF)
    assert "clopper-pearson would make these intervals 2" in said(survey, {1: 900})
    assert "narrower, with" not in said(dataclasses.replace(survey, waves=2), {1: 450, 2: 450})
