"""Which questions a device answers, where its survey has `draw`: drawn without the answers, and sent in clear.

The waves in which it is asked, where its survey has `asked_in`, are drawn in the same way.

At rest they stand in front of a record's columns: question i is bit i mod 8 (the least significant is 0) of byte
i // 8. The bits behind the last question are zero, and so is the column of a question that was not drawn.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.coins import Coins
from sotto_protocol.mechanisms.mechanism import Bytes

Drawn = NDArray[np.bool_]
"""Which questions were drawn, shape (n_devices, n_questions)."""


def draw_questions(n_questions: int, n_drawn: int, coins: Coins, n_devices: int = 1) -> Drawn:
    """Draw n_drawn of n_questions for each device: every set of so many is as likely, exactly.

    Floyd's algorithm (Bentley & Floyd 1987): for every question t of the last n_drawn, in order, one of those up to and
    with t is drawn uniformly; it is taken, or t where it was taken before. Two bytes each, but for rejections.
    """
    drawn = np.zeros((n_devices, n_questions), np.bool_)
    devices = np.arange(n_devices)
    for last in range(n_questions - n_drawn, n_questions):
        chosen = coins.uniform(last + 1, n_devices).astype(np.intp)
        drawn[devices, np.where(drawn[devices, chosen], last, chosen)] = True
    return drawn


def draw_waves(n_waves: int, n_asked: int, coins: Coins, n_devices: int = 1) -> Drawn:
    """Draw n_asked of n_waves for each device, shape (n_devices, n_waves): as `draw_questions` draws questions."""
    return draw_questions(n_waves, n_asked, coins, n_devices)


def pack_drawn(drawn: Drawn) -> Bytes:
    """Return what was drawn as it stands in records, shape (n, width_of(n_questions))."""
    return np.packbits(drawn, axis=1, bitorder="little")


def unpack_drawn(packed: Bytes, n_questions: int, n_drawn: int) -> Drawn:
    """Return what `pack_drawn` packed. Raises ValueError where it is not n_drawn of so many questions."""
    bits: Drawn = np.unpackbits(packed, axis=1, bitorder="little").astype(np.bool_)
    if bits[:, n_questions:].any() or (bits.sum(axis=1) != n_drawn).any():
        raise ValueError(f"packed reports must each have {n_drawn} drawn questions of {n_questions}.")
    return bits[:, :n_questions]


def width_of(n_questions: int) -> int:
    """Return how many bytes say what was drawn of so many questions."""
    return -(-n_questions // 8)


def spread(column: Bytes, has: NDArray[np.bool_]) -> Bytes:
    """Return the column of all reports, shape (n, n_bytes): the rows of those that have it, zeros in the others."""
    whole = np.zeros((len(has), column.shape[1]), np.uint8)
    whole[has] = column
    return whole


def longest_of(texts: Sequence[bytes], n_drawn: int) -> list[int]:
    """Return the places of the n_drawn longest texts, ascending."""
    return sorted(sorted(range(len(texts)), key=lambda place: -len(texts[place]))[:n_drawn])
