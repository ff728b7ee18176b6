"""From tallies of noisy reports to population shares with intervals that hold."""

from typing import TYPE_CHECKING

from sotto_protocol import __version__
from sotto_protocol.extras import require_extra
from sotto_protocol.lazy import load_on_demand

if TYPE_CHECKING:
    from sotto_estimator.channel import Channel, debias, standard_error
    from sotto_estimator.errors import DomainError, EstimatorError, FetchError, SourceError
    from sotto_estimator.estimate import Estimate, Estimates, estimate_counts, estimate_tally
    from sotto_estimator.fetch import fetch_tally, read_tallies
    from sotto_estimator.intervals import ConfidenceInterval, IntervalOptions, confidence_interval
    from sotto_estimator.simplex import project_on_simplex

__all__ = [
    "Channel",
    "ConfidenceInterval",
    "DomainError",
    "Estimate",
    "Estimates",
    "EstimatorError",
    "FetchError",
    "IntervalOptions",
    "SourceError",
    "__version__",
    "confidence_interval",
    "debias",
    "estimate_counts",
    "estimate_tally",
    "fetch_tally",
    "project_on_simplex",
    "read_tallies",
    "standard_error",
]

require_extra(__name__)

if not TYPE_CHECKING:  # else mypy would believe any name to be there
    __getattr__ = load_on_demand(
        __name__,
        {
            "sotto_estimator.channel": "Channel debias standard_error",
            "sotto_estimator.errors": "DomainError EstimatorError FetchError SourceError",
            "sotto_estimator.estimate": "Estimate Estimates estimate_counts estimate_tally",
            "sotto_estimator.fetch": "fetch_tally read_tallies",
            "sotto_estimator.intervals": "ConfidenceInterval IntervalOptions confidence_interval",
            "sotto_estimator.simplex": "project_on_simplex",
        },
    )


def __dir__() -> list[str]:
    return __all__
