"""Ask less, learn more: one question of d at all of epsilon against d questions at a d-th each, of the same people."""

from dataclasses import replace
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import numpy as np
import pytest

from sotto_estimator.channel.channel import report_variance
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.shares.of_tally import IntervalOptions, estimate_tally
from sotto_protocol import Coins, Survey, Tally, compile_survey

KINDS = {"yes-no": 1, "one-of 4": 4, "one-of 16": 16}


def both(kind: str, n_questions: int) -> tuple[Survey, Survey]:
    """Return a survey that splits epsilon 1 among its questions, and one that draws one of them at all of it."""
    options = {"options": [str(number) for number in range(KINDS[kind])]} if KINDS[kind] > 1 else {}
    asked = {"type": kind.split()[0], "text": "?"} | options

    def survey(epsilon: Decimal, **more: Any) -> Survey:
        listed = [asked | {"id": f"q{number}", "epsilon": epsilon} for number in range(n_questions)]
        return compile_survey({"id": "gain", "title": "Gain", "questions": listed} | more)

    part = (Decimal(1) / n_questions).quantize(Decimal("1e-12"), ROUND_FLOOR)
    return survey(part), survey(Decimal(1), draw=1)


def noise_of(survey: Survey) -> float:
    """Return the exact variance of the noise in a share, times the people, of the mean share."""
    channel, k = channel_of(survey.questions[0]), max(2, len(survey.questions[0].options))
    variance = float(report_variance(1 / k, channel, "respondents"))
    return variance / channel.contrast**2 * len(survey.questions) / survey.n_drawn


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_questions", range(2, 21))
def test_one_drawn_question_has_d_times_less_noise_than_all_at_a_part_of_epsilon(kind: str, n_questions: int) -> None:
    split, drawn = both(kind, n_questions)
    assert split.epsilon <= 1
    assert drawn.epsilon == 1
    assert noise_of(split) / noise_of(drawn) >= n_questions


def squared_errors(survey: Survey, n: int, n_runs: int, share: float) -> float:
    """Return the mean squared error of the estimates of all shares, held against those who answered each question."""
    errors = []
    for run in range(n_runs):
        chance = np.random.default_rng([run, len(survey.questions), survey.draw])
        answers = {question.id: (chance.random(n) < share).astype(np.int64) for question in survey.questions}
        coins = Coins(chance.bytes)
        records = survey.perturb(answers, coins)
        has = survey.layout.drawn(records)
        rows = estimate_tally(Tally.of(survey, records), IntervalOptions(method="wilson")).rows
        for place, question in enumerate(survey.questions):
            said = answers[question.id][has[:, place]]
            of_question = [row for row in rows if row.question == question.id]
            truths = (
                [said.mean()] if len(of_question) == 1 else np.bincount(said, minlength=len(of_question)) / len(said)
            )
            errors += [(row.share - truth) ** 2 for row, truth in zip(of_question, truths, strict=True)]
    return float(np.mean(errors))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "n_questions", "n_runs"), [("yes-no", 5, 60), ("one-of 4", 5, 20), ("one-of 16", 20, 4)]
)
def test_the_measured_error_is_that_much_less(kind: str, n_questions: int, n_runs: int) -> None:
    """Of crowds that are the same in every run of this test; their number allows for 20 %, two standard deviations."""
    split, drawn = both(kind, n_questions)
    measured = squared_errors(split, 4000, n_runs, 0.3) / squared_errors(drawn, 4000, n_runs, 0.3)
    assert measured == pytest.approx(noise_of(split) / noise_of(drawn), rel=0.2)
    assert measured >= 0.9 * n_questions


def test_of_the_population_the_chance_of_who_is_asked_takes_some_of_it_back() -> None:
    """Half of all say yes: of n / d respondents, chance makes what l (1 - l) d / n says, which n would not have."""
    ratios = []
    for n_questions in (2, 5, 10, 20):
        split, drawn = both("yes-no", n_questions)
        contrasts = [channel_of(survey.questions[0]).contrast for survey in (split, drawn)]
        ratios.append((contrasts[1] / contrasts[0]) ** 2 / n_questions / n_questions)
    assert ratios == pytest.approx([0.89, 0.86, 0.855, 0.854], abs=0.003)


def test_a_draw_of_two_has_half_the_noise_of_a_draw_of_one_at_twice_the_epsilon() -> None:
    _, one = both("one-of 16", 10)
    two = replace(one, draw=2)
    assert two.epsilon == 2 * one.epsilon
    assert noise_of(two) * 2 == pytest.approx(noise_of(one))
