"""Permanent responses: the same answer to the same question gets the same noise, and no answer is stored for it.

The coins are HMAC-SHA256 under a secret of the survey's own (RAPPOR's permanent stage without its memo), so asking
again tells nobody more. The limit: whoever has the secret and the report can try every answer and see which one gives
that report. So the secret lives no longer than it is needed: it is forgotten when the report is delivered.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol import AnswerError, Coins, Survey, hmac_bytes

SECRET_BYTES = 32
_LABEL = b"sottovoce-permanent-1"


def permanent_coins(secret: bytes, fingerprint: str, question_id: str, encoded: NDArray[np.intp]) -> Coins:
    """Return the coins of one answer: same inputs, same coins; any other input, independent ones.

    `encoded` is `Question.encode`'s: written as 16-bit big-endian integers. Each of the four parts (label, fingerprint,
    question id, answer) stands behind its length in 8 big-endian bytes, so no two contexts are written alike.
    """
    parts = [_LABEL, fingerprint.encode(), question_id.encode(), encoded.astype(">u2").tobytes()]
    context = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return Coins(hmac_bytes(secret, context))


def check_answers(survey: Survey, answers: Mapping[str, Any]) -> list[NDArray[np.intp]]:
    """Return every question's encoded answer. Raises AnswerError, which never quotes what was given.

    Every question must be answered: a report without one would tell that it was skipped.
    """
    if not isinstance(answers, Mapping):
        raise AnswerError("$", "answers must be a mapping from question ids to answers.")
    ids = [question.id for question in survey.questions]
    missing = [question_id for question_id in ids if question_id not in answers]
    if missing:
        raise AnswerError(
            "$", f"every question must be answered, since skipping one would leak; missing: {', '.join(missing)}."
        )
    if len(answers) > len(ids):  # an unknown key may be an answer by mistake: it is counted, not quoted
        raise AnswerError("$", f"{len(answers) - len(ids)} unknown question id(s); the survey has {', '.join(ids)}.")
    return [question.encode(answers[question.id]) for question in survey.questions]


def perturb_permanently(survey: Survey, encoded: Sequence[NDArray[np.intp]], secret: bytes) -> bytes:
    """Return the noisy record of one respondent, `survey.record_bytes` long; it takes `survey.epsilon`.

    `encoded` is `check_answers`'s. The secret must be 32 random bytes that were drawn for this survey.
    """
    columns = [
        question.mechanism.perturb(answer, permanent_coins(secret, survey.fingerprint, question.id, answer))
        for question, answer in zip(survey.questions, encoded, strict=True)
    ]
    return np.concatenate(columns, axis=1).tobytes()
