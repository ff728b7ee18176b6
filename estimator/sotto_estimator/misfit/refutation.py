"""Counts that a model cannot give, whatever parts of people do what: guaranteed, not by chi-square."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.designs.design import Arm
from sotto_estimator.intervals.contradiction import FALSE_ALARM, LEAST_P, p_at_most
from sotto_estimator.intervals.joint_fit import tail_of_fit
from sotto_estimator.intervals.respondents import tail_above, tail_below

_MARGIN = 1e-6
"""Relative widening of a P-value: more than the rounding of its tails."""


@dataclass(frozen=True, slots=True)
class Refutation:
    """Counts that a model hardly ever gives. `g_squared`: twice the log-likelihood that its best fit loses.

    `p_value`: the probability, at most, that any of the tests that were made shows as much (Bonferroni).
    """

    model: str
    g_squared: float
    p_value: float

    def __str__(self) -> str:
        return f"the counts contradict the model ({p_at_most(self.p_value)}): its parts cannot be estimated"

    @property
    def warning(self) -> str:
        """What to say of it."""
        return (
            f"no people give these counts by the model {self.model}, however many do not follow the design (G² "
            f"{self.g_squared:.1f}; {p_at_most(self.p_value)}). So the model's parts cannot be "
            "estimated. Either the probabilities are not those of the design, or people did something else, or the "
            "samples are of different people, or reports are fake."
        )


def unfit_of(model: str, arms: Sequence[Arm], probs: Sequence[Floats], g_squared: float) -> tuple[Refutation, ...]:
    """Return what is wrong with the counts of arms, control questions among them, by P(report | class) of each.

    Every report's count is held against the least and the most that any class gives, and all of them together by G².
    With probability 1 - FALSE_ALARM reports of the model's people give nothing. Tested are whole counts.
    """
    if not all((arm.counts == np.round(arm.counts)).all() for arm in arms):
        return ()
    tails = [tail for arm, of in zip(arms, probs, strict=True) for tail in _tails(arm, of)]
    n_free = sum(int(of.any(axis=1).sum()) - 1 for of in probs)
    tails.append(tail_of_fit(g_squared, n_free))
    p_value = min(1.0, max(LEAST_P, len(tails) * min(tails) * (1 + _MARGIN)))
    return (Refutation(model, g_squared, p_value),) if p_value <= FALSE_ALARM else ()


def _tails(arm: Arm, probs: Floats) -> list[float]:
    """Return two tails of every report's count, of two reports the first's, where classes differ in it."""
    found: list[float] = []
    for row, count in list(zip(probs, arm.counts, strict=True))[: 1 if len(probs) == 2 else None]:
        if row.max() > row.min():
            channel, s, n = Channel(float(row.max()), float(row.min())), np.array([count]), round(arm.n)
            found += [float(tail_below(s, 0, n, channel)[0]), float(tail_above(s, n, n, channel)[0])]
    return found
