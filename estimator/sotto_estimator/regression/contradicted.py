"""Reports that contradict the design, before a model is fitted: of all rows, each arm, each category of a term."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.designs.disagreement import contradictions_of_arms, misfits_of
from sotto_estimator.intervals.contradiction import Disagreement
from sotto_estimator.intervals.group_misfit import GroupMisfit
from sotto_estimator.regression.sample import alike
from sotto_estimator.table.reported import Reported
from sotto_estimator.table.table import DataColumn, DataTable

_MAX_CATEGORIES = 200
"""Of a term with more of them, none is tested by itself: each would be of few people."""
_MAX_NUMBERS = 20
"""A column of more different numbers has tenths."""
_TENTHS = 10


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """The rows of a term's categories: `codes[i]` is that of row i, and each has a name."""

    names: tuple[str, ...]
    codes: NDArray[np.integer]


def misfits_of_rows(
    table: DataTable, reported: Reported, question: str, terms: Sequence[str], asked: Sequence[str]
) -> tuple[GroupMisfit, ...]:
    """Return the worst sign that reports do not come of their designs: of all rows, or of a category of a term.

    With probability 1 - FALSE_ALARM honest reports give none, whatever people's answers are. `terms`: as written, of
    the table's columns. `asked`: the columns that say how rows were asked: where one is in a term, samples may have
    different shares, and are not held against one another.
    """
    groups = list(filter(None, (_of_term(table, term) for term in dict.fromkeys(terms))))
    n_groups = 2 + sum(len(of.names) for of in groups)
    arms = reported.counts()
    found: list[GroupMisfit] = [("", one) for one in misfits_of(arms, question, n_groups=n_groups)]
    if any(_has(term, name) for term in terms for name in asked):
        found = [void for void in found if not isinstance(void[1], Disagreement)]
    found += [("", one) for one in contradictions_of_arms(arms, question, n_groups)]
    found = sorted(found, key=lambda void: void[1].p_value)[:1]
    return (*found, *_worst(reported, question, groups, n_groups))


def _worst(reported: Reported, question: str, groups: Sequence[_Groups], n_groups: int) -> Iterator[GroupMisfit]:
    """Yield the worst category of each term."""
    for of in groups:
        found = [
            (name, one)
            for code, name in enumerate(of.names)
            for one in contradictions_of_arms(reported.counts(of.codes == code), question, n_groups)
        ]
        yield from sorted(found, key=lambda void: void[1].p_value)[:1]


def _of_term(table: DataTable, term: str) -> _Groups | None:
    """Return the categories of a term: of its columns' texts, or of tenths of a column of many numbers."""
    columns = [column for name, column in table.columns.items() if _has(term, name)]
    if not columns:
        return None
    parts = [_of_column(column) for column in columns]
    first, codes = alike([part.codes for part in parts])
    if not 1 < len(first) <= _MAX_CATEGORIES:
        return None
    named = [" and ".join(part.names[part.codes[row]] for part in parts) for row in first.tolist()]
    return _Groups(tuple(named), codes)


def _of_column(column: DataColumn) -> _Groups:
    if len(column.labels) <= _MAX_NUMBERS or not column.is_number:
        return _Groups(tuple(f"{column.name} {label:.40}" for label in column.labels), column.codes.astype(np.int64))
    numbers = column.numbers()
    edges = np.unique(np.quantile(numbers, np.arange(1, _TENTHS) / _TENTHS))
    codes = np.searchsorted(edges, numbers, side="right")
    ends = [
        (numbers[codes == code].min(), numbers[codes == code].max())
        for code in range(len(edges) + 1)
        if (codes == code).any()
    ]
    codes = np.unique(codes, return_inverse=True)[1].ravel()
    return _Groups(tuple(f"{column.name} {low:g} to {high:g}" for low, high in ends), codes.astype(np.int64))


def _has(term: str, name: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", term))
