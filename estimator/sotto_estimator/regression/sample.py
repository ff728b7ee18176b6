"""What a regression is fitted to: groups of alike rows, with the channel and the terms of each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.design import YES_NO, Design, check_arms
from sotto_estimator.errors import DomainError
from sotto_estimator.microdata.sampling import Sampling
from sotto_estimator.regression.formula import Terms
from sotto_estimator.regression.sampling_design import SamplingDesign
from sotto_estimator.regression.unrelated_answer import PAIRS
from sotto_estimator.table.reported import Reported
from sotto_estimator.table.table import DataColumn

_ODD = np.uint64(0x9E3779B97F4A7C15)
"""Of Knuth's multiplicative hashing, 2^64 over the golden ratio (The Art of Computer Programming 3, 6.4)."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Groups of rows: `log_channel[i, z]` = log P(their report | answer z), and `terms.matrix` theirs.

    `weights`: how many rows they are, or of a sample that is not simple what these weigh.
    `answers`: in the order of the channel's columns; the last is what others are compared with. `drawn`: how the rows
    were, None where simply. `offset`: what is added to the log odds of each, or None.
    """

    answers: tuple[str, ...]
    log_channel: Floats
    weights: Floats
    terms: Terms
    first: NDArray[np.int64]
    drawn: SamplingDesign | None = None
    offset: Floats | None = None

    @property
    def has_unrelated(self) -> bool:
        """Whether reports may be on an unrelated question, whose prevalence is a coefficient after all others."""
        return bool(self.log_channel.shape[1] > len(self.answers))

    @property
    def n_rows(self) -> int:
        """How many rows there are in all groups."""
        return round(float(self.weights.sum()))


def sample_of(
    reported: Reported, terms: Terms, columns: Sequence[DataColumn], sampling: Sampling | None = None
) -> Sample:
    """Return the groups of rows that are alike in their design, their report and these columns.

    `sampling`: how the rows were drawn, where not simply. Raises DomainError where the designs do not tell the answers,
    or cannot give a report that is there.
    """
    order = order_of(reported.designs[0])
    check_arms(reported.counts())
    first, group = alike([reported.arms, reported.reports, *(column.key for column in columns)])
    channels = channel_rows(reported.designs, reported.arms[first], reported.reports[first])[:, order]
    with np.errstate(divide="ignore"):
        log_channel = np.log(np.asfortranarray(channels))
    answers = tuple(dict.fromkeys(reported.designs[0].answers[place] for place in order))
    at_first = terms if len(first) == len(group) else replace(terms, matrix=terms.matrix[first])
    if sampling is None:
        return Sample(answers, log_channel, np.bincount(group).astype(np.float64), at_first, first)
    drawn = SamplingDesign.of(sampling, group, (len(answers) - 1) * terms.matrix.shape[1])
    weights = np.bincount(group, drawn.sampling.weights).astype(np.float64)
    return Sample(answers, log_channel, weights, at_first, first, drawn)


def order_of(design: Design) -> list[int]:
    """Return the answers' places, that last with which the others are compared: no, or else the first.

    Of PAIRS, which are of two questions, they are left as they are. Raises DomainError where people of one answer
    differ in something else: it would need a model too.
    """
    if len(design.labels) < len(design.answers) and design.answers != PAIRS:
        raise DomainError(f"{design.name}: a regression needs to know what else people of one answer differ in.")
    places = [*range(len(design.answers))]
    return places if design.answers in (YES_NO, PAIRS) else [*places[1:], 0]


def channel_rows(designs: Sequence[Design], arms: NDArray[np.int32], reports: NDArray[np.int32]) -> Floats:
    """Return P(the row's report | answer) of each row, shape (n, n_answers)."""
    n_reports = [len(design.reports) for design in designs]
    starts = np.concatenate([[0], np.cumsum(n_reports)[:-1]])
    matrix = np.vstack([design.matrix for design in designs])
    found: Floats = matrix[starts[arms] + reports]
    return found


def alike(columns: Sequence[NDArray[np.generic]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row of each group of rows that are the same in all columns, and the group of each row.

    Rows are sorted by a hash. Where two that differ share one, which is as good as never, all columns are sorted.
    """
    bits = [np.ascontiguousarray(column).astype(np.float64).view(np.uint64) for column in columns]
    mixed = np.zeros(len(bits[0]), np.uint64)
    for column in bits:
        mixed = (mixed ^ column) * _ODD
        mixed ^= mixed >> np.uint64(29)
    _, first, group = np.unique(mixed, return_index=True, return_inverse=True)
    if len(first) == len(mixed):
        return np.arange(len(mixed)), np.arange(len(mixed))
    if not all((column[first][group] == column).all() for column in bits):
        _, first, group = np.unique(np.stack(bits, axis=1), axis=0, return_index=True, return_inverse=True)
    return first, group.ravel()
