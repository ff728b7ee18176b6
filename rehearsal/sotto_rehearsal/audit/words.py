"""Ids of generators that hand out whole words of 64 bits, of which a step can be undone: SplitMix64, Go's math/rand."""

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.mechanism import Bytes

_LOOKED_AT = 8
"""So many words must follow: by chance all do with 2**-512."""
_GO = (607, 273)
"""The lags of Go's additive generator (Mitchell & Reeds)."""

Words = NDArray[np.uint64]


def find_words(ids: Bytes) -> str | None:
    """Return what is found in ids of one process, shape (n, 16), in their order; None where there is nothing."""
    for order in (">u8", "<u8"):
        words = np.ascontiguousarray(ids).view(order).astype(np.uint64).reshape(-1)
        steps = np.diff(_unmix(words[: _LOOKED_AT + 2]))
        if len(steps) > _LOOKED_AT and (steps == steps[0]).all():
            return "they are drawn from SplitMix64, 64 bits of state"
        long, short = _GO
        later = words[long : long + _LOOKED_AT]
        if len(later) == _LOOKED_AT and (later == words[:_LOOKED_AT] + words[long - short :][:_LOOKED_AT]).all():
            return "they are drawn from Go's math/rand, a sum of earlier words"
    return None


def inverse(odd: int) -> np.uint64:
    """Return the inverse of an odd number modulo 2**64."""
    return np.uint64(pow(odd, -1, 2**64))


def _unmix(words: Words) -> Words:
    """Return the counter's states that SplitMix64 (Steele et al. 2014) makes these words of."""
    words = _unshift(words, 31) * inverse(0x94D049BB133111EB)
    words = _unshift(words, 27) * inverse(0xBF58476D1CE4E5B9)
    return _unshift(words, 30)


def _unshift(words: Words, by: int) -> Words:
    """Undo x ^ x >> by."""
    whole = words
    for _ in range(64 // by):
        whole = words ^ whole >> np.uint64(by)
    return whole
