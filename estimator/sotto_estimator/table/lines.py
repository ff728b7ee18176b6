"""The lines of a text file in UTF-8, in bounded memory: what is no text is refused with its line and its byte."""

import codecs
import csv
import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from sotto_estimator.errors import SourceError

MAX_LINE = 2**20
"""Characters, at least, that a line may have: a longer one is no row of a table."""
_CHUNK_BYTES = 2**20


def read_lines(path: Path, progress: Callable[[int], object] = lambda _: None) -> Iterator[str]:
    """Yield the lines with their ends, without a byte order mark. `progress` hears of bytes.

    Raises SourceError for a file that cannot be read, for bytes that are no UTF-8, NUL bytes and endless lines.
    """
    decoder, rest, n_lines = codecs.getincrementaldecoder("utf-8")(), "", 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                progress(len(chunk))
                text = _decode(decoder, chunk, path, n_lines, rest)
                text = text.removeprefix("\ufeff") if n_lines == 0 and not rest else text
                lines, end, rest = (rest + text).rpartition("\n")
                yield from io.StringIO(lines + end, newline="")
                n_lines += lines.count("\n") + len(end)
                if len(rest) > MAX_LINE:
                    raise SourceError(f"{path}, line {n_lines + 1}: the line has more than {MAX_LINE:,} characters.")
    except OSError as fault:
        raise SourceError(f"{path}: {fault.strerror}.") from fault
    _decode(decoder, b"", path, n_lines, rest)
    yield from io.StringIO(rest, newline="")


def read_csv_lines(path: Path, lines: Iterable[str], delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield the records of a CSV's lines, each with the number of its last line. Raises SourceError with the line."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for record in reader:
            yield reader.line_num, record
    except csv.Error as fault:
        raise SourceError(f"{path}, line {reader.line_num} is not CSV ({fault}).") from fault


def _decode(decoder: codecs.IncrementalDecoder, chunk: bytes, path: Path, n_lines: int, rest: str) -> str:
    """Return the chunk's text; `rest`: what comes before it of the line after n_lines. Raises SourceError."""
    kept = decoder.getstate()[0]
    try:
        text = decoder.decode(chunk, final=not chunk)
        fault, byte = text.find("\0"), b"\0"
        before = text[:fault]
    except UnicodeDecodeError as error:
        data = kept + chunk
        fault, byte, before = error.start, data[error.start : error.start + 1], data[: error.start].decode()
    if fault < 0:
        return text
    line = (rest + before).rpartition("\n")[2]
    number = n_lines + before.count("\n") + 1
    raise SourceError(
        f"{path}, line {number}, byte {len(line.encode()) + 1}: 0x{byte.hex()} is not UTF-8. Save the file in UTF-8."
    )
