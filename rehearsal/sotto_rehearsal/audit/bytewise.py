"""Whether coins fall as they should, byte by byte: every prefix of a source's bytes, on the code that devices run.

A draw alone is tried with every prefix that makes it (`Ends`). A batch must then come to what each draw's own bytes
make alone, and take just these, in their order: so its draws are independent, as the bytes are.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, cycle, product

import numpy as np

from sotto_protocol import COIN_SCALE, Coins, given_bytes
from sotto_protocol.coins import Edges

_MOST_BYTES = 4  # of a coin
_WORD = 2  # bytes of an integer
_PLACE_WORD, _MOST_WORDS = 4, 3  # bytes of a word of a number that is placed; and so many words
_ALL_TOGETHER = 3  # of so many draws, every way of ties is tried; of more, of every two

Ends = list[tuple[bytes, int]]
"""All bytes that a draw takes, and what it then comes to."""
Batch = Callable[[Coins, int], Iterable[int]]
"""What draws so many at once."""


@lru_cache(maxsize=256)
def falls_exactly(kind: str, number: int | tuple[int, ...] | Edges, n_draws: int) -> bool:
    """Whether a batch has its probabilities exactly.

    ("flip", threshold), ("uniform", n_values up to 256) ("choose", thresholds) or ("place", edges).
    """
    if isinstance(number, tuple):
        return chooses_exactly(number)
    if isinstance(number, Edges):
        return places_exactly(number)
    return flips_exactly(number, n_draws) if kind == "flip" else is_uniform(number, n_draws)


def flips_exactly(threshold: int, n_coins: int) -> bool:
    """Whether each coin of a batch is heads with threshold / 2**32, whatever the others are.

    Every byte is tried, and behind a tie every next one, at every place of the batch.
    """
    flips: list[Batch] = [
        lambda coins, n: (int(coin) for coin in coins.flip(threshold, n)),
        lambda coins, n: coins.flip_few(threshold, n),
    ]
    ends, ends_few = (_ends_of_coin(flip) for flip in flips)
    prob = sum((Fraction(coin, 256 ** len(own)) for own, coin in ends), Fraction(0))
    if ends != ends_few or prob != Fraction(threshold, COIN_SCALE):
        return False
    return all(_is_as_alone(flip, batch, 1) for batch in _batches(ends, n_coins) for flip in flips)


def chooses_exactly(thresholds: tuple[int, ...]) -> bool:
    """Whether each draw takes four bytes, and comes to the first outcome whose threshold is above their number.

    Numbers on both sides of each threshold are tried, and the ends, alone and in a batch.
    """
    edges = sorted({0, COIN_SCALE - 1, *(edge for limit in thresholds[:-1] for edge in (limit - 1, limit))})
    ends = [(edge.to_bytes(4, "big"), sum(limit <= edge for limit in thresholds)) for edge in edges]
    table = np.array([thresholds])

    def choose(coins: Coins, n_draws: int) -> Iterable[int]:
        return (int(outcome) for outcome in coins.choose(table, np.zeros(n_draws, np.intp)))

    return thresholds[-1] == COIN_SCALE and all(
        _is_as_alone(choose, batch, 4) for batch in [ends, *([end] for end in ends)]
    )


def places_exactly(edges: Edges) -> bool:
    """Whether a number is placed where it belongs, on both sides of every edge, by as few words as tell.

    Numbers are tried that begin as an edge does for so many words, but for the last, which is that or next to it.
    """
    cuts = [Fraction(numerator, edges.whole) for numerator in edges.numerators]
    draws: list[Callable[[Coins], int]] = [
        lambda coins: coins.place_one(edges),
        lambda coins: int(coins.place(edges, 1)[0]),
    ]
    for cut, n_words, step in product(cuts, range(1, _MOST_WORDS + 1), (-1, 0, 1)):
        number = int(cut * COIN_SCALE**n_words) + step
        if not 0 <= number < COIN_SCALE**n_words:
            continue
        words = number.to_bytes(_PLACE_WORD * n_words, "big")
        opened = [_is_open(words[:n], cuts) for n in range(_PLACE_WORD, len(words) + 1, _PLACE_WORD)]
        if opened[-1]:
            continue  # it takes more words
        place = sum(cut <= Fraction(number, COIN_SCALE**n_words) for cut in cuts)
        n_taken = _PLACE_WORD * (opened.index(False) + 1)
        if not all(_takes_just(draw, words[:n_taken], place) for draw in draws):
            return False
    return True


def _is_open(words: bytes, cuts: list[Fraction]) -> bool:
    """Whether a number that begins with these words may be on either side of some edge."""
    size = Fraction(1, 256 ** len(words))
    low = int.from_bytes(words, "big") * size
    return any(low < cut < low + size for cut in cuts)


def _takes_just(draw: Callable[[Coins], int], stream: bytes, expected: int) -> bool:
    take, sizes = given_bytes(stream), list[int]()

    def counted(n_taken: int) -> bytes:
        sizes.append(n_taken)
        return take(n_taken)

    try:
        return draw(Coins(counted)) == expected and sum(sizes) == len(stream)
    except ValueError:  # it takes more
        return False


def _ends_of_coin(flip: Batch) -> Ends:
    """Return every prefix of bytes that makes a coin, the shorter first; none where four bytes are not enough."""
    ends: Ends = []
    tried = [b""]
    for prefix in tried:  # which grows
        try:
            (coin,) = flip(Coins(given_bytes(prefix)), 1)
        except ValueError:
            if len(prefix) == _MOST_BYTES or len(tried) > 256 * _MOST_BYTES:
                return []
            tried += [prefix + bytes([byte]) for byte in range(256)]
        else:
            ends.append((prefix, coin))
    return ends


def is_uniform(n_values: int, n_draws: int) -> bool:
    """Whether each integer of a batch is uniform on [0, n_values), at most 256, whatever the others are.

    Every word of two bytes is tried, alone and in one batch; what is rejected is drawn again, from bytes of its own.
    """
    kept, rejected = _words(n_values)
    n_words = Counter(value for _, value in kept)
    if set(n_words) != set(range(n_values)) or len(set(n_words.values())) != 1:
        return False
    once = [*{value: (word, value) for word, value in kept}.values()]
    twice = [(word + own, value) for word, (own, value) in zip(rejected, cycle(once), strict=False)]
    ends = once + twice + [(rejected[0] + own, value) for own, value in twice]
    draws: list[Batch] = [
        lambda coins, n: coins.uniform(n_values, n).tolist(),
        lambda coins, n: coins.uniform_few(n_values, n),
    ]
    is_one = all(_is_as_alone(lambda coins, _: [coins.uniform_one(n_values)], [end], _WORD) for end in ends)
    batches = [sorted(kept + twice), *_batches(ends, n_draws)]
    return is_one and all(_is_as_alone(draw, batch, _WORD) for batch in batches for draw in draws)


def _words(n_values: int) -> tuple[Ends, list[bytes]]:
    """Return the words of two bytes that make an integer, and those that are rejected."""
    kept: Ends = []
    rejected = []
    for word in (number.to_bytes(_WORD, "big") for number in range(256**_WORD)):
        try:
            kept.append((word, Coins(given_bytes(word)).uniform_one(n_values)))
        except ValueError:
            rejected.append(word)
    return kept, rejected


def _batches(ends: Ends, n_draws: int) -> Iterator[Ends]:
    """Yield batches in which every place has every end, and every two places every two kinds of them.

    A kind is how many bytes are taken, with the least and the greatest outcome.
    """
    step = len(ends) // (n_draws + 1) + 1
    for first in range(len(ends)):
        yield [ends[(first + place * step) % len(ends)] for place in range(n_draws)]
    by_value = sorted(ends, key=lambda end: (len(end[0]), end[1]))
    greatest, least = ({len(end[0]): end for end in ordered} for ordered in (by_value, reversed(by_value)))
    kinds = dict.fromkeys([*least.values(), *greatest.values()])
    if n_draws <= _ALL_TOGETHER:
        yield from map(list, product(kinds, repeat=n_draws))
        return
    shortest, longest = by_value[0], by_value[-1]
    for places in combinations(range(n_draws), 2):
        for two, rest in product(product(kinds, repeat=2), (shortest, longest)):
            pair = dict(zip(places, two, strict=True))
            yield [pair.get(place, rest) for place in range(n_draws)]


def _is_as_alone(draw: Batch, ends: Ends, n_bytes: int) -> bool:
    """Whether a batch comes to what each draw comes to alone, and takes just these bytes: first ones, then the next."""
    longest = max((len(own) for own, _ in ends), default=0)
    stream = b"".join(own[at : at + n_bytes] for at in range(0, longest, n_bytes) for own, _ in ends)
    take, sizes = given_bytes(stream), list[int]()

    def counted(n_taken: int) -> bytes:
        sizes.append(n_taken)
        return take(n_taken)

    try:
        drawn = [*draw(Coins(counted), len(ends))]
    except ValueError:  # it takes more, or makes fewer
        return False
    return drawn == [value for _, value in ends] and sum(sizes) == len(stream)
