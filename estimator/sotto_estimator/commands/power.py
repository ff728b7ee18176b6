"""`sotto power`: tests, how likely they find what is there, and how many respondents that takes."""

import click

from sotto_estimator.commands.power_options import (
    PowerAsk,
    one_sided_option,
    options_option,
    power_options,
    power_output,
    share_option,
)
from sotto_estimator.planning.power import LEAST_EXPECTED
from sotto_estimator.planning.power_association import AssociationTest
from sotto_estimator.planning.power_change import PEOPLE, ChangeTest, People
from sotto_estimator.planning.power_groups import MOST_ENUMERATED, GroupsTest
from sotto_estimator.planning.power_regression import RegressionTest
from sotto_estimator.planning.power_share import ShareTest
from sotto_estimator.planning.power_trend import TrendTest
from sotto_estimator.results.words import level_words
from sotto_estimator.views.power import Named

_APPROXIMATE = (
    "Level and power are approximate, by the normal distribution.\n"
    f"n is too few where less than {LEAST_EXPECTED} reports of the rarest kind are expected; more are planned."
)
_FISHER = (
    f"Fisher's exact test of the two noisy counts; powers are exact up to n = 4,000\n"
    f"and while fewer than {MOST_ENUMERATED:,} reports are of the rarer kind, approximate beyond."
)
_LEAST_SHOWN = 1e-9
"""Of an interval that misses with less than that the level in per cent is nines only, or rounds to 100."""

_OF_PEOPLE = {
    "other": f"Other people in each wave: {_FISHER}",
    "same": "The same people, whose devices keep the noise of an answer that stays; as few as can change theirs.",
    "anew": "The same people, with noise drawn anew (two surveys); as few as can change their answer.",
}


@click.group(epilog="Example:  sotto power share --epsilon 1 --null .1 --share .15 --power .8")
def power() -> None:
    """Plan a test: how likely it finds what is there, or how many respondents that takes.

    Every command takes --n, and prints the power, or --power, and prints the n from which on the test has it (.8); for
    every epsilon, and without privacy.
    """


@power.command(epilog="Example:  sotto power share --epsilon 1 --null .1 --share .15 --power .8")
@share_option("--null", "The share that is to be ruled out, between 0 and 1.")
@share_option("--share", "The true share that is expected.")
@one_sided_option
@options_option
@power_options
def share(ask: PowerAsk, null: float, share: float, is_one_sided: bool, n_options: int | None) -> None:
    """Is a share another one than --null? By the exact binomial test."""
    missed = ask.alpha * (2 if is_one_sided else 1)
    level = level_words(1 - missed) if missed > _LEAST_SHOWN else f"a level of 1 - {missed:g}"
    words = f"Exact: n and power too. It finds it where the Clopper-Pearson interval at {level} lies beyond."
    named = Named(
        "share", f"Is the share {null:g}, where it is {share:g}?", words, "respondents", {"null": null, "share": share}
    )
    click.echo(power_output(ask, named, ShareTest, is_one_sided, n_options))


@power.command(epilog="Example:  sotto power groups --epsilon 1 --share .3 --other-share .2")
@share_option("--share", "The true share in one group, between 0 and 1.")
@share_option("--other-share", "The true share in the other.")
@one_sided_option
@options_option
@power_options
def groups(ask: PowerAsk, share: float, other_share: float, is_one_sided: bool, n_options: int | None) -> None:
    """Have two groups, each a survey of its own, different shares? By Fisher's exact test."""
    members = {"share": share, "other_share": other_share}
    named = Named(
        "groups",
        f"Are the shares of two groups equal, where they are {share:g} and {other_share:g}?",
        _FISHER,
        "in each group",
        members,
    )
    click.echo(power_output(ask, named, GroupsTest, is_one_sided, n_options))


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
    ask: PowerAsk, share: float, later_share: float, people: People, is_one_sided: bool, n_options: int | None
) -> None:
    """Has a share changed between two waves? By Fisher's exact test, whoever is asked in them."""
    words = _OF_PEOPLE[people] if people == "other" else f"{_OF_PEOPLE[people]}\n{_APPROXIMATE}"
    members = {"share": share, "later_share": later_share, "people": people}
    named = Named(
        "change",
        f"Has the share changed, where it goes from {share:g} to {later_share:g}?",
        words,
        "in each wave",
        members,
    )
    click.echo(power_output(ask, named, ChangeTest, is_one_sided, n_options))


@power.command(epilog="Example:  sotto power trend --epsilon 1 --waves 5 --share .2 --last-share .3")
@click.option("--waves", "n_waves", type=int, required=True, help="Over so many waves, 3 or more.")
@share_option("--share", "The true share in the first wave, between 0 and 1.")
@share_option("--last-share", "The true share in the last, to which it goes in even steps.")
@one_sided_option
@options_option
@power_options
def trend(
    ask: PowerAsk, n_waves: int, share: float, last_share: float, is_one_sided: bool, n_options: int | None
) -> None:
    """Does a share rise or fall over the waves? By the Cochran-Armitage test, of other people in each."""
    members = {"n_waves": n_waves, "share": share, "last_share": last_share}
    title = f"Is there a trend, where the share goes from {share:g} to {last_share:g} in {n_waves} waves?"
    named = Named(
        "trend", title, f"Cochran-Armitage test, other people in each wave. {_APPROXIMATE}", "in each wave", members
    )
    click.echo(power_output(ask, named, TrendTest, is_one_sided, n_options))


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
def association(ask: PowerAsk, share: float, if_yes: float, if_no: float) -> None:
    """Do the answers to two yes-no questions go together? By the test of `sotto associate`; epsilon is each one's."""
    members = {"share": share, "share_if_yes": if_yes, "share_if_no": if_no}
    title = f"Are two questions independent, where {if_yes:g} and {if_no:g} say yes to the other one?"
    named = Named("association", title, f"The score test of `sotto associate`. {_APPROXIMATE}", "respondents", members)
    click.echo(power_output(ask, named, AssociationTest))


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
    share: float,
    slope: float,
    covariate_share: float | None,
    is_one_sided: bool,
    n_options: int | None,
) -> None:
    """Does a hidden answer depend on something that is known of everybody? By a logistic regression's slope."""
    of_covariate = "standard normal" if covariate_share is None else f"1 of a share of {covariate_share:g}, else 0"
    members = {"share": share, "slope": slope, "covariate_share": covariate_share}
    title = f"Is the slope 0, where it is {slope:g} and the share at 0 is {share:g}?"
    words = (
        f"Wald's test of a logistic regression through the channel; the covariate is {of_covariate}.\n{_APPROXIMATE}"
    )
    named = Named("regression", title, words, "respondents", members)
    click.echo(power_output(ask, named, RegressionTest, is_one_sided, n_options))
