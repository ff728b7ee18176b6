"""What statistical audits share: an exact test of many counts, and the bits of packed reports."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from sotto_protocol.mechanisms.bits import BitMechanism
from sotto_protocol.mechanisms.mechanism import Bytes

Counts = list[tuple[Any, Any, float]]
"""Counts of successes, of how many trials, at which probability."""


def rejects(tests: Counts, false_alarm: float) -> bool:
    """Whether some exact binomial test fails at false_alarm shared by all; two-sided: twice the smaller tail."""
    counts = np.concatenate([np.ravel(count) for count, _, _ in tests])
    n = np.concatenate([np.broadcast_to(n, np.shape(count)).ravel() for count, n, _ in tests])
    probs = np.concatenate([np.full(np.size(count), prob) for count, _, prob in tests])
    tails = np.minimum(stats.binom.cdf(counts, n, probs), stats.binom.sf(counts - 1, n, probs))
    return bool((2 * tails).min() < false_alarm / tails.size)


def bits_of(mechanism: BitMechanism, reports: Bytes) -> NDArray[np.bool_]:
    """Return the bits of all blocks, shape (n, n_blocks * n_values)."""
    size = (mechanism.n_values + 7) // 8
    blocks = reports[:, mechanism.group_bytes :].reshape(-1, size)
    bits = np.unpackbits(blocks, axis=1, bitorder="little")
    assert not bits[:, mechanism.n_values :].any(), "spare bits are zero"
    return bits[:, : mechanism.n_values].reshape(len(reports), -1).astype(np.bool_)
