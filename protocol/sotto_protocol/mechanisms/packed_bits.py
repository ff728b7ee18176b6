"""What mechanisms have in common whose report is a bit per value: at rest, on the wire, and counted.

Packed, value v is bit v mod 8 (the least significant is 0) of byte v // 8; the bits behind the last value are zero.
"""

import base64
import binascii
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.checks import BadValueError
from sotto_protocol.mechanisms.mechanism import Bytes, Counts, Mechanism, Part
from sotto_protocol.mechanisms.ones import count_ones


class BitsResponse(Mechanism):
    """A report is a bit for each of n_values values, which are those that it supports."""

    __slots__ = ()

    @property
    def _n_bits(self) -> int:
        """How many bits a block has: those of the values, and of what else there is behind them."""
        return self.n_values

    @property
    def _block_bytes(self) -> int:
        """The bytes that a block takes."""
        return (self._n_bits + 7) // 8

    @property
    def n_bytes(self) -> int:
        return self._block_bytes

    def count_support(self, reports: Bytes) -> Counts:
        return count_ones(reports)[: self.n_values]

    def to_wire(self, report: Bytes) -> Any:
        return base64.b64encode(report.tobytes()).decode("ascii")

    def from_wire(self, values: Sequence[Any]) -> Bytes:
        """Unpack canonical base64 (RFC 4648, padded) of exactly n_bytes, spare bits zero."""
        rows = bytearray()
        last_byte_max = 0xFF >> (-self._n_bits % 8)
        for value in values:
            row = decode_base64(value)
            if row is None or len(row) != self.n_bytes or row[-1] > last_byte_max:
                break
            rows += row
        reports = np.frombuffer(bytes(rows), np.uint8).reshape(-1, self.n_bytes)
        wrong = [*self._are_impossible(reports).nonzero()[0].tolist(), len(reports)][0]
        if wrong < len(values):
            raise BadValueError(wrong, self._expected)
        return reports

    def _are_impossible(self, reports: Bytes) -> NDArray[np.bool_]:
        """Return of each report whether no answer can have produced it, shape (n,): independent coins give any bits."""
        return np.zeros(len(reports), np.bool_)

    @property
    def _expected(self) -> str:
        return f"canonical base64 of {self._n_bits} bits in {self.n_bytes} bytes, spare bits zero"

    def supported(self, report: Bytes) -> list[int]:
        return np.unpackbits(report, count=self.n_values, bitorder="little").nonzero()[0].tolist()

    def parts(self) -> list[Part]:
        return [Part("bits", self.n_bytes, is_number=False)]


def decode_base64(value: Any) -> bytes | None:
    """Return the bytes of canonical base64 (RFC 4648, padded), None for anything else."""
    if type(value) is not str:
        return None
    try:
        raw = binascii.a2b_base64(value, strict_mode=True)
    except ValueError:
        return None
    # strict_mode lets non-zero trailing bits pass: only one text may stand for one report.
    return raw if binascii.b2a_base64(raw, newline=False).decode("ascii") == value else None
