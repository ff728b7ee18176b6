"""What would help, in sentences, and as members for programs."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from sotto_estimator.planning.one_wave import OneWave
from sotto_estimator.planning.outlook import size_of
from sotto_estimator.planning.remedies import MAX_TAKEN, Remedy, report_room
from sotto_estimator.planning.survey import HOPELESS, PlannedSurvey
from sotto_estimator.results.document import ITEM
from sotto_estimator.views.plan_words import within
from sotto_protocol.documents import decimal_text
from sotto_protocol.mechanisms.thresholds import MAX_EPSILON
from sotto_protocol.readings import PRIORS, suspicions
from sotto_protocol.words import whole_percent_above

_SUSPICION = PRIORS.index(0.1)


def help_lines(helps: Sequence[Remedy], plan: PlannedSurvey) -> list[str]:
    """Return what would help each question that shows too little, a list each, as lines of prose."""
    return [line for one in helps for line in _of_help(one, plan)]


def _of_help(one: Remedy, plan: PlannedSurvey) -> Iterator[str]:
    first = one.questions[0]
    names = ", ".join(of.question.id for of in one.questions)
    wanted = "as you want" if first.want is not None else "which would be useful"
    yield f"{names}: how to reach or approach {within(first.goal, first.question)}, {wanted}:"
    yield from (f"{ITEM}{line}" for line in _ways(one, plan))


def _ways(one: Remedy, plan: PlannedSurvey) -> Iterator[str]:
    first = one.questions[0]
    question, waves = first.question, plan.survey.waves
    hopeless = HOPELESS * size_of(question)  # a way that shows nothing is not named
    if one.width_of_respondents is not None and one.width_of_respondents < hopeless:
        alone = within(one.width_of_respondents, question)
        yield f'ask about these people alone, if they are all that matter (about = "respondents"): {alone}'
    if one.width_of_options is not None and one.width_of_options < hopeless:
        n_options = f"{one.n_options} of {len(question.options)}"
        yield f"fewer options: {n_options} give {within(one.width_of_options, question)}"
    if one.width_together is not None and one.width_together < hopeless:
        yield f"a yes-no question for each option, asked [[together]]: {within(one.width_together, question)}"
    if one.width_drawn is not None and one.width_drawn < hopeless:
        yield _of_draw(one, within(one.width_drawn, question), plan)
    if one.width_of_waves is not None and one.width_of_others is not None:
        yield (
            f"waves: all {waves} pooled. If the same people answer, {within(one.width_of_waves, question)}, as a "
            f"person's reports are not independent. If other people answer each wave, "
            f"{within(one.width_of_others, question)}"
        )
    if one.respondents is None:
        yield "more respondents: no number is enough"
    else:
        yield f"more respondents: {one.respondents:,} instead of {plan.n:,}"
    if not one.is_free:
        return
    if one.epsilon is not None:
        yield (
            f"more epsilon: {decimal_text(one.epsilon)} instead of {decimal_text(question.epsilon)}. "
            f"{say_suspicion(question.epsilon, one.epsilon)}{_too_much(one)}"
        )
    elif question.epsilon_forever > question.epsilon:
        forever = decimal_text(question.epsilon_forever)
        yield f"more epsilon: none is enough below epsilon_forever, which stays {forever} here. Raising both may be"
    else:
        yield f"more epsilon: even {MAX_EPSILON}, the most that a question may have, is not enough"


def _too_much(one: Remedy) -> str:
    if one.epsilon_in_all is None or one.epsilon_in_all <= MAX_TAKEN:
        return ""
    return f". That is {decimal_text(one.epsilon_in_all)} in all; devices refuse more than {MAX_TAKEN} by default"


def _of_draw(one: Remedy, reached: str, plan: PlannedSurvey) -> str:
    """Return what drawing questions gives, and what it takes: each of them gets a larger part of the epsilon."""
    before, n_questions, n_drawn = one.questions[0].question.epsilon, len(plan.questions), one.n_drawn or 1
    room = report_room(plan.survey)
    total = "at the same epsilon" if room == plan.survey.epsilon else f"at epsilon {decimal_text(room)}"
    said = f"draw = {n_drawn} of the {n_questions} questions, {total} per report: {reached}"
    if one.epsilon_drawn is not None and one.epsilon_drawn > before:
        said += (
            f". This question then has epsilon {decimal_text(one.epsilon_drawn)} instead of {decimal_text(before)}. "
            f"{say_suspicion(before, one.epsilon_drawn)}"
        )
    if plan.survey.strata and plan.survey.min_reports > 1:
        n_people = -(-plan.survey.min_reports * n_questions // n_drawn)
        said += f". A stratum of fewer than about {n_people:,} people then has no result"
    return said


def one_wave_lines(plan: PlannedSurvey, one_waves: Sequence[OneWave]) -> list[str]:
    """Return where one wave shows more than all, a sentence a question."""
    return [_of_one_wave(one, plan.survey.waves) for one in one_waves]


def _of_one_wave(one: OneWave, waves: int) -> str:
    question = one.plan.question
    width, of_waves = within(one.width, question), within(one.width_of_waves, question)
    return (
        f"{question.id}: one wave at epsilon {decimal_text(question.epsilon_forever)} shows more than {waves} waves "
        f"pooled, if nobody's answer changes. It gives {width} by {one.method}, and the waves give {of_waves}."
    )


def one_wave_members(one: OneWave) -> dict[str, Any]:
    """Return what one wave shows, by name, for programs."""
    question = one.plan.question
    return {
        "question": question.id,
        "epsilon": float(question.epsilon_forever),
        "method": one.method,
        "width": one.width,
        "width_of_waves": one.width_of_waves,
    }


def say_suspicion(before: Decimal, after: Decimal) -> str:
    """Return what becomes of a suspicion of 10 % with another epsilon."""
    old, new = (whole_percent_above(suspicions(epsilon)[_SUSPICION].highest) for epsilon in (before, after))
    return f"Someone who is 10 % sure of an answer can then become {new} sure; now {old}"


def help_members(one: Remedy) -> dict[str, Any]:
    """Return what would help, by name, for programs."""
    return {
        "questions": [of.question.id for of in one.questions],
        "goal": one.questions[0].goal,
        "n_options": one.n_options,
        "width_of_options": one.width_of_options,
        "width_together": one.width_together,
        "draw": one.n_drawn,
        "width_drawn": one.width_drawn,
        "epsilon_drawn": None if one.epsilon_drawn is None else float(one.epsilon_drawn),
        "respondents_needed": one.respondents,
        "least_epsilon": None if one.epsilon is None else float(one.epsilon),
        "width_of_waves": one.width_of_waves,
        "width_of_other_people": one.width_of_others,
        "width_of_respondents": one.width_of_respondents,
    }
