"""Permanent responses: the same answer to the same question gets the same noise, and no answer is stored for it.

The coins are HMAC-SHA256 under a secret of the survey's own (RAPPOR's permanent stage without its memo), so asking
again tells nobody more than the mechanism's second stage lets through. The limit: whoever has the secret and a report
can try every answer and see which one fits. So the secret lives no longer than it is needed: it is forgotten when the
last report that needs it is delivered.
"""

import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from sotto_protocol import AnswerError, Coins, Question, Survey, hmac_bytes
from sotto_protocol.mechanisms.mechanism import Bytes

SECRET_BYTES = 32
TAG_BYTES = 32
_RESPONSE = b"sottovoce-permanent-1"
_GROUP = b"sottovoce-group-1"
_TAG = b"sottovoce-tag-1"


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


def permanent_coins(secret: bytes, fingerprint: str, question_id: str, encoded: NDArray[Any]) -> Coins:
    """Return the coins of one answer: same inputs, same coins; any other input, independent ones.

    `encoded` is `Question.encode`'s: a text is written in UTF-8, numbers as 16-bit big-endian integers. Each of the
    four parts (label, fingerprint, question id, answer) stands behind its length in 8 big-endian bytes, so no two
    contexts are written alike.
    """
    context = _join(_RESPONSE, fingerprint.encode(), question_id.encode(), _written(encoded))
    return Coins(hmac_bytes(secret, context))


def group_coins(secret: bytes, fingerprint: str, question_id: str) -> Coins:
    """Return the coins of a device's group: written like an answer's, without the answer, which it outlives."""
    return Coins(hmac_bytes(secret, _join(_GROUP, fingerprint.encode(), question_id.encode())))


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
    stage needs none, and reports the permanent response itself.
    """
    group = question.mechanism.draw_group(1, group_coins(secret, fingerprint, question.id))
    permanent = permanent_coins(secret, fingerprint, question.id, encoded)
    return question.mechanism.report_answers(encoded, group, permanent, coins)


def report_answers(survey: Survey, encoded: Sequence[NDArray[Any]], secret: bytes, wave: int, coins: Coins) -> bytes:
    """Return the noisy record of one respondent in one wave, `survey.record_bytes` long; it takes `survey.epsilon`.

    `encoded` is `check_answers`'s; secret and coins are those of `report_answer`.
    """
    columns = [
        report_answer(question, answer, secret, survey.fingerprint, coins)
        for question, answer in zip(survey.questions, encoded, strict=True)
    ]
    return survey.join(columns, [wave]).tobytes()


def mark_answers(survey: Survey, encoded: Sequence[NDArray[Any]], secret: bytes) -> bytes:
    """Return what a device knows these answers by, as long as it has the secret.

    In a survey of one wave, the permanent responses: what is sent, or less noisy. In a survey of several, a tag of 32
    bytes for every question, in their order: HMAC-SHA256 of the answer (written as in `permanent_coins`), by which it
    is known over the waves. Whoever has the secret can try every answer against either.
    """
    pairs = zip(survey.questions, encoded, strict=True)
    if survey.waves == 1:
        return b"".join(respond(question, answer, secret, survey.fingerprint).tobytes() for question, answer in pairs)
    contexts = [
        _join(_TAG, survey.fingerprint.encode(), question.id.encode(), _written(answer)) for question, answer in pairs
    ]
    return b"".join(hmac.digest(secret, context, "sha256") for context in contexts)


def _join(*parts: bytes) -> bytes:
    return b"".join([b"%b%b" % (len(part).to_bytes(8, "big"), part) for part in parts])


def _written(encoded: NDArray[Any]) -> bytes:
    if encoded.dtype.kind == "O":  # a text, in normal form
        text: str = encoded[0]
        return text.encode()
    return encoded.astype(">u2").tobytes()
