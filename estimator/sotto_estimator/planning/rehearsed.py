"""The kinds of figures as rehearsals know them: what is planned of people whose answers are known."""

from dataclasses import replace
from typing import cast

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.inference.registry import find, scores_of
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.intervals.scored_means import ScoredReports
from sotto_estimator.numbers import scored
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.mean import words_of_interval
from sotto_estimator.planning.number_widths import mean_half_widths, outputs_of
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import outlook_of
from sotto_estimator.results.rehearsed_figure import MadeUpAnswers, RehearsedFigure
from sotto_protocol import Question
from sotto_protocol.mechanisms.mechanism import ChoiceMechanism


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


def _scored(question: Question, shares: Floats, n: float, options: IntervalOptions, n_waves: int) -> ScoredReports:
    """Return n reports of the mean score, of people with such shares."""
    channel = scored.channel_of_sets(cast(ChoiceMechanism, question.mechanism))
    counts = n * (channel.other + channel.contrast * shares)
    return ScoredReports(channel, _scores(question), counts, int(n), options.about, n_waves)


def _scores(question: Question) -> Floats:
    return np.array([np.nan if score is None else score for score in scores_of(question)], np.float64)


def _mean_scores(question: Question, shares: Floats) -> Floats:
    scores = _scores(question)
    known = ~np.isnan(scores)
    scored_share = shares[known].sum()
    return np.array([shares[known] @ scores[known] / scored_share if scored_share > 0 else np.nan])


def _widths_of_scores(question: Question, answers: MadeUpAnswers, options: IntervalOptions, n_intervals: int) -> Floats:
    if answers.n_reports.min() < 1:
        return np.full(1, np.nan)
    n = float(answers.n_reports[0]) * answers.n_waves
    reports = _scored(question, answers.shares, n, options, answers.n_waves)
    low, high = np.clip(scored.score_bounds(reports, options, n_intervals), *reports.ends)
    return np.array([(high - low) / 2])


def _words_of_scores(question: Question, options: IntervalOptions, n_waves: int) -> str:
    reports = _scored(question, np.zeros(len(question.labels)), 0, options, n_waves)
    return scored.words_of_interval(reports, options)


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
SCORES = RehearsedFigure(
    heading="score",
    answer=lambda question: scored.name_of_scores(scores_of(question)),
    truth=_mean_scores,
    half_widths=_widths_of_scores,
    interval=_words_of_scores,
    is_in_points=False,
)
STRINGS = RehearsedFigure(
    heading="string",
    is_detected=True,
    is_guaranteed=False,
    note="text is decoded as by `sotto decode`: intervals are of strings that were found, in those runs",
)
