"""The estimates of every stratum, beside one another: how shares and means differ between groups of the invited."""

import click

from sotto_estimator.commands.options import warn
from sotto_estimator.errors import EstimatorError, SourceError, WithheldError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.by_group import SideBySide, estimate_strata
from sotto_estimator.sources.kinds import REPORTS
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import Source


def estimate_strata_of(source: Source, wave: int | None, options: IntervalOptions) -> SideBySide:
    """Return the estimates of every stratum of a survey that has reports to show, in the survey's order.

    Of those that have not it warns. Raises UsageError for tallies, SourceError where a survey has no strata, or none of
    them anything to show, and FetchError where any fetch fails: no stratum is missing for that.
    """
    if not source.gives(REPORTS):
        raise click.UsageError("--by-stratum goes with a collector's URL, or with packed reports.")
    survey = source.tally(Selection(wave)).survey
    if not survey.strata:
        raise SourceError(f"survey {survey.id} has no strata.")
    tallies = {}
    for stratum in survey.strata:
        try:
            tallies[stratum] = source.tally(Selection(wave, stratum))
        except WithheldError as fault:
            _warn_of(stratum, fault)
    found = estimate_strata(tallies, options, len(survey.strata), _warn_of) if tallies else None
    if found is None:
        raise SourceError(f"no stratum of survey {survey.id} has reports to show.")
    return found


def _warn_of(stratum: str, fault: EstimatorError) -> None:
    warn(f"nothing of stratum {stratum}: {fault}")
