"""The maximum of a log-likelihood: Newton's steps where it is concave, else steps by the size of its curvatures."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy

from sotto_estimator.channel.channel import Floats

_CONVERGED = 1e-10
"""The square of what is left to go, in standard errors; Newton's last step squares it once more."""
_MAX_ITERATIONS = 500
_MAX_HALVINGS = 40
_ENOUGH = 1e-4
"""What part of the ascent that the slope promises a step must bring (Armijo)."""
_RIDGE = 1e-10
_FLATTEST = 1e-4
"""The smallest curvature that a step is made by, in that of the complete data."""
_LONGEST = 4.0
"""The longest step, in an orthogonal basis: of log odds. Far out probabilities are 0 and 1, and all is flat."""


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """A log-likelihood at a point: its value, its score, shape (k,), and two informations, shape (k, k).

    `information` is the observed one, minus the Hessian. `complete` returns that of the complete data, as if the hidden
    answers were known: never negative, and its steps are EM's (Louis 1982).
    """

    log_likelihood: float
    score: Floats
    information: Floats
    complete: Callable[[], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """Where the climb ended, and the log-likelihood there; `converged`: whether no step leads on."""

    place: Floats
    local: Local
    n_iterations: int
    converged: bool


_At = Callable[[Floats], Local]


def maximise(at: _At, start: Floats, left: float = _CONVERGED) -> Maximum:
    """Climb from `start` to a maximum, by steps that are halved until the log-likelihood grows enough.

    `left`: the square of what may be left to go before the last step.
    """
    place, local = start, at(start)
    for iteration in range(_MAX_ITERATIONS):
        newton = _solve(local.information, local.score)
        if newton is not None and 0 <= local.score @ newton < left:
            return Maximum(place + newton, at(place + newton), iteration + 1, True)
        step = newton if newton is not None else _step_of_curvatures(local)
        moved = _climb(at, place, local, step)
        if moved is None and newton is not None:
            moved = _climb(at, place, local, _step_of_curvatures(local))
        if moved is None:
            return Maximum(place, local, iteration, False)
        place, local = moved
    return Maximum(place, local, _MAX_ITERATIONS, False)


def polish(at: _At, found: Maximum) -> Maximum:
    """Return a maximum after more whole steps, as long as each leaves less to go: of information that is not the bend.

    The log-likelihood, whose digits end earlier, is not asked.
    """
    left = np.inf
    while found.converged:
        step = _solve(found.local.information, found.local.score)
        if step is None or not (now := float(found.local.score @ step)) < left / 2 or now <= 0:
            break
        place = found.place + step
        left, found = now, replace(found, place=place, local=at(place))
    return found


def _step_of_curvatures(local: Local) -> Floats:
    """Return the step that takes every curvature as if it bent down: a way up, where Newton's is none.

    Curvatures are measured in those of the complete data, in which EM's steps are 1: at most 1 / _FLATTEST of these are
    made at once. The complete information has so little of a ridge added that it can always be measured in.
    """
    size, complete = len(local.score), local.complete()
    scale = np.trace(complete) / size or 1.0
    root = np.linalg.cholesky(complete + _RIDGE * scale * np.eye(size))
    whitened = np.linalg.inv(root)
    bends, directions = np.linalg.eigh(whitened @ local.information @ whitened.T)
    along = directions.T @ (whitened @ local.score) / np.maximum(np.abs(bends), _FLATTEST)
    found: Floats = whitened.T @ (directions @ along)
    return found


def _solve(information: Floats, score: Floats) -> Floats | None:
    """Return information^-1 score; None where the information is not positive."""
    try:
        found: Floats = scipy.linalg.cho_solve(scipy.linalg.cho_factor(information, lower=True), score)
    except (np.linalg.LinAlgError, ValueError):
        return None
    return found if np.isfinite(found).all() else None


def _climb(at: _At, place: Floats, local: Local, step: Floats) -> tuple[Floats, Local] | None:
    """Return where a step leads, halved until it leads up; None where it never does."""
    step = step * min(1.0, _LONGEST / max(float(np.linalg.norm(step)), _LONGEST))
    slope = float(local.score @ step)
    for halving in range(_MAX_HALVINGS):
        part = 0.5**halving
        found = at(place + part * step)
        if found.log_likelihood >= local.log_likelihood + _ENOUGH * part * slope:
            return place + part * step, found
    return None
