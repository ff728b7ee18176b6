"""Which option is most common: how often a trusted curator names the right one, without publishing counts."""

import numpy as np

from sotto_estimator.channel.channel import Floats

_MOST_NODES = 256


def exponential_mechanism(counts: Floats, epsilon: float) -> Floats:
    """Return the probabilities that each option is named: as exp(epsilon count / 2) (McSherry & Talwar 2007).

    One changed answer moves two counts, in opposite directions, by 1. Counts shape (.., k).

    >>> exponential_mechanism(np.array([2, 0]), np.log(3)).round(3)
    array([0.75, 0.25])
    """
    scores = _scores(counts, epsilon)
    return np.asarray(scores / scores.sum(axis=-1, keepdims=True))


def permute_and_flip(counts: Floats, epsilon: float) -> Floats:
    """Return the same of the largest count with exponential noise of scale 2 / epsilon (McKenna & Sheldon 2020).

    x_r integral from 0 to 1 of the product of 1 - x_j s over the others, x_j = exp(epsilon (count_j - the most) / 2):
    by Gauss & Legendre, which is exact of so many options as twice its nodes.
    """
    scores = _scores(counts, epsilon)
    at, weights = np.polynomial.legendre.leggauss(min(counts.shape[-1] // 2 + 1, _MOST_NODES))
    at, weights = (at + 1) / 2, weights / 2
    named = np.zeros_like(scores)
    for s, weight in zip(at, weights, strict=True):
        others = 1 - scores * s
        named += weight * scores * others.prod(axis=-1, keepdims=True) / others
    return named


def in_the_clear(counts: Floats, epsilon: float) -> Floats:
    """Return the same of the largest count itself: as likely each of those that are equal, whatever epsilon."""
    is_top = counts == counts.max(axis=-1, keepdims=True)
    return np.asarray(is_top / is_top.sum(axis=-1, keepdims=True))


def _scores(counts: Floats, epsilon: float) -> Floats:
    return np.asarray(np.exp(epsilon * (counts - counts.max(axis=-1, keepdims=True)) / 2))
