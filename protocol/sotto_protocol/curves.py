"""The readings of a report as curves: what suspicions of every size become, and the power of tests at every level."""

from dataclasses import dataclass
from decimal import Decimal

from sotto_protocol.questions.question import Question
from sotto_protocol.readings import Accusation, Suspicion, accusations, accusations_together, suspicions
from sotto_protocol.survey import Survey

_NEAR_ZERO = [0.0001, 0.0005, 0.001, 0.002, 0.005]
"""Curves are steep there."""
_PRIORS = _NEAR_ZERO + [step / 100 for step in range(1, 100)] + [0.995, 0.998, 0.999, 0.9995, 0.9999]
_LEVELS = [0.0] + _NEAR_ZERO + [step / 100 for step in range(1, 101)]


@dataclass(frozen=True, slots=True)
class Curve:
    """Of one answer, of several, or of waves: `of`, in words; what they take, in nats; suspicions and accusations.

    `suspicions` from 0 to 1, and `accusations` at levels from 0 to 1, both ascending.
    """

    of: str
    epsilon: Decimal
    suspicions: tuple[Suspicion, ...]
    accusations: tuple[Accusation, ...]


def curves(survey: Survey) -> list[Curve]:
    """Return the curves of each question's report, of all that a device answers together, and of all waves."""
    drawn = [_of_question(question) for question in survey.questions]
    if len(survey.questions) > 1:
        of = "the answers that are drawn" if survey.draw else "all answers"
        tests = accusations_together(survey, levels=_LEVELS)
        drawn.append(Curve(of, survey.epsilon, _all_suspicions(survey.epsilon), tests))
    if survey.max_reports > 1:
        tests = accusations_together(survey, in_all_waves=True, levels=_LEVELS)
        forever = survey.epsilon_forever
        drawn.append(Curve(f"all {survey.max_reports} waves", forever, _all_suspicions(forever), tests))
    return drawn


def _of_question(question: Question) -> Curve:
    tests = accusations(question.mechanism.told_apart(), _LEVELS)
    return Curve(question.id, question.epsilon, _all_suspicions(question.epsilon), tests)


def _all_suspicions(epsilon: Decimal) -> tuple[Suspicion, ...]:
    """Return bounds for suspicions of every size; who is certain stays so."""
    return (Suspicion(0.0, 0.0, 0.0), *suspicions(epsilon, _PRIORS), Suspicion(1.0, 1.0, 1.0))
