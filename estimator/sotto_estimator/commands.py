"""`sotto estimate`."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sotto_estimator.chosen import Chosen, chosen_options
from sotto_estimator.estimates import Estimates
from sotto_estimator.estimation import estimate_tally
from sotto_estimator.fetch import save
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.options import interval_options, refuse_token, style_options, warn
from sotto_estimator.paper import PaperSurvey, paper_options
from sotto_estimator.render import as_csv, as_json, table
from sotto_estimator.sources import read_source
from sotto_estimator.strata import Strata, estimate_strata, name_of
from sotto_estimator.strata import as_csv as strata_as_csv
from sotto_estimator.strata import as_json as strata_as_json
from sotto_estimator.strata import as_table as strata_as_table
from sotto_estimator.verdict.judge import with_verdicts


@click.command(epilog="Example:  sotto estimate --yes 831 --n 2435 --truth 2/3 --forced-yes 1/2")
@click.argument("sources", nargs=-1, metavar="URL SURVEY | TALLY.json ...")
@interval_options("chernoff")
@click.option("--simultaneous", is_flag=True, help="Make all intervals hold together at the level (Bonferroni).")
@click.option("--consistent", is_flag=True, help="Add shares in [0, 1] that sum to 1 (projection on the simplex).")
@click.option("--token", envvar="SOTTO_TOKEN", default="", help="The analyst's token for URL [env: SOTTO_TOKEN].")
@chosen_options("Estimate one wave of URL's survey  [default: all].")
@click.option("--by-stratum", is_flag=True, help="Estimate every stratum of the invited people, beside one another.")
@click.option("--save-tally", type=click.Path(path_type=Path, dir_okay=False), help="Keep the tally in this file.")
@paper_options
@style_options
@click.option(
    "--plot",
    "plot_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw shares, means, quantiles and densities with intervals into this PNG, PDF or SVG file.",
)
def estimate(
    sources: tuple[str, ...],
    style: str,
    plot_path: Path | None,
    save_tally: Path | None,
    token: str,
    chosen: Chosen,
    by_stratum: bool,
    paper: PaperSurvey | None,
    **interval: Any,
) -> None:
    """Estimate shares, and means of numbers, with intervals that hold.

    From a collector's tally (URL and SURVEY), from tally files, which are merged, or from counts (--yes, --n ..).
    """
    options = IntervalOptions(**interval)
    if paper:
        if sources or save_tally or chosen or by_stratum:
            raise click.UsageError("Give a collector, tally files, or counts: one of the three.")
        refuse_token()
        estimates = paper.estimate(options)
    else:
        if not sources:
            raise click.UsageError("Give a collector's URL and a survey, tally files, or counts (--yes, --n ..).")
        source = read_source(sources, token)
        if by_stratum:
            if chosen.stratum or save_tally or plot_path:
                raise click.UsageError("--by-stratum goes without --stratum, --save-tally and --plot.")
            _show_strata(estimate_strata(source, chosen.wave, options), style)
            return
        tally = source.tally(chosen)
        if save_tally:
            save(tally, save_tally)
        estimates = with_verdicts(replace(estimate_tally(tally, options), stratum=chosen.stratum), tally)
    if plot_path:
        from sotto_estimator.picture import plot  # matplotlib takes a second to load

        plot(estimates, plot_path)
    click.echo({"json": as_json, "csv": as_csv}.get(style, table)(estimates))
    _warn_of(estimates)


def _show_strata(strata: Strata, style: str) -> None:
    click.echo({"json": strata_as_json, "csv": strata_as_csv}.get(style, strata_as_table)(strata))
    for one in strata.estimates:
        _warn_of(one)


def _warn_of(estimates: Estimates) -> None:
    """Warn of what is wrong with the counts, and of what is missing; of a stratum with its name."""
    warnings = [quality.warning for quality in estimates.quality if quality.is_alarming]
    warnings += [contradiction.warning for contradiction in estimates.contradictions]
    for warning in [*warnings, *(f"{withheld}." for withheld in estimates.withheld)]:
        warn(f"{name_of(estimates)}{warning}")
