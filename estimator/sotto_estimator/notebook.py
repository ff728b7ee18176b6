"""Estimates as a notebook shows them: HTML, every text of a survey escaped."""

from collections.abc import Sequence
from html import escape

from sotto_estimator.estimates import Estimate, Estimates
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.numbers.render import value_words
from sotto_estimator.render import caption, percent
from sotto_estimator.verdict.render import said_of, verdict_rows

_COLUMNS = ("question", "answer", "what is known", "n", "estimate", "low", "high")


def estimates_html(estimates: Estimates) -> str:
    """Return a table of what is known of every answer with its numbers, under it what else is to be said."""
    known = {(question, answer): words for question, answer, words in verdict_rows(estimates.verdicts)}
    rows = [_share_cells(row) for row in estimates.rows] + [_mean_cells(mean) for mean in estimates.means]
    body = "".join(_row("td", [*row[:2], known.get((row[0], row[1]), ""), *row[2:]]) for row in rows)
    lines = [*said_of(estimates.verdicts), *caption(estimates).split("\n")]
    said = "<br>".join(map(escape, lines))
    table = f"<table><thead>{_row('th', _COLUMNS)}</thead><tbody>{body}</tbody></table>"
    return f"<div><p><b>{escape(str(estimates))}</b></p>{table}<p>{said}</p></div>"


def _share_cells(row: Estimate) -> list[str]:
    return [row.question, row.answer, f"{row.n_reports:,}", *map(percent, (row.share, row.low, row.high))]


def _mean_cells(mean: MeanEstimate) -> list[str]:
    values = [value_words(value, mean.standard_error) for value in (mean.mean, mean.low, mean.high)]
    return [mean.question, "mean", f"{mean.n_reports:,}", *(f"{value} {mean.unit}".rstrip() for value in values)]


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
