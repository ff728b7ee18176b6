"""A survey's plan in sentences, for who has never heard of epsilon."""

from collections.abc import Iterator

from sotto_estimator.channel.channel import Target
from sotto_estimator.inference.registry import figure_of, is_text
from sotto_estimator.planning.outlook import outlook_of, size_of
from sotto_estimator.planning.survey import HOPELESS, PlannedSurvey, QuestionPlan
from sotto_estimator.views.numbers import value_words
from sotto_estimator.views.plan_table import width_words
from sotto_protocol import Question
from sotto_protocol.mechanisms.mechanism import Mechanism
from sotto_protocol.minimum import Need, needs_of
from sotto_protocol.words import counted


def sentences(plan: PlannedSurvey) -> list[str]:
    """Return what the survey will say, a paragraph a question, and what it will not."""
    needs = [*needs_of(plan.survey).values()]
    return [line for index, one in plan.rows for line in _of_question(one, plan, needs[index])]


def points(width: float) -> str:
    """Return a width of shares in points: three digits, but no more than two decimals of a wide one.

    >>> points(0.0912), points(0.94), points(0.00042), points(1.1234)
    ('9.12 points', '94 points', '0.042 points', '112 points')
    """
    return f"{100 * width:.3g} points" if width >= 0.001 else width_words(width).removesuffix(" %") + " points"


def amount(width: float, question: Question) -> str:
    """Return a half-width in the words of its question: points, or a number's unit."""
    if outlook_of(question).is_in_points:
        return points(width)
    unit = getattr(question.kind, "unit", "")
    return f"{value_words(width, width)} {unit}".rstrip()


def within(width: float, question: Question) -> str:
    """Return what a width is, in the words of its question: an interval's half, or the strings that are found.

    A half-width ends at a half of all there is: an interval around the middle then holds every answer.
    """
    if is_text(question):
        return f"strings of {width_words(width)}"
    most = HOPELESS * size_of(question)
    return f"+- {amount(most, question)} or more" if width >= most else f"+- {amount(width, question)}"


def answers(one: QuestionPlan) -> str:
    """Return how many answers there are to a question, or to each option of it."""
    return counted(one.n_answers, "answer") + " to each option" * (one.question.mechanism.asks_some)


def of_asked(plan: PlannedSurvey) -> str:
    """Return of which respondents each question's interval is, where it is not of all of them."""
    is_part = plan.survey.draw and plan.options.about == "respondents"
    return ": for each question, those who are asked it" if is_part else ""


def _of_question(one: QuestionPlan, plan: PlannedSurvey, need: Need) -> Iterator[str]:
    if plan.n < need.least and plan.survey.min_reports > 1:
        yield f"{one.question.id}: with {plan.n:,} reports its results stay hidden. They need {need.least:,} reports."
    elif is_text(one.question):
        yield _of_text(one, plan)
    elif one.is_hopeless:
        yield (
            f"{one.question.id}: you will learn nothing. With {answers(one)} an interval is "
            f"{within(one.width, one.question)}. Any result stays possible."
        )
    else:
        yield f"{_known(one, plan)}. {_not_told(one, plan)}"


def _known(one: QuestionPlan, plan: PlannedSurvey) -> str:
    target = plan.options.about
    other: Target = "respondents" if target == "population" else "population"
    widths = one.of(target).half_width, one.of(other).half_width, one.of(target, is_together=True).half_width
    alone, others, together = (amount(0.0 if width is None else width, one.question) for width in widths)
    of_other = "for these respondents alone" if other == "respondents" else "for the population"
    other_width = f"+- {others} {of_other}" if others != alone else ""
    all_of_them = (
        f"+- {together} if all {plan.n_intervals} intervals must be right at once" if plan.n_intervals > 1 else ""
    )
    more = ", ".join(filter(None, [other_width, all_of_them]))
    what = figure_of(one.question)
    return f"{one.question.id}: with {answers(one)} the {what} will be known to +- {alone}{f' ({more})' * bool(more)}"


def _not_told(one: QuestionPlan, plan: PlannedSurvey) -> str:
    alone = one.of(plan.options.about)
    least, difference = alone.smallest_share, alone.smallest_difference
    if difference is None:
        groups = "Two halves of the respondents may look alike, whatever they answer."
    else:
        least_seen = amount(difference, one.question)
        groups = f"Two halves of the respondents may look alike if they differ by less than {least_seen}."
    if not outlook_of(one.question).is_in_points:
        return groups
    if least is None:
        rare = "Even an answer that everybody gives may look like zero."
    else:
        rare = f"A true share below {width_words(least)} may look like zero."
    return f"{rare} {groups} A test shows smaller differences (sotto power)."


def _of_text(one: QuestionPlan, plan: PlannedSurvey) -> str:
    looked = f"With {answers(one)} and {plan.options.n_candidates:,} strings to look for"
    if one.width >= 1:
        return (
            f"{one.question.id}: you will learn nothing. {looked}, not even a string that everybody answers is found."
        )
    return (
        f"{one.question.id}: {looked.lower()}, a string is found if {width_words(one.width)} or more answer it. "
        f"Rarer strings are found less often.{_of_beginnings(one.question.mechanism)}"
    )


def _of_beginnings(mechanism: Mechanism) -> str:
    """Return by which beginnings strings on no list are found, where they are."""
    lengths = getattr(mechanism, "prefix_lengths", ())  # of sketches alone
    if not lengths:
        return ""
    listed = " or ".join(map(str, lengths))
    return f" Strings on no list are found by their first {listed} characters."
