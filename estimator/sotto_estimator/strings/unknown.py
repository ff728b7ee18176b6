"""Strings that nobody listed, found from n-grams at two random positions of each (Fanti, Pihur & Erlingsson 2015).

At each position all n-grams of an alphabet are candidates, and some are found. For each pair of positions the joint
distribution of those says which go together: the edges of a graph. Strings whose n-grams are all joined become
candidates, and are tested as such on the bits of whole strings, whose noise had no part in finding them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.likelihood.em import MixtureFit, fit
from sotto_estimator.likelihood.latent_classes import Mixture
from sotto_estimator.likelihood.standard_errors import product_errors
from sotto_estimator.strings.bloom_likelihood import bloom_likelihood
from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.counts import BitCounts
from sotto_estimator.strings.decode import Decoded, DecodeOptions, decode, decode_nothing
from sotto_estimator.strings.graph import Shares, join_grams
from sotto_estimator.strings.question import bit_rates
from sotto_estimator.strings.remarks import names
from sotto_protocol.mechanisms.bloom.hash import bloom_map
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.text import PADDING, compose, is_answer, normalise

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789 -.'"
MAX_GRAMS = 200_000
MAX_PATHS = 20_000
MOST_GRAMS = 100
"""The most n-grams of a position that are followed, the commonest."""
_EDGE_Z = 2.0
"""Standard errors above 0 of an edge's share. A path needs edges between all its n-grams, and a test behind it."""


@dataclass(frozen=True, slots=True)
class NgramStrings:
    """What n-grams tell: `strings`, made of `grams`, those of each position, by `n_edges` of each pair of positions."""

    strings: tuple[str, ...]
    grams: tuple[tuple[str, ...], ...]
    n_edges: tuple[int, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """`found`, and of its strings those that the reports of whole strings confirm, with all warnings of both."""

    found: NgramStrings
    decoded: Decoded


def decode_grams(mechanism: BloomResponse, reports: Bytes, alphabet: str, options: DecodeOptions) -> Decoded:
    """Return the strings that `decode_unknown` finds."""
    return decode_unknown(mechanism, reports, alphabet, options).decoded


def decode_unknown(
    mechanism: BloomResponse, reports: Bytes, alphabet: str = ALPHABET, options: DecodeOptions | None = None
) -> Unknown:
    """Find strings by their n-grams, and decode them as candidates. Raises as `find_strings`."""
    found = find_strings(mechanism, reports, alphabet, options)
    counts = BitCounts.from_support(mechanism.count_support(reports))
    rates, design = bit_rates(mechanism), mechanism.design
    if not found.strings:
        warnings = ("no string was found from n-grams.", *found.warnings)
        return Unknown(found, decode_nothing(counts, rates, design, options or DecodeOptions(), warnings))
    decoded = decode(counts, rates, CandidateMap.of(found.strings, design), options, "n-grams")
    warnings = (*found.warnings, *_on_length(mechanism.max_length, found, decoded), *decoded.warnings)
    return Unknown(found, replace(decoded, warnings=warnings))


def _on_length(max_length: int, found: NgramStrings, decoded: Decoded) -> list[str]:
    """Say which strings fill the length that n-grams are cut from: devices report no more of a longer answer."""
    filling = [text for text in found.strings if len(text) == max_length]
    whole = {row.string for row in decoded.rows}
    confirmed, beginnings = [text for text in filling if text in whole], [text for text in filling if text not in whole]
    filled = f"filling the {max_length} characters (max_length) that devices cut n-grams from"
    said = []
    if confirmed:
        said.append(f"{filled}: {names(confirmed)}. Longer answers with the same beginning cannot be found.")
    if beginnings:
        said.append(
            f"{filled}, and not confirmed by the bits of whole strings: {names(beginnings)}. Longer answers may begin "
            "like this; they cannot be found."
        )
    return said


def find_strings(
    mechanism: BloomResponse, reports: Bytes, alphabet: str = ALPHABET, options: DecodeOptions | None = None
) -> NgramStrings:
    """Return strings whose n-grams go together, not yet tested.

    `reports`: packed, of one wave, shape (n, n_bytes). `alphabet`: the characters that strings are made of. Raises
    DomainError where the question asks for no n-grams, or the alphabet makes too many, SourceError without reports.
    """
    if not mechanism.n_positions:
        raise DomainError("devices report no n-grams: the question has no `unknown = true` in the survey file.")
    if not len(reports):
        raise SourceError("there are no reports; finding texts needs some for every pair of positions.")
    texts = _all_grams(alphabet, mechanism.gram_length)
    maps = [_gram_map(mechanism, texts, position) for position in range(1, mechanism.n_positions + 1)]
    warnings: list[str] = []
    kept = [
        _find_grams(mechanism, reports, position, maps[position - 1], options) for position in _positions(mechanism)
    ]
    for position, numbers in zip(_positions(mechanism), kept, strict=True):
        if len(numbers) > MOST_GRAMS:
            warnings.append(f"at position {position} only the {MOST_GRAMS} commonest n-grams are followed.")
    numbers_of = [numbers[:MOST_GRAMS] for numbers in kept]
    grams = tuple(tuple(texts[number] for number in numbers) for numbers in numbers_of)
    if not all(grams):
        missing = [str(position) for position, some in zip(_positions(mechanism), grams, strict=True) if not some]
        warnings.append(f"no n-gram stands out from the noise at position {', '.join(missing)}.")
        return NgramStrings((), grams, (0,) * len(mechanism.pairs), tuple(warnings))
    chosen = [_choose(candidates, numbers) for candidates, numbers in zip(maps, numbers_of, strict=True)]
    edges = {
        (first - 1, second - 1): _join_pair(mechanism, reports, number, (chosen[first - 1], chosen[second - 1]))
        for number, (first, second) in enumerate(mechanism.pairs)
    }
    strings, is_cut = join_grams(grams, edges, MAX_PATHS)
    if is_cut:
        warnings.append(f"more than {MAX_PATHS:,} paths through the n-grams: only the heaviest were followed.")
    answers = tuple(text for text in strings if is_answer(text) and normalise(text) == text)
    return NgramStrings(answers, grams, tuple(int((shares > 0).sum()) for shares in edges.values()), tuple(warnings))


def _positions(mechanism: BloomResponse) -> range:
    return range(1, mechanism.n_positions + 1)


def _all_grams(alphabet: str, length: int) -> list[str]:
    """Return all n-grams of an alphabet, those included that end in padding."""
    characters = sorted(set(compose(alphabet)))
    n_grams = sum(len(characters) ** filled for filled in range(length + 1))
    if not characters or PADDING in characters or n_grams > MAX_GRAMS:
        raise DomainError(
            f"alphabet ({len(characters)} characters) makes {n_grams:,} n-grams of {length}; it must have some "
            f"characters, and make at most {MAX_GRAMS:,}."
        )
    return [
        "".join(filled).ljust(length, PADDING)
        for n_filled in range(length, -1, -1)
        for filled in product(characters, repeat=n_filled)
    ]


def _gram_map(mechanism: BloomResponse, texts: Sequence[str], position: int) -> CandidateMap:
    hashed = bloom_map(mechanism.design, [text.encode() for text in texts], position)
    return CandidateMap.given(texts, mechanism.design, hashed)


def _choose(candidates: CandidateMap, numbers: Sequence[int]) -> CandidateMap:
    hashed = candidates.bits(0, len(candidates))[list(numbers)]
    return CandidateMap.given([candidates.strings[number] for number in numbers], candidates.design, hashed)


def _find_grams(
    mechanism: BloomResponse, reports: Bytes, position: int, candidates: CandidateMap, options: DecodeOptions | None
) -> list[int]:
    """Return the numbers of the n-grams that stand at a position, the commonest first."""
    pairs = mechanism.pair_numbers(reports)
    counts = np.zeros((mechanism.n_cohorts, 1 + mechanism.n_values), np.int64)
    for number, pair in enumerate(mechanism.pairs):
        if position in pair:
            chosen = reports[pairs == number]
            counts += _count(mechanism, chosen, 1 + pair.index(position))
    if not counts[:, 0].any():
        return []
    found = decode(BitCounts.from_support(counts), bit_rates(mechanism), candidates, options)
    places = {text: number for number, text in enumerate(candidates.strings)}
    return [places[row.string] for row in found.rows]


def _count(mechanism: BloomResponse, reports: Bytes, block: int) -> NDArray[np.int64]:
    """Count a block's bits as `count_support` does the first's, by putting it in its place."""
    start, end = (mechanism.group_bytes + number * _block_bytes(mechanism) for number in (block, block + 1))
    moved = np.concatenate([reports[:, : mechanism.group_bytes], reports[:, start:end]], axis=1)
    return mechanism.count_support(moved)


def _block_bytes(mechanism: BloomResponse) -> int:
    return (mechanism.n_bytes - mechanism.group_bytes) // mechanism.n_blocks


def _join_pair(
    mechanism: BloomResponse, reports: Bytes, number: int, candidates: tuple[CandidateMap, CandidateMap]
) -> Shares:
    """Return the shares of people with both n-grams of a pair of positions, 0 where they may be none."""
    chosen = reports[mechanism.pair_numbers(reports) == number]
    shape = (len(candidates[0]), len(candidates[1]))
    if not len(chosen):
        return np.zeros(shape)
    cohorts = mechanism.cohorts(chosen)
    likelihoods = tuple(
        np.exp(bloom_likelihood(mechanism, mechanism.bits(chosen, block), cohorts, grams))
        for block, grams in enumerate(candidates, 1)
    )
    mixture = Mixture(likelihoods, np.ones(len(chosen), np.int64))
    joint = fit(mixture)
    alone: list[MixtureFit] = [fit(mixture.marginal(side)) for side in range(2)]
    errors = product_errors(mixture, alone)[:-1, :-1]
    shares = joint.shares[:-1, :-1]
    return np.where(shares > _EDGE_Z * errors, shares, 0.0)
