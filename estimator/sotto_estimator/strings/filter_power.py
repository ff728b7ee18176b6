"""With which probability a string is found in Bloom filters: by the decoder's own tests, of the reports that will come.

The decoder tests a string twice: by its cells beside all cells (`screening`), and, in the model, by its share beside
the share's error (`models`). Where the model of all candidates leaves noise alone the second test is the only one. Here
all cells together are as expected, and the string's own cells are chance: their counts are binomial, given how many
other strings fall into them.

Notation: k bits, h hashes, m cohorts; a, b the probabilities of a reported one where the string sets the bit and where
not; d the chance that a random string sets it. Values of cells are debiased shares, less d.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.strings.columns import HashMoments, Ints
from sotto_estimator.strings.models import MAX_FULL, NOISE_P_VALUE, WORTH_GROWING
from sotto_estimator.strings.regression import LEAST_VARIANCE, MAD_TO_DEVIATION, OUTLIER
from sotto_estimator.strings.screening import N_LEVELS, is_few, least_score, winsor_limit
from sotto_protocol.mechanisms.bloom.response import BloomResponse

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(7)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
"""Of a standard normal variable."""
_ERRORS, _CHANCES = math.sqrt(3) * np.array([-1, 0, 1]), np.array([1, 4, 1]) / 6
"""Of one as well, at three values."""
_POINTS, _LENGTHS = np.polynomial.legendre.leggauss(20)
"""Between -1 and 1."""
_N_VALUES = 512  # about, of cells: where counts are larger, several are one
_REACH = 8.0  # deviations of a cell's noise that its values reach
_FEW_STRINGS, _FEW_MEET = 12, 2.0  # so many are counted one by one: others in all, others in a cell on average
_PART_OF_COUNT = 0.25  # by which a median of whole counts moves between crowds
_NEVER = 1e-7
_LIKELY = 1e-4
_MOST_SUMMED = 16  # draws: the sum of more is normal
_N_ROUNDS = 16
_N_FITS = 6
_ONE, _TINY = np.ones(1), 1e-300
_NORMAL = 200.0  # of a count's variance: beyond it is normal


@dataclass(frozen=True)
class FilterTest:
    """The decoder's tests of one string of `n_candidates`, in filters of `n` reports, at a false discovery `rate`."""

    design: BloomResponse
    n: int
    n_candidates: int
    rate: float

    def power(self, share: float, *, is_common: bool) -> float:
        """Return the probability that a string of this share is found, its candidates' only one that anybody answers.

        All others are as common, each of them on no list, or each is of one person.
        """
        crowd = Crowd.of(self, share, is_common=is_common)
        screened, tested, alone = crowd.power_of_screening(), crowd.power_of_model(), crowd.prob_noise_alone()
        return self._prob_unlike * (alone * tested + (1 - alone) * both(screened, tested, crowd.correlation()))

    @property
    def most_p(self) -> float:
        """The largest P-value of a string that is found alone."""
        return self.rate / self.n_candidates

    @property
    def n_draws(self) -> int:
        """How many cells a string has, of equal ones more than one."""
        return self.design.n_hashes * self.design.n_cohorts

    @property
    def n_cells(self) -> int:
        return self.design.n_values * self.design.n_cohorts

    @cached_property
    def moments(self) -> HashMoments:
        return HashMoments.of(self.design.design)

    @property
    def contrast(self) -> float:
        return self.design.prob_one_if_one - self.design.prob_one_if_zero

    def noise(self, true_share: float) -> float:
        """Return the variance of a report's debiased bit by its perturbation alone."""
        one, zero = (p * (1 - p) for p in (self.design.prob_one_if_one, self.design.prob_one_if_zero))
        return (zero + (one - zero) * true_share) / self.contrast**2

    def cell_variance(self, true_share: float) -> float:
        """Return what the decoder takes for the variance of a cell that such a part of its cohort sets."""
        of_report = self.noise(true_share) + true_share * (1 - true_share)
        return max(of_report, LEAST_VARIANCE * self.moments.variance) * self.design.n_cohorts / self.n

    @property
    def _prob_unlike(self) -> float:
        """P(no other candidate sets the same bits in all cohorts): such are not told apart."""
        k, h = self.design.n_values, self.design.n_hashes
        log_alike = self.design.n_cohorts * min(0.0, math.lgamma(h + 1) - h * math.log(k))
        return (1 - math.exp(log_alike)) ** (self.n_candidates - 1)


@dataclass(frozen=True)
class Crowd:
    """How probable each of the `values` of a cell is, in ascending steps.

    `background`: of a cell that is none of the string's; `empty`: if no other string falls into it. `own`: of its own,
    shape (n, n_values), if as many of a cohort answer it as in each of n cases of probabilities `own_weights`: its
    cells in a cohort have these people in common. `least_deviation`: that of noise, where values are too far apart to
    show it, else 0.
    """

    test: FilterTest
    share: float
    values: Floats
    empty: Floats
    background: Floats
    own: Floats
    own_weights: Floats
    least_deviation: float

    @classmethod
    def of(cls, test: FilterTest, share: float, *, is_common: bool) -> "Crowd":
        """Return the crowd in which all other strings are as common, or each is of one person."""
        design, n = test.design, test.n / test.design.n_cohorts
        one, zero = design.prob_one_if_one, design.prob_one_if_zero
        density = test.moments.density
        others, weights = _others_in_cell(share, density) if is_common else (np.array([density * (1 - share)]), _ONE)
        rates = zero + test.contrast * others
        cases, own_weights = _shares_in_cohort(share, n) if design.n_hashes > 1 else (np.array([share]), _ONE)
        if design.n_hashes > 1:  # so many people of a cohort answer the string, the others' bits are random
            of_others = zero + test.contrast * others / max(1 - share, _NEVER)
            own = cases[:, None] * one + (1 - cases[:, None]) * of_others
            spreads = cases[:, None] * one * (1 - one) + (1 - cases[:, None]) * of_others * (1 - of_others)
        else:
            own = zero + test.contrast * np.minimum(share + others, 1)[None]
            spreads = own * (1 - own)
        likely = weights > _LIKELY
        low = (rates - _REACH * np.sqrt(rates * (1 - rates) / n)).min()
        high = (own + _REACH * np.sqrt(spreads / n))[:, likely].max()
        step = max(1, math.ceil((min(high, 1) - max(low, 0)) * n / _N_VALUES))
        counts = np.arange(math.floor(max(low, 0) * n), math.ceil(min(high, 1) * n) + step, step, dtype=np.float64)
        of_rates = _probabilities(counts, n, rates, rates * (1 - rates))
        of_own = np.stack([_probabilities(counts, n, *case) @ weights for case in zip(own, spreads, strict=True)])
        values = (counts / n - zero) / test.contrast - density
        coarse = math.sqrt(test.noise(0) / n) if step > 1 else 0.0
        return cls(test, share, values, of_rates[:, 0], of_rates @ weights, of_own, own_weights, coarse)

    def power_of_screening(self) -> float:
        """Return the probability that the string's cells are fuller than such of a random one (`Search._screen`)."""
        if not is_few(self._limit):
            return self._power_of_normal_sum(self._winsorised(self._deviation_seen))
        seen = self._deviation_seen * np.exp(self._error_of_deviation * _ERRORS)
        return float(_CHANCES @ [self._power_of_few(self._winsorised(float(deviation))) for deviation in seen])

    def _power_of_normal_sum(self, clipped: Floats) -> float:
        n_draws, centred = self.test.n_draws, clipped - self._all @ clipped
        deviation, skewness = _moments(self._all, centred)
        least = least_score(self.test.most_p, skewness / math.sqrt(n_draws)) * deviation / math.sqrt(n_draws)
        return float(special.ndtr((self._mean_own(centred) - least) / self._deviation(clipped)))

    def _power_of_few(self, clipped: Floats) -> float:
        design, levels = self.test.design, self._levels(clipped)
        sums = _sum_of_draws(_of_levels(levels, self._all)[None], _ONE, 1, self.test.n_draws)
        own = np.stack([_of_levels(levels, case) for case in self.own])
        of_string = _sum_of_draws(own, self.own_weights, design.n_hashes, design.n_cohorts)
        excess = math.log(self.test.most_p) - np.log(np.maximum(np.cumsum(sums[::-1])[::-1], _TINY))
        return float(np.clip(of_string, 0, 1) @ special.ndtr(excess / max(self._error_of_tail(clipped), _TINY)))

    def power_of_model(self) -> float:
        """Return the probability that the estimated share is above its error times what the test asks for."""
        test, n_draws = self.test, self.test.n_draws
        mean, inside = self._fitted(self.background, test.cell_variance(test.moments.density * (1 - self.share)))
        least = mean + self._least_estimate(mean, inside)
        if n_draws > _MOST_SUMMED:
            return float(special.ndtr((self._mean_own(self.values) - least) / self._deviation(self.values)))
        sums = _sum_of_draws(self.own, self.own_weights, test.design.n_hashes, test.design.n_cohorts)
        step = self.values[1] - self.values[0]
        return float(np.clip(sums[self.values[0] + step * np.arange(sums.size) / n_draws >= least].sum(), 0, 1))

    def prob_noise_alone(self) -> float:
        """Return the probability that the model of all candidates is taken: what it leaves seems to be noise alone."""
        n = self.test.n_cells
        if self.test.n_candidates > min(MAX_FULL, n * (1 - 1 / WORTH_GROWING)):
            return 0.0
        variance = self.test.cell_variance(self.test.moments.density * (1 - self.share))
        squares = (self.values - self.background @ self.values) ** 2 / variance
        mean = float(self.background @ squares)
        spread = max(float(self.background @ squares**2) - mean**2, _TINY)
        most = 1 - float(special.ndtri(NOISE_P_VALUE)) * math.sqrt(2 / n)
        return float(special.ndtr((most - mean) / math.sqrt(spread / n)))

    def correlation(self) -> float:
        """Return that of a cell's value in the two tests."""
        own = self.own_weights @ self.own
        centred, clipped = (values - own @ values for values in (self.values, self._winsorised(self._deviation_seen)))
        scale = float(own @ centred**2) * float(own @ clipped**2)
        return float(own @ (centred * clipped)) / math.sqrt(scale) if scale > _TINY else 0.0

    @cached_property
    def _all(self) -> Floats:
        """How probable a value is of any cell, the string's own among them."""
        part = self.test.design.n_hashes / self.test.design.n_values
        return np.asarray((1 - part) * self.background + part * (self.own_weights @ self.own))

    @cached_property
    def _limit(self) -> float:
        return winsor_limit(self.test.n_draws, self.test.most_p)

    @cached_property
    def _from_mean(self) -> Floats:
        """Values less the mean that the decoder's fit without any candidate has."""
        return np.asarray(self.values - self._fitted(self._all, self.test.cell_variance(self.test.moments.density))[0])

    @cached_property
    def _deviation_seen(self) -> float:
        """The robust deviation of all cells."""
        return max(MAD_TO_DEVIATION * _median(np.abs(self._from_mean), self._all), self.least_deviation)

    @cached_property
    def _error_of_deviation(self) -> float:
        """Its relative error in one crowd: that of a median, by how many values are near it.

        Counts are whole, and a cohort of more people has another mean: that moves them by a part of 1 at the most.
        """
        design, n = self.test.design, self.test.n / self.test.design.n_cohorts
        median, sizes = self._deviation_seen / MAD_TO_DEVIATION, np.abs(self._from_mean)
        near = float(self._all[(sizes > 0.5 * median) & (sizes <= 1.5 * median)].sum())
        of_split = min(design.prob_one_if_zero * math.sqrt(n * (1 - 1 / design.n_cohorts)), _PART_OF_COUNT)
        of_split /= n * self.test.contrast * median * math.sqrt(design.n_cohorts)
        return max(1 / (2 * math.sqrt(self.test.n_cells) * max(near, 0.1)), of_split)

    def _winsorised(self, deviation: float) -> Floats:
        return np.clip(self._from_mean, -self._limit * deviation, self._limit * deviation)

    def _levels(self, clipped: Floats) -> Ints:
        """Return integers from 0 in the proportions of winsorised values (`screening.levels_of`)."""
        centred = clipped - self._all @ clipped
        largest = max(float(np.abs(centred).max()), _TINY)
        return np.asarray(np.rint(N_LEVELS * (1 + centred / largest)), np.intp)

    def _error_of_tail(self, clipped: Floats) -> float:
        """Return the error of the logarithm of a tail in one crowd: of cells at the top, those that noise brings there.

        It matters where the string's cells are at the top as well, and a few others more or less decide.
        """
        is_top = clipped >= (1 - 1 / 16) * clipped.max()
        if self._mean_own(is_top) < 0.5:
            return 0.0
        of_noise = float(self.empty[is_top].sum()) / self.test.design.n_values
        return math.sqrt(self.test.design.n_cohorts * of_noise) / float(self._all[is_top].sum())

    def _least_estimate(self, mean: float, inside: Floats) -> float:
        """Return the least share that is above its own error times the score that the test asks for.

        By `standard_errors` of a column that is alone in the model: h cells of a cohort against the others.
        """
        test, moments = self.test, self.test.moments
        k, h, m = test.design.n_values, test.design.n_hashes, test.design.n_cohorts
        left = (self.values - mean) * inside
        of_noise = test.cell_variance(moments.density * (1 - self.share))
        unlisted = max(0.0, float(self.background @ left**2 / (self.background @ inside)) - of_noise) / moments.variance
        _, skewness = _moments(self.background, left - self.background @ left)
        score = least_score(test.most_p, skewness / math.sqrt(h * m))
        of_random = (moments.variance - moments.covariance) * (1 / h + 1 / max(k - h, 1))
        share = self.share
        for _ in range(_N_ROUNDS):
            density = (1 - share) * moments.density
            of_bits = test.noise(share + density) / h + test.noise(density) / max(k - h, 1)
            of_strings = share * (1 - share) + (1 - share) * of_random
            share = min(1.0, score * math.sqrt((of_bits + of_strings) / test.n + unlisted * of_random / m))
        return share

    def _fitted(self, probabilities: Floats, variance: float) -> tuple[float, Floats]:
        """Return the mean of cells but for those that stand out, and which those are not (`fit_columns`)."""
        mean, inside = float(probabilities @ self.values), np.ones(self.values.size)
        for _ in range(_N_FITS):
            sizes = np.abs(self.values - mean)
            scale = max(math.sqrt(variance), MAD_TO_DEVIATION * _median(sizes, probabilities))
            inside = (sizes <= OUTLIER * scale).astype(np.float64)
            mean = float(probabilities @ (inside * self.values) / (probabilities @ inside))
        return mean, inside

    def _mean_own(self, values: Floats) -> float:
        return float(self.own_weights @ self.own @ values)

    def _deviation(self, values: Floats) -> float:
        """Return that of the mean of `values` over the string's cells."""
        h, m = self.test.design.n_hashes, self.test.design.n_cohorts
        means = self.own @ values
        within = float(self.own_weights @ (self.own @ values**2 - means**2))
        between = float(self.own_weights @ (means - self.own_weights @ means) ** 2)
        return math.sqrt(max(within / h + between, _TINY) / m)


def both(first: float, second: float, correlation: float) -> float:
    """Return the probability of two events of these, that two normal variables of this correlation make.

    By its derivative in the correlation's angle (Drezner & Wesolowsky 1990).
    """
    x, y = special.ndtri(np.clip([first, second], _NEVER, 1 - _NEVER))
    top = math.asin(min(correlation, 0.995))
    angles = (_POINTS + 1) / 2 * top
    densities = np.exp(-(x * x + y * y - 2 * x * y * np.sin(angles)) / (2 * np.cos(angles) ** 2)) / (2 * math.pi)
    return min(first * second + float(_LENGTHS @ densities) * top / 2, first, second)


def _others_in_cell(share: float, density: float) -> tuple[Floats, Floats]:
    """Return shares of a cohort that others of this share each make set a bit, and how probable they are.

    The last of them has what is left. Where many meet in a cell their number is normal.
    """
    n_others = max((1 - share) / share, 0.0)
    mean = n_others * density
    if n_others > _FEW_STRINGS and mean > _FEW_MEET:
        spread = share * math.sqrt(mean * (1 - density))
        return np.clip(share * mean + spread * _NODES, 0, 1 - share), _WEIGHTS
    whole = math.floor(n_others + _NEVER)
    rest = max(1 - (whole + 1) * share, 0.0)
    numbers = np.arange(min(whole, 60) + 1.0)
    logs = special.gammaln(whole + 1) - special.gammaln(numbers + 1) - special.gammaln(whole - numbers + 1)
    weights = np.exp(logs + numbers * math.log(density) + (whole - numbers) * math.log1p(-density))
    shares = np.minimum(np.concatenate([numbers * share, numbers * share + rest]), 1 - share)
    weights = np.concatenate([weights * (1 - density), weights * density])
    kept = weights > _NEVER
    return shares[kept], weights[kept] / weights[kept].sum()


def _shares_in_cohort(share: float, n: float) -> tuple[Floats, Floats]:
    """Return what part of a cohort of n answers the string, and how probable that is."""
    return np.clip(share + math.sqrt(share * (1 - share) / n) * _NODES, 0, 1), _WEIGHTS


def _probabilities(counts: Floats, n: float, means: Floats, spreads: Floats) -> Floats:
    """Return P(count), shape (n_counts, n_cases), for n reports of mean and variance each; beyond the last is the last.

    As of the binomial law that has both; exact where all reports are alike.
    """
    prob = np.clip(1 - spreads / means, _NEVER**2, 1 - _NEVER**2)
    trials = n * means / prob
    ends = np.floor(counts + (counts[1] - counts[0] if counts.size > 1 else 1) / 2)[:, None]
    if n * spreads.min() > _NORMAL:
        inside = special.ndtr((ends + 0.5 - n * means) / np.sqrt(n * spreads))
    else:
        inside = special.betainc(np.maximum(trials - ends, _TINY), ends + 1, 1 - prob)
    below = np.where(ends >= trials, 1.0, inside)
    below[-1] = 1
    return np.diff(below, axis=0, prepend=0.0)


def _sum_of_draws(cases: Floats, weights: Floats, n_hashes: int, n_cohorts: int) -> Floats:
    """Return the probabilities of the sums of all cohorts' draws, which have the case in common in each cohort."""
    size = (cases.shape[1] - 1) * n_hashes * n_cohorts + 1
    transforms = np.fft.rfft(cases, 2 ** (size - 1).bit_length())
    return np.asarray(np.fft.irfft((weights @ transforms**n_hashes) ** n_cohorts, 2 ** (size - 1).bit_length())[:size])


def _of_levels(levels: Ints, probabilities: Floats) -> Floats:
    """Return how probable each level from 0 is."""
    return np.asarray(np.bincount(levels, probabilities), np.float64)


def _median(sizes: Floats, probabilities: Floats) -> float:
    """Return the median, between the two values beside it, as that of crowds that differ lies."""
    order = np.argsort(sizes)
    below = np.cumsum(probabilities[order])
    return float(np.interp(below[-1] / 2, below - probabilities[order] / 2, sizes[order]))


def _moments(probabilities: Floats, centred: Floats) -> tuple[float, float]:
    """Return the standard deviation and the skewness of values around their mean."""
    deviation = math.sqrt(float(probabilities @ centred**2))
    return deviation, float(probabilities @ centred**3) / deviation**3 if deviation > 0 else 0.0
