"""What was decoded: which question, of whose reports, at which epsilon."""

from dataclasses import dataclass

from sotto_estimator.sources.quality import Quality, quality_of
from sotto_protocol import Question, Survey, Tally
from sotto_protocol.counted import Counted


@dataclass(frozen=True, slots=True)
class Subject:
    """What was decoded. Epsilons of one report and of all reports of one answer, in nats; None where unknown.

    `waves`: whose reports are counted, () in a survey of one. `quality`: None where it is not known. `stratum`: whose
    they are, where they are of one alone.
    """

    title: str = ""
    question: str = ""
    epsilon: float | None = None
    epsilon_forever: float | None = None
    waves: tuple[int, ...] = ()
    quality: Quality | None = None
    stratum: str | None = None


def subject_of(survey: Survey, question: Question, counted: Counted, n_implausible: int) -> Subject:
    """Return what a question's reports are, of which so many no answer makes plausible."""
    epsilons = float(question.epsilon), float(question.epsilon_forever)
    prob = question.mechanism.prob_implausible
    quality = quality_of(question.id, counted, n_implausible, prob) if prob else None
    return Subject(survey.title, question.id, *epsilons, counted.waves if survey.waves > 1 else (), quality)


def subject_of_tally(tally: Tally, question: Question) -> Subject:
    """Return what the reports to a question of a tally are."""
    return subject_of(tally.survey, question, tally.counted(question.id), tally.implausible[question.id])
