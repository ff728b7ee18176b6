"""The kinds of figures as rehearsals know them: what is planned of people whose answers are known."""

from dataclasses import replace

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.inference.registry import find
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.mean import words_of_interval
from sotto_estimator.planning.number_widths import mean_half_widths, outputs_of
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import outlook_of
from sotto_estimator.results.rehearsed_figure import MadeUpAnswers, RehearsedFigure
from sotto_protocol import Question


def _widths_of_shares(question: Question, answers: MadeUpAnswers, options: IntervalOptions, n_intervals: int) -> Floats:
    outlook = outlook_of(question)
    plan = PlanOptions(level=options.level, method=options.method, target=options.about)
    pairs = zip(answers.n_reports.tolist(), np.clip(np.nan_to_num(answers.truth), 0, 1).tolist(), strict=True)
    return np.array(
        [
            outlook.width(int(n), replace(plan, share=share), plan.about, n_intervals) if n else np.nan
            for n, share in pairs
        ]
    )


def _widths_of_means(question: Question, answers: MadeUpAnswers, options: IntervalOptions, n_intervals: int) -> Floats:
    if answers.n_reports.min() < 1:
        return np.full(1, np.nan)
    channel = _number_channel(question)
    probs = outputs_of(channel, np.linspace(0, 1, len(answers.shares))) @ answers.shares
    low, high = question.kind.ends
    return (high - low) * mean_half_widths(answers.n_reports, probs, channel, options, n_intervals, answers.n_waves)


def _means(question: Question, shares: Floats) -> Floats:
    return np.array([shares @ np.linspace(*question.kind.ends, len(shares))])


def _number_channel(question: Question) -> NumberChannel:
    channel: NumberChannel = find(question, "channel")(question.mechanism)
    return channel


SHARES = RehearsedFigure(heading="answer", half_widths=_widths_of_shares)
MEANS = RehearsedFigure(
    heading="number",
    answer="mean",
    truth=_means,
    half_widths=_widths_of_means,
    interval=lambda question, options, n_waves: words_of_interval(_number_channel(question), options, n_waves),
    is_in_points=False,
)
STRINGS = RehearsedFigure(
    heading="string",
    is_detected=True,
    is_guaranteed=False,
    note="text is decoded as by `sotto decode`: intervals are of strings that were found, in those runs",
)
