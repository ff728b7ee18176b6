"""`sotto estimate`."""

from collections.abc import Mapping
from pathlib import Path

import click

from sotto_estimator.commands.counts_options import CountsInput, DesignInput, counts_options
from sotto_estimator.commands.data_options import DataOptions, data_options
from sotto_estimator.commands.format_options import format_options
from sotto_estimator.commands.misfit_options import misfit_options
from sotto_estimator.commands.options import (
    anytime_option,
    chosen_options,
    interval_options,
    refuse_token,
    simultaneous_option,
    token_option,
    warn,
)
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.commands.sections import INTERVALS, OUTPUT, SURVEY, SectionedCommand, in_section
from sotto_estimator.commands.sources import read_source, tally_of
from sotto_estimator.databases.kinds import kind_of_database
from sotto_estimator.databases.write import write_estimates
from sotto_estimator.errors import SourceError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.by_group import SideBySide, estimate_strata_of
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.of_source import estimate_source
from sotto_estimator.sources.fetch import save
from sotto_estimator.sources.kinds import REPORTS
from sotto_estimator.sources.selection import Selection
from sotto_estimator.views.card import check_card, write_card
from sotto_protocol.file_endings import check_ending
from sotto_protocol.words import examples

_INTERVALS = in_section(
    INTERVALS,
    simultaneous_option,
    click.option("--consistent", is_flag=True, help="Add shares in [0, 1] that sum to 1, with approximate errors."),
    click.option(
        "--population-size",
        type=click.IntRange(min=1),
        help="Number of people in the population that respondents are a random sample of. It narrows the intervals.",
    ),
)


_LIKELIHOOD, _COVARIANCES, _BY_STRATUM, _POOLED, _SAVE_TALLY = in_section(
    SURVEY,
    click.option(
        "--likelihood",
        is_flag=True,
        help="Add shares of maximum likelihood, of whole reports, with approximate intervals. Not from a tally.",
    ),
    click.option("--covariances", is_flag=True, help="With --json: add the covariances of each question's shares."),
    click.option("--by-stratum", is_flag=True, help="Estimate every stratum of the invited people, side by side."),
    click.option("--pooled", is_flag=True, help="With --by-stratum: add approximate estimates, for small strata."),
    click.option("--save-tally", type=click.Path(path_type=Path, dir_okay=False), help="Save the tally to this file."),
)


_TO, _CARD, _CARD_LANG = in_section(
    OUTPUT,
    click.option(
        "--to",
        metavar="DATABASE",
        help="Also write a survey's estimates into a database, for dashboards. It is postgresql://USER@HOST/DATABASE, "
        "or a file that ends in .sqlite, .db or .duckdb.",
    ),
    click.option(
        "--card",
        type=(str, click.Path(path_type=Path, dir_okay=False)),
        metavar="QUESTION FILE",
        help="Draw one question, by its id, into this PNG or SVG file: a card for slides and chats.",
    ),
    click.option(
        "--card-lang",
        default="",
        metavar="TAG",
        help="Language of the --card, one of the survey's, such as ar  [default: the survey's first].",
    ),
)
_EXAMPLES = (
    "sotto estimate http://127.0.0.1:8000 my-survey",
    "sotto estimate --yes 831 --n 2435 --truth 2/3 --forced-yes 1/2",
)


@click.command(cls=SectionedCommand, epilog=examples(*_EXAMPLES))
@click.argument("sources", nargs=-1, metavar="URL SURVEY | FILE ... | TABLE")
@token_option
@chosen_options("Estimate one wave of the survey, by number  [default: all].")
@_LIKELIHOOD
@_COVARIANCES
@_BY_STRATUM
@_POOLED
@_SAVE_TALLY
@counts_options
@anytime_option
@interval_options(IntervalOptions, *_INTERVALS)
@_TO
@_CARD
@_CARD_LANG
@output_options
@format_options
@data_options
@misfit_options
def estimate(
    sources: tuple[str, ...],
    output: Output,
    to: str | None,
    card: tuple[str, Path] | None,
    card_lang: str,
    save_tally: Path | None,
    token: str,
    chosen: Selection,
    by_stratum: bool,
    pooled: bool,
    likelihood: bool,
    covariances: bool,
    asked: DesignInput,
    paper: CountsInput | None,
    data: DataOptions,
    options: IntervalOptions,
) -> None:
    """Estimate shares and means, with confidence intervals.

    Give one of four inputs:

    \b
    URL SURVEY  a collector, and the id of its survey
    FILE ...    tallies, packed reports, or folders of archives; several are merged
    counts      --yes and --n, or --counts; with how people were asked
    TABLE       one row per person; --column names the reports (docs/data.md)
    """
    check_ending("--save-tally", save_tally, ".json", error=SourceError)
    if card:
        check_card(card[1])
    elif card_lang:
        raise click.UsageError("--card-lang goes with --card.")
    if card and by_stratum:
        raise click.UsageError("--card goes without --by-stratum: it is of all reports, or of one --stratum.")
    if paper or data:
        if paper and (sources or data):
            raise click.UsageError("Give a collector, tally files, counts, or a table: one of the four.")
        _refuse_of_tallies(
            {**chosen.members, "by-stratum": by_stratum, "save-tally": save_tally, "to": to, "card": card}
        )
        refuse_token()
    if pooled and not by_stratum:
        raise click.UsageError("--pooled goes with --by-stratum.")
    if covariances and (paper or data or by_stratum or output.style != "json"):
        raise click.UsageError("--covariances goes with --json, and with a collector's survey or tally files.")
    if likelihood and (paper or data or by_stratum):
        raise click.UsageError("--likelihood goes with a collector's survey, packed reports or an archive, as a whole.")
    found: Estimates | SideBySide
    if data:
        found = _of_data(data, sources, asked, options)
    elif paper:
        data.check_absent()
        found = paper.estimate(options)
    else:
        data.check_absent()
        if to:
            kind_of_database(to)  # before anything is fetched
        added = {"covariances": covariances, "likelihood": likelihood}
        found = _of_tallies(sources, save_tally, token, chosen, by_stratum, pooled, added, asked, options)
    if to:
        click.echo(write_estimates(found.titled(output.title) if output.title else found, to), err=True)
    if card and isinstance(found, Estimates):
        write_card(found, *card, lang=card_lang)
        click.echo(f"card of {card[0]} in {card[1]}", err=True)
    output.show(found)


def _refuse_of_tallies(given: Mapping[str, object]) -> None:
    """Raise UsageError for an option, by its name, that counts and a table cannot have."""
    for option, value in given.items():
        if value:
            others = ", or with tally files" if option in ("save-tally", "to", "card") else ""
            raise click.UsageError(f"--{option} goes with a collector's URL{others}.")


def _of_data(
    data: DataOptions, sources: tuple[str, ...], asked: DesignInput, options: IntervalOptions
) -> Estimates | SideBySide:
    found = data.read(sources, asked)
    return found.estimate_groups(options) if data.by else found.estimate(options)


def _of_tallies(
    sources: tuple[str, ...],
    save_tally: Path | None,
    token: str,
    chosen: Selection,
    by_stratum: bool,
    pooled: bool,
    added: Mapping[str, bool],
    asked: DesignInput,
    options: IntervalOptions,
) -> Estimates | SideBySide:
    if not sources:
        raise click.UsageError(
            "Give a collector's URL and a survey, tally files, counts (--yes, --n ..), or a table (--column ..)."
        )
    asked.check_absent()
    source = read_source(sources, token)
    if by_stratum:
        if chosen.stratum or save_tally:
            raise click.UsageError("--by-stratum goes without --stratum and --save-tally.")
        if options.population_size:
            raise click.UsageError("--by-stratum goes without --population-size: the strata have different sizes.")
        if not source.gives(REPORTS):
            raise click.UsageError("--by-stratum goes with a collector's URL, or with packed reports.")
        return estimate_strata_of(source, chosen.wave, options, warn, pooled=pooled)
    if added["likelihood"] and not source.gives(REPORTS):
        raise click.UsageError(
            "--likelihood goes with a collector's URL, packed reports or an archive: a tally has no whole reports."
        )
    tally = tally_of(source, chosen)
    if save_tally:
        save(tally, save_tally)
    return estimate_source(source, tally, chosen, options, **added)
