"""`sotto test`: what the tests that `sotto power` plans say of the reports that came."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from sotto_estimator.api import share_test
from sotto_estimator.channel.channel import TARGETS, Target
from sotto_estimator.commands.counts_options import CountsInput, counts_options
from sotto_estimator.commands.data_options import simple_data_options
from sotto_estimator.commands.options import TARGET_HELP, grouped, level_option, token_option
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.commands.sections import CHOICE, INTERVALS, SURVEY, SectionedCommand, in_section
from sotto_estimator.commands.testing_sources import TestInput, find_groups, find_one, refusing_unasked
from sotto_estimator.comparing.compare import CompareOptions, compare_sides
from sotto_estimator.comparing.exact_tests import Alternative, Method
from sotto_estimator.comparing.group_estimates import People
from sotto_estimator.comparing.trend import trend_of_sides
from sotto_estimator.designs.given import SaidYes
from sotto_estimator.intervals.intervals import IntervalOptions

Command = Callable[..., Any]

_GROUPS = "URL SURVEY | FILE FILE .. | TABLE"
_PLACE = (
    click.option("--question", default="", help="Of this question only  [default: every one]."),
    click.option("--answer", default="", help="Of this answer only  [default: every one]."),
    click.option(
        "--wave", "chosen_waves", type=click.IntRange(min=1), multiple=True, help="Of URL's survey: this wave."
    ),
    click.option("--stratum", "chosen_strata", metavar="NAME", multiple=True, help="Of URL's survey: this stratum."),
)
_simultaneous = click.option(
    "--simultaneous", is_flag=True, help="Make all rows hold together: intervals by Bonferroni, P by Holm."
)
_target = click.option(
    "--target",
    type=click.Choice(TARGETS),
    help=TARGET_HELP,
)
_people = click.option(
    "--people",
    type=click.Choice(["other", "same"]),
    help="Whom groups are of: other people, or maybe the same  [default: same for waves of a survey, else other].",
)


_simultaneous, _target, _people, _level = in_section(INTERVALS, _simultaneous, _target, _people, level_option)


def _with_place(command: Command) -> Command:
    """Add what says whose reports are meant; the command gets `place`."""
    with_all = grouped(
        "place", TestInput, *in_section(CHOICE, *_PLACE[:2]), *in_section(SURVEY, *_PLACE[2:]), token_option
    )(command)
    return counts_options(simple_data_options(output_options(_level(with_all))))


@click.group(epilog="Example:  sotto test share --yes 400 --n 1000 --truth 1/2 --null 0.25")
def test() -> None:
    """Test shares against a number, between groups, or for a trend.

    Every command has the name of the one of `sotto power` that plans it. Reports are those of a collector's survey, of
    files (tallies, packed reports, archives), of a table (--column), or counts.
    """


@test.command(cls=SectionedCommand, epilog="Example:  sotto test share --yes 400 --n 1000 --truth 1/2 --null 0.25")
@click.argument("sources", nargs=-1, metavar="URL SURVEY | FILE ... | TABLE")
@click.option("--null", type=click.FloatRange(0, 1), required=True, help="The share that is to be ruled out.")
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="What is looked for: another share, a greater one, or a smaller one.",
)
@click.option(
    "--method",
    type=click.Choice(["clopper-pearson", "blaker"]),
    default="clopper-pearson",
    show_default=True,
    help="How two tails are made one P-value, and its interval: of `sotto estimate` it is chernoff's, wider.",
)
@_simultaneous
@_with_place
def share(
    place: TestInput,
    output: Output,
    null: float,
    alternative: Alternative,
    method: Method,
    level: float,
    simultaneous: bool,
) -> None:
    """Is a share another one than --null? Exact, by the tails of the reported count."""
    of, options = find_one(place), IntervalOptions(level=level, simultaneous=simultaneous)
    how: dict[str, Any] = {"alternative": alternative, "method": method, "options": options}
    with refusing_unasked():
        output.show(share_test(of, null=null, question=place.question, answer=place.answer, **how))


@test.command(cls=SectionedCommand, epilog="Example:  sotto test groups --counts 120,280 --counts 90,290 --warner 3/4")
@click.argument("sources", nargs=-1, metavar=_GROUPS)
@click.option("--other-yes", type=click.IntRange(min=0), help="From counts: the number of yes reports of the other.")
@click.option("--other-n", type=click.IntRange(min=1), help="From counts: the number of reports of the other group.")
@_people
@_simultaneous
@_target
@click.option("--anytime", is_flag=True, help="Hold at every look, of groups whose reports still come in.")
@_with_place
def groups(
    place: TestInput,
    output: Output,
    other_yes: int | None,
    other_n: int | None,
    people: People | None,
    target: Target | None,
    **how: Any,
) -> None:
    """Have groups different shares? Each is held against the first: difference, ratio, and a test of equality.

    Groups are strata or waves of a survey (--stratum, --wave, twice or more), tally files, a table's (--by), or counts.
    """
    place = _with_other(place, other_yes, other_n)
    found = find_groups(place, target)
    options = CompareOptions(target=found.target, people=people or found.people, **how)
    output.show(found.told(compare_sides(found.title, found.groups, options)))


@test.command(cls=SectionedCommand, epilog="Example:  sotto test trend data.csv --column paid --by age --truth .5")
@click.argument("sources", nargs=-1, metavar=_GROUPS)
@click.option(
    "--scores", metavar="X,X,..", default="", help="The groups' places  [default: numbers in their names, or 1, 2, ..]."
)
@_people
@_simultaneous
@_target
@_with_place
def trend(
    place: TestInput,
    output: Output,
    scores: str,
    people: People | None,
    target: Target | None,
    level: float,
    simultaneous: bool,
) -> None:
    """Does a share rise or fall over ordered groups? By the Cochran-Armitage test: approximate."""
    found = find_groups(place, target)
    options = CompareOptions(level, found.target, simultaneous, people=people or found.people)
    output.show(found.told(trend_of_sides(found.title, found.groups, options, _scores(scores) or found.scores)))


def _with_other(place: TestInput, other_yes: int | None, other_n: int | None) -> TestInput:
    """Return the place with the counts of the other group. Raises UsageError."""
    if other_yes is None and other_n is None:
        return place
    if other_yes is None or other_n is None or place.paper is None or len(place.paper.counts) != 1:
        raise click.UsageError("--other-yes and --other-n go together, and with --yes and --n.")
    if other_yes > other_n:
        raise click.BadParameter(f"({other_yes}) must be in [0, n] (n = {other_n}).", param_hint="--other-yes")
    counts = (*place.paper.counts, SaidYes(other_yes, other_n - other_yes))
    return replace(place, paper=CountsInput(place.paper.asked, counts))


def _scores(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise click.BadParameter(f"({text:.60}) must be numbers with commas between.", param_hint="--scores") from None
