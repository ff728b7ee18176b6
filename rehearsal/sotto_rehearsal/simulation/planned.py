"""The half-width that planning promises, beside the one that a simulation finds."""

from dataclasses import replace

import numpy as np

from sotto_estimator.estimate import channel_of, count_intervals
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.numbers.plan import NumberStudy, half_widths
from sotto_estimator.planning.widths import half_width
from sotto_protocol.mechanisms.mechanism import PureMechanism
from sotto_protocol.mechanisms.window import WindowResponse
from sotto_protocol.questions.number import Number
from sotto_rehearsal.simulation.answers import Floats, Numbers
from sotto_rehearsal.simulation.crowd import Task
from sotto_rehearsal.simulation.truth import QuestionTruth


def planned_half_widths(
    task: Task, of: QuestionTruth, n_reports: Floats, truth: Floats, options: IntervalOptions
) -> Floats:
    """Return the planned half-width of every label's interval, by how many reports each has and what is true of it.

    NaN of strings, and where there is no report. Pooled waves are planned as if every device sent a report in each.
    """
    n_waves = len(task.waves_of(of.question))
    pairs = zip(np.rint(n_reports / n_waves).tolist(), np.clip(np.nan_to_num(truth), 0, 1).tolist(), strict=True)
    target = options.target if n_waves == 1 else "population"
    n_intervals = count_intervals(task.survey) if options.simultaneous else 1
    planned = [_planned(of, int(n), share, replace(options, target=target), n_intervals) for n, share in pairs]
    return np.array(planned)


def _planned(of: QuestionTruth, n: int, share: float, options: IntervalOptions, n_intervals: int) -> float:
    mechanism, kind = of.question.mechanism, of.question.kind
    if n < 1:
        return np.nan
    if isinstance(kind, Number) and isinstance(mechanism, WindowResponse) and isinstance(of.answers, Numbers):
        study = NumberStudy(kind, of.answers.deviation)
        return float(half_widths(np.array([float(n)]), mechanism, study, options, n_intervals)[0])
    if not isinstance(mechanism, PureMechanism):
        return np.nan
    return half_width(
        n,
        channel_of(of.question),
        level=options.level,
        method=options.method,
        target=options.target,
        share=share,
        n_intervals=n_intervals,
    )
