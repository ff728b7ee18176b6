"""The half-width that planning promises, beside the one that a simulation finds."""

from dataclasses import replace

import numpy as np

from sotto_estimator.inference.registry import count_intervals
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.results.rehearsed_figure import MadeUpAnswers
from sotto_rehearsal.simulation.answers import Floats
from sotto_rehearsal.simulation.crowd import Task
from sotto_rehearsal.simulation.question_truth import QuestionTruth


def planned_half_widths(
    task: Task, of: QuestionTruth, n_reports: Floats, truth: Floats, options: IntervalOptions
) -> Floats:
    """Return the planned half-width of every label's interval, by how many reports each has and what is true of it.

    NaN where nothing is planned, and where there is no report. Pooled waves are planned as if every device sent a
    report in each, or in as many as it is asked in.
    """
    if of.figure.half_widths is None:
        return np.full(len(truth), np.nan)
    waves = task.waves_of(of.question)
    shares = np.mean([of.expected(wave, task.truth.trouble.change) for wave in waves], axis=0)
    n_each = min(len(waves), task.survey.max_reports)
    answers = MadeUpAnswers(np.rint(n_reports / n_each), truth, shares, len(waves))
    options = replace(options, target=options.about if n_each == 1 else "population")
    n_intervals = count_intervals(task.survey) if options.simultaneous else 1
    return of.figure.half_widths(of.question, answers, options, n_intervals)
