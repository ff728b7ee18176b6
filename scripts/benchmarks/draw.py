"""Ask less, learn more: one of d questions drawn at epsilon 1 against d at a d-th of it, of the same people."""

from decimal import ROUND_FLOOR, Decimal
from typing import Any

import numpy as np
from bars import Bar, of_pairs

from sotto_client import os_coins
from sotto_estimator.shares.of_tally import IntervalOptions, estimate_tally
from sotto_protocol import Survey, Tally, compile_survey

N_PEOPLE = 10_000
N_CROWDS = 200, 25, 4
UNIT = "1e-6"


def survey_of(n_questions: int, n_options: int, epsilon: Decimal, **more: Any) -> Survey:
    """Return a survey of alike questions: yes-no, or of so many options."""
    kind = {"type": "one-of", "options": [str(n) for n in range(n_options)]} if n_options > 1 else {"type": "yes-no"}
    listed = [kind | {"id": f"q{number}", "text": "?", "epsilon": epsilon} for number in range(n_questions)]
    return compile_survey({"id": "bench", "title": "Bench", "questions": listed} | more)


def squared_error(survey: Survey, n_options: int) -> float:
    """Return the mean squared error of all shares, held against those who answered each question."""
    answers = {
        question.id: np.random.default_rng().integers(0, max(2, n_options), N_PEOPLE) for question in survey.questions
    }
    records = survey.perturb(answers, os_coins())
    asked = dict(zip(answers, survey.layout.drawn(records).T, strict=True))
    rows = estimate_tally(Tally.of(survey, records), IntervalOptions(method="wilson")).rows
    true = {
        key: np.bincount(answers[key][asked[key]], minlength=max(2, n_options)) / asked[key].sum() for key in answers
    }
    return float(
        np.mean([(row.share - true[row.question][int(row.answer) if n_options > 1 else 1]) ** 2 for row in rows])
    )


def against_a_split(name: str, n_questions: int, n_options: int, n_crowds: int) -> Bar:
    part = (Decimal(1) / n_questions).quantize(Decimal("1e-12"), ROUND_FLOOR)
    drawn, split = survey_of(n_questions, n_options, Decimal(1), draw=1), survey_of(n_questions, n_options, part)
    errors = [[squared_error(survey, n_options) for survey in (drawn, split)] for _ in range(n_crowds)]
    ours, theirs = (1e6 * float(np.mean(side)) for side in zip(*errors, strict=True))
    reference = f"all {n_questions} at epsilon 1/{n_questions}"
    return of_pairs(
        f"squared error of {name}, one drawn", [(ours, theirs)], least=0.9 * n_questions, reference=reference, unit=UNIT
    )


def measure() -> list[Bar]:
    """A ratio of means of a thousand squared errors each has a standard error of some 6 %."""
    return [
        against_a_split("5 yes-no questions", 5, 1, N_CROWDS[0]),
        against_a_split("10 questions of 4 options", 10, 4, N_CROWDS[1]),
        against_a_split("20 questions of 16 options", 20, 16, N_CROWDS[2]),
    ]
