"""The parts of a report on estimates: what is known, all numbers, how they were made."""

from collections.abc import Sequence
from html import escape

from sotto_estimator.estimates import Estimates
from sotto_estimator.hypertext import table_html
from sotto_estimator.numbers.render import mean_remarks, mean_rows, quantile_remarks, quantile_rows
from sotto_estimator.render import FAKES, caption, cut_words, outside_words, share_rows
from sotto_estimator.verdict.render import said_of, verdict_rows

_METHOD = (
    "Each answer was mixed with chance before anybody else saw it. A report is therefore no answer, and the shares "
    "are what is left when the known effect of chance is taken off all of them together. An estimated share can lie "
    "outside of 0 to 100 %, its interval cannot."
)


def estimates_sections(estimates: Estimates) -> list[tuple[str, str]]:
    """Return headings and HTML."""
    return [
        ("What is known", _known(estimates)),
        ("All numbers", _numbers(estimates)),
        ("How they were made", _lines([_METHOD, *_remarks(estimates)])),
    ]


def _known(estimates: Estimates) -> str:
    rows = verdict_rows(estimates.verdicts)
    table = _table(("question", "answer", "what is known"), rows, n_texts=3) if rows else ""
    return table + _lines(said_of(estimates.verdicts))


def _numbers(estimates: Estimates) -> str:
    tables = []
    if estimates.rows:
        tables.append(_table(*share_rows(estimates), n_texts=2))
    if estimates.means:
        tables.append(_table(*mean_rows(estimates.means), n_texts=1))
    if estimates.told_distributions:
        tables.append(_table(*quantile_rows(estimates.told_distributions), n_texts=2))
    return "".join(tables)


def _remarks(estimates: Estimates) -> list[str]:
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
