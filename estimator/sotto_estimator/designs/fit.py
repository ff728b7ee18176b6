"""How well arms fit one table of shares: maximum likelihood, and G², twice what the best fit loses of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.design import Arm, check_arms
from sotto_estimator.intervals.joint_fit import ROUNDING, tail_of_fit
from sotto_estimator.likelihood.em import MixtureFit, fit
from sotto_estimator.likelihood.latent_classes import Mixture
from sotto_protocol.words import counted

_TOLERANCE = 1e-9
"""Of the maximum of the log-likelihood, certified: G² is right to twice that."""
_RANK = 1e-9
"""A singular value below it is rounding."""
_CLOSE = 1e-9
"""To an end of a profile."""
_FAR = 1e300
"""In place of infinity, where reports that came are impossible."""


@dataclass(frozen=True, slots=True, eq=False)
class StackedReports:
    """Reports of all arms, one below another: P(report | class of people), and how many there are.

    `probs`: shape (n_reports of all arms, n_classes); `counts`: shape (n_reports,); of `n_arms` arms.
    """

    probs: Floats
    counts: Floats
    n_arms: int

    @classmethod
    def of(cls, probs: Sequence[Floats], counts: Sequence[Floats]) -> "StackedReports":
        """Return the cells of arms."""
        return cls(np.vstack(probs), np.concatenate(counts), len(probs))

    @property
    def n_free(self) -> int:
        """How many shares of reports the arms leave free."""
        return len(self.counts) - self.n_arms - int((~self.probs.any(axis=1)).sum())

    @property
    def n_told(self) -> int:
        """How many numbers the reports' probabilities tell of the classes' shares: all but one, or fewer.

        Probabilities of each arm add up to 1, so one of the rank is that of the sum.
        """
        return int(np.linalg.matrix_rank(self.probs, tol=_RANK)) - 1

    @property
    def is_possible(self) -> bool:
        """Whether every report that came is one of some class."""
        return bool(self.probs[self.counts > 0].any(axis=1).all())

    def best(self) -> tuple[Floats, float]:
        """Return the shares of the classes that make the reports likeliest, and their log-likelihood."""
        if self.probs.shape[1] == 1:
            return np.ones(1), float(special.xlogy(self.counts, self.probs[:, 0]).sum())
        found = self._fitted()
        return found.shares, found.log_likelihood

    def _fitted(self) -> MixtureFit:
        seen = self.counts > 0
        return fit(Mixture((self.probs[seen],), self.counts[seen]), tolerance=_TOLERANCE)

    def at_most(self) -> float:
        """Return a log-likelihood that no shares of the classes exceed, by the certificate of the fit."""
        found = self._fitted()
        return found.log_likelihood + found.gap + ROUNDING * float(self.counts.sum())

    def through(self, classes: Floats) -> "StackedReports":
        """Return the cells of mixtures of the classes, shape (n_classes, n_mixtures)."""
        return StackedReports(self.probs @ classes, self.counts, self.n_arms)

    def profile_interval(
        self, mixtures: Callable[[float], Floats], likeliest: float, best: float, tail: float
    ) -> tuple[float, float]:
        """Return the ends of all x in [0, 1] at which the reports are nearly as likely as at best, `best`.

        There 2 (best - L(x)) <= the quantile of chi-square with 1 degree of freedom (Wilks 1938), so each end is wrong
        with probability `tail`, about. `mixtures(x)`: the corners of all shares of the classes at which x is what it
        is, shape (n_classes, n_mixtures); L(x), the largest log-likelihood of these, rises up to `likeliest`, and then
        falls.
        """
        from scipy.optimize import brentq  # it takes a fifth of a second to load

        allowed = float(special.ndtri(tail)) ** 2 / 2

        def spare(at: float) -> float:
            mixed = self.through(mixtures(at))
            return mixed.best()[1] - best + allowed if mixed.is_possible else -_FAR

        low, high = (
            end if spare(end) >= 0 else float(brentq(spare, end, likeliest, xtol=_CLOSE)) for end in (0.0, 1.0)
        )
        return low, high


@dataclass(frozen=True, slots=True)
class ShareFit:
    """How well shares fit the reports. `shares`: the likeliest, by answer. `p_value`: by chi-square, an approximation.

    None where there are no degrees of freedom: then any counts fit, or all that do not are outside of [0, 1].
    """

    shares: tuple[float, ...]
    g_squared: float
    df: int

    @property
    def p_value(self) -> float | None:
        """The probability of a G² as large, about (Wilks 1938)."""
        return float(special.chdtrc(self.df, self.g_squared)) if self.df > 0 else None

    def __str__(self) -> str:
        degrees = f"{counted(self.df, 'degree')} of freedom" if self.df else "no degrees of freedom are left"
        about = "" if self.p_value is None else f", P about {self.p_value:.2g}"
        return f"fit: G² {self.g_squared:.2f}, {degrees}{about}"

    @property
    def members(self) -> dict[str, float | None]:
        """What programs get."""
        return {"g_squared": self.g_squared, "df": self.df, "p_value": self.p_value}


def fit_of(arms: Sequence[Arm]) -> ShareFit:
    """Return how well one table of shares fits all arms. Raises DomainError."""
    check_arms(arms)
    cells = StackedReports.of([arm.design.matrix for arm in arms], [arm.counts for arm in arms])
    shares, log_likelihood = cells.best()
    g_squared = 2 * (saturated(arms) - log_likelihood)
    return ShareFit(tuple(shares.tolist()), max(0.0, g_squared), max(0, cells.n_free - cells.n_told))


def saturated(arms: Sequence[Arm]) -> float:
    """Return the log-likelihood where each arm's shares of reports are what they are."""
    return float(sum(special.xlogy(arm.counts, arm.counts / arm.n).sum() for arm in arms))


def unfit_by(arms: Sequence[Arm]) -> tuple[float, float]:
    """Return G², and at most P(G² or more), whatever shares are true. `arms`: of whole counts.

    G² is rounded down. Reports of fixed people are covered too, if each arm's shares are these: see `tail_of_fit`.
    """
    cells = StackedReports.of([arm.design.matrix for arm in arms], [arm.counts for arm in arms])
    g_squared = max(0.0, 2 * (saturated(arms) - cells.at_most()))
    return g_squared, tail_of_fit(g_squared, cells.n_free)
