"""`sotto test`: what the tests that `sotto power` plans say of the reports that came."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from sotto_estimator.channel.channel import Target
from sotto_estimator.commands.counts_options import CountsInput, counts_options
from sotto_estimator.commands.data_options import data_options, numbers_of
from sotto_estimator.commands.margin_options import not_higher_option, not_lower_option, within_option
from sotto_estimator.commands.options import grouped, level_option, target_option, token_option
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.commands.sections import CHOICE, COUNTS, INTERVALS, SURVEY, TEST, SectionedCommand, in_section
from sotto_estimator.commands.testing_sources import TestInput, find_groups, find_shares
from sotto_estimator.comparing.compare import CompareOptions
from sotto_estimator.comparing.group_estimates import People
from sotto_estimator.comparing.tested_shares import ShareTestOptions, shares_tested
from sotto_estimator.comparing.trend import trend_of_sides
from sotto_estimator.designs.given import SaidYes
from sotto_estimator.intervals.margin import Margin
from sotto_protocol.words import examples

Command = Callable[..., Any]

_GROUPS = "URL SURVEY | FILE FILE .. | TABLE"
_PLACE = (
    click.option("--question", default="", help="Test only this question  [default: all]."),
    click.option("--answer", default="", help="Test only this answer  [default: all]."),
    click.option(
        "--wave", "chosen_waves", type=click.IntRange(min=1), multiple=True, help="Use this wave; repeat it for groups."
    ),
    click.option(
        "--stratum", "chosen_strata", metavar="NAME", multiple=True, help="Use this stratum; repeat it for groups."
    ),
)
_NULL, _ALTERNATIVE, _METHOD, _SCORES = in_section(
    TEST,
    click.option("--null", type=click.FloatRange(0, 1), required=True, help="The share to test against."),
    click.option(
        "--alternative",
        type=click.Choice(["two-sided", "greater", "less"]),
        default="two-sided",
        show_default=True,
        help="What to look for: a different share, a greater one, or a smaller one.",
    ),
    click.option(
        "--method",
        type=click.Choice(["clopper-pearson", "blaker"]),
        default="clopper-pearson",
        show_default=True,
        help="How both tails make one P-value and interval. The default of `sotto estimate`, chernoff, is wider.",
    ),
    click.option(
        "--scores",
        metavar="X,X,..",
        default="",
        help="Positions of the groups  [default: the numbers in their names, or 1, 2, ..].",
    ),
)
_OTHER_YES, _OTHER_N = in_section(
    COUNTS,
    click.option(
        "--other-yes", type=click.IntRange(min=0), help="With --yes and --n: the yes reports of the other group."
    ),
    click.option("--other-n", type=click.IntRange(min=1), help="With --yes and --n: all reports of the other group."),
)
_SIMULTANEOUS, _FDR, _TARGET, _PEOPLE, _ANYTIME, _LEVEL = in_section(
    INTERVALS,
    click.option(
        "--simultaneous", is_flag=True, help="Make all rows hold together: intervals by Bonferroni, P-values by Holm."
    ),
    click.option(
        "--fdr",
        is_flag=True,
        help="Hold the false discovery rate: on average at most 1 - level of the rows that find something are wrong.",
    ),
    target_option,
    click.option(
        "--people",
        type=click.Choice(["other", "same"]),
        help="Whether groups are other people, or may be the same  [default: same for waves of a survey, else other].",
    ),
    click.option(
        "--anytime", is_flag=True, help="Make intervals that stay valid however often you look while reports come in."
    ),
    level_option,
)


def _with_place(command: Command) -> Command:
    """Add what says whose reports are meant; the command gets `place`."""
    with_all = grouped(
        "place", TestInput, *in_section(CHOICE, *_PLACE[:2]), *in_section(SURVEY, *_PLACE[2:]), token_option
    )(command)
    return counts_options(data_options(output_options(_LEVEL(with_all)), is_simple=True))


_SHARE_EXAMPLES = (
    "sotto test share http://127.0.0.1:8000 my-survey --question paid --null 0.25",
    "sotto test share --yes 400 --n 1000 --truth 1/2 --null 0.25",
)
_GROUPS_EXAMPLES = (
    "sotto test groups data.csv --column paid --by region --design 'crosswise(prob=1/6)'",
    "sotto test groups --counts 120,280 --counts 90,290 --warner 3/4",
)
_TREND_EXAMPLES = (
    "sotto test trend data.csv --column paid --by age --truth .5",
    "sotto test trend --counts 120,280 --counts 110,290 --counts 90,310 --warner 3/4",
)


@click.group(epilog=examples(_SHARE_EXAMPLES[0], _GROUPS_EXAMPLES[0]))
def test() -> None:
    """Test shares against a number, between groups, or for a trend.

    `sotto power` plans each test under the same name. The reports come from a collector's survey, from files (tallies,
    packed reports, archives), from a table (--column), or from counts.
    """


@test.command(cls=SectionedCommand, epilog=examples(*_SHARE_EXAMPLES))
@click.argument("sources", nargs=-1, metavar="URL SURVEY | FILE ... | TABLE")
@_NULL
@within_option
@_ALTERNATIVE
@_METHOD
@_PEOPLE
@_SIMULTANEOUS
@_FDR
@_with_place
def share(
    place: TestInput,
    output: Output,
    people: People | None,
    **how: Any,
) -> None:
    """Is a share different from --null? By an exact test of the number of reports.

    With groups (--by, or --stratum or --wave twice or more) it tests each of them. With --within it tests whether the
    share is that near to --null.

    Test and interval are about the population, whatever the survey's `about` says. There is no exact test about the
    respondents alone.
    """
    found = find_shares(place)
    options = ShareTestOptions(people=people or found.people, **how)
    output.show(found.told(shares_tested(found.title, found.groups, options, found.contradictions)))


@test.command(cls=SectionedCommand, epilog=examples(*_GROUPS_EXAMPLES))
@click.argument("sources", nargs=-1, metavar=_GROUPS)
@_OTHER_YES
@_OTHER_N
@within_option
@not_lower_option
@not_higher_option
@_PEOPLE
@_SIMULTANEOUS
@_FDR
@_TARGET
@_ANYTIME
@_with_place
def groups(
    place: TestInput,
    output: Output,
    other_yes: int | None,
    other_n: int | None,
    people: People | None,
    target: Target | None,
    within: float | None,
    not_lower_by: float | None,
    not_higher_by: float | None,
    **how: Any,
) -> None:
    """Do groups have different shares? Compares each with the first: difference, ratio and a test of equality.

    Groups are one of these:

    \b
    strata or waves  of a survey: --stratum or --wave, twice or more
    FILE FILE ..     tallies, packed reports or archives, a group each
    TABLE            the groups in the column --by
    counts           --counts for each group
    """
    place = _with_other(place, other_yes, other_n)
    margin = Margin.of(within=within, not_lower_by=not_lower_by, not_higher_by=not_higher_by)
    found = find_groups(place, target)
    options = CompareOptions(target=found.target, people=people or found.people, **how)
    output.show(found.compared(options, margin))


@test.command(cls=SectionedCommand, epilog=examples(*_TREND_EXAMPLES))
@click.argument("sources", nargs=-1, metavar=_GROUPS)
@_SCORES
@_PEOPLE
@_SIMULTANEOUS
@_FDR
@_TARGET
@_with_place
def trend(
    place: TestInput,
    output: Output,
    scores: str,
    people: People | None,
    target: Target | None,
    **how: Any,
) -> None:
    """Does a share rise or fall over ordered groups? By the Cochran-Armitage test, which is approximate."""
    found = find_groups(place, target)
    options = CompareOptions(target=found.target, people=people or found.people, **how)
    places = numbers_of(scores, "--scores") or found.scores
    output.show(found.told(trend_of_sides(found.title, found.groups, options, places, found.contradictions)))


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
