"""The estimates of every stratum, beside one another: how shares and means differ between groups of the invited."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import click

from sotto_estimator.chosen import Chosen
from sotto_estimator.errors import NoReportsError, SourceError, WithheldError
from sotto_estimator.estimates import Estimates
from sotto_estimator.estimation import estimate_tally
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.numbers.render import interval_remarks, value_words
from sotto_estimator.options import warn
from sotto_estimator.render import (
    csv_records,
    csv_text,
    cut_words,
    interval_words,
    json_members,
    json_text,
    notes,
    percent,
)
from sotto_estimator.sources import CollectorSource, Source
from sotto_estimator.verdict.compare import Comparison, compare_groups
from sotto_estimator.verdict.judge import with_verdicts
from sotto_estimator.verdict.render import said_of, verdict_rows
from sotto_estimator.verdict.words import order_words
from sotto_protocol.language import ENGLISH
from sotto_protocol.tables import align
from sotto_protocol.words import epsilon_above

_COLUMNS = ["question", "answer", "stratum", "n", "epsilon", "estimate", "std. error", "low", "high", "unit"]


@dataclass(frozen=True, slots=True)
class Strata:
    """The estimates of strata, and how these differ."""

    estimates: Sequence[Estimates]
    comparisons: tuple[Comparison, ...]


def estimate_strata(source: Source, wave: int | None, options: IntervalOptions) -> Strata:
    """Return the estimates of every stratum of a collector's survey that has reports to show, in the survey's order.

    Of those that have not it warns. Raises UsageError for files, SourceError where a survey has no strata, or none of
    them anything to show, and FetchError where any fetch fails: no stratum is missing for that.
    """
    if not isinstance(source, CollectorSource):
        raise click.UsageError("--by-stratum goes with a collector's URL.")
    survey = source.tally(Chosen(wave)).survey
    if not survey.strata:
        raise SourceError(f"survey {survey.id} has no strata.")
    found, tallies = [], {}
    for stratum in survey.strata:
        try:
            tally = source.tally(Chosen(wave, stratum))
            found.append(with_verdicts(replace(estimate_tally(tally, options), stratum=stratum), tally))
            tallies[stratum] = tally
        except (WithheldError, NoReportsError) as fault:
            warn(f"nothing of stratum {stratum}: {fault}")
    if not found:
        raise SourceError(f"no stratum of survey {survey.id} has reports to show.")
    return Strata(found, compare_groups(tallies, options))


def as_table(of: Strata) -> str:
    """Return what is known of every stratum, and aligned numbers: of every answer, and every mean, a row a stratum.

    What is to be said of every stratum is said once, of some with their names.
    """
    strata = of.estimates
    listed = ", ".join(f"{one.stratum} {one.n_reports:,}" for one in strata)
    heading = [f"{strata[0].title}: n by stratum: {listed} reports"]
    heading += [f"{interval_words(strata[0].options)}, in each stratum", *_say_of(strata, notes)]
    rows = _by_answer([row for one in strata for row in _rows(one)])
    known = _by_answer([row for one in strata for row in _verdict_rows(one)])
    parts = [
        align(known) if known else "",
        "\n".join([*_say_of(strata, _sentences), *map(_compared, of.comparisons)]),
        "\n".join(heading),
        align([_COLUMNS, *rows], n_left=3),
        "\n".join(_say_of(strata, _remarks)),
    ]
    return "\n\n".join(filter(None, parts))


def _by_answer(rows: Sequence[list[str]]) -> list[list[str]]:
    """Return rows of (question, answer, ..), those of one answer beside one another."""
    order = list(dict.fromkeys((row[0], row[1]) for row in rows))
    return sorted(rows, key=lambda row: order.index((row[0], row[1])))


def _verdict_rows(one: Estimates) -> list[list[str]]:
    return [[row[0], row[1], str(one.stratum), row[2]] for row in verdict_rows(one.verdicts)]


def _sentences(one: Estimates) -> list[str]:
    return said_of(one.verdicts)


def _compared(one: Comparison) -> str:
    name = f"{one.question}, {one.answer}"
    if len(one.order.groups) == 1:
        return f"{name}: the strata cannot be told apart."
    return f"{name}: as far as can be told, in this order of strata, the most first: {order_words(one.order, ENGLISH)}."


def as_json(of: Strata) -> str:
    """Return a JSON object whose `strata` are the estimates' objects, and `comparisons` their order by each answer."""
    compared = [
        {"question": one.question, "answer": one.answer, "order": [list(group) for group in one.order.groups]}
        for one in of.comparisons
    ]
    return json_text({"strata": [json_members(one) for one in of.estimates], "comparisons": compared})


def as_csv(of: Strata) -> str:
    """Return the estimates' rows of CSV under one header, with the stratum in each."""
    return csv_text(csv_records(of.estimates))


def name_of(one: Estimates) -> str:
    """Return what to say before what is said of one stratum; nothing where the estimates are of all."""
    return "" if one.stratum is None else f"stratum {one.stratum}: "


def _say_of(strata: Sequence[Estimates], lines_of: Callable[[Estimates], Sequence[str]]) -> list[str]:
    """Return what is said of the strata: a line of all of them once, of some with the name of each."""
    said = {one.stratum: lines_of(one) for one in strata}
    shared = [line for line in lines_of(strata[0]) if all(line in lines for lines in said.values())]
    return shared + [f"{name_of(one)}{line}" for one in strata for line in said[one.stratum] if line not in shared]


def _remarks(one: Estimates) -> list[str]:
    """Return what is said below the numbers."""
    return [*map(str, one.quality), *filter(None, [cut_words(one.rows, one.options)]), *interval_remarks(one.means)]


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
