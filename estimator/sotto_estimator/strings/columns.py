"""The design of the regression: a candidate's column has a 1 where one of its hashes sets a bit, in every cohort."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sotto_estimator.channel.channel import Floats
from sotto_protocol.mechanisms.bloom.hash import BloomDesign

Ints = NDArray[np.intp]

_ENTRIES_PER_BLOCK = 2**21  # 12 bytes each in a sparse block
_MAX_KEPT_ENTRIES = 2**23  # larger designs are made anew, block by block, for each pass over them
_PROBE_SEED = 1
_CHANCE = 1e-6
"""Below it, a map that a random hash would make with this probability is not one's."""
_FIRST_LOOK = 64  # strings: a hash's are told by the first of them
_PROBE_BITS = 40  # of up to 2^13 hashes' sums: 53 bits, which a double holds


class Candidates(Protocol):
    """Strings and their bits: what `CandidateMap` is."""

    @property
    def strings(self) -> tuple[str, ...]: ...

    @property
    def design(self) -> BloomDesign: ...

    def bits(self, start: int, stop: int) -> NDArray[np.uint16]:
        """Bit numbers of the candidates [start, stop), shape (n, n_cohorts, n_hashes); some may be equal."""


@dataclass(frozen=True, slots=True)
class HashMoments:
    """Of the bits of a string that is hashed at random: their mean, variance, and covariance within a cohort.

    All are 0 where a map is no hash (`NO_HASH`): then strings that nobody listed set no bits at random.
    """

    density: float
    variance: float
    covariance: float

    @classmethod
    def of(cls, design: BloomDesign) -> "HashMoments":
        """density = 1 - (1 - 1/k)^h; two bits are both 1 with probability 1 - 2 (1 - 1/k)^h + (1 - 2/k)^h."""
        unset = (1 - 1 / design.n_bits) ** design.n_hashes
        both_unset = (1 - 2 / design.n_bits) ** design.n_hashes
        return cls(1 - unset, unset * (1 - unset), both_unset - unset**2)

    def quadratic(self, weights: Floats) -> Floats:
        """Return the variance of the weighted sum of a random string's bits, over the last axis: a cohort's.

        At least 0: with one hash equal weights have none, and the difference of its two terms may be below by rounding.
        """
        squares: Floats = np.square(weights).sum(-1)
        sums: Floats = np.square(weights.sum(-1))
        return np.maximum((self.variance - self.covariance) * squares + self.covariance * sums, 0)

    def skewness(self, weights: Floats, n_hashes: int) -> float:
        """Return the skewness of the sum over all cohorts, weights of shape (n_cohorts, n_bits), as of single bits."""
        if not self.variance:
            return 0.0
        centred = weights - weights.mean(-1, keepdims=True)
        variance, third = (n_hashes * float((centred**power).mean(-1).sum()) for power in (2, 3))
        return third / variance**1.5 if variance > 0 else 0.0


NO_HASH = HashMoments(0.0, 0.0, 0.0)


def is_hash(candidates: Candidates) -> bool:
    """Return whether a map may be a random hash's: that of basic RAPPOR is not, whose strings have bits of their own.

    It is none where in every cohort each bit belongs to one string, so that others could not be told from all of the
    candidates together; and where each string sets the same bits in all cohorts, though a hash would do so with
    probability n_bits^-(n n_hashes (n_cohorts - 1)) below 1e-6.
    """
    design, n = candidates.design, len(candidates.strings)
    if n * design.n_hashes == design.n_bits:
        owned = candidates.bits(0, n).transpose(1, 0, 2).reshape(design.n_cohorts, -1)
        if (np.sort(owned) == np.arange(design.n_bits)).all():
            return False
    n_equal = n * design.n_hashes * (design.n_cohorts - 1)
    if n_equal * math.log(design.n_bits) <= -math.log(_CHANCE):
        return True
    blocks = (candidates.bits(start, min(start + _FIRST_LOOK, n)) for start in range(0, n, _FIRST_LOOK))
    return any((bits != bits[:, :1]).any() for bits in blocks)


class Columns:
    """Columns of the candidates over the cells (cohort, bit), in blocks; kept where they are few."""

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        design = candidates.design
        self.n = len(candidates.strings)
        self.n_cells = design.n_cohorts * design.n_bits
        self.moments = HashMoments.of(design) if is_hash(candidates) else NO_HASH
        self.n_hashes = design.n_hashes
        self._starts = (design.n_bits * np.arange(design.n_cohorts, dtype=np.int32))[:, None]
        per_candidate = design.n_cohorts * design.n_hashes
        self._step = max(1, _ENTRIES_PER_BLOCK // per_candidate)
        self._kept: dict[int, sparse.csr_array] | None = {} if self.n * per_candidate <= _MAX_KEPT_ENTRIES else None

    def blocks(self) -> Iterator[sparse.csr_array]:
        """Iterate over the rows of all candidates, some at a time, shape (n, n_cells)."""
        return (self._block(start) for start in range(0, self.n, self._step))

    def sums(self, values: Floats) -> Floats:
        """Return for every candidate the sums of `values`, shape (n_cells, n), over the cells that it sets."""
        return np.concatenate([block @ values for block in self.blocks()])

    def rows(self, chosen: Ints) -> sparse.csr_array:
        """Return the rows of some candidates, shape (n_chosen, n_cells)."""
        if chosen.size == self.n <= self._step:
            return self._block(0)
        bits = [self.candidates.bits(int(number), int(number) + 1) for number in chosen]
        return self._made(np.concatenate(bits)) if bits else sparse.csr_array((0, self.n_cells))

    def dense(self, chosen: Ints) -> Floats:
        """Return the columns of some candidates, shape (n_cells, n_chosen)."""
        columns: Floats = np.ascontiguousarray(self.rows(chosen).toarray().T)
        return columns

    def twins(self, used: NDArray[np.bool_]) -> list[list[int]]:
        """Return the groups of candidates that set the same of the cells that are `used`.

        Their sums of random integers below 2^40 are equal, and exact; others' are with probability 2^-44 a pair.
        """
        probe = np.random.default_rng(_PROBE_SEED).integers(0, 2**_PROBE_BITS, self.n_cells) * used
        return _groups(self.sums(probe.astype(np.float64)[:, None])[:, 0])

    def _block(self, start: int) -> sparse.csr_array:
        if self._kept is None:
            return self._made(self.candidates.bits(start, min(start + self._step, self.n)))
        if start not in self._kept:
            self._kept[start] = self._made(self.candidates.bits(start, min(start + self._step, self.n)))
        return self._kept[start]

    def _made(self, bits: NDArray[np.uint16]) -> sparse.csr_array:
        n, n_cohorts, n_hashes = bits.shape
        cells = bits + self._starts
        entries = np.ones(bits.shape)
        for later in range(1, n_hashes):
            for earlier in range(later):
                entries[..., later][bits[..., later] == bits[..., earlier]] = 0  # a bit is set once
        width = n_cohorts * n_hashes
        starts = np.arange(0, n * width + 1, width, dtype=np.int32)
        return sparse.csr_array((entries.ravel(), cells.ravel(), starts), shape=(n, self.n_cells))


def _groups(values: Floats) -> list[list[int]]:
    order = np.argsort(values, kind="stable")
    edges = np.flatnonzero(np.diff(values[order])) + 1
    if edges.size + 1 == values.size:
        return []
    return [group.tolist() for group in np.split(order, edges) if group.size > 1]
