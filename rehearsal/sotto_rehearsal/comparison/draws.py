"""A curator's noise as OpenDP draws it: the one file that knows OpenDP, which the extra `compare` brings."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_rehearsal.comparison.noise import GAUSSIAN, GEOMETRIC, Noise

EXPONENTIAL, PERMUTE_AND_FLIP = "exponential mechanism", "permute and flip"


def has_opendp() -> bool:
    """Whether the extra `compare` is installed."""
    return find_spec("opendp") is not None


def noise_measurement(noise: Noise) -> Any:
    """Return OpenDP's measurement, which adds this noise to each of a list of counts."""
    dp = _opendp()
    if noise.name == GEOMETRIC:
        return dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=noise.scale)
    counts = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    if noise.name == GAUSSIAN:
        return dp.m.make_gaussian(counts, dp.l2_distance(T=float), scale=noise.scale)
    return dp.m.make_laplace(counts, dp.l1_distance(T=float), scale=noise.scale)


def naming_measurement(name: str, epsilon: float) -> Any:
    """Return OpenDP's measurement that names the option of the largest of a list of counts, by its number.

    Noisy counts' largest: Gumbel noise makes it the exponential mechanism, which OpenDP accounts for as zCDP.
    """
    dp = _opendp()
    measure = dp.zero_concentrated_divergence() if name == EXPONENTIAL else dp.max_divergence()
    counts = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    return dp.m.make_noisy_max(*counts, measure, scale=2 / epsilon)


def add_noise(noise: Noise, counts: Floats) -> Floats:
    """Return whole counts, shape (n,), each with noise of its own."""
    kind: Callable[[Any], Any] = int if noise.name == GEOMETRIC else float
    return np.array(noise_measurement(noise)([kind(count) for count in counts]), np.float64)


def name_options(name: str, epsilon: float, crowds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the option that is named of each crowd's counts, shape (n, k)."""
    measurement = naming_measurement(name, epsilon)
    return np.array([measurement(crowd) for crowd in crowds.tolist()], np.int64)


def _opendp() -> Any:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp
