"""`sotto power`: tests, how likely they find what is there, and how many respondents that takes."""

import click

from sotto_estimator.commands.output import Output
from sotto_estimator.commands.power_options import (
    PowerAsk,
    one_sided_option,
    options_option,
    power_options,
    share_option,
)
from sotto_estimator.planning.power_change import PEOPLE, People


@click.group(epilog="Example:  sotto power share --epsilon 1 --null .1 --share .15 --power .8")
def power() -> None:
    """Find how likely a test is to succeed, or how many people it needs.

    Every command takes --n, and prints the power, or --power, and prints the n from which on the test has it (.8); for
    every epsilon, and without privacy. With --plot, draws power against n, and prints the curve's points.
    """


@power.command(epilog="Example:  sotto power share --epsilon 1 --null .1 --share .15 --power .8")
@share_option("--null", "The share that is to be ruled out, between 0 and 1.")
@share_option("--share", "The true share that is expected.")
@one_sided_option
@options_option
@power_options
def share(ask: PowerAsk, output: Output, null: float, share: float, is_one_sided: bool, n_options: int | None) -> None:
    """Is a share another one than --null? By the exact binomial test."""
    ask.show(output, "share", is_one_sided, n_options, null=null, share=share)


@power.command(epilog="Example:  sotto power groups --epsilon 1 --share .3 --other-share .2")
@share_option("--share", "The true share in one group, between 0 and 1.")
@share_option("--other-share", "The true share in the other.")
@one_sided_option
@options_option
@power_options
def groups(
    ask: PowerAsk, output: Output, share: float, other_share: float, is_one_sided: bool, n_options: int | None
) -> None:
    """Have two groups, each a survey of its own, different shares? By Fisher's exact test."""
    ask.show(output, "groups", is_one_sided, n_options, share=share, other_share=other_share)


@power.command(epilog="Example:  sotto power change --epsilon 1 --share .3 --later-share .35")
@share_option("--share", "The true share in the first wave, between 0 and 1.")
@share_option("--later-share", "The true share in the other.")
@click.option(
    "--people",
    type=click.Choice(PEOPLE),
    default="other",
    show_default=True,
    help="Who answers the other wave: other people; the same, whose devices keep their noise; the same, noise anew.",
)
@one_sided_option
@options_option
@power_options
def change(
    ask: PowerAsk,
    output: Output,
    share: float,
    later_share: float,
    people: People,
    is_one_sided: bool,
    n_options: int | None,
) -> None:
    """Has a share changed between two waves? By Fisher's exact test, whoever is asked in them."""
    ask.show(output, "change", is_one_sided, n_options, share=share, later_share=later_share, people=people)


@power.command(epilog="Example:  sotto power trend --epsilon 1 --waves 5 --share .2 --last-share .3")
@click.option("--waves", "n_waves", type=int, required=True, help="Over so many waves, 3 or more.")
@share_option("--share", "The true share in the first wave, between 0 and 1.")
@share_option("--last-share", "The true share in the last, to which it goes in even steps.")
@one_sided_option
@options_option
@power_options
def trend(
    ask: PowerAsk,
    output: Output,
    n_waves: int,
    share: float,
    last_share: float,
    is_one_sided: bool,
    n_options: int | None,
) -> None:
    """Does a share rise or fall over the waves? By the Cochran-Armitage test, of other people in each."""
    ask.show(output, "trend", is_one_sided, n_options, n_waves=n_waves, share=share, last_share=last_share)


@power.command(epilog="Example:  sotto power association --epsilon 2 --if-yes .4 --if-no .2")
@click.option(
    "--share",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="The true share of yes to one question, between 0 and 1.",
)
@share_option("--if-yes", "The true share of yes to the other question among those who say yes to the first.")
@share_option("--if-no", "The same among those who say no to the first.")
@power_options
def association(ask: PowerAsk, output: Output, share: float, if_yes: float, if_no: float) -> None:
    """Do the answers to two yes-no questions go together? By the test of `sotto associate`; epsilon is each one's."""
    ask.show(output, "association", share=share, share_if_yes=if_yes, share_if_no=if_no)


@power.command(epilog="Example:  sotto power regression --epsilon 1 --share .23 --slope 1")
@share_option("--share", "The true share of yes where the covariate is 0, between 0 and 1.")
@click.option("--slope", type=float, required=True, help="By how much the log odds of yes grow with the covariate.")
@click.option(
    "--covariate-share",
    type=click.FloatRange(0, 1),
    help="The covariate is 1 of this share of people, and 0 of the others  [default: it is standard normal].",
)
@one_sided_option
@options_option
@power_options
def regression(
    ask: PowerAsk,
    output: Output,
    share: float,
    slope: float,
    covariate_share: float | None,
    is_one_sided: bool,
    n_options: int | None,
) -> None:
    """Does a hidden answer depend on something that is known of everybody? By a logistic regression's slope."""
    given = {"share": share, "slope": slope, "covariate_share": covariate_share}
    ask.show(output, "regression", is_one_sided, n_options, **given)
