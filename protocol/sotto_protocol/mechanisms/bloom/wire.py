"""A report of Bloom filters as JSON, [cohort, bits] or [cohort, pair, bits, bits, bits], and as packed bytes."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sotto_protocol.mechanisms.checks import BadValueError
from sotto_protocol.mechanisms.packed_bits import decode_base64

COHORT_BYTES = 2
_PAIR_BYTES = 1


@dataclass(frozen=True)
class WireForm:
    """Reports of `n_blocks` filters of n_bits in n_cohorts; `n_pairs` of n-grams' positions, 0 without n-grams."""

    n_bits: int
    n_cohorts: int
    n_pairs: int
    n_blocks: int

    @cached_property
    def _numbers(self) -> list[tuple[int, int]]:
        """The limit and the width of each number in front of the bits."""
        return [(self.n_cohorts, COHORT_BYTES)] + ([(self.n_pairs, _PAIR_BYTES)] if self.n_pairs else [])

    @cached_property
    def _block_bytes(self) -> int:
        return (self.n_bits + 7) // 8

    @cached_property
    def _last_byte_max(self) -> int:
        return 0xFF >> (-self.n_bits % 8)

    def write(self, row: bytes) -> list[Any]:
        """Return the JSON value of a packed report."""
        start = sum(width for _, width in self._numbers)
        numbers = [int.from_bytes(row[:COHORT_BYTES], "big"), *row[COHORT_BYTES:start]]
        blocks = [row[at : at + self._block_bytes] for at in range(start, len(row), self._block_bytes)]
        return [*numbers, *(base64.b64encode(block).decode("ascii") for block in blocks)]

    def read_all(self, values: Sequence[Any]) -> bytes:
        """Return JSON values as packed reports, joined. Raises BadValueError at the first impossible one."""
        rows = bytearray()
        for index, value in enumerate(values):
            row = self._read(value)
            if row is None:
                raise BadValueError(index, self._expected)
            rows += row
        return bytes(rows)

    def _read(self, value: Any) -> bytes | None:
        if type(value) is not list or len(value) != len(self._numbers) + self.n_blocks:
            return None
        row = b""
        for number, (limit, width) in zip(value, self._numbers, strict=False):
            if type(number) is not int or not 0 <= number < limit:
                return None
            row += number.to_bytes(width, "big")
        for text in value[len(self._numbers) :]:
            block = decode_base64(text)
            if block is None or len(block) != self._block_bytes or block[-1] > self._last_byte_max:
                return None
            row += block
        return row

    @property
    def _expected(self) -> str:
        pair = f"a pair in [0, {self.n_pairs - 1}], " if self.n_pairs else ""
        texts = "a text" if self.n_blocks == 1 else f"{self.n_blocks} texts"
        bits = f"canonical base64 of {self.n_bits} bits in {self._block_bytes} bytes, spare bits zero"
        return f"a list of a cohort in [0, {self.n_cohorts - 1}], {pair}and {texts}: {bits}"
