"""Counts at rest take as few bytes as hold the largest of them, and come back as they were."""

import numpy as np
import pytest

from sotto_collector.store.transaction import pack_counts, unpack_row


@pytest.mark.parametrize(
    ("largest", "width"),
    [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4), (2**32 - 1, 4), (2**32, 8), (2**62, 8)],
)
def test_each_count_takes_as_many_bytes_as_the_largest_needs(largest: int, width: int) -> None:
    counts = np.array([0, 1, largest, 7], np.int64)
    stored = pack_counts(counts)
    assert len(stored) == 1 + 4 * width
    read = unpack_row(3, 9, stored)
    assert read.counts.tolist() == counts.tolist()
    assert read.counts.dtype == np.int64


def test_a_shard_below_zero_and_one_of_nothing_come_back() -> None:
    """A process's shard may be, after a report that another has counted was erased."""
    for counts in ([-1, 300], []):
        assert unpack_row(1, 0, pack_counts(np.array(counts, np.int64))).counts.tolist() == counts
