"""`sotto simulate`."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sotto_estimator.commands.options import interval_options, simultaneous_option
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.commands.sections import INTERVALS, PEOPLE, TROUBLE, SectionedCommand, in_section
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.draft import Draft
from sotto_protocol.words import examples
from sotto_rehearsal.simulation.errors import TruthError
from sotto_rehearsal.simulation.survey import simulate as simulate_survey
from sotto_rehearsal.simulation.trouble import MAX_DEVICES
from sotto_rehearsal.simulation.truth import read_people

_FILE = click.Path(path_type=Path, dir_okay=False)
_SHARE = click.FloatRange(0, 1)
_MAX_PEOPLE = 10**8
_MAX_RUNS = 10**5


_N_PEOPLE, _TRUTH, _RUNS, _WAVES, _WAVE, _SEED = in_section(
    PEOPLE,
    click.option("--n", "n_people", type=click.IntRange(2, _MAX_PEOPLE), required=True, help="Number of respondents."),
    click.option(
        "--truth",
        "truth_file",
        type=_FILE,
        help="File of the true answers. Text questions must be in it  [default: all answers equally common].",
    ),
    click.option(
        "--runs",
        "n_runs",
        type=click.IntRange(1, _MAX_RUNS),
        default=200,
        show_default=True,
        help="Number of runs, each with other people and other noise.",
    ),
    click.option("--waves", "n_waves", type=click.IntRange(min=1), help="Number of waves  [default: the survey's]."),
    click.option("--wave", type=click.IntRange(min=1), help="Estimate one wave alone, by number  [default: pooled]."),
    click.option(
        "--seed", type=click.IntRange(min=0), help="Repeat the people and noise of this number  [default: new ones]."
    ),
)
_LIARS, _CLUMSY_FAKES, _CLEVER_FAKES, _DUPLICATED, _DEVICES, _CHANGE = in_section(
    TROUBLE,
    click.option("--liars", type=_SHARE, help="Share of people who do not answer truthfully."),
    click.option("--clumsy-fakes", type=_SHARE, help="Share of devices that send random reports."),
    click.option("--clever-fakes", type=_SHARE, help="Share of devices that send plausible reports for one answer."),
    click.option("--duplicated", type=_SHARE, help="Share of people who answer on several devices."),
    click.option(
        "--devices", type=click.IntRange(2, MAX_DEVICES), help="Number of devices of those people  [default: 2]."
    ),
    click.option(
        "--change", type=_SHARE, help="Share of people who choose every answer anew before each further wave."
    ),
)
_EXAMPLES = (
    "sotto simulate survey.toml --truth truth.toml --n 300 --runs 20",
    "sotto simulate survey.toml --truth truth.toml --n 300 --runs 20 --liars 0.1 --plot run.png",
)


@click.command(cls=SectionedCommand, epilog=examples(*_EXAMPLES))
@click.argument("survey_file", type=click.Path(path_type=Path))
@_N_PEOPLE
@_TRUTH
@_RUNS
@_WAVES
@_WAVE
@_SEED
@_LIARS
@_CLUMSY_FAKES
@_CLEVER_FAKES
@_DUPLICATED
@_DEVICES
@_CHANGE
@interval_options(IntervalOptions, *in_section(INTERVALS, simultaneous_option))
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

    It runs the code of devices and analysts, from answers to intervals, without a collector. It prints how far off the
    estimates are, how wide their intervals are, and how often these hold the truth. With --plot, it draws one run
    beside the truth. docs/simulate.md describes the file of true answers.
    """
    survey = Draft.read(survey_file).survey
    truth = read_people(truth_file, survey)
    n_waves = _at_most(survey.waves, n_waves, "--waves") or survey.waves
    if trouble["change"] and n_waves == 1:
        raise click.UsageError("--change needs a second wave, and there is only one.")
    if trouble["devices"] and not (
        truth.trouble.duplicated if trouble["duplicated"] is None else trouble["duplicated"]
    ):
        raise click.UsageError("--devices goes with --duplicated, the share of people who answer on several devices.")
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
        raise click.BadParameter(f"must be at most {most}, the number of waves.", param_hint=option)
    return given
