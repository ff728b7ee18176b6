"""Reports that contradict the design, before a model is fitted: of all rows, each arm, each category of a term."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.designs.disagreement import contradictions_of_arms, misfits_of
from sotto_estimator.intervals.contradiction import Disagreement
from sotto_estimator.intervals.group_misfit import GroupMisfit
from sotto_estimator.table.reported import Reported
from sotto_estimator.table.table import DataColumn, DataTable

_MAX_CATEGORIES = 200
"""Of a term with more of them, none is tested by itself: each would be of few people."""
_MAX_NUMBERS = 20
"""A column of more different numbers has tenths."""
_TENTHS = 10
_MANY_ROWS = 1000
"""Of a column with more different numbers in so many rows, all need not be looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """The rows of a term's categories: `codes[i]` is that of row i; each of `n_codes` occurs; `name` has its words."""

    codes: NDArray[np.int64]
    n_codes: int
    name: Callable[[int], str]


def misfits_of_rows(
    table: DataTable, reported: Reported, question: str, terms: Sequence[str], asked: Sequence[str]
) -> tuple[GroupMisfit, ...]:
    """Return the worst sign that reports do not come of their designs: of all rows, or of a category of a term.

    With probability 1 - FALSE_ALARM honest reports give none, whatever people's answers are. `terms`: as written, of
    the table's columns. `asked`: the columns that say how rows were asked: where one is in a term, samples may have
    different shares, and are not held against one another.
    """
    groups = list(filter(None, (_of_term(table, term) for term in dict.fromkeys(terms))))
    n_groups = 2 + sum(of.n_codes for of in groups)
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
            (code, one)
            for code, arms in enumerate(reported.counts_by(of.codes, of.n_codes))
            for one in contradictions_of_arms(arms, question, n_groups)
        ]
        yield from [(of.name(code), one) for code, one in sorted(found, key=lambda void: void[1].p_value)[:1]]


def _of_term(table: DataTable, term: str) -> _Groups | None:
    """Return the categories of a term: of its columns' texts, or of tenths of a column of many numbers."""
    columns = [column for name, column in table.columns.items() if _has(term, name)]
    if not columns:
        return None
    parts = [_of_column(column) for column in columns]
    found = parts[0] if len(parts) == 1 else _crossed(parts)
    return found if 1 < found.n_codes <= _MAX_CATEGORIES else None


def _crossed(parts: Sequence[_Groups]) -> _Groups:
    """Return the combinations of categories that occur."""
    codes = np.zeros(len(parts[0].codes), np.int64)
    for part in parts:
        _, first, codes = np.unique(codes * part.n_codes + part.codes, return_index=True, return_inverse=True)
    return _Groups(codes, len(first), lambda code: " and ".join(part.name(part.codes[first[code]]) for part in parts))


def _of_column(column: DataColumn) -> _Groups:
    is_few = len(np.unique(column.key[:_MANY_ROWS])) <= _MAX_NUMBERS and len(column.labels) <= _MAX_NUMBERS
    if is_few or not column.is_number:
        labels = column.labels
        return _Groups(column.codes.astype(np.int64), len(labels), lambda code: f"{column.name} {labels[code]:.40}")
    numbers = column.numbers()
    edges = np.unique(np.quantile(numbers, np.arange(1, _TENTHS) / _TENTHS))
    tenths = np.zeros(len(numbers), np.uint8)
    for edge in edges:
        tenths += numbers >= edge
    is_used = np.bincount(tenths, minlength=len(edges) + 1) > 0
    codes = (np.cumsum(is_used) - 1)[tenths]

    def name(code: int) -> str:
        within = numbers[codes == code]
        return f"{column.name} {within.min():g} to {within.max():g}"

    return _Groups(codes, int(is_used.sum()), name)


def _has(term: str, name: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", term))
