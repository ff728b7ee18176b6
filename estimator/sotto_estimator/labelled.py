"""An archive's reports as a data frame in the words of their survey."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.archive import open_archive
from sotto_estimator.archive_frame import MAX_BYTES, frame_of_archive, labels_of_places, spread
from sotto_estimator.channel import Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.frames import require_frames
from sotto_estimator.numbers.channel import NumberChannel
from sotto_protocol import Question, Survey
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

if TYPE_CHECKING:
    import pandas as pd

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
    path = Path(folder)
    manifest = open_archive(path)
    ids = _check(manifest.survey, questions)
    return frame_of_archive(path, manifest, parts, max_bytes, lambda records: _columns(manifest.survey, records, ids))


def _check(survey: Survey, questions: Sequence[str] | None) -> list[str]:
    known = [question.id for question in survey.questions]
    for question in questions or ():
        if question not in known:
            raise DomainError(f"question ({question!r:.80}) must be one of {', '.join(known)}.")
    return known if questions is None else list(questions)


def _columns(survey: Survey, records: Bytes, ids: Sequence[str]) -> "dict[str, pd.Series]":
    columns: dict[str, pd.Series] = {}
    drawn = survey.layout.drawn(records).T
    for (question, column), has in zip(survey.layout.cut(records), drawn, strict=True):
        if question.id in ids:
            for name, series in _labelled(question, column):
                columns[name] = series if not survey.draw else spread(series, has)
    return columns


def _labelled(question: Question, column: Bytes) -> "Iterator[tuple[str, pd.Series]]":
    """Yield the columns of the reports that answer a question. Raises ReportError for one that cannot be."""
    import pandas as pd

    key, mechanism = question.id, question.mechanism
    if isinstance(mechanism, BinaryResponse):
        yield key, _yes_no(column[:, 0])
    elif isinstance(mechanism, KaryResponse):
        yield key, labels_of_places(mechanism.numbers(column), question.labels)
    elif isinstance(mechanism, AskedOption):
        yield f"{key}.option", labels_of_places(_number(column[:, :-1]), question.labels)
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
    return labels_of_places(bits, _NO_YES)
