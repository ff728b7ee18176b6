"""Estimates as people read them: as a table, in a notebook, in a report."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from sotto_estimator.numbers.mean import MeanEstimate, VoidedMean
from sotto_estimator.results.encode import csv_text, json_text
from sotto_estimator.results.html import heading_html, said_html, table_html
from sotto_estimator.results.percents import NOTHING
from sotto_estimator.results.view import View
from sotto_estimator.shares.estimates import Estimate, Estimates, VoidedShare
from sotto_estimator.shares.exact_gain import EXACT
from sotto_estimator.views.estimates_members import csv_records, json_members
from sotto_estimator.views.estimates_words import (
    FAKES,
    caption,
    cut_words,
    end_words,
    outside_words,
    share_rows,
    share_words,
)
from sotto_estimator.views.numbers import (
    mean_end_words,
    mean_remarks,
    mean_rows,
    mean_table,
    mean_words,
    quantile_remarks,
    quantile_rows,
    quantile_table,
)
from sotto_estimator.views.verdict import said_of, verdict_rows, verdict_table
from sotto_protocol.tables import align

if TYPE_CHECKING:
    from sotto_estimator.results.panels import Panel

_KNOWN_COLUMNS = ("question", "answer", "what is known", "n", "estimate", "low", "high")
_METHOD = (
    "Each answer was mixed with chance before anybody else saw it. A report is therefore no answer, and the shares "
    "are what is left when the known effect of chance is taken off all of them together. An estimated share can lie "
    "outside of 0 to 100 %, its interval cannot."
)


def table(estimates: Estimates) -> str:
    """Return what it means, and tables with n, epsilon, method and level; shares in per cent, means in their units."""
    remarks = [*map(str, estimates.quality), cut_words(estimates), outside_words([estimates])]
    remarks.append(_narrower_words(estimates))
    fakes = f"\n{FAKES}" if estimates.told_rows else ""
    numbers = [mean_table(estimates.means)] if estimates.means else []
    numbers += [quantile_table(estimates.told_distributions)] if estimates.told_distributions else []
    parts = [
        verdict_table(estimates.verdicts),
        f"{caption(estimates)}{fakes}",
        _share_table(estimates),
        *numbers,
        "\n".join(filter(None, remarks)),
    ]
    return "\n\n".join(filter(None, parts))


def _narrower_words(estimates: Estimates) -> str:
    part = estimates.narrower_by
    return "" if part is None else f"{EXACT} is {100 * part:.0f} % narrower at the same guarantee (--method {EXACT})"


def _share_table(estimates: Estimates) -> str:
    if not estimates.rows:
        return ""
    columns, rows = share_rows(estimates)
    return align([columns, *rows], n_left=2)


def as_json(estimates: Estimates) -> str:
    """Return the estimates as a JSON object; shares as fractions."""
    return json_text(json_members(estimates))


def as_csv(estimates: Estimates) -> str:
    """Return the estimates as CSV with a header, n, epsilon, method and level in every row; shares as fractions.

    Means stand in rows below the shares, in their units; then quantiles, and shares of bins; empty: does not apply.
    """
    return csv_text(csv_records([estimates]))


def estimates_html(estimates: Estimates) -> list[str]:
    """Return a table of what is known of every answer with its numbers, under it what else is to be said."""
    known = {(question, answer): words for question, answer, words in verdict_rows(estimates.verdicts)}
    rows = [_share_cells(estimates, row) for row in estimates.rows] + [_mean_cells(mean) for mean in estimates.means]
    cells = [[*row[:2], known.get((row[0], row[1]), ""), *row[2:]] for row in rows]
    said = [*said_of(estimates.verdicts), *caption(estimates).split("\n"), *filter(None, [outside_words([estimates])])]
    return [heading_html(str(estimates)), table_html([_KNOWN_COLUMNS, *cells]), said_html(said)]


def _share_cells(estimates: Estimates, row: Estimate | VoidedShare) -> list[str]:
    known = [row.question, row.answer, f"{row.n_reports:,}"]
    return known + ([share_words(row)[0], *end_words(estimates, row)] if isinstance(row, Estimate) else [NOTHING] * 3)


def _mean_cells(mean: MeanEstimate | VoidedMean) -> list[str]:
    if isinstance(mean, VoidedMean):
        return [mean.question, "mean", f"{mean.n_reports:,}", *[NOTHING] * 3]
    values = [mean_words(mean)[0], *mean_end_words(mean)]
    return [mean.question, "mean", f"{mean.n_reports:,}", *(f"{value} {mean.unit}".rstrip() for value in values)]


def estimates_sections(estimates: Estimates) -> list[tuple[str, str]]:
    """Return headings and HTML."""
    return [
        ("What is known", _known_html(estimates)),
        ("All numbers", _numbers_html(estimates)),
        ("How they were made", _lines([_METHOD, *_how_made(estimates)])),
    ]


def _known_html(estimates: Estimates) -> str:
    rows = verdict_rows(estimates.verdicts)
    table = _table(("question", "answer", "what is known"), rows, n_texts=3) if rows else ""
    return table + _lines(said_of(estimates.verdicts))


def _numbers_html(estimates: Estimates) -> str:
    tables = []
    if estimates.rows:
        tables.append(_table(*share_rows(estimates), n_texts=2))
    if estimates.means:
        tables.append(_table(*mean_rows(estimates.means), n_texts=1))
    if estimates.told_distributions:
        tables.append(_table(*quantile_rows(estimates.told_distributions), n_texts=2))
    return "".join(tables)


def _how_made(estimates: Estimates) -> list[str]:
    """Return what stands around the tables of `sotto estimate`, without what is a warning here."""
    said = [str(of) for of in estimates.contradictions]
    lines = [line for line in caption(estimates).split("\n") if line not in said]
    lines += [FAKES] if estimates.told_rows else []
    lines += mean_remarks(estimates.means)
    lines += quantile_remarks(estimates.told_distributions) if estimates.told_distributions else []
    return [*lines, *map(str, estimates.quality), *filter(None, [cut_words(estimates), outside_words([estimates])])]


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, n_texts: int) -> str:
    """Return a table whose first columns are texts, and the others numbers."""
    return f'<div class="wide">{table_html([columns, *rows], n_texts=n_texts)}</div>'


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def _panels(estimates: Estimates) -> "tuple[str, list[Panel]]":
    from sotto_estimator.views.estimates_panels import estimates_panels  # matplotlib takes a second to load

    return estimates_panels(estimates)


VIEW: View[Estimates] = View(
    table=table,
    members=json_members,
    records=lambda estimates: csv_records([estimates]),
    panels=_panels,
    html_parts=estimates_html,
    sections=estimates_sections,
)
