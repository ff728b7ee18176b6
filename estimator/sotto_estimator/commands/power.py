"""`sotto power`: tests, how likely they find what is there, and how many respondents that takes."""

from typing import Any

import click

from sotto_estimator.commands.margin_options import not_higher_option, not_lower_option, within_option
from sotto_estimator.commands.output import Output
from sotto_estimator.commands.power_options import (
    PowerAsk,
    one_sided_option,
    options_option,
    power_options,
    share_option,
    test_option,
)
from sotto_estimator.commands.sections import SectionedCommand
from sotto_estimator.planning.power_change import PEOPLE
from sotto_protocol.words import examples

_SHARE = "sotto power share --epsilon 1 --null .1 --share .15"
_GROUPS = "sotto power groups --epsilon 1 --share .3 --other-share .2"
_ALIKE = "sotto power groups --epsilon 1 --share .3 --other-share .3 --within 5"
_CHANGE = "sotto power change --epsilon 1 --share .3 --later-share .35"
_TREND = "sotto power trend --epsilon 1 --waves 5 --share .2 --last-share .3"
_ASSOCIATION = "sotto power association --epsilon 2 --if-yes .4 --if-no .2"
_REGRESSION = "sotto power regression --epsilon 1 --share .23 --slope 1"


@click.group(epilog=examples(_SHARE, f"{_GROUPS} --n 2000"))
def power() -> None:
    """Find how likely a test is to succeed, or how many people it needs.

    With --n, each command prints the power for N respondents. With --power, by default 0.8, it prints from which n on
    the test has that power. It does so for each --epsilon, and without privacy. With --plot, it draws power against n,
    and prints the points of the curve.
    """


@power.command(cls=SectionedCommand, epilog=examples(_SHARE, f"{_SHARE} --n 2000"))
@share_option("--null", "The share to test against, between 0 and 1.")
@share_option("--share", "The expected true share.")
@within_option
@one_sided_option
@options_option
@power_options
def share(ask: PowerAsk, output: Output, **test: Any) -> None:
    """Is a share different from --null? By the exact binomial test.

    With --within: is it that near to --null?
    """
    ask.show(output, "share", **test)


@power.command(cls=SectionedCommand, epilog=examples(f"{_GROUPS} --n 2000", _ALIKE))
@share_option("--share", "The true share in one group, between 0 and 1.")
@share_option("--other-share", "The true share in the other group.")
@within_option
@not_lower_option
@not_higher_option
@one_sided_option
@options_option
@power_options
def groups(ask: PowerAsk, output: Output, **test: Any) -> None:
    """Do two independent groups have different shares? By Fisher's exact test.

    With --within, --not-lower-by or --not-higher-by: how likely does `sotto test groups` show that?
    """
    ask.show(output, "groups", **test)


@power.command(cls=SectionedCommand, epilog=examples(_CHANGE, f"{_CHANGE} --people same --n 2000"))
@share_option("--share", "The true share in the first wave, between 0 and 1.")
@share_option("--later-share", "The true share in the second wave.")
@test_option(
    "--people",
    type=click.Choice(PEOPLE),
    default="other",
    show_default=True,
    help="People in the second wave: other people, the same with the same noise, or the same with new noise.",
)
@one_sided_option
@options_option
@power_options
def change(ask: PowerAsk, output: Output, **test: Any) -> None:
    """Has a share changed between two waves? By Fisher's exact test, for other people or the same."""
    ask.show(output, "change", **test)


@power.command(cls=SectionedCommand, epilog=examples(_TREND, f"{_TREND} --n 2000"))
@test_option("--waves", "n_waves", type=int, required=True, help="Number of waves, 3 or more.")
@share_option("--share", "The true share in the first wave, between 0 and 1.")
@share_option("--last-share", "The true share in the last wave, reached in equal steps.")
@one_sided_option
@options_option
@power_options
def trend(ask: PowerAsk, output: Output, **test: Any) -> None:
    """Does a share rise or fall over the waves? By the Cochran-Armitage test, for other people in each wave."""
    ask.show(output, "trend", **test)


@power.command(cls=SectionedCommand, epilog=examples(_ASSOCIATION, f"{_ASSOCIATION} --n 2000"))
@test_option(
    "--share",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="The true share of yes to the first question, between 0 and 1.",
)
@share_option(
    "--if-yes", "The true share of yes to the second question among people who say yes to the first.", "share_if_yes"
)
@share_option("--if-no", "The same among people who say no to the first.", "share_if_no")
@power_options
def association(ask: PowerAsk, output: Output, **test: Any) -> None:
    """Do the answers to two yes-no questions go together? By the test of `sotto associate`; each has --epsilon."""
    ask.show(output, "association", **test)


@power.command(cls=SectionedCommand, epilog=examples(_REGRESSION, f"{_REGRESSION} --n 2000"))
@share_option("--share", "The true share of yes where the covariate is 0, between 0 and 1.")
@test_option(
    "--slope", type=float, required=True, help="By how much the log odds of yes grow per unit of the covariate."
)
@test_option(
    "--covariate-share",
    type=click.FloatRange(0, 1),
    help="Share of people whose covariate is 1, and not 0  [default: a standard normal covariate].",
)
@one_sided_option
@options_option
@power_options
def regression(ask: PowerAsk, output: Output, **test: Any) -> None:
    """Does a hidden answer depend on something known about everybody? By the slope of a logistic regression."""
    ask.show(output, "regression", **test)
