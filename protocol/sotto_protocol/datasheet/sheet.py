"""A datasheet as data: figures and sentences, which Markdown, HTML and JSON have alike."""

from dataclasses import dataclass
from decimal import Decimal

from sotto_protocol.datasheet.parties import who_sees_what
from sotto_protocol.datasheet.statements import (
    asking,
    blanks,
    checks,
    erasure,
    limits,
    linkage,
    retention,
    unit_of_privacy,
)
from sotto_protocol.explain import QuestionExplanation, explain
from sotto_protocol.members import Settings
from sotto_protocol.survey import Survey

FORMAT = "sottovoce-datasheet-1"


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """A question: its mechanism, epsilons in nats, and the most that a suspicion of 10 % becomes by one report."""

    id: str
    type: str
    text: str
    mechanism: str
    in_short: str
    epsilon: Decimal
    epsilon_forever: Decimal
    tenth_becomes: float


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and the sentences below it."""

    id: str
    name: str
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sight:
    """What a party sees."""

    party: str
    sees: str


@dataclass(frozen=True, slots=True)
class Blank:
    """What a survey cannot know: it is asked for, and never guessed."""

    asks: str
    answer: None = None


@dataclass(frozen=True, slots=True)
class Datasheet(Settings):
    """A survey on one page. What is set of the survey: see `Settings`."""

    survey_id: str
    title: str
    fingerprint: str
    epsilon: Decimal
    epsilon_forever: Decimal
    questions: tuple[QuestionLine, ...]
    who_sees_what: tuple[Sight, ...]
    sections: tuple[Section, ...]
    to_be_filled_in: tuple[Blank, ...]


def make_datasheet(survey: Survey) -> Datasheet:
    """Return the datasheet of a survey: what it promises, and what it does not."""
    explanation = explain(survey)
    sections = [
        *[("asking", "Who asks?", said) for said in [asking(survey)] if said],
        ("unit_of_privacy", "What can anybody find out?", unit_of_privacy(survey, explanation)),
        ("retention", "What is kept?", retention(survey)),
        ("erasure", "What can be erased later?", erasure(survey)),
        ("linkage", "What can be linked?", linkage(survey)),
        ("limits", "What is not protected?", limits(survey)),
        ("checks", "How can this be checked?", checks(survey)),
    ]
    in_short = (question.in_short for question in survey.questions)
    return Datasheet(
        survey.id,
        survey.title,
        survey.fingerprint,
        survey.epsilon,
        survey.epsilon_forever,
        tuple(map(_line, explanation.questions, in_short)),
        tuple(Sight(*row) for row in who_sees_what(survey)),
        tuple(Section(id_, name, tuple(statements)) for id_, name, statements in sections),
        tuple(map(Blank, blanks(survey))),
        **survey.settings(),
    )


def _line(question: QuestionExplanation, in_short: str) -> QuestionLine:
    return QuestionLine(
        question.id,
        question.type,
        question.text,
        question.mechanism,
        in_short,
        question.epsilon,
        question.epsilon_forever,
        next(suspicion.highest for suspicion in question.suspicions if suspicion.prior == 0.1),
    )
