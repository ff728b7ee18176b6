"""The strings whose shares are asked for, and the bits that each would set: hashed block by block."""

import codecs
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, Self

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.errors import DomainError, SourceError, one_of
from sotto_estimator.sources.kinds import check_plain
from sotto_estimator.sources.source import open_table
from sotto_estimator.table.lines import read_csv_lines
from sotto_estimator.table.rows import check_column, read_cells
from sotto_protocol.mechanisms.bloom.hash import BloomDesign, bloom_map, google_map
from sotto_protocol.text import MAX_TYPED_CHARACTERS, expected_of, is_answer, normalise

Bits = NDArray[np.uint16]
Hash = Literal["sottovoce", "google"]

MAX_CANDIDATES = 2_000_000
MAX_FILE_BYTES = 2**28
_MAX_KEPT = 2**24  # numbers of 2 bytes: a map of 65,000 strings in 128 cohorts of 2 hashes is kept
_HASH_STEP = 2**12  # strings hashed at once: their digests are a few megabytes
_HASHES: dict[Hash, Callable[[BloomDesign, Sequence[bytes]], Bits]] = {"sottovoce": bloom_map, "google": google_map}
_MAX_LINE_BYTES = 4 * MAX_TYPED_CHARACTERS + len("\r\n")
_MAX_RECORD_BYTES = 2**17  # of a CSV line: of all its columns


@dataclass(frozen=True, slots=True)
class CandidateMap:
    """Different strings, and which bits each sets in each cohort: made by `of` or `given`."""

    strings: tuple[str, ...]
    design: BloomDesign
    _make: Callable[[int, int], Bits]

    def __post_init__(self) -> None:
        if not self.strings:
            raise DomainError("strings must not be empty: give the texts to look for.")
        if len(set(self.strings)) < len(self.strings):
            raise DomainError("strings must differ from one another.")

    @classmethod
    def of(cls, strings: Iterable[str], design: BloomDesign, hash: Hash = "sottovoce") -> Self:
        """Hash strings as they stand. A large map is hashed anew whenever a block of it is asked for.

        `hash`: "sottovoce", that of surveys, whose answers are in normal form C, or "google", that of google/rappor's
        clients. Raises DomainError for other names, and where strings are missing or repeated.
        """
        if hash not in _HASHES:
            raise DomainError(f"hash ({hash!r}) {one_of(_HASHES, hash)}")
        candidates, hasher = tuple(strings), _HASHES[hash]

        def make(start: int, stop: int) -> Bits:
            blocks = [
                hasher(design, [text.encode() for text in candidates[first : min(first + _HASH_STEP, stop)]])
                for first in range(start, stop, _HASH_STEP)
            ]
            return np.concatenate(blocks) if blocks else _no_bits(design)

        hashed = cls(candidates, design, make)
        if len(candidates) * design.n_cohorts * design.n_hashes > _MAX_KEPT:
            return hashed
        return cls.given(candidates, design, hashed.bits(0, len(candidates)))

    @classmethod
    def given(cls, strings: Iterable[str], design: BloomDesign, bits: Bits) -> Self:
        """Take a map as it is: bit numbers in [0, n_bits), shape (n_strings, n_cohorts, n_hashes).

        Raises DomainError for other shapes and numbers, and where strings are missing or repeated.
        """
        candidates = tuple(strings)
        shape = (len(candidates), design.n_cohorts, design.n_hashes)
        if bits.shape != shape or bits.dtype.kind not in "iu":
            raise DomainError(f"bits (of shape {bits.shape}) must be integers of shape {shape}.")
        if bits.size and not 0 <= bits.min() <= bits.max() < design.n_bits:
            raise DomainError(f"bits must be in [0, {design.n_bits - 1}].")
        kept = bits.astype(np.uint16)
        kept.setflags(write=False)
        return cls(candidates, design, lambda start, stop: kept[start:stop])

    def bits(self, start: int, stop: int) -> Bits:
        """Return the bit numbers of the strings from start to before stop, shape (n, n_cohorts, n_hashes)."""
        return self._make(start, min(stop, len(self.strings)))

    def __len__(self) -> int:
        return len(self.strings)


def read_candidates(path: Path, column: str | None = None) -> tuple[str, ...]:
    """Read candidates as answers count: one a line of a UTF-8 file, or a CSV file's column of this name.

    Raises SourceError, which names the file and the line, for what cannot be an answer, for repeats, and for more than
    2,000,000 candidates or 256 MiB.
    """
    return _read_distinct(path, column, _MAX_LINE_BYTES, _as_answer)


def read_strings(path: Path, column: str | None = None) -> tuple[str, ...]:
    """Read candidates as they stand, for google/rappor's hash, which is of their bytes and knows no rules for answers.

    Raises SourceError as `read_candidates`, but takes whatever is UTF-8 and not empty, up to 128 KiB a line.
    """
    return _read_distinct(path, column, _MAX_RECORD_BYTES, _as_it_stands)


def _read_distinct(
    path: Path, column: str | None, max_line_bytes: int, read: Callable[[Path, int, str], str]
) -> tuple[str, ...]:
    lines: dict[str, int] = {}
    if column is None:
        check_plain(path)
    for number, text in _read_lines(path, max_line_bytes) if column is None else _read_column(path, column):
        candidate = read(path, number, text)
        if candidate in lines:
            raise SourceError(f"{path}, line {number}: {candidate!r} is already on line {lines[candidate]}.")
        if len(lines) == MAX_CANDIDATES:
            raise SourceError(f"{path}, line {number}: there must be at most {MAX_CANDIDATES:,} candidates.")
        lines[candidate] = number
    if not lines:
        raise SourceError(f"{path} has no candidates.")
    return tuple(lines)


def _as_answer(path: Path, number: int, text: str) -> str:
    if not is_answer(text):
        raise SourceError(f"{path}, line {number}: {_complaint(text)}")
    return normalise(text)


def _as_it_stands(path: Path, number: int, text: str) -> str:
    if not text:
        raise SourceError(f"{path}, line {number}: {_complaint(text)}")
    return text


def read_text_lines(path: Path, max_line_bytes: int) -> Iterator[str]:
    """Read a UTF-8 file's lines with their ends, without its byte order mark. Raises SourceError with line and byte."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(_limited(path, file, max_line_bytes), 1):
                try:
                    yield line.decode()
                except UnicodeDecodeError as fault:
                    raise SourceError(f"{path}, line {number}: byte {fault.start + 1} is not UTF-8.") from None
    except OSError as fault:
        raise SourceError(f"{path} cannot be read: {fault.strerror}.") from fault


def read_csv(path: Path, max_record_bytes: int = _MAX_RECORD_BYTES) -> Iterator[tuple[int, list[str]]]:
    """Read a CSV file's records, each with the number of its last line. Raises SourceError with the line."""
    return read_csv_lines(path, read_text_lines(path, max_record_bytes))


def _limited(path: Path, file: IO[bytes], max_line_bytes: int) -> Iterator[bytes]:
    n_bytes, number = 0, 0
    while line := file.readline(max_line_bytes + len(codecs.BOM_UTF8) + 1):
        number += 1
        n_bytes += len(line)
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if len(line) > max_line_bytes:
            raise SourceError(f"{path}, line {number}: has more than {max_line_bytes} bytes.")
        if n_bytes > MAX_FILE_BYTES:
            raise SourceError(f"{path} must have at most {MAX_FILE_BYTES:,} bytes.")
        yield line


def _read_lines(path: Path, max_line_bytes: int) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(read_text_lines(path, max_line_bytes), 1):
        yield number, line.removesuffix("\n").removesuffix("\r")


def _read_column(path: Path, column: str) -> Iterator[tuple[int, str]]:
    if (opened := open_table(path)) is not None:
        yield from enumerate(read_cells(opened, column), 2)
        return
    records = read_csv(path)
    _, header = next(records, (0, []))
    check_column(str(path), header, column)
    place = header.index(column)
    for number, record in records:
        if len(record) != len(header):
            raise SourceError(f"{path}, line {number}: has {len(record)} columns, the first line {len(header)}.")
        yield number, record[place]


def _complaint(text: str) -> str:
    return f"must be {expected_of(text)}." if normalise(text) else "is empty."


def _no_bits(design: BloomDesign) -> Bits:
    return np.empty((0, design.n_cohorts, design.n_hashes), np.uint16)
