"""Ids of congruential generators, which multiply and add: of 32 and 48 bits, of 64 bits, and PCG32."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.mechanisms.mechanism import Bytes

_LOOKED_AT = 8
"""So many ids must each follow from themselves: by chance one of these does with 2**-16, all with 2**-128."""
_MASK = 2**64 - 1
_KNUTH = 6364136223846793005
_NEARBY = range(-3, 4)
_HIDDEN = 27  # bits of a PCG32's state that its output and its rotation leave open
Basis = tuple[tuple[int, int], tuple[int, int]]


class _Congruential(NamedTuple):
    """x -> (multiplier x + increment) mod 2**n_bits, of which the upper 32 bits are handed out."""

    name: str
    n_bits: int
    multiplier: int
    increment: int


_SMALL = (
    _Congruential("java.util.Random or drand48, 48 bits of state", 48, 0x5DEECE66D, 11),
    _Congruential("a 32-bit congruential generator (Numerical Recipes)", 32, 1664525, 1013904223),
    _Congruential("a 32-bit congruential generator (ANSI C)", 32, 1103515245, 12345),
    _Congruential("a 32-bit congruential generator (Borland)", 32, 22695477, 1),
)
_LARGE = (
    _Congruential("a 64-bit congruential generator (Knuth's MMIX)", 64, _KNUTH, 1442695040888963407),
    _Congruential("a 64-bit congruential generator (newlib, musl)", 64, _KNUTH, 1),
)
_PCG = (1442695040888963407, 0xDA3E39CB94B95BDB)
"""PCG32's usual increments (O'Neill 2014): of its library, and of the minimal implementation's initial state."""


def find_congruential(ids: Bytes) -> str | None:
    """Return what is found in ids of one process, shape (n, 16), in their order; None where there is nothing."""
    if len(ids) < _LOOKED_AT:
        return None
    for order in (">u4", "<u4"):
        words = np.ascontiguousarray(ids[:_LOOKED_AT]).view(order).astype(np.uint64)
        for generator in _SMALL:
            if all(_follows(generator, *of_id[1::2]) for of_id in words):
                return f"they are drawn from {generator.name}"
        of_ids = [[int(word) for word in of_id] for of_id in words]
        for generator in _LARGE:
            if all(_follows_truncated(generator, of_id) for of_id in of_ids):
                return f"they are drawn from {generator.name}"
        for increment in _PCG:
            if all(_follows_pcg(increment, of_id) for of_id in of_ids):
                return "they are drawn from PCG32, 64 bits of state"
    return None


def _follows(generator: _Congruential, earlier: np.uint64, later: np.uint64) -> bool:
    """Whether a word of 32 bits follows from another, two steps on. Of two that are added, one hides a carry."""
    n_hidden = generator.n_bits - 32
    mask = np.uint64(2**generator.n_bits - 1)
    states: NDArray[np.uint64] = (earlier << np.uint64(n_hidden)) + np.arange(2**n_hidden, dtype=np.uint64)
    for _ in range(2):
        states = (states * np.uint64(generator.multiplier) + np.uint64(generator.increment)) & mask
    return bool((states >> np.uint64(n_hidden) == later).any())


def _follows_truncated(generator: _Congruential, words: list[int]) -> bool:
    """Whether four words are the upper halves of states that follow each other."""
    states = _states(generator.multiplier, generator.increment, words[0] << 32, words[1] << 32, 32)
    return any(_run(generator.multiplier, generator.increment, state, 3)[1:] == words[1:] for state in states)


def _run(multiplier: int, increment: int, state: int, n: int) -> list[int]:
    words = [state >> 32]
    for _ in range(n):
        state = (state * multiplier + increment) & _MASK
        words.append(state >> 32)
    return words


def _follows_pcg(increment: int, words: list[int]) -> bool:
    """Whether four words are a PCG32's: the top five bits of a state say by how much its output is turned."""
    tops = [[_open_pcg(word, turn) for turn in range(32)] for word in words[:2]]
    for first, second in product(*tops):
        for state in _states(_KNUTH, increment, first, second, _HIDDEN):
            later, said = state, []
            for _ in words:
                said.append(pcg_output(later))
                later = (later * _KNUTH + increment) & _MASK
            if said == words:
                return True
    return False


def pcg_output(state: int) -> int:
    """Return the word that PCG32 (XSH-RR) hands out in a state."""
    word, turn = ((state >> 18 ^ state) >> 27) & 0xFFFFFFFF, state >> 59
    return (word >> turn | word << (-turn & 31)) & 0xFFFFFFFF


def _open_pcg(word: int, turn: int) -> int:
    """Return the upper 37 bits of the state that hands out a word turned by so much; the rest zero."""
    turned = (word << turn | word >> (-turn & 31)) & 0xFFFFFFFF
    state = turn << 59
    for bit in range(58, _HIDDEN - 1, -1):
        known = turned >> (bit - 27) & 1
        state |= (known ^ state >> (bit + 18) & 1) << bit
    return state


def _states(multiplier: int, increment: int, upper: int, next_upper: int, n_hidden: int) -> Iterator[int]:
    """Yield the states with these upper bits whose next one may have those, by the nearest points of a lattice.

    Hidden parts x and y satisfy y - multiplier x = rest mod 2**64: a shifted lattice in two dimensions (Frieze et al.
    1988), of which points near the middle of what is possible are tried.
    """
    (a, b), (c, d) = _reduced(multiplier)
    rest = (multiplier * upper + increment - next_upper) & _MASK
    middle = 2 ** (n_hidden - 1)
    u, v, det = middle, middle - rest, a * d - b * c
    one, two = _nearest(u * d - v * c, det), _nearest(a * v - b * u, det)
    nearby = _NEARBY if n_hidden > _HIDDEN else (0,)
    for i, j in product(nearby, nearby):
        x = (one + i) * a + (two + j) * c
        if 0 <= x < 2 * middle:
            yield upper | x


def _nearest(number: int, of: int) -> int:
    return (2 * number + of) // (2 * of)


_BASES: dict[int, Basis] = {}


def _reduced(multiplier: int) -> Basis:
    """Return a short basis of the points (x, multiplier x mod 2**64), by Gauss's reduction."""
    if multiplier not in _BASES:
        one, two = (1, multiplier), (0, 2**64)
        while True:
            if one[0] ** 2 + one[1] ** 2 > two[0] ** 2 + two[1] ** 2:
                one, two = two, one
            times = _nearest(one[0] * two[0] + one[1] * two[1], one[0] ** 2 + one[1] ** 2)
            if times == 0:
                break
            two = two[0] - times * one[0], two[1] - times * one[1]
        _BASES[multiplier] = one, two
    return _BASES[multiplier]
