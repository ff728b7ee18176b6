"""A model of who does not follow the design, fitted: shares, standard errors, approximate intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.asked import AskedBy
from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.fit import ShareFit, StackedReports, saturated
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.microdata.microdata import Data, arms_of
from sotto_estimator.misfit.model import N_CLASSES, Control, NoncomplianceModel, Reading, find_model, probs_of
from sotto_estimator.misfit.refutation import Refutation, unfit_of
from sotto_estimator.results.result import GIVEN, Result
from sotto_protocol.deprecated import takes_old_keywords

_RANK = 1e-9
_AT_EDGE = 1e-7
"""A class of fewer people is none: the standard errors of a share at the edge mean nothing."""
_NO_SIGNAL = 1e-3
"""An interval that leaves less than this of [0, 1] out says nothing."""


@dataclass(frozen=True, slots=True)
class ToldPart:
    """A part of people. `standard_error`: by the observed information, None at the edge; `low`, `high`: approximate."""

    name: str
    words: str
    value: float
    standard_error: float | None
    low: float
    high: float

    @property
    def voided(self) -> "VoidedPart":
        """What is left of it where the counts contradict the model."""
        return VoidedPart(self.name, self.words)

    @property
    def is_unknown(self) -> bool:
        """Whether the reports hold no signal of it: any value fits them about as well."""
        return self.high - self.low > 1 - _NO_SIGNAL


@dataclass(frozen=True, slots=True)
class VoidedPart:
    """A part of people, of counts that contradict the model: nothing is known of it."""

    name: str
    words: str
    value: None = None
    standard_error: None = None
    low: None = None
    high: None = None


@dataclass(frozen=True, slots=True)
class ModelEstimate(Result):
    """What a model says of arms. `level`: of the intervals, by profile likelihood: approximate.

    `fit`: of the model; `without`: G² and degrees of freedom that its third class takes away, of the null that there is
    nobody in it: infinite where a report could not be then. `epsilon`: the largest of the arms', in nats.
    `contradictions`: that the model's people hardly ever give these counts; of its parts nothing is told then.
    """

    model: str
    n_reports: int
    n_control: int
    epsilon: float
    level: float
    parts: tuple[ToldPart | VoidedPart, ...]
    fit: ShareFit
    without: ShareFit
    designs: tuple[AskedBy, ...]
    title: str = GIVEN
    contradictions: tuple[Refutation, ...] = ()

    def __str__(self) -> str:
        """Return one line: the model, and its first part with its interval, or that its counts contradict it."""
        part = self.parts[0]
        if isinstance(part, VoidedPart):
            return f"{self.model}: {self.contradictions[0]}"
        words = f"{part.name} {100 * part.value:.2f} % ({100 * part.low:.2f} to {100 * part.high:.2f} %, approximate)"
        return f"{self.model}: {words}, n = {self.n_reports:,}"

    @property
    def told_parts(self) -> tuple[ToldPart, ...]:
        """The parts of which something is told."""
        return tuple(part for part in self.parts if isinstance(part, ToldPart))

    @property
    def heading(self) -> str:
        """What was estimated, of what data."""
        return f"{self.title}: {self}"

    def alarms(self) -> list[str]:
        """Return what to say of counts that the model hardly ever gives."""
        return [found.warning for found in self.contradictions]


@takes_old_keywords({"options": IntervalOptions}, name="model", level="options.level")
def estimate_model(
    model: str, arms: Sequence[Arm] | Data, controls: Sequence[Control] = (), *, options: IntervalOptions | None = None
) -> ModelEstimate:
    """Fit a model of non-compliance, one of MODELS, to arms and to control questions. Only the level of `options` is
    used.

    Raises DomainError, also where the designs cannot show who follows them, whatever the counts are.
    """
    name, level = model, (options or IntervalOptions()).only("a model", "level").level
    title, arms = arms_of(arms)
    found, every = find_model(name), [*arms, *(control.arm for control in controls)]
    probs = probs_of(found, arms, controls)
    cells = StackedReports.of(probs, [arm.counts for arm in every])
    _check_told_apart(cells, name)
    shares, best = cells.best()
    follow = cells.through(np.eye(N_CLASSES)[:, :2])
    g_squared = max(0.0, 2 * (saturated(every) - best))
    without = max(0.0, 2 * (best - _log_likelihood(follow)))
    unfit = unfit_of(name, every, probs, g_squared)
    parts = [_part(cells, found, reading, shares, best, level) for reading in found.readings]
    return ModelEstimate(
        name,
        round(sum(arm.n for arm in arms)),
        round(sum(control.arm.n for control in controls)),
        max(arm.design.epsilon for arm in arms),
        level,
        tuple(part.voided if unfit else part for part in parts),
        ShareFit(tuple(shares.tolist()), g_squared, max(0, cells.n_free - (N_CLASSES - 1))),
        ShareFit((), without, 1),
        tuple(map(AskedBy.of, arms)),
        title,
        unfit,
    )


def _check_told_apart(cells: StackedReports, name: str) -> None:
    if not cells.is_possible:
        raise DomainError(f"a control question has reports that nobody can give, by the model {name}.")
    if np.linalg.matrix_rank(cells.probs, tol=_RANK) < N_CLASSES:
        raise DomainError(
            f"there is no signal: these designs cannot show how many people follow them (model {name}). "
            "It takes two samples with different probabilities, or a control question."
        )


def _part(
    cells: StackedReports, model: NoncomplianceModel, reading: Reading, shares: Floats, best: float, level: float
) -> ToldPart:
    value, error = reading.value(shares), _standard_error(cells, reading, shares)
    if np.isnan(value):
        return ToldPart(reading.name, reading.words, value, None, 0.0, 1.0)
    low, high = cells.profile_interval(reading.mixtures, value, best, (1 - level) / 2)
    return ToldPart(reading.name, reading.words, value, error, low, high)


def _log_likelihood(cells: StackedReports) -> float:
    """Return the largest log-likelihood; minus infinity where a report that came is impossible."""
    return cells.best()[1] if cells.is_possible else -math.inf


def _standard_error(cells: StackedReports, reading: Reading, shares: Floats) -> float | None:
    """Return it by the observed information of shares that add up to 1 (delta method); None at the edge."""
    if shares.min() < _AT_EDGE:
        return None
    seen = cells.counts > 0
    scores = cells.probs[seen] / (cells.probs[seen] @ shares)[:, np.newaxis]
    information = scores.T @ (cells.counts[seen, np.newaxis] * scores)
    free = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    slope = reading.gradient(shares) @ free
    variance = slope @ np.linalg.pinv(free.T @ information @ free) @ slope
    return float(np.sqrt(variance))
