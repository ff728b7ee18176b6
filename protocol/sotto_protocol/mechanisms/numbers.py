"""What mechanisms have in common whose report is one number: on the wire, at rest, and counted by a histogram.

Packed, it is the number in the fewest whole bytes, big-endian.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.errors import ReportError
from sotto_protocol.mechanisms.checks import BadValueError
from sotto_protocol.mechanisms.mechanism import COINS_PER_CHUNK, Bytes, Counts, Mechanism, Part


class NumberResponse(Mechanism):
    """A report is an integer in [0, n_outputs), which supports itself unless a mechanism says more."""

    __slots__ = ()

    @property
    @abstractmethod
    def n_outputs(self) -> int:
        """At most 65536."""

    @property
    def n_bytes(self) -> int:
        return 1 if self.n_outputs <= 256 else 2

    @property
    def _dtype(self) -> np.dtype[Any]:
        return np.dtype(np.uint8 if self.n_bytes == 1 else ">u2")

    def to_wire(self, report: Bytes) -> Any:
        return int.from_bytes(report.tobytes(), "big")

    def longest_report(self) -> Bytes:
        return np.frombuffer((self.n_outputs - 1).to_bytes(self.n_bytes, "big"), np.uint8)

    def from_wire(self, values: Sequence[Any]) -> Bytes:
        for index, value in enumerate(values):
            if type(value) is not int or not 0 <= value < self.n_outputs:
                raise BadValueError(index, f"an integer in [0, {self.n_outputs - 1}]")
        return self._pack(values)

    def parts(self) -> list[Part]:
        return [Part("value", self.n_bytes, is_number=True)]

    def _pack(self, numbers: ArrayLike) -> Bytes:
        return np.asarray(numbers, self._dtype).view(np.uint8).reshape(-1, self.n_bytes)

    def numbers(self, reports: Bytes) -> NDArray[Any]:
        """Return the numbers of packed reports, shape (n,). Raises ReportError outside of [0, n_outputs)."""
        numbers = np.ascontiguousarray(reports).view(self._dtype).ravel()
        if numbers.size and numbers.max() >= self.n_outputs:
            raise ReportError("$", f"packed reports must be numbers in [0, {self.n_outputs - 1}].")
        return numbers

    def count_outputs(self, reports: Bytes) -> Counts:
        """Count for every number the reports that are it, shape (n_outputs,). Raises ReportError as `numbers`."""
        counts = np.zeros(self.n_outputs, np.int64)
        for start in range(0, len(reports), COINS_PER_CHUNK):
            counts += np.bincount(self.numbers(reports[start : start + COINS_PER_CHUNK]), minlength=self.n_outputs)
        return counts

    def count_support(self, reports: Bytes) -> Counts:
        return self.count_outputs(reports)

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        # Added up as Python's integers: 4096 counts of 2**53 overflow 64 bits.
        if sum(counts.tolist()) != n_reports:
            raise ValueError(f"must add up to n_reports ({n_reports}).")

    def supported(self, report: Bytes) -> list[int]:
        return [self.to_wire(report)]
