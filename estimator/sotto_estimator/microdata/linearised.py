"""Shares of a population from a sample that is not simple, and their errors, by linearisation.

A row's scores z are unbiased for what its person's answer is: z[a] has mean 1 where the answer is a, 0 where it is
another. So sampling theory applies to z as it does to any variable that is measured with noise; an estimate is
sum(c z), with coefficients c that depend on the sampling alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import SourceError
from sotto_estimator.microdata.groups import Codes, Groups, sum_by
from sotto_estimator.microdata.sampling import Sampling

_NO_SPREAD = 1e-12
"""A standard error below it is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Linearised:
    """Shares, shape (n_answers,), and their variances, with the degrees of freedom of these.

    `noise`: the part of the variances that the reports' noise is. `is_census`: whether all people were drawn, so that
    there is no other. `unknown`: why there are no errors, where there are none.
    """

    shares: Floats
    variances: Floats
    noise: Floats
    degrees: int
    is_census: bool
    unknown: str = ""

    @property
    def errors(self) -> Floats:
        """Standard errors: at least the noise's, which a small sample of equal reports hides."""
        found: Floats = np.sqrt(np.maximum(self.variances, self.noise))
        return found

    def half_widths(self, tail: float) -> Floats:
        """Return those of Student's t; infinite without degrees of freedom, and where nothing varied that could."""
        reach = -stdtrit(self.degrees, tail) if self.degrees else np.inf
        return np.where(self.has_error, reach * np.where(self.has_error, self.errors, 1), np.inf)

    @property
    def has_error(self) -> NDArray[np.bool_]:
        """Of which shares there is an error, shape (n_answers,)."""
        return ((self.errors > _NO_SPREAD) | self.is_census) & (self.degrees > 0)


def estimate_shares(scores: Floats, sampling: Sampling, domain: NDArray[np.bool_] | None = None) -> Linearised:
    """Return the shares of the population, or of those of it in a domain, by rows' scores of shape (n, n_answers).

    Horvitz and Thompson (1952) where the population's size is known, or else Hajek's ratio; with margins the
    post-stratified estimate (Holt & Smith 1979); of a domain always a ratio. Variances: Taylor's linearisation, for
    clusters as if drawn with replacement (Woodruff 1971); for people from a finite population Deville's (1993)
    approximation, which is exact for simple random sampling, plus what it leaves of the noise (Chaudhuri 2011). Raises
    SourceError for a stratum of one.
    """
    share_of = _coefficients(sampling)
    is_ratio = domain is not None or (sampling.raked is None and sampling.population_size is None)
    inside = share_of if domain is None else share_of * domain
    shares = inside @ scores
    if is_ratio:
        inside = inside / inside.sum()
        shares = inside @ scores
    terms = inside[:, None] * (scores - shares if is_ratio else scores)
    if sampling.raked is not None:
        terms -= sampling.raked.fitted(terms)
    is_finite = sampling.population_size is not None and not sampling.has_clusters
    noise = scores**2 - scores  # unbiased for the variance of z, whose mean is 0 or 1, and so its own square
    if sampling.replicates is not None:
        of_each, has_any = sampling.replicates.estimates(scores, domain, sampling.raked)
        lacking = sampling.replicates.lacking(has_any)
        degrees = 0 if lacking else sampling.replicates.degrees(domain)
        variances = sampling.replicates.scales @ (of_each - shares) ** 2
        unknown = lacking or "its replicate weights are alike"
        return Linearised(shares, variances, inside**2 @ noise, degrees, is_census=False, unknown=unknown)
    drawn = 1 / sampling.weights if is_finite else np.zeros(len(scores))
    variances = _between(*_totals(terms, drawn, sampling), sampling.strata)
    variances += np.clip((drawn * inside**2) @ noise, 0, None)
    is_census = is_finite and bool((drawn[inside > 0] == 1).all())
    unknown = "each stratum has one cluster of it" if sampling.has_clusters else "each stratum has one person of it"
    return Linearised(shares, variances, inside**2 @ noise, degrees_of(sampling, domain), is_census, unknown)


def covariance_of_sums(terms: Floats, sampling: Sampling) -> Floats:
    """Return the covariance matrix of the sums of the rows' terms, shape (k, k): clusters as if drawn with replacement.

    Raises SourceError for a stratum of one.
    """
    factors, off = _deviations(*_totals(terms, np.zeros(len(terms)), sampling), sampling.strata)
    found: Floats = (factors[:, None] * off).T @ off
    return found


def _coefficients(sampling: Sampling) -> Floats:
    """Return c of the estimate sum(c z), shape (n,)."""
    if sampling.raked is not None:
        return sampling.raked.weights
    return sampling.weights / (sampling.population_size or sampling.weights.sum())


def degrees_of(sampling: Sampling, domain: NDArray[np.bool_] | None = None) -> int:
    """Return how many clusters there are, or people, less the strata: of those with any row in the domain."""
    rows = slice(None) if domain is None else domain
    strata, clusters = sampling.strata.codes[rows], sampling.clusters.codes[rows]
    pairs = strata.astype(np.int64) * (int(sampling.clusters.codes.max()) + 1) + clusters
    return len(np.unique(pairs)) - len(np.unique(strata))


def _totals(terms: Floats, drawn: Floats, sampling: Sampling) -> tuple[Floats, Floats, Codes]:
    """Return the terms by cluster, the probability that it was drawn with (0 for little), and its stratum."""
    if not sampling.has_clusters:
        return terms, drawn, sampling.strata.codes
    pairs = sampling.strata.codes.astype(np.int64) * len(sampling.clusters.labels) + sampling.clusters.codes
    found, cluster = np.unique(pairs, return_inverse=True)
    of_stratum = (found // len(sampling.clusters.labels)).astype(np.int32)
    return sum_by(cluster, terms, len(found)), np.zeros(len(found)), of_stratum


def _between(totals: Floats, drawn: Floats, of_stratum: Codes, strata: Groups) -> Floats:
    """Return the variance of the sum of totals."""
    factors, off = _deviations(totals, drawn, of_stratum, strata)
    return factors @ off**2


def _deviations(totals: Floats, drawn: Floats, of_stratum: Codes, strata: Groups) -> tuple[Floats, Floats]:
    """Return how far totals are from their stratum's mean, and by what squares count (Deville 1993, with 1 - drawn)."""
    n_strata = len(strata.labels)
    rest = 1 - drawn
    in_all = np.bincount(of_stratum, rest, n_strata)
    part = np.divide(rest, in_all[of_stratum], where=in_all[of_stratum] > 0, out=np.zeros_like(rest))
    spread = 1 - np.bincount(of_stratum, part**2, n_strata)
    if (alone := (in_all > 0) & (spread <= 1e-12)).any():  # one that is not drawn for certain
        where = (
            f"stratum {strata.labels[int(alone.argmax())]!r:.80} of {strata.column}" if strata.column else "all rows"
        )
        raise SourceError(
            f"{where}: only one was drawn, so its error cannot be estimated. Join it with another stratum."
        )
    means = sum_by(of_stratum, part[:, None] * totals, n_strata)
    return rest / spread[of_stratum], totals - means[of_stratum]
