"""Counting ones: what unpacking every bit counts, at any width and for any groups."""

import os

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sotto_protocol.mechanisms.ones import count_ones, count_ones_by_group, cut_bytes


def rows_of(n_rows: int, width: int) -> np.ndarray:
    return np.frombuffer(os.urandom(n_rows * width), np.uint8).reshape(n_rows, width)


def unpacked(rows: np.ndarray) -> np.ndarray:
    return np.unpackbits(rows, axis=1, bitorder="little").sum(axis=0, dtype=np.int64)


@pytest.mark.parametrize("width", [1, 3, 8, 16, 17])
@pytest.mark.parametrize("n_rows", [0, 1, 15, 16, 17, 2047, 2048, 2049, 2**14 + 55, 2**16 - 1, 2**16, 2**17 + 9])
def test_ones_are_those_that_unpacking_counts(n_rows: int, width: int) -> None:
    rows = rows_of(n_rows, width)
    assert count_ones(rows).tolist() == unpacked(rows).tolist()


@pytest.mark.parametrize("byte", [0x00, 0xFF])
def test_all_and_none_are_counted(byte: int) -> None:
    rows = np.full((70_000, 5), byte, np.uint8)
    assert count_ones(rows).tolist() == [70_000 if byte else 0] * 40


@given(
    st.integers(1, 4).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(0, n - 1), max_size=60))),
    st.integers(1, 3000),
    st.booleans(),
)
def test_groups_are_counted_apart_sorted_or_not(drawn: tuple[int, list[int]], repeats: int, is_sorted: bool) -> None:
    n_groups, few = drawn
    groups = np.repeat(np.array(sorted(few) if is_sorted else few, np.intp), repeats)
    rows = np.random.default_rng(repeats).integers(0, 256, (len(groups), 3), np.uint8)
    counts = count_ones_by_group(rows, groups, n_groups)
    assert counts.tolist() == [unpacked(rows[groups == group]).tolist() for group in range(n_groups)]


def test_a_cut_of_rows_that_are_no_whole_array_is_their_columns() -> None:
    rows = rows_of(100, 20)[::3, 2:19]
    assert np.array_equal(cut_bytes(rows, 3, 5), rows[:, 3:8])
    assert cut_bytes(rows[:0], 3, 5).shape == (0, 5)
