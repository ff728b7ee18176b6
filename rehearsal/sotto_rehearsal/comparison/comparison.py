"""A whole survey, compared: question by question with a curator, added up, and shuffled."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sotto_estimator.inference.marginal import Marginal, estimated_of, n_times_asked
from sotto_estimator.inference.registry import figure_of
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.survey import part_asked
from sotto_estimator.results.result import Result
from sotto_protocol import Question, Survey
from sotto_rehearsal.comparison.knowledge import Knowledge, Trial
from sotto_rehearsal.comparison.marginal_subject import MarginalSubject
from sotto_rehearsal.comparison.mean_subject import MeanSubject
from sotto_rehearsal.comparison.people import People
from sotto_rehearsal.comparison.share_subject import ShareSubject
from sotto_rehearsal.comparison.shuffled import Shuffled, n_of, shuffle_survey
from sotto_rehearsal.comparison.subject import Subject
from sotto_rehearsal.comparison.totals import Total, add_up
from sotto_rehearsal.simulation.truth import Truth

SUBJECTS: Mapping[str, type[Subject]] = {"share": ShareSubject, "mean": MeanSubject}
"""What a curator would publish, by the kind of figure. Others are left out: nobody publishes every string's count."""


@dataclass(frozen=True, slots=True)
class Study:
    """How a survey is compared: `n` respondents, `n_runs` of simulation, 0 for none.

    `truth`: what they answer; without it `share` of them say yes, and so on (`People.assume`).
    """

    n: int
    delta: float
    share: float
    n_runs: int
    options: IntervalOptions
    truth: Truth | None = None
    batch: int | None = None
    """Of a relay that mixes: how many reports one hides among. None: among all."""


@dataclass(frozen=True, slots=True)
class Comparison(Result):
    """All that is compared. `left_out`: the ids of questions without a row in `SUBJECTS`."""

    survey: Survey
    study: Study
    subjects: tuple[Subject, ...]
    known: tuple[tuple[Knowledge, ...], ...]
    totals: tuple[Total, ...]
    shuffled: tuple[Shuffled, ...]
    left_out: tuple[str, ...]
    title: str = ""

    @property
    def named(self) -> str:
        """What the survey is called."""
        return self.title or self.survey.title

    def __str__(self) -> str:
        """Return one line: title and respondents."""
        return f"{self.named}: {self.study.n:,} respondents, beside a trusted curator"


def compare_survey(
    survey: Survey, study: Study, *, can_draw: bool, progress: Callable[[int], object] = lambda _: None
) -> Comparison:
    """Return the comparison. `can_draw`: whether curators are simulated; `progress` hears of each question behind."""
    generator = np.random.default_rng()  # of people who are made up: coins are the devices' own
    subjects = [_subject(question, survey, study) for question in estimated_of(survey) if is_compared(question)]
    known = []
    for subject in subjects:
        trial = Trial.of(subject, study.n_runs, generator, can_draw=can_draw)
        part = part_asked(survey) * n_times_asked(subject.question)
        known.append(tuple(_of_all(row, part) for row in trial.compare(study.delta, generator)))
        progress(1)
    return Comparison(
        survey,
        study,
        tuple(subjects),
        tuple(known),
        tuple(add_up(survey, study.delta)),
        tuple(_shuffle(survey, study)),
        tuple(question.id for question in survey.questions if not is_compared(question)),
    )


def _shuffle(survey: Survey, study: Study) -> list[Shuffled]:
    if study.batch is None:
        return shuffle_survey(survey, study.n, study.delta)
    return shuffle_survey(replace(survey, asked_in=0), study.batch, study.delta)  # a batch is of one wave already


def is_compared(question: Question) -> bool:
    """Whether a curator's figure of a question is known."""
    return figure_of(question) in SUBJECTS


def _of_all(row: Knowledge, part: Fraction) -> Knowledge:
    """Return a row that says how many respondents there must be, where only a part of them is asked a question."""
    return row if row.n_needed is None else replace(row, n_needed=-int(-row.n_needed / part // 1))


def _subject(question: Question, survey: Survey, study: Study) -> Subject:
    kind = MarginalSubject if isinstance(question, Marginal) else SUBJECTS[figure_of(question)]
    n = n_of(survey, n_times_asked(question) * study.n)
    return kind(question, _people(question, study), n, study.options)


def _people(question: Question, study: Study) -> People:
    if study.truth is None:
        return People.assume(question, study.share)
    (truth,) = [of.answers for of in study.truth.figures if of.question.id == question.id]
    return People.of_truth(question, truth)
