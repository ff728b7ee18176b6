"""From estimates to verdicts: what is known of every question of a survey."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sotto_estimator.channel.channel import Channel
from sotto_estimator.channel.devices import Devices
from sotto_estimator.inference.marginal import counted_of, estimated_of
from sotto_estimator.inference.registry import FIGURES, count_intervals, figure_of, is_text, loaded
from sotto_estimator.intervals.intervals import IntervalOptions, check_level
from sotto_estimator.results.largest import largest
from sotto_estimator.results.rounding import any_too_wide
from sotto_estimator.shares.estimates import Estimate, Estimates
from sotto_estimator.shares.of_tally import intervals_together
from sotto_estimator.shares.verdict.aim import aim_of_counts, aim_of_question
from sotto_estimator.shares.verdict.order import Order, ShareInterval, order_of
from sotto_estimator.shares.verdict.verdict import Aim, Finding, Verdict, mean_finding, of_precision, share_findings
from sotto_protocol import Question, Tally

MAX_FINDINGS = 12
"""Of more answers to a question the largest shares are told, by intervals that hold together."""


def with_verdicts(estimates: Estimates, tally: Tally) -> Estimates:
    """Return the estimates of a tally with what they mean, question by question in the survey's order."""
    held = estimates.held_against_design()
    return replace(held, verdicts=tuple(_verdict(question, tally, held) for question in estimated_of(tally.survey)))


def with_verdict_of_counts(estimates: Estimates, channel: Channel) -> Estimates:
    """Return the estimates of a yes-no survey's counts with what they mean."""
    if estimates.contradictions:
        return _voided(estimates)
    (row,) = estimates.told_rows
    ends = row.low, row.high
    one = _of_one(estimates.options, estimates.n_groups)
    aim = aim_of_counts(channel, of_precision(row.share, ends, (0, 1)), row.n_reports, one)
    return replace(estimates, verdicts=(Verdict(row.question, share_findings([row]), aim=aim),))


def with_verdict_of_shares(estimates: Estimates, order: Order | None = None) -> Estimates:
    """Return the estimates of one question that was asked by several designs with what they mean. `order`: as known."""
    if estimates.contradictions:
        return _voided(estimates)
    rows = [_without_interval(row) if row.is_outside else row for row in estimates.told_rows]
    return replace(estimates, verdicts=(Verdict("", share_findings(rows), order=order),))


def _without_interval(row: Estimate) -> Estimate:
    """Return what is known where no share fits the reports: the edge beyond which the estimate is, or nothing."""
    edge = min(max(row.share, 0.0), 1.0)
    low, high = (edge, edge) if edge in (0, 1) else (0.0, 1.0)
    return replace(row, low=low, high=high)


def _voided(estimates: Estimates) -> Estimates:
    return replace(estimates.held_against_design(), verdicts=(Verdict("", is_void=True),))


def _verdict(question: Question, tally: Tally, estimates: Estimates) -> Verdict:
    key = question.id
    is_void = key in estimates.void
    if is_void or is_text(question):
        return Verdict(key, is_void=is_void, is_text=is_text(question))
    kind = figure_of(question)
    found = [figure for figure in estimates.told(kind) if figure.question == key]
    return loaded(FIGURES[kind].verdict)(question, found, tally, estimates) if found else Verdict(key)


def verdict_of_number(question: Question, figures: Sequence[Any], tally: Tally, estimates: Estimates) -> Verdict:
    """Return what is known of a question whose one figure is a number in a unit."""
    (figure,) = figures
    ends, span = (figure.low, figure.high), (figure.minimum, figure.maximum)
    finding = mean_finding(figure.answer, figure.value, ends, span, figure.unit)
    aim = _aim(question, [of_precision(figure.value, ends, span)], tally, estimates)
    return Verdict(question.id, (finding,), aim=aim)


def verdict_of_shares(question: Question, rows: Sequence[Estimate], tally: Tally, estimates: Estimates) -> Verdict:
    """Return what is known of the shares of a question, of very many those of the largest."""
    options = estimates.options
    ends = [of_precision(row.share, (row.low, row.high), (0, 1)) for row in rows]
    aim = _aim(question, ends, tally, estimates)
    if len(rows) == 1:
        return Verdict(question.id, share_findings(rows), aim=aim)
    together = intervals_together(tally, question, options, estimates.n_groups if options.simultaneous else 1)
    # About respondents each option is of those who were asked it: other people.
    is_comparable = not (question.mechanism.asks_some and options.about == "respondents")
    order = order_of([ShareInterval(answer, *ends) for answer, ends in together.items()]) if is_comparable else None
    shown = largest(rows, MAX_FINDINGS)
    if len(shown) < len(rows):
        shown = [replace(row, low=together[row.answer][0], high=together[row.answer][1]) for row in shown]
    findings = share_findings(shown, is_decided=not any_too_wide(ends))
    score = _score_finding(question, estimates)
    return Verdict(question.id, findings, score, len(rows) - len(shown), order, aim)


def _score_finding(question: Question, estimates: Estimates) -> Finding | None:
    """Return what is known of the mean score; None where answers have no scores."""
    (of,) = [one for one in estimates.told("score") if one.question == question.id] or [None]
    return of and mean_finding(of.answer, of.value, (of.low, of.high), (of.minimum, of.maximum), "")


def _aim(question: Question, ends: Sequence[tuple[float, float]], tally: Tally, estimates: Estimates) -> Aim | None:
    one = _of_one(estimates.options, estimates.n_groups * count_intervals(tally.survey))
    devices = Devices.of(counted_of(tally, question), tally.survey.max_reports)
    return aim_of_question(question, tally, ends, one, devices.n_waves)


def _of_one(options: IntervalOptions, n_intervals: int) -> IntervalOptions:
    """Return the options with the level of each interval, of so many that hold together where they are to."""
    return replace(options, level=1 - check_level(options.level, n_intervals)) if options.simultaneous else options
