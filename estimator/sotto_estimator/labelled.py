"""An archive's reports as a data frame in the words of their survey."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.archive import open_archive, records_of_files
from sotto_estimator.channel import Floats
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.frames import require_frames
from sotto_estimator.numbers.channel import NumberChannel
from sotto_protocol import Question, Survey
from sotto_protocol.archive import ArchiveFile, Manifest
from sotto_protocol.errors import ReportError
from sotto_protocol.mechanisms.asked_option import AskedOption
from sotto_protocol.mechanisms.bits import BitMechanism
from sotto_protocol.mechanisms.geometry import GeometryResponse
from sotto_protocol.mechanisms.kary import KaryResponse
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.mechanisms.subset import SubsetResponse
from sotto_protocol.mechanisms.warner import BinaryResponse
from sotto_protocol.mechanisms.window import WindowResponse
from sotto_protocol.questions.number import Number
from sotto_protocol.record import STRATUM, WAVE

if TYPE_CHECKING:
    import pandas as pd

MAX_BYTES = 2**30
_NO_YES = ("no", "yes")
_Has = NDArray[np.bool_]


def read_archive(
    folder: str | os.PathLike[str],
    *,
    questions: Sequence[str] | None = None,
    parts: Sequence[int] | None = None,
    max_bytes: int = MAX_BYTES,
) -> "pd.DataFrame":
    """Return the reports that `sotto export` wrote as a pandas DataFrame, a row a report, in the survey's words.

    **They are noisy**: a reported yes is a yes with some probability only, and a mean of them is no estimate of
    anybody's answers. The estimator's functions take the noise off: `associate("archive", questions=..)` takes the
    folder, `estimate` the tally that `sotto tally` counts of it. A number's column alone has the noise off on average.

    Columns: `wave` and `stratum`, where there are several. A yes-no question: ID, categories no and yes. One-of by
    k-ary: ID, the reported option. Where a report speaks for several options: ID:OPTION, a boolean each. Of
    `asked-option` ID.option, which was asked, and ID, no or yes. A number: ID, a float in its unit that may lie outside
    of the range and whose mean is the unbiased one. Text: ID.cohort and the other columns as they are stored, bits as
    bytes. With `draw`, what was not asked is missing.

    `questions`: ids; `parts`: in [0, `frame.attrs["n_parts"]`); by default all. Raises SourceError where the folder is
    no archive, is damaged or unfinished, and where the frame would take more than `max_bytes`; DomainError for a
    question or part that there is not; MissingExtra without pandas or pyarrow.
    """
    require_frames("read_archive", "pandas", "pyarrow")
    import pandas as pd

    path = Path(folder)
    manifest = open_archive(path)
    survey, ids = manifest.survey, _check(manifest, questions, parts)
    files = [file for part in (range(manifest.n_parts) if parts is None else parts) for file in manifest.parts[part]]
    wide = _frame(survey, survey.layout.check(np.empty((0, 0), np.uint8)), ids)
    n_bytes = sum(file.n_reports for file in files) * max(1, sum(_width(wide[name]) for name in wide.columns))
    if n_bytes > max_bytes:
        raise SourceError(
            f"the frame would take about {n_bytes / 2**20:,.0f} MiB: choose questions, some of the {manifest.n_parts} "
            f"parts (parts=[0]), or a larger max_bytes ({max_bytes:,})."
        )
    frames = [*_frames(path, survey, files, ids)]
    found = pd.concat(frames, ignore_index=True) if frames else wide
    found.attrs = {"survey": survey.id, "fingerprint": survey.fingerprint, "n_parts": manifest.n_parts}
    return found


def _check(manifest: Manifest, questions: Sequence[str] | None, parts: Sequence[int] | None) -> list[str]:
    known = [question.id for question in manifest.survey.questions]
    for question in questions or ():
        if question not in known:
            raise DomainError(f"question ({question!r:.80}) must be one of {', '.join(known)}.")
    for part in parts or ():
        if part not in range(manifest.n_parts):
            raise DomainError(f"part ({part!r:.80}) must be in [0, {manifest.n_parts - 1}].")
    if parts is not None and len({*parts}) < len(parts):
        raise DomainError("parts must not name one twice: its reports would count twice.")
    return known if questions is None else list(questions)


def _frames(folder: Path, survey: Survey, files: Sequence[ArchiveFile], ids: Sequence[str]) -> "Iterator[pd.DataFrame]":
    for file, records in zip(files, records_of_files(folder, survey, files), strict=True):
        try:
            yield _frame(survey, records, ids)
        except ReportError as fault:
            raise SourceError(f"{folder / file.name} holds what no device reports: {fault}") from fault


def _frame(survey: Survey, records: Bytes, ids: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd

    columns: dict[str, pd.Series] = {}
    if survey.waves > 1:
        columns[WAVE] = pd.Series(survey.layout.numbers(records, WAVE), dtype="uint16")
    if survey.strata:
        columns[STRATUM] = _labels(survey.layout.numbers(records, STRATUM) - 1, survey.strata)
    drawn = survey.layout.drawn(records).T
    for (question, column), has in zip(survey.layout.cut(records), drawn, strict=True):
        if question.id in ids:
            for name, series in _labelled(question, column):
                columns[name] = series if not survey.draw else _spread(series, has)
    return pd.DataFrame(columns, index=range(len(records)))


def _labelled(question: Question, column: Bytes) -> "Iterator[tuple[str, pd.Series]]":
    """Yield the columns of the reports that answer a question. Raises ReportError for one that cannot be."""
    import pandas as pd

    key, mechanism = question.id, question.mechanism
    if isinstance(mechanism, BinaryResponse):
        yield key, _yes_no(column[:, 0])
    elif isinstance(mechanism, KaryResponse):
        yield key, _labels(mechanism.numbers(column), question.labels)
    elif isinstance(mechanism, AskedOption):
        yield f"{key}.option", _labels(_number(column[:, :-1]), question.labels)
        yield key, _yes_no(column[:, -1])
    elif isinstance(mechanism, WindowResponse) and isinstance(question.kind, Number):
        yield key, pd.Series(_unbiased(mechanism, question.kind, column))
    elif (supports := _supports(question, column)) is not None:
        for label, bits in zip(question.labels, supports.T, strict=True):
            yield f"{key}:{label}", pd.Series(bits)
    else:
        yield from _stored(question, column)


def _supports(question: Question, column: Bytes) -> _Has | None:
    """Return which options each report speaks for, shape (n, n_options); None of a text."""
    mechanism = question.mechanism
    if isinstance(mechanism, GeometryResponse):
        outputs, place = np.unique(mechanism.numbers(column), return_inverse=True)
        table = np.zeros((len(outputs), mechanism.n_values), np.bool_)
        for row, output in enumerate(outputs):
            table[row, mechanism.supported(np.frombuffer(int(output).to_bytes(mechanism.n_bytes, "big"), np.uint8))] = 1
        return table[place]
    if question.type != "text" and isinstance(mechanism, BitMechanism | SubsetResponse):
        bits = np.unpackbits(np.ascontiguousarray(column), axis=1, count=mechanism.n_values, bitorder="little")
        return bits.view(np.bool_)
    return None


def _stored(question: Question, column: Bytes) -> "Iterator[tuple[str, pd.Series]]":
    import pandas as pd

    start = 0
    for part in question.mechanism.parts():
        piece = np.ascontiguousarray(column[:, start : start + part.n_bytes])
        values = _number(piece) if part.is_number else np.array([row.tobytes() for row in piece], object)
        yield f"{question.id}.{part.name}", pd.Series(values)
        start += part.n_bytes


def _unbiased(mechanism: WindowResponse, kind: Number, column: Bytes) -> Floats:
    low, high = float(kind.minimum), float(kind.maximum)
    place = NumberChannel.of(mechanism).place_of(mechanism.numbers(column).astype(np.float64))
    return low + place * (high - low)


def _number(piece: Bytes) -> NDArray[np.uint16]:
    return np.ascontiguousarray(piece).view(f">u{piece.shape[1]}")[:, 0].astype(np.uint16)


def _yes_no(bits: NDArray[np.uint8]) -> "pd.Series":
    if (bits > 1).any():
        raise ReportError("$", "packed reports must be 0 or 1.")
    return _labels(bits, _NO_YES)


def _labels(places: NDArray[np.integer], labels: Sequence[str]) -> "pd.Series":
    import pandas as pd

    return pd.Series(pd.Categorical.from_codes(places.astype(np.int64), list(labels)))


def _spread(series: "pd.Series", has: _Has) -> "pd.Series":
    """Return the column of all reports: missing where a report does not answer the question."""
    kind = {"bool": "boolean", "uint16": "UInt16"}.get(str(series.dtype), series.dtype)
    return series.astype(kind).set_axis(np.flatnonzero(has)).reindex(range(len(has)))


def _width(series: "pd.Series") -> int:
    """Return about how many bytes a row of a column takes; of one with bits as bytes, an object of Python's."""
    size = getattr(getattr(series, "cat", series), "codes", series).dtype
    return 64 if str(size) == "object" else int(getattr(size, "itemsize", 2))
