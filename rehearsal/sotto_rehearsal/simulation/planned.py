"""The half-width that planning promises, beside the one that a simulation finds."""

from dataclasses import replace

import numpy as np

from sotto_estimator.inference.registry import channel_of, count_intervals, figure_of, find
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.number_widths import mean_half_widths, outputs_of
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.widths import half_width
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
    target = options.about if n_waves == 1 else "population"
    n_intervals = count_intervals(task.survey) if options.simultaneous else 1
    options = replace(options, target=target)
    if figure_of(of.question) == "mean":
        n = np.rint(n_reports / n_waves)
        return _planned_means(task, of, np.maximum(n, 1), options, n_intervals) if n.min() >= 1 else np.full(1, np.nan)
    return np.array([_planned(of, int(n), share, options, n_intervals) for n, share in pairs])


def _planned(of: QuestionTruth, n: int, share: float, options: IntervalOptions, n_intervals: int) -> float:
    if n < 1 or figure_of(of.question) != "share":
        return np.nan
    return half_width(
        n,
        channel_of(of.question),
        options=PlanOptions(level=options.level, method=options.method, target=options.about, share=share),
        n_intervals=n_intervals,
    )


def _planned_means(task: Task, of: QuestionTruth, n: Floats, options: IntervalOptions, n_intervals: int) -> Floats:
    """Return the same of a mean: people answer as the truth says, on average over the waves."""
    assert isinstance(of.answers, Numbers)  # noqa: S101  # of a number there are no other answers
    assert isinstance(of.later, Numbers)  # noqa: S101
    kept = np.mean([(1 - task.truth.trouble.change) ** (wave - 1) for wave in task.waves_of(of.question)])
    shares = kept * of.answers.shares + (1 - kept) * of.later.shares
    channel, numbers = find(of.question, "channel")(of.question.mechanism), of.answers.numbers
    probs = outputs_of(channel, np.linspace(0, 1, len(shares))) @ shares
    size = float(numbers[-1] - numbers[0])
    return size * mean_half_widths(n, probs, channel, options, n_intervals)
