"""The columns of noisy reports in the words of their survey, as arrays: what an export and a data frame are made of."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
from sotto_protocol.questions.question import Question

_NO_YES = ("no", "yes")
_Has = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledColumn:
    """`values`, shape (n,): of a column with `labels` their places, else booleans, floats, uint16 or void (bytes)."""

    name: str
    values: NDArray[np.generic]
    labels: tuple[str, ...] = ()


def labelled(question: Question, column: Bytes) -> Iterator[LabelledColumn]:
    """Yield the columns of the packed reports that answer a question. Raises ReportError for one that cannot be.

    A yes-no question: ID, no or yes. One-of by k-ary: ID, the reported option. Where a report speaks for several
    options: ID:OPTION, a boolean each. Of `asked-option` ID.option, which was asked, and ID, no or yes. A number: ID, a
    float in its unit that may lie outside of the range and whose mean is the unbiased one. Text: as it is stored.
    """
    key, mechanism = question.id, question.mechanism
    if isinstance(mechanism, BinaryResponse):
        yield LabelledColumn(key, _checked_bits(column[:, 0]), _NO_YES)
    elif isinstance(mechanism, KaryResponse):
        yield LabelledColumn(key, mechanism.numbers(column), question.labels)
    elif isinstance(mechanism, AskedOption):
        yield LabelledColumn(f"{key}.option", _number(column[:, :-1]), question.labels)
        yield LabelledColumn(key, _checked_bits(column[:, -1]), _NO_YES)
    elif isinstance(mechanism, WindowResponse) and isinstance(question.kind, Number):
        yield LabelledColumn(key, _unbiased(mechanism, question.kind, column))
    elif (supports := _supports(question, column)) is not None:
        for label, bits in zip(question.labels, supports.T, strict=True):
            yield LabelledColumn(f"{key}:{label}", bits)
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


def _stored(question: Question, column: Bytes) -> Iterator[LabelledColumn]:
    start = 0
    for part in question.mechanism.parts():
        piece = np.ascontiguousarray(column[:, start : start + part.n_bytes])
        values = _number(piece) if part.is_number else piece.view(f"V{part.n_bytes}")[:, 0]
        yield LabelledColumn(f"{question.id}.{part.name}", values)
        start += part.n_bytes


def _unbiased(mechanism: WindowResponse, kind: Number, column: Bytes) -> NDArray[np.float64]:
    low, high = float(kind.minimum), float(kind.maximum)
    offset, slope = map(float, mechanism.mean_output)
    return low + (mechanism.numbers(column).astype(np.float64) - offset) / slope * (high - low)


def _number(piece: Bytes) -> NDArray[np.uint16]:
    return np.ascontiguousarray(piece).view(f">u{piece.shape[1]}")[:, 0].astype(np.uint16)


def _checked_bits(bits: Bytes) -> Bytes:
    if (bits > 1).any():
        raise ReportError("$", "packed reports must be 0 or 1.")
    return bits
