"""From tallies of noisy reports to population shares with intervals that hold.

`estimate`, `compare_groups`, `regress`, `decode`, `associate`, `plan` do what commands do; docs/python.md.
"""

from typing import TYPE_CHECKING

from sotto_protocol import __version__
from sotto_protocol.extras import require_extra
from sotto_protocol.lazy import load_on_demand

if TYPE_CHECKING:
    from sotto_estimator.api import (
        associate,
        compare_groups,
        decode,
        decode_rappor,
        decode_unknown,
        estimate,
        plan,
        share_test,
        trend_test,
    )
    from sotto_estimator.association.report_likelihoods import read_likelihoods
    from sotto_estimator.channel.channel import Channel
    from sotto_estimator.channel.simplex import project_on_simplex
    from sotto_estimator.comparing.group import Group
    from sotto_estimator.designs.named import allow_for_fakes, confidence_interval, debias, standard_error
    from sotto_estimator.designs.spec import arm
    from sotto_estimator.errors import DomainError, EstimatorError, FetchError, SourceError
    from sotto_estimator.formats.registry import read_format
    from sotto_estimator.intervals.intervals import ConfidenceInterval, IntervalOptions
    from sotto_estimator.microdata.microdata import read_data
    from sotto_estimator.microdata.reading import SamplingColumns
    from sotto_estimator.misfit.estimate import estimate_model
    from sotto_estimator.misfit.what_if import what_if
    from sotto_estimator.planning.number_plan import plan_numbers
    from sotto_estimator.planning.options import PlanOptions
    from sotto_estimator.planning.power_plan import power
    from sotto_estimator.planning.respondents_plan import plan_respondents
    from sotto_estimator.planning.share_plan import plan_shares
    from sotto_estimator.regression.regress import regress
    from sotto_estimator.regression.result import Regression
    from sotto_estimator.shares.covariance import share_covariance
    from sotto_estimator.shares.estimates import Estimate, Estimates
    from sotto_estimator.shares.maximum_likelihood import likeliest_shares
    from sotto_estimator.shares.of_arms import estimate_arms
    from sotto_estimator.shares.of_tally import estimate_counts, estimate_tally
    from sotto_estimator.sources.archive_labels import read_archive
    from sotto_estimator.sources.fetch import fetch_tally, read_tallies
    from sotto_estimator.strings.decode import DecodeOptions
    from sotto_estimator.strings.google import write_rappor
    from sotto_estimator.strings.text_plan import plan_texts

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
    "PlanOptions",
    "Regression",
    "SamplingColumns",
    "SourceError",
    "__version__",
    "allow_for_fakes",
    "arm",
    "associate",
    "compare_groups",
    "confidence_interval",
    "debias",
    "decode",
    "decode_rappor",
    "decode_unknown",
    "estimate",
    "estimate_arms",
    "estimate_counts",
    "estimate_model",
    "estimate_tally",
    "fetch_tally",
    "likeliest_shares",
    "plan",
    "plan_numbers",
    "plan_respondents",
    "plan_shares",
    "plan_texts",
    "power",
    "project_on_simplex",
    "read_archive",
    "read_data",
    "read_format",
    "read_likelihoods",
    "read_tallies",
    "regress",
    "share_covariance",
    "share_test",
    "standard_error",
    "trend_test",
    "what_if",
    "write_rappor",
]

require_extra(__name__)

if not TYPE_CHECKING:  # else mypy would believe any name to be there
    __getattr__ = load_on_demand(
        __name__,
        {
            "sotto_estimator.channel.channel": "Channel",
            "sotto_estimator.shares.covariance": "share_covariance",
            "sotto_estimator.microdata.microdata": "read_data",
            "sotto_estimator.shares.of_arms": "estimate_arms",
            "sotto_estimator.designs.named": "allow_for_fakes confidence_interval debias standard_error",
            "sotto_estimator.designs.spec": "arm",
            "sotto_estimator.comparing.group": "Group",
            "sotto_estimator.errors": "DomainError EstimatorError FetchError SourceError",
            "sotto_estimator.shares.estimates": "Estimate Estimates",
            "sotto_estimator.shares.of_tally": "estimate_counts estimate_tally",
            "sotto_estimator.sources.fetch": "fetch_tally read_tallies",
            "sotto_estimator.formats.registry": "read_format",
            "sotto_estimator.intervals.intervals": "ConfidenceInterval IntervalOptions",
            "sotto_estimator.sources.archive_labels": "read_archive",
            "sotto_estimator.shares.maximum_likelihood": "likeliest_shares",
            "sotto_estimator.association.report_likelihoods": "read_likelihoods",
            "sotto_estimator.misfit.estimate": "estimate_model",
            "sotto_estimator.misfit.what_if": "what_if",
            "sotto_estimator.planning.number_plan": "plan_numbers",
            "sotto_estimator.planning.options": "PlanOptions",
            "sotto_estimator.planning.power_plan": "power",
            "sotto_estimator.planning.respondents_plan": "plan_respondents",
            "sotto_estimator.planning.share_plan": "plan_shares",
            "sotto_estimator.microdata.reading": "SamplingColumns",
            "sotto_estimator.regression.regress": "regress",
            "sotto_estimator.regression.result": "Regression",
            "sotto_estimator.channel.simplex": "project_on_simplex",
            "sotto_estimator.strings.decode": "DecodeOptions",
            "sotto_estimator.strings.google": "write_rappor",
            "sotto_estimator.strings.text_plan": "plan_texts",
            "sotto_estimator.api": "associate compare_groups decode decode_rappor decode_unknown estimate plan"
            " share_test trend_test",
        },
        old={"Reach": "PlanOptions", "compare": "compare_groups"},
    )


def __dir__() -> list[str]:
    return __all__
