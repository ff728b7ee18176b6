"""From tallies of noisy reports to population shares with intervals that hold.

`estimate`, `compare_groups`, `regress`, `decode`, `associate`, `plan` do what commands do; docs/python.md.
"""

from typing import TYPE_CHECKING

from sotto_protocol import __version__ as __version__
from sotto_protocol.extras import require_extra
from sotto_protocol.lazy import load_on_demand

if TYPE_CHECKING:
    from sotto_estimator.api import (
        associate as associate,
        compare_groups as compare_groups,
        decode as decode,
        decode_rappor as decode_rappor,
        decode_unknown as decode_unknown,
        estimate as estimate,
        plan as plan,
        share_test as share_test,
        trend_test as trend_test,
    )
    from sotto_estimator.association.report_likelihoods import read_likelihoods as read_likelihoods
    from sotto_estimator.channel.channel import Channel as Channel
    from sotto_estimator.channel.simplex import project_on_simplex as project_on_simplex
    from sotto_estimator.comparing.group import Group as Group
    from sotto_estimator.databases.write import write_estimates as write_estimates
    from sotto_estimator.designs.named import (
        allow_for_fakes as allow_for_fakes,
        confidence_interval as confidence_interval,
        debias as debias,
        standard_error as standard_error,
    )
    from sotto_estimator.designs.spec import arm as arm
    from sotto_estimator.errors import (
        DomainError as DomainError,
        EstimatorError as EstimatorError,
        FetchError as FetchError,
        SourceError as SourceError,
    )
    from sotto_estimator.formats.registry import read_format as read_format
    from sotto_estimator.intervals.intervals import (
        ConfidenceInterval as ConfidenceInterval,
        IntervalOptions as IntervalOptions,
    )
    from sotto_estimator.microdata.microdata import read_data as read_data
    from sotto_estimator.microdata.reading import SamplingColumns as SamplingColumns
    from sotto_estimator.misfit.estimate import estimate_model as estimate_model
    from sotto_estimator.misfit.what_if import what_if as what_if
    from sotto_estimator.planning.number_plan import plan_numbers as plan_numbers
    from sotto_estimator.planning.options import PlanOptions as PlanOptions
    from sotto_estimator.planning.power_plan import power as power
    from sotto_estimator.planning.respondents_plan import plan_respondents as plan_respondents
    from sotto_estimator.planning.share_plan import plan_shares as plan_shares
    from sotto_estimator.regression.regress import regress as regress
    from sotto_estimator.regression.result import Regression as Regression
    from sotto_estimator.shares.covariance import share_covariance as share_covariance
    from sotto_estimator.shares.estimates import Estimate as Estimate, Estimates as Estimates
    from sotto_estimator.shares.maximum_likelihood import likeliest_shares as likeliest_shares
    from sotto_estimator.shares.of_arms import estimate_arms as estimate_arms
    from sotto_estimator.shares.of_tally import estimate_counts as estimate_counts, estimate_tally as estimate_tally
    from sotto_estimator.sources.archive_labels import read_archive as read_archive
    from sotto_estimator.sources.fetch import fetch_tally as fetch_tally, read_tallies as read_tallies
    from sotto_estimator.strings.decode import DecodeOptions as DecodeOptions
    from sotto_estimator.strings.google import write_rappor as write_rappor
    from sotto_estimator.strings.text_plan import plan_texts as plan_texts
    from sotto_estimator.views.card import write_card as write_card

require_extra(__name__)

if not TYPE_CHECKING:  # else mypy would believe any name to be there
    __getattr__, __dir__, __all__ = load_on_demand(
        __name__,
        {
            "sotto_estimator.channel.channel": "Channel",
            "sotto_estimator.shares.covariance": "share_covariance",
            "sotto_estimator.microdata.microdata": "read_data",
            "sotto_estimator.shares.of_arms": "estimate_arms",
            "sotto_estimator.databases.write": "write_estimates",
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
            "sotto_estimator.views.card": "write_card",
            "sotto_estimator.api": "associate compare_groups decode decode_rappor decode_unknown estimate plan"
            " share_test trend_test",
        },
        old={"Reach": "PlanOptions", "compare": "compare_groups"},
    )
