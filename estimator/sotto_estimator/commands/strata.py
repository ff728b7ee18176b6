"""The estimates of every stratum, beside one another: how shares and means differ between groups of the invited."""

from dataclasses import replace

import click

from sotto_estimator.commands.options import warn
from sotto_estimator.errors import NoReportsError, SourceError, WithheldError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.shares.verdict.compare import compare_groups
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import CollectorSource, Source


def estimate_strata(source: Source, wave: int | None, options: IntervalOptions) -> SideBySide:
    """Return the estimates of every stratum of a collector's survey that has reports to show, in the survey's order.

    Of those that have not it warns. Raises UsageError for files, SourceError where a survey has no strata, or none of
    them anything to show, and FetchError where any fetch fails: no stratum is missing for that.
    """
    if not isinstance(source, CollectorSource):
        raise click.UsageError("--by-stratum goes with a collector's URL.")
    survey = source.tally(Selection(wave)).survey
    if not survey.strata:
        raise SourceError(f"survey {survey.id} has no strata.")
    options = options.of(survey)
    found, tallies = [], {}
    for stratum in survey.strata:
        try:
            tally = source.tally(Selection(wave, stratum))
            of_one = estimate_tally(tally, options, n_groups=len(survey.strata))
            found.append(with_verdicts(replace(of_one, stratum=stratum), tally))
            tallies[stratum] = tally
        except (WithheldError, NoReportsError) as fault:
            warn(f"nothing of stratum {stratum}: {fault}")
    if not found:
        raise SourceError(f"no stratum of survey {survey.id} has reports to show.")
    contradicting = {(str(one.stratum), of.question) for one in found for of in one.contradictions}
    return SideBySide(tuple(found), compare_groups(tallies, options, contradicting, len(survey.strata)))
