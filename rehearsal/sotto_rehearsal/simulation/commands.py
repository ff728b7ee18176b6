"""`sotto simulate`."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sotto_estimator.commands.options import interval_options, simultaneous_option
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.draft import Draft
from sotto_rehearsal.simulation.errors import TruthError
from sotto_rehearsal.simulation.survey import simulate as simulate_survey
from sotto_rehearsal.simulation.trouble import MAX_DEVICES
from sotto_rehearsal.simulation.truth import read_people

_FILE = click.Path(path_type=Path, dir_okay=False)
_SHARE = click.FloatRange(0, 1)
_MAX_PEOPLE = 10**8
_MAX_RUNS = 10**5


@click.command(epilog="Example:  sotto simulate survey.toml --truth truth.toml --n 300 --runs 20")
@click.argument("survey_file", type=click.Path(path_type=Path))
@click.option(
    "--truth",
    "truth_file",
    type=_FILE,
    help="What people truly answer; a text question must be in it  [default: every answer as likely].",
)
@click.option("--n", "n_people", type=click.IntRange(2, _MAX_PEOPLE), required=True, help="How many people answer.")
@click.option(
    "--runs",
    "n_runs",
    type=click.IntRange(1, _MAX_RUNS),
    default=200,
    show_default=True,
    help="How often it is all done again, with other people and other coins.",
)
@click.option(
    "--waves", "n_waves", type=click.IntRange(min=1), help="How many waves are asked  [default: the survey's]."
)
@click.option("--wave", type=click.IntRange(min=1), help="Estimate one wave by itself, by number  [default: pooled].")
@click.option("--seed", type=click.IntRange(min=0), help="Repeat people and coins by this number  [default: never].")
@click.option("--liars", type=_SHARE, help="A share of people who do not answer truthfully.")
@click.option("--clumsy-fakes", type=_SHARE, help="A share of the devices that send noise.")
@click.option("--clever-fakes", type=_SHARE, help="A share of the devices that send plausible reports for one answer.")
@click.option("--duplicated", type=_SHARE, help="A share of people who answer on several devices.")
@click.option("--devices", type=click.IntRange(2, MAX_DEVICES), help="On how many these answer  [default: 2].")
@click.option(
    "--change", type=_SHARE, help="A share of people who think anew of every answer before each further wave."
)
@interval_options(IntervalOptions, simultaneous_option)
@output_options
def simulate(
    survey_file: Path,
    truth_file: Path | None,
    n_people: int,
    n_runs: int,
    n_waves: int | None,
    wave: int | None,
    seed: int | None,
    output: Output,
    options: IntervalOptions,
    **trouble: Any,
) -> None:
    """Rehearse a survey with made-up people.

    From answers to intervals it is the code that devices and analysts run, without a collector. Printed is how far
    estimates are off in all runs, how wide their intervals are, and how often these hold the truth. With --plot, draws
    one run beside the truth.
    """
    survey = Draft.read(survey_file).survey
    truth = read_people(truth_file, survey)
    n_waves = _at_most(survey.waves, n_waves, "--waves") or survey.waves
    if trouble["change"] and n_waves == 1:
        raise click.UsageError("--change does nothing here: people think anew before a second wave, and there is one.")
    if trouble["devices"] and not (
        truth.trouble.duplicated if trouble["duplicated"] is None else trouble["duplicated"]
    ):
        raise click.UsageError("--devices goes with --duplicated, the share of people who answer on so many.")
    try:
        truth = replace(truth, trouble=truth.trouble.replaced_by(trouble))
    except TruthError as fault:
        raise click.UsageError(str(fault)) from fault
    wave = _at_most(n_waves, wave, "--wave")
    with click.progressbar(
        length=n_runs * n_people, label="simulating", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:
        found = simulate_survey(
            survey,
            n_people,
            truth=truth,
            runs=n_runs,
            waves=n_waves,
            wave=wave,
            seed=seed,
            options=options,
            progress=bar.update,
        )
    output.show(found)


def _at_most(most: int, given: int | None, option: str) -> int | None:
    """Return the number of an option. Raises BadParameter above the waves that there are."""
    if (given or 1) > most:
        raise click.BadParameter(f"must be at most {most}: there are no more waves.", param_hint=option)
    return given
