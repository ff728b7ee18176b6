"""The largest of many shares, for pictures that must not grow too high."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

MAX_BARS = 200
"""More make a picture that some programs cannot show; tables have them all."""


class _HasShare(Protocol):
    @property
    def share(self) -> float: ...


T = TypeVar("T", bound=_HasShare)


def largest(rows: Sequence[T], n_rows: int) -> list[T]:
    """Return so many rows, those of the largest shares, in their order."""
    if len(rows) <= n_rows:
        return list(rows)
    chosen = sorted(range(len(rows)), key=lambda number: rows[number].share)[-n_rows:]
    return [rows[number] for number in sorted(chosen)]
