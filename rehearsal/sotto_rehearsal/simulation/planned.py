"""The half-width that planning promises, beside the one that a simulation finds."""

import numpy as np

from sotto_estimator.estimate import channel_of, count_intervals
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.numbers.plan import NumberStudy, half_widths
from sotto_estimator.planning.widths import half_width
from sotto_protocol import Survey
from sotto_protocol.mechanisms.mechanism import PureMechanism
from sotto_protocol.mechanisms.window import WindowResponse
from sotto_protocol.questions.number import Number
from sotto_rehearsal.simulation.answers import Floats, Numbers
from sotto_rehearsal.simulation.truth import QuestionTruth


def planned_half_widths(
    survey: Survey, of: QuestionTruth, n_reports: Floats, n_waves: int, options: IntervalOptions
) -> Floats:
    """Return the planned half-width of every label's interval, by how many reports each has; NaN of strings, and of 0.

    Pooled waves are planned as if every device sent a report in each.
    """
    n = np.rint(n_reports / n_waves)
    return np.array([_planned(survey, of, label, int(size), n_waves, options) for label, size in enumerate(n)])


def _planned(survey: Survey, of: QuestionTruth, label: int, n: int, n_waves: int, options: IntervalOptions) -> float:
    n_intervals = count_intervals(survey) if options.simultaneous else 1
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
        target=options.target if n_waves == 1 else "population",
        share=float(np.clip(of.answers.expected[label], 0, 1)),
        n_intervals=n_intervals,
    )
