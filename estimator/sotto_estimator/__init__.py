"""From tallies of noisy reports to population shares with intervals that hold.

`estimate`, `compare`, `regress`, `decode`, `associate` and `plan` are for programs what commands are; docs/python.md.
"""

from typing import TYPE_CHECKING

from sotto_protocol import __version__
from sotto_protocol.extras import require_extra
from sotto_protocol.lazy import load_on_demand

if TYPE_CHECKING:
    from sotto_estimator.channel import Channel, debias, standard_error
    from sotto_estimator.comparing.group import Group
    from sotto_estimator.covariance import share_covariance
    from sotto_estimator.data import read_data
    from sotto_estimator.designs.estimate import estimate_arms
    from sotto_estimator.designs.spec import arm
    from sotto_estimator.errors import DomainError, EstimatorError, FetchError, SourceError
    from sotto_estimator.estimates import Estimate, Estimates
    from sotto_estimator.estimation import estimate_counts, estimate_tally
    from sotto_estimator.fakes import allow_for_fakes
    from sotto_estimator.fetch import fetch_tally, read_tallies
    from sotto_estimator.formats.registry import read_format
    from sotto_estimator.intervals import ConfidenceInterval, IntervalOptions, confidence_interval
    from sotto_estimator.labelled import read_archive
    from sotto_estimator.likeliest import likeliest_shares
    from sotto_estimator.likelihoods import read_likelihoods
    from sotto_estimator.misfit.models.estimate import estimate_model
    from sotto_estimator.misfit.what_if import what_if
    from sotto_estimator.planning.outlook import Reach
    from sotto_estimator.regression.regress import regress
    from sotto_estimator.regression.result import Regression
    from sotto_estimator.sampling.reading import SamplingColumns
    from sotto_estimator.simplex import project_on_simplex
    from sotto_estimator.strings.decode import DecodeOptions
    from sotto_estimator.surveys import associate, compare, decode, estimate, plan

__all__ = [
    "Channel",
    "ConfidenceInterval",
    "DecodeOptions",
    "DomainError",
    "Estimate",
    "Estimates",
    "EstimatorError",
    "FetchError",
    "Group",
    "IntervalOptions",
    "Reach",
    "Regression",
    "SamplingColumns",
    "SourceError",
    "__version__",
    "allow_for_fakes",
    "arm",
    "associate",
    "compare",
    "confidence_interval",
    "debias",
    "decode",
    "estimate",
    "estimate_arms",
    "estimate_counts",
    "estimate_model",
    "estimate_tally",
    "fetch_tally",
    "likeliest_shares",
    "plan",
    "project_on_simplex",
    "read_archive",
    "read_data",
    "read_format",
    "read_likelihoods",
    "read_tallies",
    "regress",
    "share_covariance",
    "standard_error",
    "what_if",
]

require_extra(__name__)

if not TYPE_CHECKING:  # else mypy would believe any name to be there
    __getattr__ = load_on_demand(
        __name__,
        {
            "sotto_estimator.channel": "Channel debias standard_error",
            "sotto_estimator.covariance": "share_covariance",
            "sotto_estimator.data": "read_data",
            "sotto_estimator.designs.estimate": "estimate_arms",
            "sotto_estimator.designs.spec": "arm",
            "sotto_estimator.comparing.group": "Group",
            "sotto_estimator.errors": "DomainError EstimatorError FetchError SourceError",
            "sotto_estimator.estimates": "Estimate Estimates",
            "sotto_estimator.estimation": "estimate_counts estimate_tally",
            "sotto_estimator.fakes": "allow_for_fakes",
            "sotto_estimator.fetch": "fetch_tally read_tallies",
            "sotto_estimator.formats.registry": "read_format",
            "sotto_estimator.intervals": "ConfidenceInterval IntervalOptions confidence_interval",
            "sotto_estimator.labelled": "read_archive",
            "sotto_estimator.likeliest": "likeliest_shares",
            "sotto_estimator.likelihoods": "read_likelihoods",
            "sotto_estimator.misfit.models.estimate": "estimate_model",
            "sotto_estimator.misfit.what_if": "what_if",
            "sotto_estimator.planning.outlook": "Reach",
            "sotto_estimator.sampling.reading": "SamplingColumns",
            "sotto_estimator.regression.regress": "regress",
            "sotto_estimator.regression.result": "Regression",
            "sotto_estimator.simplex": "project_on_simplex",
            "sotto_estimator.strings.decode": "DecodeOptions",
            "sotto_estimator.surveys": "associate compare decode estimate plan",
        },
    )


def __dir__() -> list[str]:
    return __all__
