"""Whole reports of a question: the different ones with how often each was made, and what each says of every answer."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.likelihood.latent_classes import Mixture
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import Source
from sotto_protocol import Question
from sotto_protocol.mechanisms.bit_flips import BitFlips
from sotto_protocol.mechanisms.mechanism import Bytes, ChoiceMechanism
from sotto_protocol.mechanisms.padded_subset import PaddedSubset

MAX_ANSWERS = 1000
"""Most ways to answer a question whose whole reports are read: options, or sets of options."""
MAX_NUMBERS = 2**26
"""Most different reports times ways to answer: half a gigabyte."""


@dataclass(frozen=True, slots=True)
class Answers(ABC):
    """The ways to answer a question, and how likely a report is under each."""

    question: Question

    @property
    @abstractmethod
    def n_ways(self) -> int:
        """How many ways there are."""

    def check(self) -> None:
        """Raise DomainError where there are too many ways."""
        if self.n_ways > MAX_ANSWERS:
            raise DomainError(
                f"question {self.question.id} can be answered in {self.n_ways:,} ways; whole reports are read for at "
                f"most {MAX_ANSWERS:,}."
            )

    @property
    @abstractmethod
    def members(self) -> NDArray[np.bool_]:
        """Which ways have which of the question's labels, shape (n_ways, n_labels)."""

    @abstractmethod
    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        """Return P(report | way) but for a factor of the report, shape (n, n_ways)."""

    def mixture(self, reports: Bytes, counts: NDArray[np.int64]) -> Mixture:
        """Return different reports, and how often each was made, as a mixture of the ways. Raises DomainError."""
        if (n_numbers := len(reports) * self.n_ways) > MAX_NUMBERS:
            raise DomainError(
                f"question {self.question.id} has {len(reports):,} different reports and {self.n_ways:,} ways to "
                f"answer: {n_numbers:,} numbers, and at most {MAX_NUMBERS:,} are computed. Choose a wave or a stratum."
            )
        return Mixture((self.likelihood(reports),), counts)


class OneAnswer(Answers):
    """One of several options; or yes and no."""

    __slots__ = ()

    @property
    def n_ways(self) -> int:
        return max(len(self.question.labels), 2)

    @property
    def members(self) -> NDArray[np.bool_]:
        return np.eye(self.n_ways, len(self.question.labels), dtype=np.bool_)

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        return cast(ChoiceMechanism, self.question.mechanism).likelihood(reports)


@dataclass(frozen=True, slots=True)
class _Selections(Answers):
    """Any set of at most `max_selected` options."""

    @property
    def n_ways(self) -> int:
        return sum(comb(len(self.question.labels), size) for size in range(self._most + 1))

    @property
    def members(self) -> NDArray[np.bool_]:
        n = len(self.question.labels)
        sets = [chosen for size in range(self._most + 1) for chosen in combinations(range(n), size)]
        found = np.zeros((len(sets), n), np.bool_)
        for row, chosen in zip(found, sets, strict=True):
            row[list(chosen)] = True
        return found

    @property
    def _most(self) -> int:
        return cast(BitFlips | PaddedSubset, self.question.mechanism).max_selected


class SelectedBits(_Selections):
    """Reported by a bit of each option, whose noise is its own."""

    __slots__ = ()

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        mechanism, members = cast(BitFlips, self.question.mechanism), self.members
        bits = np.unpackbits(reports, axis=1, count=mechanism.n_values, bitorder="little").astype(np.float64)
        if_one = np.where(members, mechanism.prob_support_if_true, mechanism.prob_support_if_other).T
        logarithms = bits @ np.log(if_one) + (1 - bits) @ np.log1p(-if_one)
        found: Floats = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
        return found


class SelectedSets(_Selections):
    """Reported as one set of options and blanks, which has some of the padded answer, or none."""

    __slots__ = ()

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        mechanism, members = cast(PaddedSubset, self.question.mechanism), self.members
        n_blanks = mechanism.max_selected - members.sum(axis=1, keepdims=True)
        padded = np.concatenate([members, np.arange(mechanism.max_selected) < n_blanks], axis=1)
        bits = np.unpackbits(reports, axis=1, count=mechanism.n_members, bitorder="little")
        has_any = bits.astype(np.float64) @ padded.T > 0
        of_any, of_none = mechanism.truth / (1 - mechanism.missing), (1 - mechanism.truth) / mechanism.missing
        return np.where(has_any, float(of_any), float(of_none))


def different_reports(
    source: Source, chosen: Selection, ids: Collection[str]
) -> dict[str, tuple[Bytes, NDArray[np.int64]]]:
    """Return the different reports to each of some questions, and how often each was made, of those that answer it.

    The source is read once, a batch at a time: memory grows with how many reports differ, and not with their number.
    Raises SourceError, FetchError where the source has no packed reports.
    """
    found: dict[str, tuple[Bytes, NDArray[np.int64]]] = {}
    for survey, records in source.batches(chosen):
        for question, reports in survey.layout.cut(chosen.of(survey, records)):
            if question.id in ids and len(reports):
                before, n_before = found.get(question.id, (reports[:0], np.zeros(0, np.int64)))
                counts = np.concatenate([n_before, np.ones(len(reports), np.int64)])
                found[question.id] = _added_up(np.concatenate([before, reports]), counts)
    return found


def _added_up(reports: Bytes, counts: NDArray[np.int64]) -> tuple[Bytes, NDArray[np.int64]]:
    """Return each of some reports once, with the sum of its counts."""
    reports = np.ascontiguousarray(reports)
    keys = reports.view(np.dtype((np.void, reports.shape[1]))).ravel()
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return reports[first], np.bincount(place, weights=counts).astype(np.int64)
