"""From tallies of noisy reports to population shares with intervals that hold.

`estimate`, `decode`, `associate` and `plan` do what the commands of these names do, for programs; docs/python.md.
"""

from typing import TYPE_CHECKING

from sotto_protocol import __version__
from sotto_protocol.extras import require_extra
from sotto_protocol.lazy import load_on_demand

if TYPE_CHECKING:
    from sotto_estimator.channel import Channel, debias, standard_error
    from sotto_estimator.errors import DomainError, EstimatorError, FetchError, SourceError
    from sotto_estimator.estimates import Estimate, Estimates
    from sotto_estimator.estimation import estimate_counts, estimate_tally
    from sotto_estimator.fetch import fetch_tally, read_tallies
    from sotto_estimator.intervals import ConfidenceInterval, IntervalOptions, confidence_interval
    from sotto_estimator.labelled import read_archive
    from sotto_estimator.picture import plot
    from sotto_estimator.planning.outlook import Reach
    from sotto_estimator.simplex import project_on_simplex
    from sotto_estimator.strings.decode import DecodeOptions
    from sotto_estimator.surveys import associate, decode, estimate, plan

__all__ = [
    "Channel",
    "ConfidenceInterval",
    "DecodeOptions",
    "DomainError",
    "Estimate",
    "Estimates",
    "EstimatorError",
    "FetchError",
    "IntervalOptions",
    "Reach",
    "SourceError",
    "__version__",
    "associate",
    "confidence_interval",
    "debias",
    "decode",
    "estimate",
    "estimate_counts",
    "estimate_tally",
    "fetch_tally",
    "plan",
    "plot",
    "project_on_simplex",
    "read_archive",
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
            "sotto_estimator.estimates": "Estimate Estimates",
            "sotto_estimator.estimation": "estimate_counts estimate_tally",
            "sotto_estimator.fetch": "fetch_tally read_tallies",
            "sotto_estimator.intervals": "ConfidenceInterval IntervalOptions confidence_interval",
            "sotto_estimator.labelled": "read_archive",
            "sotto_estimator.picture": "plot",
            "sotto_estimator.planning.outlook": "Reach",
            "sotto_estimator.simplex": "project_on_simplex",
            "sotto_estimator.strings.decode": "DecodeOptions",
            "sotto_estimator.surveys": "associate decode estimate plan",
        },
    )


def __dir__() -> list[str]:
    return __all__
