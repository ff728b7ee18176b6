"""Questions of a survey as the estimator sees them: which are estimated by counts, and the channel of each."""

from sotto_estimator.channel.channel import Channel
from sotto_estimator.errors import SourceError
from sotto_protocol import Question, Survey
from sotto_protocol.mechanisms.mechanism import PureMechanism
from sotto_protocol.mechanisms.window import WindowResponse


def is_text(question: Question) -> bool:
    """Whether its shares are those of strings, which are decoded (`sotto_estimator.strings`)."""
    return question.type == "text"


def is_number(question: Question) -> bool:
    """Whether a question asks for numbers, whose mean is estimated."""
    return isinstance(question.mechanism, WindowResponse)


def pure_mechanism(question: Question) -> PureMechanism:
    """Return a question's mechanism. Raises SourceError where its reports are not estimated answer by answer."""
    if not isinstance(question.mechanism, PureMechanism):
        raise SourceError(
            f"question {question.id} cannot be estimated by itself: {question.mechanism.name} is not pure."
        )
    return question.mechanism


def channel_of_mechanism(mechanism: PureMechanism) -> Channel:
    """Return the channel that a mechanism's reports go through."""
    return Channel(mechanism.prob_support_if_true, mechanism.prob_support_if_other, *mechanism.prob_support_if_kept)


def channel_of(question: Question) -> Channel:
    """Return the channel that a question's reports went through. Raises SourceError as `pure_mechanism`."""
    return channel_of_mechanism(pure_mechanism(question))


def count_intervals(survey: Survey) -> int:
    """Return how many intervals there are: of every share, and of every mean. A text question has none here."""
    return sum(1 if is_number(question) else len(question.labels) for question in survey.questions)
