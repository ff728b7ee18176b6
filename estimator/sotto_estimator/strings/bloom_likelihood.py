"""The likelihood of a Bloom filter's reports under candidate strings, and under 'other': all strings on no list.

Nobody knows the others' strings: a string is taken to set bits at random, as a hash does, so that a report speaks for
others by its number of ones alone. To estimate the bits that they set from what the candidates leave over fits the
noise too, and gives others most of what the candidates have.
"""

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.likelihood.latent_classes import Floats
from sotto_estimator.strings.candidates import CandidateMap
from sotto_protocol.mechanisms.bloom.hash import BloomDesign
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.mechanism import Bytes

OTHER = "(other)"
_LEAST_REPORTS = 10  # of a cohort, for its rates to be near normal


def text_likelihood(mechanism: BloomResponse, reports: Bytes, candidates: CandidateMap) -> NDArray[np.float32]:
    """Return P(report | string) but for a factor of the report, shape (n, n_candidates + 1); the last is `OTHER`."""
    likelihood = bloom_likelihood(mechanism, mechanism.bits(reports), mechanism.cohorts(reports), candidates)
    return np.exp(likelihood, out=likelihood)


def bloom_likelihood(
    mechanism: BloomResponse, bits: NDArray[np.bool_], cohorts: NDArray[np.intp], candidates: CandidateMap
) -> NDArray[np.float32]:
    """Return log P(bits | string), shape (n, n_candidates + 1), the largest of each row 0.

    `bits`: reported, shape (n, n_bits); `cohorts`: shape (n,). What is computed is the ratio to a filter without ones.
    """
    true, other = mechanism.prob_one_if_one, mechanism.prob_one_if_zero
    if_one, if_zero = np.log(true / other), np.log((1 - true) / (1 - other))
    hashed = candidates.bits(0, len(candidates))
    likelihood = np.empty((len(bits), len(candidates) + 1), np.float32)
    order = np.argsort(cohorts, kind="stable")
    ends = np.cumsum(np.bincount(cohorts, minlength=mechanism.n_cohorts))
    for cohort, rows in enumerate(np.split(order, ends[:-1])):
        set_bits = np.zeros((len(hashed), mechanism.n_values), np.float32)
        np.put_along_axis(set_bits, hashed[:, cohort].astype(np.intp), 1, axis=1)
        gains = np.where(bits[rows], np.float32(if_one), np.float32(if_zero))
        likelihood[rows, :-1] = gains @ set_bits.T
    random = np.log(random_string(mechanism.design, np.exp(if_one), np.exp(if_zero)))
    likelihood[:, -1] = random[bits.sum(axis=1)]
    likelihood -= likelihood.max(axis=1, keepdims=True)
    return likelihood


def random_string(design: BloomDesign, if_one: float, if_zero: float) -> Floats:
    """Return a report's mean likelihood under strings that are hashed at random, by its number of ones.

    Shape (n_bits + 1,). A string sets D different bits, of which J are ones in the report: D has the distribution of
    the number of occupied cells after n_hashes throws, J is hypergeometric; each such bit
    is worth `if_one`, the others `if_zero`.
    """
    from scipy.stats import hypergeom  # it takes half a second to load

    n_bits = design.n_bits
    ones = np.arange(n_bits + 1)
    mean = np.zeros(n_bits + 1)
    for n_set, prob in enumerate(_occupied(n_bits, design.n_hashes)):
        for n_hit in range(n_set + 1):
            chance = hypergeom.pmf(n_hit, n_bits, ones, n_set)
            mean += prob * chance * if_one**n_hit * if_zero ** (n_set - n_hit)
    return mean


def _occupied(n_cells: int, n_throws: int) -> Floats:
    """Return the distribution of the number of cells that so many throws hit, shape (min(n_cells, n_throws) + 1,)."""
    probs = np.eye(1, min(n_cells, n_throws) + 1).ravel()
    numbers = np.arange(len(probs))
    for _ in range(n_throws):
        stay = probs * numbers / n_cells
        stay[1:] += (probs * (n_cells - numbers) / n_cells)[:-1]
        probs = stay
    return probs


def misfit(
    mechanism: BloomResponse,
    reports: Bytes,
    counts: NDArray[np.int64],
    candidates: CandidateMap,
    shares: Floats,
) -> float:
    """Return by how many times the bits' rates vary more about a fit's than noise would: chi-square by its degrees.

    `shares` of the candidates and of others. Strings that many have and nobody listed set the same bits again and
    again, where others are taken to set any; they move the shares as noise in the bits' rates would.
    """
    bits, cohorts = mechanism.bits(reports), mechanism.cohorts(reports)
    hashed = candidates.bits(0, len(candidates))
    true, other = mechanism.prob_one_if_one, mechanism.prob_one_if_zero
    random = 1 - (1 - 1 / mechanism.n_values) ** mechanism.n_hashes
    statistic, degrees = 0.0, -len(shares) + 1
    for cohort in range(mechanism.n_cohorts):
        rows = np.flatnonzero(cohorts == cohort)
        n_reports = float(counts[rows].sum())
        if n_reports < _LEAST_REPORTS:
            continue
        rates = np.full(mechanism.n_values, shares[-1] * random)
        different = [np.unique(numbers) for numbers in hashed[:, cohort]]
        for numbers, share in zip(different, shares[:-1], strict=True):
            rates[numbers] += share
        expected = other + rates * (true - other)
        reported = counts[rows] @ bits[rows] / n_reports
        statistic += float(((reported - expected) ** 2 / (expected * (1 - expected))).sum()) * n_reports
        degrees += mechanism.n_values
    return statistic / degrees if degrees > 0 else 1.0
