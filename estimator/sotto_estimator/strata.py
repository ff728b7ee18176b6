"""The estimates of every stratum, beside one another: how shares and means differ between groups of the invited."""

from collections.abc import Sequence
from dataclasses import replace

import click

from sotto_estimator.chosen import Chosen
from sotto_estimator.errors import NoReportsError, SourceError, WithheldError
from sotto_estimator.estimate import Estimates, estimate_tally
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.numbers.render import value_words
from sotto_estimator.options import warn
from sotto_estimator.render import (
    csv_records,
    csv_text,
    interval_words,
    json_members,
    json_text,
    percent,
)
from sotto_estimator.sources import CollectorSource, Source
from sotto_protocol.tables import align
from sotto_protocol.words import epsilon_above

_COLUMNS = ["question", "answer", "stratum", "n", "epsilon", "estimate", "std. error", "low", "high", "unit"]


def estimate_strata(source: Source, wave: int | None, options: IntervalOptions) -> list[Estimates]:
    """Return the estimates of every stratum of a collector's survey that has reports to show, in the survey's order.

    Of those that have not it warns. Raises UsageError for files, SourceError where a survey has no strata, or none of
    them anything to show, and FetchError where any fetch fails: no stratum is missing for that.
    """
    if not isinstance(source, CollectorSource):
        raise click.UsageError("--by-stratum goes with a collector's URL.")
    survey = source.tally(Chosen(wave)).survey
    if not survey.strata:
        raise SourceError(f"survey {survey.id} has no strata.")
    found = []
    for stratum in survey.strata:
        try:
            found.append(replace(estimate_tally(source.tally(Chosen(wave, stratum)), options), stratum=stratum))
        except (WithheldError, NoReportsError) as fault:
            warn(f"nothing of stratum {stratum}: {fault}")
    if not found:
        raise SourceError(f"no stratum of survey {survey.id} has reports to show.")
    return found


def as_table(strata: Sequence[Estimates]) -> str:
    """Return one aligned table: of every answer, and of every mean, a row a stratum; what intervals mean above it."""
    listed = ", ".join(f"{one.stratum} {one.n_reports:,}" for one in strata)
    waves = f"\nwaves {', '.join(map(str, strata[0].waves))}" if strata[0].waves else ""
    heading = f"{strata[0].title}: n by stratum: {listed} reports\n{interval_words(strata[0].options)}, in each stratum"
    rows = [row for one in strata for row in _rows(one)]
    order = list(dict.fromkeys((row[0], row[1]) for row in rows))
    rows.sort(key=lambda row: order.index((row[0], row[1])))
    return f"{heading}{waves}\n\n{align([_COLUMNS, *rows], n_left=3)}"


def as_json(strata: Sequence[Estimates]) -> str:
    """Return a JSON object whose `strata` are the estimates' objects."""
    return json_text({"strata": [json_members(one) for one in strata]})


def as_csv(strata: Sequence[Estimates]) -> str:
    """Return the estimates' rows of CSV under one header, with the stratum in each."""
    return csv_text(csv_records(strata))


def _rows(one: Estimates) -> list[list[str]]:
    of = str(one.stratum)
    rows = [
        [row.question, row.answer, of, f"{row.n_reports:,}", epsilon_above(row.epsilon)]
        + [percent(share) for share in (row.share, row.standard_error, row.low, row.high)]
        + [""]
        for row in one.rows
    ]
    return rows + [
        [mean.question, "mean", of, f"{mean.n_reports:,}", epsilon_above(mean.epsilon)]
        + [value_words(value, mean.standard_error) for value in (mean.mean, mean.standard_error, mean.low, mean.high)]
        + [mean.unit]
        for mean in one.means
    ]
