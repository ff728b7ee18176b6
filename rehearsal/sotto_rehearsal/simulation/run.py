"""One run: from a crowd's tallies to the very estimates that an analyst would be shown, held against the truth."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from sotto_estimator.inference.registry import is_text
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.sources.quality import qualities
from sotto_estimator.strings.decode import DecodeOptions
from sotto_estimator.strings.question import decode_tally
from sotto_estimator.strings.remarks import MISFIT_P_VALUE
from sotto_protocol import Question, Tally
from sotto_rehearsal.simulation.answers import Floats
from sotto_rehearsal.simulation.crowd import Crowd, Task, send_reports
from sotto_rehearsal.simulation.randomness import Randomness

Found = dict[tuple[str, str, str], tuple[float, float, float, float]]
"""Of a kind of figure, a question's id and a label: the estimate, its interval's ends, and of how many reports."""
WARNINGS = ("implausible", "contradiction", "misfit")
"""Reports of implausible shape; counts that contradict the design; strings that do not explain the counts."""


@dataclass(frozen=True, slots=True)
class Run:
    """What an analyst of one run saw. A row a value, in the order of the questions and their labels.

    `found`, shape (n_rows, 4): the estimate, low, high, and the number of its reports; NaN where there is none, as of a
    string that was not found. `true`, shape (n_rows,): what the estimate is about. `warned`: (what, question's id) of
    the warnings that were given.
    """

    n_reports: int
    found: Floats
    true: Floats
    warned: frozenset[tuple[str, str]]


def run_once(
    task: Task, options: IntervalOptions, randomness: Randomness, progress: Callable[[int], object] = lambda _: None
) -> Run:
    """Have a new crowd answer, and estimate from the waves that the task is about.

    Raises DomainError where the method does not allow for pooled waves.
    """
    crowd = send_reports(task, randomness, progress)
    tally = crowd.tallies[task.wave] if task.wave else reduce(add, crowd.tallies.values())
    found: Found = {}
    warned: set[tuple[str, str]] = set()
    if tally.n_reports:
        _estimate(tally, options, found, warned)
        for of in task.truth.questions:
            if is_text(of.question):
                _decode(of.question, of.answers.labels, _tally_of(crowd, of.question), options, found, warned)
    nothing = (np.nan,) * 4
    keys = [(of.figure_kind, of.question.id, label) for of in task.truth.rehearsed for label in of.labels]
    rows = np.array([found.get(key, nothing) for key in keys])
    return Run(tally.n_reports, rows, np.concatenate([*_truths(crowd)]), frozenset(warned))


def _estimate(tally: Tally, options: IntervalOptions, found: Found, warned: set[tuple[str, str]]) -> None:
    warned.update(("implausible", quality.question) for quality in qualities(tally) if quality.is_alarming)
    if all(map(is_text, tally.survey.questions)):
        return
    estimates = estimate_tally(tally, options, has_distributions=False, is_held=False)
    scores = [one for one in estimates.of_kind("score") if one.mean is not None]
    for one in (*estimates.main_figures, *scores):
        found[one.kind, one.question, one.answer] = (one.value, one.low, one.high, one.n_reports)
    warned.update(("contradiction", contradiction.question) for contradiction in estimates.contradictions)


def _tally_of(crowd: Crowd, question: Question) -> Tally:
    """Return the tally that a question is estimated of."""
    return reduce(add, (crowd.tallies[wave] for wave in crowd.task.waves_of(question)))


def _decode(
    question: Question,
    strings: tuple[str, ...],
    tally: Tally,
    options: IntervalOptions,
    found: Found,
    warned: set[tuple[str, str]],
) -> None:
    n_reports = tally.counted(question.id).n_reports
    if not n_reports:
        return
    decode_options = DecodeOptions(options.level, simultaneous=options.simultaneous)
    decoded = decode_tally(tally, question.id, strings, decode_options)
    for row in decoded.rows:
        found["string", question.id, row.string] = (row.share, row.low, row.high, n_reports)
    if decoded.fit.p_value < MISFIT_P_VALUE:
        warned.add(("misfit", question.id))


def _truths(crowd: Crowd) -> Iterator[Floats]:
    """Yield what is true of those whom intervals are about, figure by figure."""
    task = crowd.task
    sums, n_people = crowd.sums_by_question, crowd.n_people_by_question
    for of in task.truth.rehearsed:
        if task.is_about_respondents:
            n = n_people[of.question.id]
            shares = np.divide(sums[of.question.id], n, out=np.full(len(n), np.nan), where=n > 0)
        else:
            waves = task.waves_of(of.question)
            n_reports = np.array([crowd.tallies[wave].n_reports for wave in waves], np.float64)
            expected = [of.expected(wave, task.truth.trouble.change) for wave in waves]
            shares = np.average(expected, axis=0, weights=n_reports if n_reports.any() else None)
        yield of.figure.truth(of.question, shares)
