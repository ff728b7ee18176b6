"""Estimates as a notebook shows them: HTML, every text of a survey escaped."""

from sotto_estimator.estimates import Estimate, Estimates, VoidedShare
from sotto_estimator.hypertext import heading_html, said_html, table_html
from sotto_estimator.numbers.mean import MeanEstimate, VoidedMean
from sotto_estimator.numbers.render import mean_end_words, mean_words
from sotto_estimator.percents import NOTHING
from sotto_estimator.render import caption, end_words, outside_words, share_words
from sotto_estimator.verdict.render import said_of, verdict_rows

_COLUMNS = ("question", "answer", "what is known", "n", "estimate", "low", "high")


def estimates_html(estimates: Estimates) -> list[str]:
    """Return a table of what is known of every answer with its numbers, under it what else is to be said."""
    known = {(question, answer): words for question, answer, words in verdict_rows(estimates.verdicts)}
    rows = [_share_cells(estimates, row) for row in estimates.rows] + [_mean_cells(mean) for mean in estimates.means]
    cells = [[*row[:2], known.get((row[0], row[1]), ""), *row[2:]] for row in rows]
    said = [*said_of(estimates.verdicts), *caption(estimates).split("\n"), *filter(None, [outside_words([estimates])])]
    return [heading_html(str(estimates)), table_html([_COLUMNS, *cells]), said_html(said)]


def _share_cells(estimates: Estimates, row: Estimate | VoidedShare) -> list[str]:
    known = [row.question, row.answer, f"{row.n_reports:,}"]
    return known + ([share_words(row)[0], *end_words(estimates, row)] if isinstance(row, Estimate) else [NOTHING] * 3)


def _mean_cells(mean: MeanEstimate | VoidedMean) -> list[str]:
    if isinstance(mean, VoidedMean):
        return [mean.question, "mean", f"{mean.n_reports:,}", *[NOTHING] * 3]
    values = [mean_words(mean)[0], *mean_end_words(mean)]
    return [mean.question, "mean", f"{mean.n_reports:,}", *(f"{value} {mean.unit}".rstrip() for value in values)]
