"""The files of google/rappor: parameters, counts and maps read, results written.

There q is P(a permanent one is reported as one) and p is P(a zero is), of the instantaneous stage; f is the share of
permanent bits that are fair coins instead of true (Erlingsson, Pihur & Korolova 2014).
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.strings.candidates import MAX_CANDIDATES, Bits, CandidateMap, read_csv
from sotto_estimator.strings.counts import BitCounts, BitRates
from sotto_estimator.strings.decode import Decoded, DecodeOptions, decode
from sotto_estimator.strings.subject import Subject
from sotto_protocol.cells import without_formulas
from sotto_protocol.mechanisms.bloom.hash import BloomDesign

RESULT_LEVEL = 0.95
"""The level that the names of the results' columns promise."""
_PARAMS = ["k", "h", "m", "p", "q", "f"]
_RESULTS = ["string", "estimate", "std_error", "proportion", "prop_std_error", "prop_low_95", "prop_high_95"]
_HEADER = ",".join(f'"{name}"' for name in _RESULTS) + "\n"
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_DECIMAL = re.compile(r"[0-9]{0,17}(\.[0-9]{0,17})?(e-[0-9]{1,2})?", re.ASCII)


def decode_files(
    params: Path, counts: Path, candidates: Path | Sequence[str], options: DecodeOptions, *, keep_all: bool = False
) -> Decoded:
    """Decode counts. `candidates`: the file of a map, or strings, which are hashed as google/rappor does.

    Raises SourceError, DomainError.
    """
    design, rates = read_params(params)
    bits = read_counts(counts, design)
    if isinstance(candidates, Path):
        mapped = read_map(candidates, design)
    else:
        mapped = CandidateMap.of(candidates, design, "google")
    return replace(decode(bits, rates, mapped, options, keep_all=keep_all), subject=Subject(str(counts)))


def read_params(path: Path) -> tuple[BloomDesign, BitRates]:
    """Read `k,h,m,p,q,f`: a header and one row. Raises SourceError, which names the column, and without signal."""
    records = list(read_csv(path))
    if len(records) != 2 or records[0][1] != _PARAMS or len(records[1][1]) != len(_PARAMS):
        raise SourceError(f"{path} must have the header {','.join(_PARAMS)} and one row of as many numbers.")
    row = dict(zip(_PARAMS, records[1][1], strict=True))
    n_bits, n_hashes, n_cohorts = (_read_integer(path, name, row[name]) for name in "khm")
    try:
        design = BloomDesign(n_bits, n_hashes, n_cohorts)
    except ValueError as fault:
        raise SourceError(f"{path}: {fault} (k is n_bits, h is n_hashes, m is n_cohorts)") from None
    if_zero, if_one, noise = (_read_share(path, name, row[name]) for name in "pqf")
    if if_zero >= if_one:
        raise SourceError(f"{path}: p ({if_zero}) must be below q ({if_one}). Otherwise the reports have no signal.")
    if noise >= 1:
        raise SourceError(f"{path}: f ({noise}) must be below 1. Otherwise the reports have no signal.")
    try:
        return design, BitRates(1 - noise / 2, noise / 2, if_one, if_zero)
    except DomainError as fault:
        raise SourceError(f"{path}: {fault}") from None


def read_counts(path: Path, design: BloomDesign) -> BitCounts:
    """Read a row for every cohort, without header: its number of reports, then those with each bit set.

    Raises SourceError with row and column.
    """
    rows: list[list[int]] = []
    for number, record in read_csv(path):
        if len(rows) == design.n_cohorts:
            raise SourceError(f"{path} must have m = {design.n_cohorts} rows, one for each cohort; it has more.")
        n_columns = design.n_bits + 1
        if len(record) != n_columns:
            raise SourceError(f"{path}, row {number}: must have k + 1 = {n_columns} columns, not {len(record)}.")
        rows.append(_read_row(path, number, record))
    if len(rows) < design.n_cohorts:
        raise SourceError(f"{path} must have m = {design.n_cohorts} rows, one for each cohort, not {len(rows)}.")
    counts = np.array(rows, np.int64)
    try:
        return BitCounts(counts[:, 0], counts[:, 1:])
    except DomainError as fault:
        raise SourceError(f"{path}: {fault}") from None


def read_map(path: Path, design: BloomDesign) -> CandidateMap:
    """Read a row for every string, without header: the string, then m h numbers `cohort k + bit + 1`.

    Raises SourceError with the row: for repeats, and for numbers of another k, h or m.
    """
    n_numbers = design.n_cohorts * design.n_hashes
    firsts = 1 + design.n_bits * np.repeat(np.arange(design.n_cohorts), design.n_hashes)
    places: dict[str, int] = {}
    numbers = bytearray()
    for number, record in read_csv(path):
        string = _read_string(path, number, record)
        if string in places:
            raise SourceError(f"{path}, row {number}: {string!r} is already in row {places[string]}.")
        if len(record) != n_numbers + 1:
            raise SourceError(
                f"{path}, row {number}: has {len(record)} columns, not 1 + m h = {n_numbers + 1}. "
                "Is it a map for other parameters?"
            )
        places[string] = number
        if len(places) > MAX_CANDIDATES:
            raise SourceError(f"{path} must have at most {MAX_CANDIDATES:,} strings.")
        numbers += _read_bits(path, number, record[1:], firsts, design.n_bits).tobytes()
    if not places:
        raise SourceError(f"{path} holds no strings.")
    bits = np.frombuffer(numbers, np.uint16).reshape(-1, design.n_cohorts, design.n_hashes)
    return CandidateMap.given(places, design, bits)


def write_rappor(decoded: Decoded, path: Path | str) -> None:
    """Write detected strings in the columns of google/rappor's results.csv, which may replace such a file only.

    Estimates and their errors are in reports, rounded; proportions are shares. Raises SourceError where the place
    cannot be written, DomainError unless the level is 0.95.
    """
    path = Path(path)
    if decoded.options.level != RESULT_LEVEL:
        raise DomainError(f"level ({decoded.options.level!r}) must be {RESULT_LEVEL}: the columns' names say so.")
    try:
        if path.exists() and path.stat().st_size:
            _check_replaceable(path)
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(_HEADER)
            writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
            for row in decoded.rows:
                reports = (round(decoded.n_reports * row.share), round(decoded.n_reports * row.standard_error))
                writer.writerow(
                    without_formulas([row.string, *reports, row.share, row.standard_error, row.low, row.high])
                )
    except OSError as fault:
        raise SourceError(f"{path} cannot be written: {fault.strerror}.") from fault


def _check_replaceable(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(len(_HEADER)) != _HEADER.encode():
            raise SourceError(f"{path} exists, has something else in it, and will not be replaced.")


def _read_integer(path: Path, name: str, text: str) -> int:
    if _INTEGER.fullmatch(text.strip()) is None:
        raise SourceError(f"{path}: {name} ({text[:40]!r}) must be an integer.")
    return int(text)


def _read_share(path: Path, name: str, text: str) -> float:
    known = _DECIMAL.fullmatch(text.strip()) is not None and any(map(str.isdigit, text))
    value = float(text) if known else -1.0
    if not 0 <= value <= 1:
        raise SourceError(f"{path}: {name} ({text[:40]!r}) must be a decimal in [0, 1].")
    return value


def _read_row(path: Path, number: int, record: Sequence[str]) -> list[int]:
    counts = []
    for column, text in enumerate(record, 1):
        if _INTEGER.fullmatch(text.strip()) is None:
            hint = "; the file has no header" if number == 1 else ""
            raise SourceError(
                f"{path}, row {number}, column {column}: a count ({text[:40]!r}) must be an integer{hint}."
            )
        counts.append(int(text))
        if not 0 <= counts[-1] <= (counts[0] if column > 1 else counts[-1]):
            most = f" and at most the cohort's total ({counts[0]})" if column > 1 else ""
            raise SourceError(f"{path}, row {number}, column {column}: a count ({text}) must be at least 0{most}.")
    return counts


def _read_string(path: Path, number: int, record: Sequence[str]) -> str:
    if not record or not record[0]:
        raise SourceError(f"{path}, row {number}: must begin with a string.")
    return record[0]


def _read_bits(path: Path, number: int, texts: Sequence[str], firsts: NDArray[np.int64], n_bits: int) -> Bits:
    try:
        bits = np.array(list(map(int, texts)), np.int64) - firsts
    except (ValueError, OverflowError):
        raise SourceError(f"{path}, row {number}: every column after the string must be an integer.") from None
    wrong = (bits < 0) | (bits >= n_bits)
    if wrong.any():
        column = int(wrong.argmax())
        low = int(firsts[column])
        raise SourceError(
            f"{path}, row {number}, column {column + 2}: {texts[column]} must be in [{low}, {low + n_bits - 1}]. "
            "Is it a map for other parameters?"
        )
    return bits.astype(np.uint16)
