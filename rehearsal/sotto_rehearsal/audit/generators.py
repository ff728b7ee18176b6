"""Where the randomness comes from, as far as the ids of reports show it: 128 bits each that nobody may foresee.

A report's id should come from the same source as its noise, the operating system's. Ids that come twice, that hold a
time or a constant, or that follow from each other by a well-known generator, come from somewhere else.
"""

from collections.abc import Callable, Sequence

import numpy as np

from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_rehearsal.audit.bounds import binomial_tails
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.congruential import find_congruential
from sotto_rehearsal.audit.linear import find_linear
from sotto_rehearsal.audit.mersenne import find_mersenne
from sotto_rehearsal.audit.words import find_words

_N_BITS = 128
_VERSION = slice(48, 52)
_VARIANT = slice(64, 66)
_FINDERS: Sequence[Callable[[Bytes], str | None]] = (find_congruential, find_words, find_mersenne, find_linear)


def check_ids(of_processes: Sequence[Bytes], false_alarm: float) -> list[Check]:
    """Return what the ids of reports say of their source: shapes (n, 16), in the order in which each process made them.

    Of the first process, but for those that come twice. It accuses the operating system's with probability
    `false_alarm` at most: half of it is for the rates of bits; the rest takes n**2 / 2**128, and less than 2**-80.
    """
    ids = of_processes[0]
    rates = _check_rates(ids, false_alarm / 2)
    found = next((found for find in _FINDERS if (found := find(ids))), None) if rates.passed else None
    said = found or "no generator that is looked for"
    if not rates.passed:
        said = "not looked at, since ids hold a time or a constant"
    return [
        _check_repeats(np.concatenate(of_processes)),
        rates,
        Check("ids from no known generator", found is None, said),
    ]


def _check_repeats(ids: Bytes) -> Check:
    n_twice = len(ids) - len(np.unique(ids, axis=0))
    return Check("ids come once", n_twice == 0, f"{n_twice:,} of {len(ids):,} come again")


def _check_rates(ids: Bytes, false_alarm: float) -> Check:
    """Return whether each bit is one in half of the ids, and differs from that of the next id in half of them.

    A version 4 UUID has six bits that are always the same, and 122 by chance: these are looked at.
    """
    name = "ids hold no time and no constant"
    bits = np.unpackbits(ids, axis=1)
    free = np.ones(_N_BITS, np.bool_)
    if _are_version_4(bits[:1]) and _are_version_4(bits):
        free[_VERSION] = free[_VARIANT] = False
    changes = np.count_nonzero(bits[1:] != bits[:-1], axis=0)
    counts = np.stack([bits.sum(axis=0, dtype=np.int64), changes])
    n = np.array([[len(bits)], [max(0, len(bits) - 1)]])
    tails = binomial_tails(counts, n, 0.5)
    tails[:, ~free] = 1
    if tails.min() >= false_alarm / tails.size:
        return Check(name, True, f"each of {int(free.sum())} bits is a one in half of them, and changes in half")
    kind, bit = np.unravel_index(int(np.argmin(tails)), tails.shape)
    what = ("is a one", "differs from that of the id before")[kind]
    said = f"they do: bit {bit} {what} in {int(counts[kind, bit]):,} of {int(n[kind, 0]):,} ids, where half is chance"
    return Check(name, False, said)


def _are_version_4(bits: Bytes) -> bool:
    """Whether all ids, rows of bits, have the six bits of a random UUID."""
    return bool((bits[:, _VERSION] == [0, 1, 0, 0]).all() and (bits[:, _VARIANT] == [1, 0]).all())
