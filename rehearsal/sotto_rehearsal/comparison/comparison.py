"""A whole survey, compared: question by question with a curator, added up, and shuffled."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sotto_estimator.estimate import is_text
from sotto_estimator.intervals import IntervalOptions
from sotto_protocol import Survey
from sotto_rehearsal.comparison.knowledge import Knowledge, Trial
from sotto_rehearsal.comparison.people import People
from sotto_rehearsal.comparison.shuffled import Shuffled, n_of, shuffle_survey
from sotto_rehearsal.comparison.subject import Subject
from sotto_rehearsal.comparison.totals import Total, add_up


@dataclass(frozen=True, slots=True)
class Study:
    """How a survey is compared: `n` respondents, `share` of yes expected, so many runs of simulation, 0 for none."""

    n: int
    delta: float
    share: float
    n_runs: int
    options: IntervalOptions


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that is compared. `left_out`: the ids of text questions, of which nobody publishes every string's count."""

    survey: Survey
    study: Study
    subjects: tuple[Subject, ...]
    known: tuple[tuple[Knowledge, ...], ...]
    totals: tuple[Total, ...]
    shuffled: tuple[Shuffled, ...]
    left_out: tuple[str, ...]


def compare_survey(
    survey: Survey, study: Study, *, can_draw: bool, on_question: Callable[[str], None] = lambda _: None
) -> Comparison:
    """Return the comparison. `on_question` is told each question before it is gone through."""
    generator = np.random.default_rng()  # of people who are made up: coins are the devices' own
    subjects, known = [], []
    for question in survey.questions:
        if is_text(question):
            continue
        on_question(question.id)
        people = People.of(question, study.share)
        subjects.append(Subject(question, people, n_of(survey, study.n), study.options))
        trial = Trial.of(subjects[-1], study.n_runs, generator, can_draw=can_draw)
        known.append(tuple(trial.compare(study.delta, generator)))
    return Comparison(
        survey,
        study,
        tuple(subjects),
        tuple(known),
        tuple(add_up(survey, study.delta)),
        tuple(shuffle_survey(survey, study.n, study.delta)),
        tuple(question.id for question in survey.questions if is_text(question)),
    )
