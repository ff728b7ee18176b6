"""Candidates are read strictly, and hashed as devices hash, a block at a time."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from hypothesis import given, strategies as st

from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.strings import candidates
from sotto_estimator.strings.candidates import CandidateMap, read_candidates, read_strings
from sotto_protocol.mechanisms.bloom.hash import BloomDesign, bloom_bits, bloom_map, google_map
from sotto_protocol.text import is_answer, normalise

DESIGN = BloomDesign(32, 2, 8)
FRUIT = ("apple", "pear", "quince", "grüße", "🍐")


def write(folder: Path, content: bytes) -> Path:
    path = folder / "list.txt"
    path.write_bytes(content)
    return path


def test_candidates_set_the_bits_that_a_device_sets() -> None:
    bits = CandidateMap.of(FRUIT, DESIGN).bits(0, len(FRUIT))
    assert bits.dtype == np.uint16
    for index, fruit in enumerate(FRUIT):
        for cohort in range(DESIGN.n_cohorts):
            assert tuple(bits[index, cohort]) == bloom_bits(DESIGN, cohort, fruit.encode())


def test_the_compatibility_hash_is_googles() -> None:
    bits = CandidateMap.of(FRUIT, DESIGN, "google").bits(0, 99)
    assert (bits == google_map(DESIGN, [fruit.encode() for fruit in FRUIT])).all()
    assert (bits != CandidateMap.of(FRUIT, DESIGN).bits(0, 99)).any()


@pytest.mark.parametrize("max_kept", [0, 2**24])
def test_blocks_are_slices_of_the_whole_map_whether_it_is_kept_or_not(
    max_kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "_MAX_KEPT", max_kept)
    monkeypatch.setattr(candidates, "_HASH_STEP", 3)
    strings = [f"v{number}" for number in range(20)]
    whole = bloom_map(DESIGN, [text.encode() for text in strings])
    mapped = CandidateMap.of(strings, DESIGN)
    assert len(mapped) == 20
    for start, stop in [(0, 20), (0, 1), (5, 12), (17, 99), (20, 20)]:
        block = mapped.bits(start, stop)
        assert block.dtype == np.uint16
        assert block.shape == (min(stop, 20) - start, 8, 2)
        assert (block == whole[start:stop]).all()


def test_a_large_map_is_not_kept() -> None:
    design = BloomDesign(128, 2, 1024)
    strings = [f"v{number}" for number in range(20_000)]  # 82 MB as a whole
    tracemalloc.start()
    try:
        block = CandidateMap.of(strings, design).bits(19_000, 20_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert block.shape == (1000, 1024, 2)
    assert peak < 30e6


def test_a_given_map_is_taken_as_it_is_and_cannot_be_changed() -> None:
    bits = np.arange(32, dtype=np.uint16).reshape(2, 8, 2)
    mapped = CandidateMap.given(["a", "b"], DESIGN, bits)
    bits[0] = 0
    assert mapped.bits(0, 2).ravel().tolist() == list(range(32))
    with pytest.raises(ValueError, match="read-only"):
        mapped.bits(0, 2)[0] = 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CandidateMap.of([], DESIGN), "must not be empty"),
        (lambda: CandidateMap.of(["a", "a"], DESIGN), "must differ"),
        (lambda: CandidateMap.of(["a"], DESIGN, "md5"), r"hash \('md5'\) must be one of"),
        (lambda: CandidateMap.given(["a"], DESIGN, np.zeros((1, 2, 8), np.uint16)), r"integers of shape \(1, 8, 2\)"),
        (lambda: CandidateMap.given(["a"], DESIGN, np.zeros((1, 8, 2))), "must be integers"),
        (lambda: CandidateMap.given(["a"], DESIGN, np.full((1, 8, 2), 32)), r"bits must be in \[0, 31\]"),
        (lambda: CandidateMap.given(["a"], DESIGN, np.full((1, 8, 2), -1)), r"bits must be in \[0, 31\]"),
    ],
)
def test_a_map_that_cannot_be_is_refused(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DomainError, match=message):
        make()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"apple\npear\n", ("apple", "pear")),
        (b"apple\npear", ("apple", "pear")),
        (b"apple\r\npear\r\n", ("apple", "pear")),
        (b"\xef\xbb\xbfapple\npear", ("apple", "pear")),
        ("e\u0301te\u0301\n".encode(), ("\u00e9t\u00e9",)),
        (b"one, two\n two\t\n", ("one, two", "two")),
        (('"' + 199 * "é" + "\r\n").encode(), ('"' + 199 * "é",)),
        ((200 * "🍐" + "\r\n").encode(), (200 * "🍐",)),
        ((120 * "\u1112\u1161\u11ab" + "\n").encode(), (120 * "\ud55c",)),
    ],
)
def test_a_line_is_a_candidate(tmp_path: Path, content: bytes, expected: tuple[str, ...]) -> None:
    assert read_candidates(write(tmp_path, content)) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no candidates"),
        (b"\xef\xbb\xbf", "line 1: is empty."),
        (b"apple\npear\napple\n", "line 3: 'apple' is already on line 1."),
        ("\u00e9\npear\ne\u0301".encode(), "line 3: 'é' is already on line 1."),
        (b"apple\n\npear\n", "line 2: is empty."),
        (b"apple\n\n", "line 2: is empty."),
        (b"\r\npear\r\n", "line 1: is empty."),
        (b"apple\n" + 201 * b"x" + b"\n", "accents newer than Unicode 13 (too long: 201 of 200)."),
        (b"apple\n" + 100_000 * b"x", "line 2: has more than 3202 bytes."),
        (801 * "🍐".encode(), "line 1: has more than 3202 bytes."),
        (201 * "🍐".encode(), "(too long: 201 of 200)"),
        (b"apple\npe\xe4r\n", "line 2: byte 3 is not UTF-8."),
        ("apple\n".encode("utf-16"), "line 1: byte 1 is not UTF-8."),
        (b"apple\npe\x00ar\n", "line 2: must be a text of 1 to 200 characters without control characters"),
        (b"apple\rpear\r", "line 1: must be a text"),
        ("pe\u2028ar\n".encode(), "line 1: must be a text"),
        ("pe\u202ear\n".encode(), "line 1: must be a text"),
        (b"\xed\xa0\x80\n", "line 1: byte 1 is not UTF-8."),
    ],
)
def test_a_bad_file_is_refused_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_candidates(write(tmp_path, content))
    assert message in str(caught.value)
    assert "list.txt" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("e\u0301te\u0301\n\u00e9t\u00e9\n".encode(), ("e\u0301te\u0301", "\u00e9t\u00e9")),
        (b"a\tb\r\npe\x00ar\n", ("a\tb", "pe\x00ar")),
        ("pe\u202ear".encode(), ("pe\u202ear",)),
        (5000 * b"x", (5000 * "x",)),
    ],
)
def test_strings_of_another_hash_are_taken_as_they_stand(
    tmp_path: Path, content: bytes, expected: tuple[str, ...]
) -> None:
    assert read_strings(write(tmp_path, content)) == expected
    assert read_strings(write(tmp_path, b"n\n" + content), "n") == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no candidates"),
        (b"apple\n\n", "line 2: is empty."),
        (b"apple\napple\n", "line 2: 'apple' is already on line 1."),
        (b"pe\xe4r\n", "line 1: byte 3 is not UTF-8."),
        (200_000 * b"x", "line 1: has more than 131072 bytes."),
    ],
)
def test_a_bad_file_of_such_strings_is_refused_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        read_strings(write(tmp_path, content))


def test_a_file_that_is_missing_or_a_folder_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none\.txt cannot be read: No such file"):
        read_candidates(tmp_path / "none.txt")
    with pytest.raises(SourceError, match="is a folder, not a list in plain text"):
        read_candidates(tmp_path)


def test_too_many_candidates_and_too_many_bytes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, b"a\nb\nc\n")
    monkeypatch.setattr(candidates, "MAX_CANDIDATES", 3)
    assert len(read_candidates(path)) == 3
    monkeypatch.setattr(candidates, "MAX_CANDIDATES", 2)
    with pytest.raises(SourceError, match="line 3: there must be at most 2 candidates"):
        read_candidates(path)
    monkeypatch.setattr(candidates, "MAX_FILE_BYTES", 5)
    with pytest.raises(SourceError, match="must have at most 5 bytes"):
        read_candidates(path)


def test_a_column_of_a_csv_file_is_read_by_its_name(tmp_path: Path) -> None:
    path = write(tmp_path, '\ufeffname,n\r\n"one, ""two""",3\r\npear,"4\r\n5"\r\nquince,6'.encode())
    assert read_candidates(path, "name") == ('one, "two"', "pear", "quince")
    assert read_candidates(path.rename(tmp_path / "b.csv"), "name")[1] == "pear"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty: there is nothing to read."),
        (b"n,m\n1,2\n", "has no column 'name'; it has 'n', 'm'."),
        (b"name,name\n1,2\n", "has 2 columns named 'name'"),
        (b"name,n\n", "has no candidates"),
        (b"name,n\npear,1\npear,2\n", "line 3: 'pear' is already on line 2."),
        (b"name,n\npear\n", "line 2: has 1 columns, the first line 2."),
        (b"name,n\npear,1\n\n", "line 3: has 0 columns, the first line 2."),
        (b"name,n\n,1\n", "line 2: is empty."),
        (b'name,n\n"pe\nar",1\n', "line 3: must be a text"),
        (b'name,n\n"pear,1\n', "line 2 is not CSV"),
        (b'name,n\n"pear"s,1\n', "line 2 is not CSV"),
        (b"name,n\npear," + 200_000 * b"x", "line 2: has more than 131072 bytes."),
        (b"name,n\npe\xffr,1\n", "line 2: byte 3 is not UTF-8."),
    ],
)
def test_a_bad_csv_file_is_refused_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_candidates(write(tmp_path, content), "name")
    assert message in str(caught.value)


@given(st.binary(max_size=60))
def test_whatever_a_file_holds_is_candidates_that_can_be_answers_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = write(tmp_path_factory.getbasetemp(), content)
    try:
        strings = read_candidates(path)
    except SourceError as fault:
        assert str(path) in str(fault)  # noqa: PT017  # which of the two happens is not known
    else:
        assert len(set(strings)) == len(strings) > 0
        assert all(is_answer(text) and normalise(text) == text for text in strings)


@pytest.mark.parametrize("write", [pd.DataFrame.to_parquet, pd.DataFrame.to_feather, pyreadstat.write_sav])
def test_candidates_may_be_a_column_of_any_table(tmp_path: Path, write: Callable[..., object]) -> None:
    frame = pd.DataFrame({"name": ["Oak", "elm", "NA"], "more": ["ash", "fir", "ash"], "none": ["ash", "", "fir"]})
    write(frame, str(tmp_path / "list.csv"))
    assert read_candidates(tmp_path / "list.csv", "name") == ("Oak", "elm", "NA")
    with pytest.raises(SourceError, match="line 4: 'ash' is already on line 2"):
        read_candidates(tmp_path / "list.csv", "more")
    with pytest.raises(SourceError, match="line 3: "):
        read_candidates(tmp_path / "list.csv", "none")
    with pytest.raises(SourceError, match=r"list\.csv: has no column 'nmae'\. Did you mean name\?$"):
        read_candidates(tmp_path / "list.csv", "nmae")
