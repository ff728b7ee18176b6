"""Counting: what a transaction does with checked reports, many requests' at once."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sotto_collector.day import is_over, refuse_report
from sotto_collector.errors import InvitationError
from sotto_collector.store import StoredSurvey
from sotto_collector.store.transaction import Transaction
from sotto_protocol import Tally
from sotto_protocol.record import STRATUM, WAVE
from sotto_protocol.report import REPORT_ID_BYTES


@dataclass(frozen=True, slots=True)
class Batch:
    """Checked reports of one request: `ids`, 16 bytes each, joined; `records`, shape (n, layout.n_bytes).

    `invitations`: the hash of each report's, where they come with invitations. Tokens were checked, and are not here.
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


@dataclass(frozen=True, slots=True)
class Merged:
    """Batches of one survey, joined: `owner` says which batch a report is of.

    `first`: the places of the different ids, in the ids' order; of equal ones the first. `tallies`: by cell, of the
    reports there. They are counted before a transaction begins, which is not to wait for that; in it, what turns out to
    be stored already is taken out.
    """

    stored: StoredSurvey
    ids: bytes
    records: NDArray[np.uint8]
    owner: NDArray[np.intp]
    first: NDArray[np.intp]
    tallies: dict[int, Tally]

    def insert(self, transaction: Transaction) -> tuple[NDArray[np.bool_], list[int]]:
        """Insert what is new; return which of `first` is, and of each batch the number of conflicting reports."""
        ids = np.frombuffer(self.ids, f"V{REPORT_ID_BYTES}")
        keeps_reports = self.stored.survey.keeps_reports
        kept = self.records[self.first] if keeps_reports else np.empty((len(self.first), 0), np.uint8)
        is_new = transaction.insert_new(self.stored.key, ids[self.first], kept)
        n_conflicting = [0] * (int(self.owner.max()) + 1)
        if keeps_reports and is_new.sum() < len(ids):
            for index in self._conflicting(transaction, is_new):
                n_conflicting[self.owner[index]] += 1
        return is_new, n_conflicting

    def tally_new(self, is_new: NDArray[np.bool_]) -> dict[int, Tally]:
        """Return the tallies of those of `first` that are new, by cell; only what differs from `tallies` is counted."""
        if is_new.all():
            return self.tallies
        if 2 * is_new.sum() <= len(is_new):
            return Tally.by_cell(self.stored.survey, self.records[self.first[is_new]])
        known = Tally.by_cell(self.stored.survey, self.records[self.first[~is_new]])
        left = {cell: tally - known[cell] if cell in known else tally for cell, tally in self.tallies.items()}
        return {cell: tally for cell, tally in left.items() if tally.n_reports}

    def _conflicting(self, transaction: Transaction, is_new: NDArray[np.bool_]) -> Iterator[int]:
        """Yield the reports whose id is stored with other bits; those of an erased one are not known."""
        ids = np.frombuffer(self.ids, f"V{REPORT_ID_BYTES}")
        old = ids[self.first[~is_new]]
        known = transaction.find(self.stored.key, old)
        stays = {old[place].tobytes(): packed for place, packed in known.items()}
        stays |= {ids[place].tobytes(): self.records[place].tobytes() for place in self.first[is_new].tolist()}
        for index, report_id in enumerate(map(bytes, ids)):
            if stays[report_id] not in (b"", self.records[index].tobytes()):
                yield index


def merge(batches: list[Batch]) -> Merged:
    """Join batches of one survey, and count them."""
    owner = np.repeat(np.arange(len(batches)), [len(batch) for batch in batches])
    joined = b"".join(batch.ids for batch in batches)
    records, first = np.concatenate([batch.records for batch in batches]), _sort_unique(joined)
    tallies = Tally.by_cell(batches[0].stored.survey, records[first])
    return Merged(batches[0].stored, joined, records, owner, first, tallies)


@dataclass(frozen=True, slots=True)
class Prepared:
    """One survey's batches of a group, and their `places` in it, ready for a transaction.

    `parts`: where reports use invitations up each batch by itself, as it is all or nothing; else one, of all. Where the
    invitations say the stratum none: it is read in the transaction.
    """

    places: list[int]
    batches: list[Batch]
    parts: list[Merged]


def prepare_batches(batches: list[Batch]) -> list[Prepared]:
    """Do for a group of batches all that needs no transaction; the surveys come in the order of their keys."""
    by_survey: dict[int, list[int]] = defaultdict(list)
    for place, batch in enumerate(batches):
        by_survey[batch.stored.key].append(place)
    prepared = []
    for _, places in sorted(by_survey.items()):
        of_survey = [batches[place] for place in places]
        survey = of_survey[0].stored.survey
        parts = [[batch] for batch in of_survey if not survey.strata] if survey.spends_invitations else [of_survey]
        prepared.append(Prepared(places, of_survey, [merge(part) for part in parts]))
    return prepared


def count_batches(transaction: Transaction, group: list[Prepared]) -> list[Outcome | Exception]:
    """Insert new reports and add them to their tallies; return what becomes of each batch if this commits."""
    results: dict[int, Outcome | Exception] = {}
    for prepared in group:
        stored = prepared.batches[0].stored
        outcomes: list[Outcome | Exception]
        # Alone: each batch by itself is all or nothing, so the group's rows cannot be taken in one order for all.
        is_open = transaction.lock_survey(stored.key, alone=stored.survey.spends_invitations)
        if not is_open or is_over(stored.survey, transaction.today()):
            outcomes = [_acknowledge(transaction, batch) for batch in prepared.batches]
        elif not stored.survey.spends_invitations:
            outcomes = [*_count_open(transaction, prepared.batches, prepared.parts[0])]
        elif stored.survey.strata:
            outcomes = [_count_stratified(transaction, batch) for batch in prepared.batches]
        else:
            both = zip(prepared.batches, prepared.parts, strict=True)
            outcomes = [_count_invited(transaction, batch, merged) for batch, merged in both]
        results |= zip(prepared.places, outcomes, strict=True)
    return [results[place] for place in sorted(results)]


def _acknowledge(transaction: Transaction, batch: Batch) -> Outcome | Exception:
    """Return what becomes of a closed survey's batch: if all of it was counted before, it is acknowledged even then."""
    ids = np.frombuffer(batch.ids, f"V{REPORT_ID_BYTES}")
    known = transaction.find(batch.stored.key, ids)
    if len(known) == len(batch):
        sent = [record.tobytes() for record in _in_strata(batch, _find_strata(transaction, batch)).records]
        n_conflicting = sum(packed not in (b"", sent[index]) for index, packed in known.items())
        return Outcome(0, len(batch), n_conflicting)
    return refuse_report(batch.stored.survey, transaction.today())


def _count_open(transaction: Transaction, batches: list[Batch], merged: Merged) -> list[Outcome]:
    """Count batches of one survey together."""
    is_new, n_conflicting = merged.insert(transaction)
    _add_to_tallies(transaction, merged, is_new)
    n_counted = np.bincount(merged.owner[merged.first[is_new]], minlength=len(batches)).tolist()
    return [
        Outcome(counted, len(batch) - counted, conflicting)
        for batch, counted, conflicting in zip(batches, n_counted, n_conflicting, strict=True)
    ]


def _count_invited(transaction: Transaction, batch: Batch, merged: Merged) -> Outcome | Exception:
    """Count a batch whose new reports each use up an invitation; all of it or nothing."""
    with transaction.connection.begin_nested() as whole:
        is_new, n_conflicting = merged.insert(transaction)
        inserted = merged.first[is_new].tolist()
        survey = batch.stored.survey
        waves, n_stay = survey.layout.numbers(batch.records, WAVE).tolist(), survey.waves - survey.max_reports
        for index in inserted:
            if not transaction.redeem(batch.stored.key, batch.invitations[index], waves[index], n_stay):
                whole.rollback()
                return InvitationError(index)
        _add_to_tallies(transaction, merged, is_new)
    return Outcome(len(inserted), len(batch) - len(inserted), n_conflicting[0])


def _count_stratified(transaction: Transaction, batch: Batch) -> Outcome | Exception:
    """Count an invited batch, each report in the stratum of its invitation; all of it or nothing."""
    strata = _find_strata(transaction, batch)
    if not all(strata):
        return InvitationError(strata.index(0))
    placed = _in_strata(batch, strata)
    return _count_invited(transaction, placed, merge([placed]))


def _in_strata(batch: Batch, strata: list[int]) -> Batch:
    """Return a batch with the stratum in every record, where its survey has strata, and no token has said it."""
    survey = batch.stored.survey
    is_said = survey.is_blind or not survey.strata
    return batch if is_said else replace(batch, records=survey.layout.put(batch.records, STRATUM, strata))


def _find_strata(transaction: Transaction, batch: Batch) -> list[int]:
    """Return the stratum of every report: a stored one's own, else that of its invitation; 0 where it has none.

    Of a stored report that is not kept nobody knows it, and nothing is counted by it: it is 1. Where an id stands in
    the batch again its stratum is the first one's, and its own invitation is not asked: it is a repeat.
    """
    layout, key = batch.stored.survey.layout, batch.stored.key
    if batch.stored.survey.is_blind or not batch.stored.survey.strata:
        return [1] * len(batch)
    of_invitations = transaction.find_strata(key, batch.invitations)
    strata = [of_invitations.get(code, 0) for code in batch.invitations]
    ids = np.frombuffer(batch.ids, f"V{REPORT_ID_BYTES}")
    for place, packed in transaction.find(key, ids).items():
        stored = np.frombuffer(packed, np.uint8).reshape(-1, layout.n_bytes)
        strata[place] = int(layout.numbers(stored, STRATUM)[0]) if packed else 1
    first: dict[bytes, int] = {}
    return [first.setdefault(report_id, of) for report_id, of in zip(map(bytes, ids), strata, strict=True)]


def _add_to_tallies(transaction: Transaction, merged: Merged, is_new: NDArray[np.bool_]) -> None:
    for cell, tally in merged.tally_new(is_new).items():
        transaction.add_to_tally(merged.stored.key, cell, tally.pack())


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
