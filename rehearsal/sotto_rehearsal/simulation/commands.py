"""`sotto simulate`."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sotto_estimator.commands.options import interval_options, simultaneous_option, style_options
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.draft import Draft
from sotto_protocol import Survey
from sotto_rehearsal.simulation.crowd import Task
from sotto_rehearsal.simulation.errors import SimulationError, TruthError
from sotto_rehearsal.simulation.render import as_csv, as_json, table
from sotto_rehearsal.simulation.summary import Simulation
from sotto_rehearsal.simulation.summary import simulate as simulate_runs
from sotto_rehearsal.simulation.trouble import MAX_DEVICES
from sotto_rehearsal.simulation.truth import Truth, assume_truth, read_truth

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
@style_options
@click.option("--plot", "plot_path", type=_FILE, help="Draw one run beside the truth into this PNG, PDF or SVG file.")
def simulate(
    survey_file: Path,
    truth_file: Path | None,
    n_people: int,
    n_runs: int,
    n_waves: int | None,
    wave: int | None,
    seed: int | None,
    style: str,
    plot_path: Path | None,
    options: IntervalOptions,
    **trouble: Any,
) -> None:
    """Rehearse a survey on made-up people: how well it will do, and what goes wrong.

    From answers to intervals it is the code that devices and analysts run, without a collector. Printed is how far
    estimates are off in all runs, how wide their intervals are, and how often these hold the truth.
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
    options = options.of(survey)
    task = Task(survey, truth, n_people, n_waves, options.about == "respondents", wave)
    if plot_path:
        from sotto_estimator.results.panels import check_format  # matplotlib takes a second to load

        check_format(plot_path)
    with click.progressbar(
        length=n_runs * n_people, label="simulating", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:
        simulation = simulate_runs(task, options, n_runs, seed, bar.update)
    if plot_path:
        _plot(simulation, plot_path)
    click.echo({"json": as_json, "csv": as_csv}.get(style, table)(simulation))


def _at_most(most: int, given: int | None, option: str) -> int | None:
    """Return the number of an option. Raises BadParameter above the waves that there are."""
    if (given or 1) > most:
        raise click.BadParameter(f"must be at most {most}: there are no more waves.", param_hint=option)
    return given


def read_people(path: Path | None, survey: Survey) -> Truth:
    """Return the truth in a file, or the one that is assumed. Raises SimulationError, which names the file."""
    if path is None:
        return assume_truth(survey)
    try:
        return read_truth(path.read_text("utf-8"), survey)
    except OSError as fault:
        raise SimulationError(f"{path}: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise SimulationError(f"{path}: must be TOML in UTF-8.") from fault
    except TruthError as fault:
        raise SimulationError(f"{path}: {fault}") from fault


def _plot(simulation: Simulation, path: Path) -> None:
    from sotto_rehearsal.simulation.picture import plot

    plot(simulation, path)
