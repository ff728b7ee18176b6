"""`sotto compare`."""

import math
import sys
from pathlib import Path

import click

from sotto_estimator.commands.options import interval_options, warn
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.inference.registry import is_text
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.draft import Draft
from sotto_rehearsal.comparison.domains import LEAST_DELTA
from sotto_rehearsal.comparison.draws import has_opendp
from sotto_rehearsal.comparison.survey import USUAL_RUNS, USUAL_SHARE
from sotto_rehearsal.comparison.survey import compare as compare_devices

_MAX_N = 10**9
_NEED = "pip install 'sottovoce[compare]'"


@click.command(epilog="Example:  sotto compare survey.toml --n 300")
@click.argument("survey_file", type=click.Path(path_type=Path))
@click.option("--n", type=click.IntRange(2, _MAX_N), required=True, help="How many respondents there will be.")
@click.option(
    "--delta",
    type=click.FloatRange(LEAST_DELTA, 1, max_open=True),
    help="Probability that Gaussian noise, sums and shuffling may leave out  [default: 1e-6, or n^-1.1 if less].",
)
@click.option(
    "--truth",
    "truth_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="What people answer, as `sotto simulate` reads it; of its trouble nothing  [default: see --share].",
)
@click.option(
    "--share",
    type=click.FloatRange(0, 1),
    help="Without --truth, the share of yes; of k options they are as k to k - 1 .. to 1  [default: 0.5].",
)
@click.option(
    "--runs",
    type=click.IntRange(0, 10_000),
    help=f"Simulate so many surveys beside the theory; 0 for none  [default: {USUAL_RUNS}].",
)
@interval_options(IntervalOptions)
@output_options
def compare(
    survey_file: Path,
    n: int,
    delta: float | None,
    truth_file: Path | None,
    share: float | None,
    runs: int | None,
    output: Output,
    options: IntervalOptions,
) -> None:
    """Compare a survey with one that trusts a curator: precision and privacy.

    Beside what devices' reports will tell of each question stands what a curator would know who is trusted with the
    answers and adds Laplace, geometric or Gaussian noise of the same epsilon, or names the most common option by the
    exponential mechanism; OpenDP draws that noise. Then: what one person's reports take together by basic and advanced
    composition and zCDP, and what the reports reveal if they are shuffled.
    """
    for flag, number in (("--delta", delta), ("--share", share)):
        if number is not None and math.isnan(number):
            raise click.BadParameter("must be a number.", param_hint=flag)
    if truth_file and share is not None:
        raise click.UsageError("--share does not go with --truth, which says it.")
    survey = Draft.read(survey_file).survey
    if not has_opendp() and runs != 0:
        warn(f"curators are not simulated, which needs: {_NEED}")
    with click.progressbar(
        length=sum(not is_text(question) for question in survey.questions),
        label="comparing",
        file=sys.stderr,
        hidden=not sys.stderr.isatty(),
    ) as bar:
        found = compare_devices(
            survey,
            n,
            delta=delta,
            truth=truth_file,
            share=USUAL_SHARE if share is None else share,
            runs=USUAL_RUNS if runs is None else runs,
            options=options,
            progress=bar.update,
        )
    output.show(found)
