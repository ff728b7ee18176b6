"""Payloads of Android's autofill, counted: how many of each field keep a bit, and of how many it is 1."""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.formats.records import Record

N_BYTES = 32
N_BITS = 8 * N_BYTES
MAX_FIELDS = 10_000
EVEN, ODD, NONE = 0x55, 0xAA, 0
_HEX_DIGITS = 2 * N_BYTES
_PAYLOAD = ("noiseInjectedPayload", "payload")
_MASK = ("retainedBitMask", "mask")
Encoding = str


@dataclass(slots=True)
class FieldCounts:
    """Of one field's payloads: how many keep the even bits of each byte, the odd ones, or none; `ones`, of each bit.

    Bit 8 i + j is bit j of byte i, bit 0 the least. Shape of `ones` (256,).
    """

    name: str | None
    n_even: int = 0
    n_odd: int = 0
    n_none: int = 0
    ones: NDArray[np.int64] = field(default_factory=lambda: np.zeros(N_BITS, np.int64))

    @property
    def n_kept(self) -> NDArray[np.int64]:
        """How many payloads keep each bit, shape (256,)."""
        return np.tile([self.n_even, self.n_odd], N_BITS // 2)

    def add(self, payload: bytes, mask: int) -> None:
        """Count one payload more."""
        self.n_even += mask == EVEN
        self.n_odd += mask == ODD
        self.n_none += mask == NONE
        self.ones += np.unpackbits(np.frombuffer(payload, np.uint8), bitorder="little")


def count_payloads(records: Iterable[Record], by: str | None) -> list[FieldCounts]:
    """Return the counts of every field, in order of their names. Raises SourceError, which names the line."""
    fields: dict[str | None, FieldCounts] = {}
    encoding: Encoding | None = None
    for record in records:
        name = None if by is None else record.group(by)
        if name not in fields and len(fields) == MAX_FIELDS:
            record.refuse(f"{by} must name at most {MAX_FIELDS:,} fields.")
        payload, found = _payload(record)
        if found != (encoding := encoding or found):
            record.refuse(f"{_PAYLOAD[0]} is in {found}, those before it in {encoding}: all must be alike.")
        mask = _mask(record)
        if any(byte & ~mask for byte in payload):
            record.refuse(f"{_PAYLOAD[0]} must be 0 in the bits that its mask (0x{mask:02X}) drops.")
        fields.setdefault(name, FieldCounts(name)).add(payload, mask)
    return [fields[name] for name in sorted(fields, key=str)]


def _payload(record: Record) -> tuple[bytes, Encoding]:
    text = record.find(*_PAYLOAD)
    payload, encoding = b"", ""
    if isinstance(text, str):
        encoding = "hex" if len(text) == _HEX_DIGITS else "base64"
        try:
            payload = bytes.fromhex(text) if encoding == "hex" else base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            payload = b""
    if len(payload) != N_BYTES:
        record.refuse(f"{_PAYLOAD[0]} must be {N_BYTES} bytes: {_HEX_DIGITS} hex digits, or 44 of base64.")
    return payload, encoding


def _mask(record: Record) -> int:
    """Return the mask; Java writes a byte of 0xAA as -86."""
    value: Any = record.find(*_MASK)
    if isinstance(value, str):
        try:
            value = int(value, 0)
        except ValueError:
            value = None
    if value not in (EVEN, ODD, ODD - 256, NONE) or isinstance(value, bool | float):
        record.refuse(f"{_MASK[0]} must be 0x55 (even bits), 0xAA (odd bits), or 0 (none), or that as a number.")
    return int(value) % 256
