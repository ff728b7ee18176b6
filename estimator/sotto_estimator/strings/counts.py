"""Bit counts of Bloom-filter reports by cohort, the channel that they went through, and shares without its bias."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_estimator.channel.channel import MAX_N, Floats
from sotto_estimator.errors import DomainError

MAX_WAVES = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class BitCounts:
    """Counts of a text question.

    `n_reports`: shape (n_cohorts,), the reports of each cohort. `bit_counts`: shape (n_cohorts, n_bits), those in which
    a bit is 1: integers in [0, n_reports of the cohort]. `n_waves`: the most reports that one device can have sent.
    `wave_sizes`: the most reports, of all cohorts together, that each wave can have, where that is known.
    Raises `DomainError` for counts that cannot be, and unless n_waves is an integer in [1, 10,000].
    """

    n_reports: NDArray[np.int64]
    bit_counts: NDArray[np.int64]
    n_waves: int = 1
    wave_sizes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        totals, counts = _integers("n_reports", self.n_reports), _integers("bit_counts", self.bit_counts)
        if totals.ndim != 1 or counts.ndim != 2 or counts.shape[0] != totals.size or not counts.size:
            raise DomainError(
                f"n_reports of shape {totals.shape} and bit_counts of shape {counts.shape} "
                "must have the shapes (n_cohorts,) and (n_cohorts, n_bits), neither 0."
            )
        if totals.min() < 0 or int(totals.sum()) > MAX_N:
            raise DomainError(f"n_reports must be >= 0 and add up to at most {MAX_N}.")
        bad = np.argwhere((counts < 0) | (counts > totals[:, None]))
        if bad.size:
            cohort, bit = (int(number) for number in bad[0])
            raise DomainError(
                f"the count of bit {bit} in cohort {cohort} ({counts[cohort, bit]}) "
                f"must be in [0, {totals[cohort]}], the reports of the cohort."
            )
        if type(self.n_waves) is not int or not 1 <= self.n_waves <= MAX_WAVES:
            raise DomainError(f"n_waves ({self.n_waves!r}) must be an integer in [1, {MAX_WAVES}].")
        if self.wave_sizes and (len(self.wave_sizes) != self.n_waves or sum(self.wave_sizes) < totals.sum()):
            raise DomainError(f"wave_sizes must be {self.n_waves} numbers, of all reports or more.")
        object.__setattr__(self, "n_reports", totals)
        object.__setattr__(self, "bit_counts", counts)

    @classmethod
    def from_support(cls, support_counts: ArrayLike, n_waves: int = 1, wave_sizes: tuple[int, ...] = ()) -> "BitCounts":
        """Return the counts of a tally: shape (n_cohorts, 1 + n_bits), the cohort's reports in column 0."""
        table = _integers("support_counts", support_counts)
        if table.ndim != 2:
            raise DomainError(f"support_counts of shape {table.shape} must have the shape (n_cohorts, 1 + n_bits).")
        return cls(table[:, 0], table[:, 1:], n_waves, wave_sizes)

    @property
    def n_cohorts(self) -> int:
        return int(self.bit_counts.shape[0])

    @property
    def n_bits(self) -> int:
        return int(self.bit_counts.shape[1])

    @property
    def n_total(self) -> int:
        """All reports."""
        return int(self.n_reports.sum())

    @property
    def effects(self) -> Floats:
        """Each cohort's design effect at the worst, shape (n_cohorts,): its waves as alike as they can be.

        With sizes n_1 >= n_2 >= .. of a cohort's waves it is the sum of (2k - 1) n_k, divided by the cohort's reports:
        the sum of squares of its devices' numbers of reports, where devices of a smaller wave are in all larger ones.
        """
        if not self.wave_sizes:
            return np.full(self.n_cohorts, float(self.n_waves))
        sizes, totals = np.sort(np.array(self.wave_sizes, np.float64)), np.maximum(self.n_reports, 1)[:, None]
        left = np.arange(len(sizes), 0, -1)
        least = (totals - np.cumsum([0, *sizes[:-1]])) / left  # of the others, where so many waves are all of a cohort
        level = np.take_along_axis(least, (least <= sizes).argmax(1)[:, None], 1)
        return np.asarray((np.minimum(sizes, level) * (2 * left - 1)).sum(1) / totals[:, 0])

    @property
    def n_devices(self) -> Floats:
        """The fewest devices a cohort's reports can be worth: n_reports / effects, shape (n_cohorts,)."""
        return self.n_reports / self.effects


@dataclass(frozen=True, slots=True)
class BitRates:
    """The two stages that a bit goes through, each by two probabilities in [0, 1].

    `permanent_if_true`, `permanent_if_other`: P(permanent bit is 1 | the string sets the bit / does not).
    `report_if_one`, `report_if_zero`: P(reported bit is 1 | permanent bit is 1 / 0).
    Raises `DomainError` outside the domain, and where the reports carry no signal: if_true <= if_other.
    """

    permanent_if_true: float
    permanent_if_other: float
    report_if_one: float = 1.0
    report_if_zero: float = 0.0

    def __post_init__(self) -> None:
        for name in ("permanent_if_true", "permanent_if_other", "report_if_one", "report_if_zero"):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 <= value <= 1):
                raise DomainError(f"{name} ({value!r}) must be in [0, 1].")
        if not self.if_true > self.if_other:
            raise DomainError(
                f"no signal: a bit is reported as 1 with probability {self.if_true!r} if the string sets it; "
                f"that must exceed the probability if it does not ({self.if_other!r})."
            )

    @classmethod
    def from_rappor(cls, f: float, p: float, q: float) -> "BitRates":
        """Return the rates of RAPPOR's parameters (Erlingsson et al. 2014): f, p = P(1 | 0) and q = P(1 | 1)."""
        return cls(1 - f / 2, f / 2, q, p)

    @property
    def if_true(self) -> float:
        """P(reported bit is 1 | the string sets it), both stages."""
        return self._reported(self.permanent_if_true)

    @property
    def if_other(self) -> float:
        """P(reported bit is 1 | the string does not set it), both stages."""
        return self._reported(self.permanent_if_other)

    @property
    def contrast(self) -> float:
        """if_true - if_other: what a share is multiplied by on its way into the counts."""
        return self.if_true - self.if_other

    def noise_variances(self, effects: Floats | float = 1) -> tuple[Floats, Floats]:
        """Return the variance of a device's mean debiased bit over so many reports, if its true bit is 0 and 1.

        Reports of a device share the permanent bit: [between + within / effect] / contrast^2, `between` the variance
        of the report's expectation given the permanent bit, `within` the mean of its variance. Of devices that sent
        different numbers, with a design effect for their number: n_reports / effect such have the variance of all.
        """
        zero, one = (self._noise(permanent, effects) for permanent in (self.permanent_if_other, self.permanent_if_true))
        return zero, one

    def _reported(self, permanent: float) -> float:
        return permanent * self.report_if_one + (1 - permanent) * self.report_if_zero

    def _noise(self, permanent: float, effects: Floats | float) -> Floats:
        one, zero = self.report_if_one, self.report_if_zero
        between = permanent * (1 - permanent) * (one - zero) ** 2
        within = permanent * one * (1 - one) + (1 - permanent) * zero * (1 - zero)
        return np.asarray((between + within / effects) / self.contrast**2)


def debias(counts: BitCounts, rates: BitRates) -> Floats:
    """Return the unbiased share of each cohort's devices whose string sets a bit, shape (n_cohorts, n_bits).

    (count / n_reports - if_other) / (if_true - if_other); may lie outside [0, 1]; 0 in a cohort without reports.
    """
    totals = np.maximum(counts.n_reports, 1)[:, None]
    shares = (counts.bit_counts / totals - rates.if_other) / rates.contrast
    return np.where(counts.n_reports[:, None] > 0, shares, 0.0)


def _integers(name: str, values: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise DomainError(f"{name} must be integers, not {array.dtype}.")
    if array.dtype.kind == "u" and array.size and int(array.max()) > MAX_N:
        raise DomainError(f"{name} must be at most {MAX_N}.")
    return array.astype(np.int64)
