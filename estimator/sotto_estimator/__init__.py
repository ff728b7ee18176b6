"""From tallies of noisy reports to population shares with intervals that hold."""

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
    "confidence_interval",
    "debias",
    "estimate_counts",
    "estimate_tally",
    "fetch_tally",
    "project_on_simplex",
    "read_tallies",
    "standard_error",
]
