"""Shares in any language: each answer's interval, with a bar or a dot, and its numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.results.axis import Axis, tick_words
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.results.figure import Panel, RowLabel, Scale, Shape, Spot, Whisker, bar_box
from sotto_estimator.results.largest import MAX_BARS, largest
from sotto_estimator.results.layout import lay_out
from sotto_estimator.results.percents import mark_of, n_decimals_of, percent_words
from sotto_estimator.results.rounding import any_too_wide
from sotto_estimator.shares.estimates import Estimate
from sotto_estimator.shares.verdict.verdict import Finding, of_precision, share_ends, share_findings
from sotto_estimator.views.figure_section import FigureSection, with_sign
from sotto_estimator.views.number_section import mean_row
from sotto_estimator.views.score_section import scale_panels, score_label, score_of, score_tables
from sotto_estimator.views.verdict_words import finding_words, range_words
from sotto_estimator.views.waves import MAX_ANSWERS, WaveSeries, series_of
from sotto_protocol import Question, Tally
from sotto_protocol.language import ENGLISH, Language

MAX_DESCRIBED = 12


def draw_shares(title: str, rows: Sequence[Estimate], say: Language = ENGLISH, more: Sequence[Any] = ()) -> Drawing:
    """Return a bar for every share, from 0 to what is most likely, and a whisker over its interval.

    Where an interval is too wide to name an estimate no answer has a bar: each has a dot on its whisker, for a bar
    beside answers without one would look as if it were more. Of more than MAX_BARS answers the largest are drawn.
    Answers with scores are drawn on two sides (`scale_panels`); `more`: what stands beside the shares.
    """
    drawn = largest(rows, MAX_BARS)
    is_decided = not any_too_wide(of_precision(row.share, (row.low, row.high), (0, 1)) for row in rows)
    findings = share_findings(drawn, is_decided=is_decided)
    ends = share_ends(drawn)
    labels = [RowLabel(finding.answer, _said(finding, say)) for finding in findings]
    description = describe(findings, len(rows), say)
    if (score := score_of(more)) and len(drawn) == len(score.scores):
        found = [min(max(row.share, 0.0), 1.0) for row in drawn]
        panels = scale_panels(score, [*zip(labels, found, ends, strict=True)], say, is_decided=is_decided)
        label, words, _ = mean_row(score_label(score.answer, say), score, say)
        return lay_out(title, f"{label}: {words}. {description}", panels)
    axis = Axis.over(end for pair in ends for end in pair)
    shapes: list[Shape] = []
    for number, (row, span) in enumerate(zip(drawn, ends, strict=True)):
        likely = min(max(row.share, 0.0), 1.0)
        shapes += [bar_box(likely, number) if is_decided else Spot(likely, number), Whisker(*span, number)]
    scale = Scale("", axis.low, axis.high, lambda share: tick_words(share, say))
    return lay_out(title, description, [Panel(shapes, scale, rows=labels, has_zero=True)])


def _said(finding: Finding, say: Language) -> str:
    return say.percent(finding.likely.scaleb(2)) if finding.is_decided else range_words(finding, say)


def describe(findings: Sequence[Finding], n_rows: int, say: Language) -> str:
    """Return what a chart shows, for who cannot see it: of the first dozen of answers."""
    if all(of.is_decided for of in findings):
        lines = [say.gettext("A bar with its range for each answer.")]
    else:
        lines = [say.gettext("A dot on its range for each answer.")]
    if len(findings) < n_rows:
        lines.append(say.gettext("The chart shows the largest %(n)s of %(all)s.", n=len(findings), all=n_rows))
    lines += [f"{finding.answer}: {finding_words(finding, say)}." for finding in findings[:MAX_DESCRIBED]]
    if len(findings) > MAX_DESCRIBED:
        lines.append(say.gettext("The table has all numbers."))
    return " ".join(lines)


def _draw_groups(title: str, named: Sequence[tuple[str, Estimate]], say: Language, _: str) -> Drawing:
    """Return the shares of every group, each answer with the group's name."""
    return draw_shares(title, [replace(row, answer=say.joined([row.answer, name])) for name, row in named], say)


def _labels(question: Question, options: Sequence[str], say: Language) -> dict[str, str]:
    if question.type == "yes-no":
        return {"yes": say.gettext("Yes")}
    return dict(zip(question.labels, options or question.labels, strict=True))


def _series(
    question: Question,
    tallies: Mapping[int, Tally],
    rows: Sequence[Estimate],
    options: IntervalOptions,
    n_intervals: int,
) -> tuple[WaveSeries, ...]:
    return series_of(question, tallies, [row.answer for row in largest(rows, MAX_ANSWERS)], options, n_intervals)


SHARES = FigureSection(
    chart="shares",
    labels=_labels,
    has_names=True,
    caption=lambda say: say.gettext("Estimates of the shares"),
    heading=lambda say: say.gettext("Share"),
    unbiased=lambda say: say.gettext("Share, unbiased"),
    write=lambda share, row, say: percent_words(share, say, n_decimals_of(row)),
    fakes=lambda say: (say.gettext("Fakes for"), say.gettext("Fakes against")),
    shift=lambda shift, say: with_sign(f"{100 * shift:+.2f}", say.percent),
    consistent=lambda row: (row.consistent_share, row.consistent_standard_error),
    draw=lambda title, rows, more, say, unit: draw_shares(title, rows, say, more),
    more=lambda more, question, unit, say: score_tables(more, question, say),
    draw_groups=_draw_groups,
    series=_series,
    axis=Axis.over,
    tick=tick_words,
    is_marked=lambda row: bool(mark_of(row.value, n_decimals_of(row))),
    shows_undecided=True,
)
