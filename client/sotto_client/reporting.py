"""What a device makes of answers: their permanent responses, what it knows them by, and a noisy report.

Everything but the coins of the second stage comes of the survey's secret (`sotto_client.permanent`), so a device that
answers again makes the same permanent responses again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from sotto_client.permanent import group_coins, permanent_coins, tag_answer
from sotto_protocol import AnswerError, Coins, Question, Survey
from sotto_protocol.mechanisms.mechanism import Bytes


def check_answers(survey: Survey, answers: Mapping[str, Any]) -> list[NDArray[Any]]:
    """Return every question's encoded answer. Raises AnswerError, which never quotes what was given.

    Every question must be answered: a report without one would tell that it was skipped. Where a question has `skip`,
    an answer that is None or left out stands for that.
    """
    if not isinstance(answers, Mapping):
        raise AnswerError("$", "answers must be a mapping from question ids to answers.")
    ids = [question.id for question in survey.questions]
    missing = [question.id for question in survey.questions if question.id not in answers and question.skip is None]
    if missing:
        raise AnswerError(
            "$", f"every question must be answered, since skipping one would leak; missing: {', '.join(missing)}."
        )
    n_unknown = len(answers) - sum(question_id in answers for question_id in ids)
    if n_unknown:  # an unknown key may be an answer by mistake: it is counted, not quoted
        raise AnswerError("$", f"{n_unknown} unknown question id(s); the survey has {', '.join(ids)}.")
    return [question.encode(answers.get(question.id)) for question in survey.questions]


def respond(question: Question, encoded: NDArray[Any], secret: bytes, fingerprint: str) -> Bytes:
    """Return the permanent response of one answer, shape (1, n_bytes): the same whenever it is asked for.

    The secret must be 32 random bytes that were drawn for this survey. Reports of the response, however many, take at
    most `question.epsilon_forever`; shown itself, the response takes that much at once.
    """
    group = question.mechanism.draw_group(1, group_coins(secret, fingerprint, question.id))
    coins = permanent_coins(secret, fingerprint, question.id, encoded)
    return question.mechanism.respond_permanently(encoded, group, coins)


def report_answer(question: Question, encoded: NDArray[Any], secret: bytes, fingerprint: str, coins: Coins) -> Bytes:
    """Return a report of one answer, shape (1, n_bytes); it takes `question.epsilon`.

    `coins`, of the operating system (`sotto_client.os_coins`), are those of the instantaneous stage. A mechanism of one
    stage needs none, and reports the permanent response itself. It is `Mechanism.report` of `respond`, and faster.
    """
    group = question.mechanism.draw_group(1, group_coins(secret, fingerprint, question.id))
    permanent = permanent_coins(secret, fingerprint, question.id, encoded)
    return question.mechanism.perturb_by_stages(encoded, group, permanent, coins)


def mark_answers(survey: Survey, encoded: Sequence[NDArray[Any]], secret: bytes) -> bytes:
    """Return what a device knows these answers by, as long as it has the secret.

    In a survey of one wave, the permanent responses: what is sent, or less noisy. In a survey of several, every
    question's `tag_answer`, in their order. Whoever has the secret can try every answer against either.
    """
    if survey.waves == 1:
        return _join(_respond_to_all(survey, encoded, secret))
    pairs = zip(survey.questions, encoded, strict=True)
    return b"".join([tag_answer(secret, survey.fingerprint, question.id, answer) for question, answer in pairs])


def make_report(
    survey: Survey, encoded: Sequence[NDArray[Any]], secret: bytes, numbers: Mapping[str, int], coins: Coins
) -> tuple[bytes, bytes]:
    """Return the marks of one respondent's answers (`mark_answers`), and the noisy record, to be sent.

    The record is `survey.layout.n_bytes` long and takes `survey.epsilon`. `encoded` is `check_answers`'s; `numbers` are
    those of the record's head, by name; secret and coins are those of `report_answer`.
    """
    if survey.waves == 1:  # the permanent responses are the marks, too: they are made once
        responses = _respond_to_all(survey, encoded, secret)
        pairs = zip(survey.questions, responses, strict=True)
        columns = [question.mechanism.report(response, coins) for question, response in pairs]
        return _join(responses), _pack(survey, columns, numbers)
    columns = [
        report_answer(question, answer, secret, survey.fingerprint, coins)
        for question, answer in zip(survey.questions, encoded, strict=True)
    ]
    return mark_answers(survey, encoded, secret), _pack(survey, columns, numbers)


def _respond_to_all(survey: Survey, encoded: Sequence[NDArray[Any]], secret: bytes) -> list[Bytes]:
    pairs = zip(survey.questions, encoded, strict=True)
    return [respond(question, answer, secret, survey.fingerprint) for question, answer in pairs]


def _pack(survey: Survey, columns: Sequence[Bytes], numbers: Mapping[str, int]) -> bytes:
    return survey.layout.join(columns, {name: [number] for name, number in numbers.items()}).tobytes()


def _join(responses: list[Bytes]) -> bytes:
    return b"".join([response.tobytes() for response in responses])
