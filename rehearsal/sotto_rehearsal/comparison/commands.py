"""`sotto compare`."""

import math
import sys
from pathlib import Path

import click

from sotto_estimator.commands.options import interval_options, warn
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.commands.sections import PEOPLE, SectionedCommand, in_section
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.draft import Draft
from sotto_protocol.extras import install_command
from sotto_protocol.words import examples
from sotto_rehearsal.comparison.comparison import is_compared
from sotto_rehearsal.comparison.domains import LEAST_DELTA
from sotto_rehearsal.comparison.draws import has_opendp
from sotto_rehearsal.comparison.survey import USUAL_RUNS, USUAL_SHARE, compare as compare_devices

_MAX_N = 10**9
_NEED = install_command("compare")


_N, _TRUTH, _SHARE, _RUNS, _DELTA, _BATCH = in_section(
    PEOPLE,
    click.option("--n", type=click.IntRange(2, _MAX_N), required=True, help="Number of respondents."),
    click.option(
        "--truth",
        "truth_file",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File of true answers, as for `sotto simulate`, without its trouble  [default: see --share].",
    ),
    click.option(
        "--share",
        type=click.FloatRange(0, 1),
        help="Without --truth: the share of yes. The shares of k options are as k to k - 1 .. to 1  [default: 0.5].",
    ),
    click.option(
        "--runs",
        type=click.IntRange(0, 10_000),
        help=f"Number of simulated surveys beside the theory, 0 for none  [default: {USUAL_RUNS}].",
    ),
    click.option(
        "--delta",
        type=click.FloatRange(LEAST_DELTA, 1, max_open=True),
        help="Delta of Gaussian noise, of sums and of shuffling  [default: 1e-6, or n^-1.1 if less].",
    ),
    click.option(
        "--batch",
        type=click.IntRange(2, _MAX_N),
        help="How many reports a mixing relay passes on together, in an oblivious survey  [default: all].",
    ),
)
_EXAMPLES = ("sotto compare survey.toml --n 300", "sotto compare survey.toml --n 300 --share 0.1 --runs 0")


@click.command(cls=SectionedCommand, epilog=examples(*_EXAMPLES))
@click.argument("survey_file", type=click.Path(path_type=Path))
@_N
@_TRUTH
@_SHARE
@_RUNS
@_DELTA
@_BATCH
@interval_options(IntervalOptions)
@output_options
def compare(
    survey_file: Path,
    n: int,
    delta: float | None,
    truth_file: Path | None,
    share: float | None,
    runs: int | None,
    batch: int | None,
    output: Output,
    options: IntervalOptions,
) -> None:
    """Compare a survey with one that trusts a curator: precision and privacy.

    The curator is trusted with the true answers, and adds Laplace, geometric or Gaussian noise of the same epsilon.
    Or the curator names only the most common option, by the exponential mechanism. OpenDP draws that noise.

    The comparison also adds up the epsilon of one person's reports by basic and advanced composition and by zCDP. And
    it says what the reports reveal if they are shuffled.
    """
    for flag, number in (("--delta", delta), ("--share", share)):
        if number is not None and math.isnan(number):
            raise click.BadParameter("must be a number.", param_hint=flag)
    if truth_file and share is not None:
        raise click.UsageError("--share does not go with --truth: the file has the shares.")
    survey = Draft.read(survey_file).survey
    if batch is not None and not survey.is_oblivious:
        raise click.UsageError('--batch is of a relay: it goes with delivery = "oblivious" alone.')
    if batch is not None and batch > n:
        raise click.UsageError(f"--batch must be at most --n ({n:,}).")
    if not has_opendp() and runs != 0:
        warn(f"curators are not simulated: that needs OpenDP ({_NEED})")
    with click.progressbar(
        length=sum(map(is_compared, survey.questions)),
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
            batch=batch,
            options=options,
            progress=bar.update,
        )
    output.show(found)
