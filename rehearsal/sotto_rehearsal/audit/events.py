"""What is looked at in reports: every output, every bit of a packed report, and bits that stand side by side."""

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.mechanism import Bytes, Mechanism
from sotto_protocol.mechanisms.numbers import NumberResponse
from sotto_protocol.mechanisms.ones import count_ones

MAX_COUNTS = 2**14
"""A text question's counts by cohort may be more: then its bits alone are looked at."""
_MAX_ONE_HOT = 256


def count_events(mechanism: Mechanism, rows: Bytes) -> NDArray[np.int64]:
    """Return how many of n packed reports each event of a question has: `name_event` names them."""
    parts = [_bits(rows)]
    if np.prod(mechanism.counts_shape) <= MAX_COUNTS:
        parts.append(mechanism.count_support(rows).ravel())
    if isinstance(mechanism, NumberResponse):
        parts.append(mechanism.count_outputs(rows))
    return np.concatenate(parts).astype(np.int64)


def _bits(rows: Bytes) -> NDArray[np.int64]:
    """Return how many rows have each bit, then each bit and the next one, and the one without the other."""
    after = np.concatenate([rows[:, 1:], np.zeros((len(rows), 1), np.uint8)], axis=1)
    following = (rows >> np.uint8(1)) | (after << np.uint8(7))
    return np.concatenate([count_ones(part) for part in (rows, rows & following, rows & ~following)])


def name_event(mechanism: Mechanism, event: int) -> str:
    """Return in words what an event of `count_events` is."""
    n_bits = 8 * mechanism.n_bytes
    if event < 3 * n_bits:
        kind, bit = divmod(event, n_bits)
        return (f"bit {bit} is 1", f"bits {bit} and {bit + 1} are 1", f"bit {bit} is 1, {bit + 1} is 0")[kind]
    event -= 3 * n_bits
    n_counts = int(np.prod(mechanism.counts_shape))
    if n_counts <= MAX_COUNTS:
        if event < n_counts:
            place = [int(at) for at in np.unravel_index(event, mechanism.counts_shape)]
            return f"count {place if len(place) > 1 else place[0]} goes up"
        event -= n_counts
    return f"output {event}"


def features(mechanism: Mechanism, rows: Bytes) -> NDArray[np.float32]:
    """Return what a score of reports is made of, shape (n, n_features), zeros and ones: bits; of few outputs, each."""
    if isinstance(mechanism, NumberResponse) and mechanism.n_outputs <= _MAX_ONE_HOT:
        is_output: NDArray[np.bool_] = mechanism.numbers(rows)[:, None] == np.arange(mechanism.n_outputs)
        return is_output.astype(np.float32)
    return np.unpackbits(rows, axis=1, bitorder="little").astype(np.float32)
