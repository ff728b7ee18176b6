"""Columns as files of Stata, SPSS and Excel can hold them: names, labels, codes, and a sentence on all that changes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.columns import NO_YES

PROGRAMS = {".dta": "Stata", ".sav": "SPSS", ".xlsx": "Excel"}
"""Which program a file's ending names."""
_MAX_NAME = 32
"""Characters of a variable's name in Stata; SPSS takes 64 bytes, and both get the same names."""
_MAX_LABEL = 80
"""Characters of a variable's label in Stata; both get the same labels."""
_MAX_LABEL_BYTES = 240
"""Below the 255 bytes that SPSS takes."""
_MAX_VALUE_LABEL_BYTES = {".dta": 32_000, ".sav": 120}
_MAX_TEXT_BYTES = {".dta": 2_000_000_000, ".sav": 32_767}
_MAX_LONG = 2_147_483_620
"""Stata's largest whole number of type long; those above it mean missing values."""
_MAX_DOUBLE = 8.98e307
"""Below the largest double of Stata, 8.988e307."""
_MAX_EXACT = 2**53
"""Above it, a double skips whole numbers (IEEE 754)."""
_MAX_EXCEL = {"rows": 1_048_575, "columns": 16_384, "characters": 32_767}
_MAX_LISTED = 12
_EXCEL_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_STATA = r"byte|double|float|if|in|int|long|str(l|\d+)|using|with"
_SPSS = "all|and|by|eq|ge|gt|le|lt|ne|not|or|to"
_RESERVED = re.compile(f"{_STATA}|{_SPSS}", re.IGNORECASE)
"""Those of Stata that begin with _ begin with no letter."""
_NAME = re.compile(rf"[A-Za-z][A-Za-z0-9_]{{0,{_MAX_NAME - 1}}}")


@dataclass(frozen=True, slots=True, eq=False)
class ProgramColumn:
    """A column to be written. `values`, shape (n,): places in `labels`, or booleans, numbers, or texts (objects).

    `has`, shape (n,): where there is a value. `about`: what the column is, in words.
    """

    name: str
    values: NDArray[np.generic]
    has: NDArray[np.bool_]
    labels: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class ProgramTable:
    """What Stata and SPSS get, all by their names; `notes`: what is not as it was, a sentence each."""

    columns: dict[str, NDArray[np.generic]]
    column_labels: dict[str, str]
    value_labels: dict[str, dict[int, str]]
    notes: tuple[str, ...]


def program_table(columns: Sequence[ProgramColumn], ending: str) -> ProgramTable:
    """Return columns as a file of this ending, .dta or .sav, holds them.

    An option is a number with its label: no 0 and yes 1, others from 1 in the survey's order. A missing value is the
    program's own, "" for a text. Raises ValueError for what the file cannot hold.
    """
    names = program_names([column.name for column in columns])
    notes = [*_renamed(names, PROGRAMS[ending])]
    found: dict[str, NDArray[np.generic]] = {}
    labels: dict[str, str] = {}
    words: dict[str, dict[int, str]] = {}
    cut: list[str] = []
    for column in columns:
        name = names[column.name]
        found[name], infinite = _values(column, ending)
        if infinite:
            notes.append(f"{column.name}: {infinite} infinite numbers are missing values.")
        about = ": ".join(filter(None, [column.name if name != column.name else "", column.about]))
        labels[name] = _cut(about)
        if labels[name] != about:
            cut.append(column.name)
        if column.labels or column.values.dtype.kind == "b":
            words[name], n_cut = _value_labels(column.labels or NO_YES, ending)
            if n_cut:
                most = _MAX_VALUE_LABEL_BYTES[ending]
                notes.append(f"{column.name}: {n_cut} texts of options are cut to {most} bytes.")
    if cut:
        notes.append(f"Labels of columns are cut to {_MAX_LABEL} characters: {_listed(cut)}.")
    return ProgramTable(found, labels, words, tuple(notes))


def program_names(names: Iterable[str]) -> dict[str, str]:
    """Return the name of each column in Stata and SPSS: at most 32 letters, digits and _, none twice in any case.

    >>> [*program_names(["share", "answer to paid", "set:Öl", "set.Ol", "if", "_n"]).values()]
    ['share', 'answer_to_paid', 'set_Ol', 'set_Ol_2', 'if_', 'v_n']
    """
    listed = [*dict.fromkeys(names)]
    taken: dict[str, str] = {}
    for name in listed:  # a name that needs no change keeps it, whatever the others become
        if _NAME.fullmatch(name) and not _RESERVED.fullmatch(name):
            taken.setdefault(name.lower(), name)
    found = {name: name for name in taken.values()}
    for name in listed:
        if name not in found:
            found[name] = next(new for new in _proposals(name) if new.lower() not in taken)
            taken[found[name].lower()] = name
    return {name: found[name] for name in listed}


def check_excel(columns: Sequence[ProgramColumn]) -> None:
    """Raise ValueError where a sheet of Excel cannot hold so many rows or columns."""
    sizes = {"rows": max((len(column.values) for column in columns), default=0), "columns": len(columns)}
    for what, size in sizes.items():
        if size > _MAX_EXCEL[what]:
            most = f"{_MAX_EXCEL[what]:,} {what}"
            raise ValueError(f"a sheet of Excel holds at most {most} below its header, and these are {size:,}")


def excel_rows(columns: Sequence[ProgramColumn]) -> tuple[Iterator[list[object]], tuple[str, ...]]:
    """Return the cells row by row, None for a missing one, and what is not as it was. Raises ValueError."""
    check_excel(columns)
    cells, notes = [], []
    for column in columns:
        _check_whole(column)
        infinite = _infinite(column, np.inf)
        has = column.has & ~infinite
        if infinite.any():
            notes.append(f"{column.name}: {int(infinite.sum())} infinite numbers are empty cells.")
        values = _words(column).tolist() if column.labels else column.values.tolist()
        for value in {*values} if values and isinstance(values[0], str | None) else ():
            _check_excel_text(column.name, value)
        cells.append([value if there else None for value, there in zip(values, has.tolist(), strict=True)])
    return map(list, zip(*cells, strict=True)), tuple(notes)


def _check_excel_text(name: str, value: object) -> None:
    if isinstance(value, str) and (len(value) > _MAX_EXCEL["characters"] or _EXCEL_CONTROL.search(value)):
        raise ValueError(
            f"column {name} has a text that a cell of Excel cannot hold: at most {_MAX_EXCEL['characters']:,} "
            "characters, none of them a control character"
        )


def _words(column: ProgramColumn) -> NDArray[np.object_]:
    words: NDArray[np.object_] = np.array([*column.labels, None], object)
    return words[np.where(column.has, column.values, len(column.labels)).astype(np.int64)]


def _values(column: ProgramColumn, ending: str) -> tuple[NDArray[np.generic], int]:
    """Return the numbers or texts of a column, and how many were infinite."""
    kind, n_infinite = column.values.dtype.kind, 0
    if kind == "O":
        return np.array([_text(column, value, ending) for value in np.where(column.has, column.values, "")], object), 0
    _check_whole(column)
    values = column.values
    if column.labels:
        values = values.astype(np.int64) + _first_code(column.labels)
    elif kind == "f":
        infinite = _infinite(column, _MAX_DOUBLE)
        n_infinite, values = int(infinite.sum()), np.where(infinite, np.nan, values)
    is_long = kind != "f" and (not len(values) or -_MAX_LONG <= int(values.min()) <= int(values.max()) <= _MAX_LONG)
    if is_long and column.has.all():
        return values.astype(np.int32), 0
    return np.where(column.has, values.astype(np.float64), np.nan), n_infinite


def _infinite(column: ProgramColumn, most: float) -> NDArray[np.bool_]:
    """Return where a number is infinite, or too large for the file."""
    if column.values.dtype.kind != "f":
        return np.zeros(len(column.values), np.bool_)
    sizes: NDArray[np.float64] = np.abs(column.values.astype(np.float64))
    return column.has & (np.isinf(sizes) | (sizes > most))


def _check_whole(column: ProgramColumn) -> None:
    if column.values.dtype.kind in "iu" and column.has.any():
        most = int(np.abs(column.values[column.has].astype(object)).max())
        if most > _MAX_EXACT:
            raise ValueError(
                f"column {column.name} has the whole number {most}, and this file holds them exactly up to {_MAX_EXACT}"
            )


def _text(column: ProgramColumn, value: object, ending: str) -> str:
    text = str(value)
    if "\0" in text or len(text.encode()) > _MAX_TEXT_BYTES[ending]:
        raise ValueError(
            f"column {column.name} has a text that a file of {PROGRAMS[ending]} cannot hold: at most "
            f"{_MAX_TEXT_BYTES[ending]:,} bytes, none of them 0"
        )
    return text


def _first_code(labels: Sequence[str]) -> int:
    return 0 if tuple(labels) == NO_YES else 1


def _value_labels(labels: Sequence[str], ending: str) -> tuple[dict[int, str], int]:
    """Return the label of each code, all different, and how many were cut."""
    most = _MAX_VALUE_LABEL_BYTES[ending]
    found: dict[int, str] = {}
    for code, label in enumerate(labels, _first_code(labels)):
        tail = f".. ({code})"
        found[code] = label if len(label.encode()) <= most else _cut_bytes(label, most - len(tail)) + tail
    return found, sum(found[code] != label for code, label in enumerate(labels, _first_code(labels)))


def _cut_bytes(text: str, most: int) -> str:
    return text.encode()[:most].decode(errors="ignore")


def _cut(text: str) -> str:
    if len(text) <= _MAX_LABEL and len(text.encode()) <= _MAX_LABEL_BYTES:
        return text
    return _cut_bytes(text[: _MAX_LABEL - 2], _MAX_LABEL_BYTES - 2) + ".."


def _proposals(name: str) -> Iterator[str]:
    """Yield names that both programs take, the nearest first."""
    letters = "".join(one for one in normalize("NFKD", name) if not _is_mark(one))
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", letters)
    plain = plain if re.match(r"[A-Za-z]", plain) else f"v_{plain.lstrip('_')}"
    plain = f"{plain}_" if _RESERVED.fullmatch(plain) else plain
    yield plain[:_MAX_NAME]
    for number in range(2, 10**6):
        yield f"{plain[: _MAX_NAME - len(str(number)) - 1]}_{number}"


def _is_mark(sign: str) -> bool:
    return "\u0300" <= sign <= "\u036f"


def _renamed(names: dict[str, str], program: str) -> Iterator[str]:
    changed = [f"{name} is {new}" for name, new in names.items() if name != new]
    if changed:
        yield f"{program} allows no such names of columns: {_listed(changed)}. Their labels begin with the whole names."


def _listed(texts: Sequence[str]) -> str:
    more = [f"and {len(texts) - _MAX_LISTED} more"] if len(texts) > _MAX_LISTED else []
    return ", ".join([*texts[:_MAX_LISTED], *more])
