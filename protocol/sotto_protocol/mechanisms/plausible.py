"""How many ones an honest report has: the tails of a sum of two binomials, rounded outward, and what lies in them.

Of n bits the true ones are reported as one with one probability, the others with another, each by coins of its own. So
the ones of a report are the sum of two binomials, whose far tails honest devices hardly ever reach.
"""

from bisect import bisect_left
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal
from functools import lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.bounds import divide_below
from sotto_protocol.mechanisms.mechanism import Bytes

MAX_PROB_IMPLAUSIBLE = Decimal("1e-6")
"""The most, of the probability of an honest report, that may lie outside of the plausible numbers of ones."""
_UP = Context(prec=50, rounding=ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX)
_BYTES_PER_STEP = 2**18  # so many at once stay in the processor's cache
_WORD_BYTES = 8
_FEW_WORDS = 8
"""Up to so many words a row, they are added up column by column; more by numpy's sum, which then is faster."""


@dataclass(frozen=True, slots=True)
class PlausibleOnes:
    """Numbers of ones in [low, high] are plausible; an honest report has another with at most `prob_outside`."""

    low: int
    high: int
    prob_outside: Decimal

    def are_outside(self, rows: Bytes) -> NDArray[np.bool_]:
        """Return which rows of packed bits, shape (n, width), have implausibly few ones or too many, shape (n,)."""
        above_low = count_row_ones(rows) - np.uint32(self.low)  # fewer wrap around to huge numbers
        outside: NDArray[np.bool_] = above_low > np.uint32(self.high - self.low)
        return outside


@lru_cache(maxsize=256)
def plausible_ones(
    n_bits: int, n_true: tuple[int, int], if_true: int, if_other: int, scale: int, n_filters: int = 1
) -> PlausibleOnes:
    """Return the narrowest limits that honest filters leave with at most MAX_PROB_IMPLAUSIBLE / n_filters.

    Half of that is each tail's. `n_true`: the fewest and the most true bits of an answer; a bit is reported as one with
    `if_true / scale` where it is true, `if_other / scale` where not, 0 < if_other < if_true < scale. The number of ones
    grows with that of true bits (stochastically), so its upper tail is heaviest with the most, its lower one with the
    fewest: the limits hold for every answer.
    """
    most_prob = divide_below(MAX_PROB_IMPLAUSIBLE, 2 * n_filters)
    fewest, most = n_true
    high, above = _upper_limit((most, if_true), (n_bits - most, if_other), scale, most_prob)
    zeros, below = _upper_limit((fewest, scale - if_true), (n_bits - fewest, scale - if_other), scale, most_prob)
    return PlausibleOnes(n_bits - zeros, high, _UP.multiply(Decimal(n_filters), _UP.add(above, below)))


def count_row_ones(rows: Bytes) -> NDArray[np.uint32]:
    """Return how many bits of each row are set, shape (n,); `rows`: shape (n, width)."""
    step = max(1, _BYTES_PER_STEP // rows.shape[1])
    ones = np.empty(len(rows), np.uint32)
    for start in range(0, len(rows), step):
        counts = np.bitwise_count(_as_words(rows[start : start + step]))
        if counts.shape[1] > _FEW_WORDS:
            counts.sum(axis=1, dtype=np.uint32, out=ones[start : start + step])
            continue
        ones[start : start + step] = counts[:, 0]
        for column in counts.T[1:]:
            ones[start : start + step] += column
    return ones


def _as_words(rows: Bytes) -> NDArray[np.unsignedinteger]:
    """Return a copy of the rows, zeros behind each to whole words, shape (n, n_words); a byte's width stays one.

    The rows' bytes are copied as one piece each: numpy copies columns byte by byte, which takes six times as long.
    """
    width = rows.shape[1]
    if width == 1:
        return rows
    piece, padded_piece = _piece_types(width)
    padded = np.zeros(len(rows), padded_piece)
    padded["row"] = rows.view(piece)[:, 0]
    return padded.view(np.uint64).reshape(len(rows), -1)


@lru_cache(maxsize=256)
def _piece_types(width: int) -> tuple[np.dtype[np.void], np.dtype[np.void]]:
    """Return the types of a row's bytes as one piece, and with the zeros behind it: making them takes a while."""
    piece = np.dtype((np.void, width))
    itemsize = -(-width // _WORD_BYTES) * _WORD_BYTES
    return piece, np.dtype({"names": ["row"], "formats": [piece], "itemsize": itemsize})


def _upper_limit(some: tuple[int, int], others: tuple[int, int], scale: int, most_prob: Decimal) -> tuple[int, Decimal]:
    """Return the least h, and the probability, with P(more than h ones) <= most_prob; each (bits, heads of scale)."""
    masses = _binomial_above(*some, scale)
    tails = [*accumulate(reversed(_binomial_above(*others, scale)), _UP.add)][::-1]  # of the others: k or more
    n_bits = some[0] + others[0]

    def prob_above(limit: int) -> Decimal:
        total = Decimal(0)
        for ones, mass in enumerate(masses):
            least = limit + 1 - ones  # ones that the others must have
            if least < len(tails):
                total = _UP.add(total, _UP.multiply(mass, tails[max(least, 0)]))
        return total

    limit = bisect_left(range(n_bits), True, key=lambda ones: prob_above(ones) <= most_prob)
    return limit, prob_above(limit)


def _binomial_above(n_bits: int, heads: int, scale: int) -> list[Decimal]:
    """Return upper bounds of P(k of n_bits coins are heads) for k from 0 on; relative error below n_bits 1e-48.

    From P(0) = (1 - p)^n by P(k + 1) = P(k) (n - k) / (k + 1) p / (1 - p), all positive and rounded up.
    """
    tails = _UP.divide(Decimal(scale - heads), Decimal(scale))
    odds = _UP.divide(Decimal(heads), Decimal(scale - heads))
    mass = Decimal(1)
    for _ in range(n_bits):
        mass = _UP.multiply(mass, tails)
    masses = [mass]
    for ones in range(n_bits):
        mass = _UP.divide(_UP.multiply(_UP.multiply(mass, odds), Decimal(n_bits - ones)), Decimal(ones + 1))
        masses.append(mass)
    return masses
