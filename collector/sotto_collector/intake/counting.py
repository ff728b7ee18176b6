"""Counting: what a transaction does with checked reports, many requests' at once."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotto_collector.errors import InvitationError, SurveyClosedError
from sotto_collector.store import StoredSurvey
from sotto_collector.store.transaction import Transaction
from sotto_protocol import Survey, Tally
from sotto_protocol.report import REPORT_ID_BYTES


@dataclass(frozen=True, slots=True)
class Batch:
    """Checked reports of one request: `ids`, 16 bytes each, joined; `records`, shape (n, record_bytes).

    `invitations`: the hash of each report's, in an invited survey.
    """

    stored: StoredSurvey
    ids: bytes
    records: NDArray[np.uint8]
    invitations: tuple[bytes, ...] = ()

    def __len__(self) -> int:
        return len(self.records)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a batch: `n_counted` are new, `n_duplicates` were counted before (or stand in it twice).

    `n_conflicting` of the duplicates came with other bits than the first, which stays; in a survey that keeps counts
    alone nobody knows the first one's, and all are taken for repeats.
    """

    n_counted: int
    n_duplicates: int
    n_conflicting: int = 0


def count_batches(transaction: Transaction, batches: list[Batch]) -> list[Outcome | Exception]:
    """Insert new reports and add them to their tallies; return what becomes of each batch if this commits."""
    results: list[Outcome | Exception] = [Outcome(0, len(batch)) for batch in batches]
    by_survey: dict[int, list[int]] = defaultdict(list)
    for index, batch in enumerate(batches):
        by_survey[batch.stored.key].append(index)
    for key, indices in sorted(by_survey.items()):
        of_survey = [batches[index] for index in indices]
        is_invited = of_survey[0].stored.survey.invited
        # Alone: each batch by itself is all or nothing, so the group's rows cannot be taken in one order for all.
        if not transaction.lock_survey(key, alone=is_invited):
            outcomes = [_acknowledge(transaction, batch) for batch in of_survey]
        elif is_invited:
            outcomes = [_count_invited(transaction, batch) for batch in of_survey]
        else:
            outcomes = [*_count_open(transaction, of_survey)]
        for index, outcome in zip(indices, outcomes, strict=True):
            results[index] = outcome
    return results


def _acknowledge(transaction: Transaction, batch: Batch) -> Outcome | Exception:
    """Return what becomes of a closed survey's batch: if all of it was counted before, it is acknowledged even then."""
    ids = np.frombuffer(batch.ids, f"V{REPORT_ID_BYTES}")
    known = transaction.find(batch.stored.key, ids)
    if len(known) == len(batch):
        sent = [record.tobytes() for record in batch.records]
        n_conflicting = sum(packed not in (b"", sent[index]) for index, packed in known.items())
        return Outcome(0, len(batch), n_conflicting)
    return SurveyClosedError("the survey takes no more reports.")


def _count_open(transaction: Transaction, batches: list[Batch]) -> list[Outcome]:
    """Count batches of one survey together."""
    merged = merge(batches)
    inserted, n_conflicting = merged.insert(transaction)
    _add_to_tallies(transaction, merged.stored, merged.records[inserted])
    n_counted = np.bincount(merged.owner[inserted], minlength=len(batches)).tolist()
    return [
        Outcome(counted, len(batch) - counted, conflicting)
        for batch, counted, conflicting in zip(batches, n_counted, n_conflicting, strict=True)
    ]


def _count_invited(transaction: Transaction, batch: Batch) -> Outcome | Exception:
    """Count a batch whose new reports each use up an invitation; all of it or nothing."""
    merged = merge([batch])
    with transaction.connection.begin_nested() as whole:
        inserted, n_conflicting = merged.insert(transaction)
        waves = batch.stored.survey.waves_of(batch.records).tolist()
        for index in inserted.tolist():
            if not transaction.redeem(batch.stored.key, batch.invitations[index], waves[index]):
                whole.rollback()
                return InvitationError(index)
        _add_to_tallies(transaction, batch.stored, batch.records[inserted])
    return Outcome(len(inserted), len(batch) - len(inserted), n_conflicting[0])


def _add_to_tallies(transaction: Transaction, stored: StoredSurvey, records: NDArray[np.uint8]) -> None:
    for wave, of_wave in _split_waves(stored.survey, records):
        transaction.add_to_tally(stored.key, wave, len(of_wave), Tally.of(stored.survey, of_wave).pack())


@dataclass(frozen=True, slots=True)
class Merged:
    """Batches of one survey, joined: `owner` says which batch a report is of."""

    stored: StoredSurvey
    ids: bytes
    records: NDArray[np.uint8]
    owner: NDArray[np.intp]

    def insert(self, transaction: Transaction) -> tuple[NDArray[np.intp], list[int]]:
        """Insert what is new; return where it stands, and how many reports of each batch differ from their first."""
        first = _sort_unique(self.ids)
        ids = np.frombuffer(self.ids, f"V{REPORT_ID_BYTES}")
        keeps_reports = self.stored.survey.keeps_reports
        kept = self.records[first] if keeps_reports else np.empty((len(first), 0), np.uint8)
        is_new = transaction.insert_new(self.stored.key, ids[first], kept)
        inserted = first[is_new]
        n_conflicting = [0] * (int(self.owner.max()) + 1)
        if keeps_reports and len(inserted) < len(ids):
            for index in self._conflicting(transaction, first, is_new):
                n_conflicting[self.owner[index]] += 1
        return inserted, n_conflicting

    def _conflicting(
        self, transaction: Transaction, first: NDArray[np.intp], is_new: NDArray[np.bool_]
    ) -> Iterator[int]:
        """Yield the reports whose id is stored with other bits; of an erased one nobody knows."""
        ids = np.frombuffer(self.ids, f"V{REPORT_ID_BYTES}")
        known = transaction.find(self.stored.key, ids[first[~is_new]])
        stays = {ids[first[~is_new][place]].tobytes(): packed for place, packed in known.items()}
        stays |= {ids[place].tobytes(): self.records[place].tobytes() for place in first[is_new].tolist()}
        for index, report_id in enumerate(map(bytes, ids)):
            if stays[report_id] not in (b"", self.records[index].tobytes()):
                yield index


def merge(batches: list[Batch]) -> Merged:
    """Join batches of one survey."""
    owner = np.repeat(np.arange(len(batches)), [len(batch) for batch in batches])
    joined = b"".join(batch.ids for batch in batches)
    return Merged(batches[0].stored, joined, np.concatenate([batch.records for batch in batches]), owner)


def _split_waves(survey: Survey, records: NDArray[np.uint8]) -> list[tuple[int, NDArray[np.uint8]]]:
    """Return the waves among packed reports, and each one's reports."""
    if survey.waves == 1:
        return [(1, records)] if len(records) else []
    waves = survey.waves_of(records)
    return [(wave, records[waves == wave]) for wave in np.unique(waves).tolist()]


def _sort_unique(joined_ids: bytes) -> NDArray[np.intp]:
    """Return the positions of the different ids, in the ids' order; of equal ones the first.

    >>> _sort_unique(b"b" * 16 + b"a" * 16 + b"b" * 16)
    array([1, 0])
    """
    halves = np.frombuffer(joined_ids, ">u8").reshape(-1, 2).astype(np.uint64)
    order = np.lexsort((halves[:, 1], halves[:, 0]))  # stable
    ordered = halves[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return order[is_first]
