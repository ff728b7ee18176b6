"""What a device makes of answers: their permanent responses, what it knows them by, and a noisy report.

Everything but the coins of the second stage comes of the survey's secret (`sotto_client.permanent`), so a device that
answers again makes the same permanent responses again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_client.permanent import group_coins, permanent_coins, secret_of_wave, settling_coins, tag_answer
from sotto_protocol import AnswerError, Coins, Question, Survey
from sotto_protocol.mechanisms.mechanism import Bytes

Encoded = Sequence[NDArray[Any] | None]
"""Every question's encoded answer; None where this device was not drawn for it."""


def check_answers(survey: Survey, answers: Mapping[str, Any], drawn: Sequence[bool] = ()) -> Encoded:
    """Return every question's encoded answer. Raises AnswerError, which never quotes what was given.

    Every question must be answered: a report without one would tell that it was skipped. Where a question has `skip`,
    an answer that is None or left out stands for that. In a survey with `draw`, `drawn` says which are asked: the
    others need no answer, and one that is given is checked and dropped.
    """
    if not isinstance(answers, Mapping):
        raise AnswerError("$", "answers must be a mapping from question ids to answers.")
    asked = [*zip(survey.questions, drawn or [True] * len(survey.questions), strict=True)]
    needed = dict.fromkeys(
        item.id for question, is_drawn in asked if is_drawn for item in question.items if item.skip is None
    )
    if missing := [item_id for item_id in needed if item_id not in answers]:
        raise AnswerError(
            "$", f"every question must be answered, because a skipped one would leak. Missing: {', '.join(missing)}."
        )
    ids = [item.id for item in survey.items]
    n_unknown = len(answers) - sum(item_id in answers for item_id in ids)
    if n_unknown:  # an unknown key may be an answer by mistake: it is counted, not quoted
        raise AnswerError("$", f"{n_unknown} unknown question id(s); the survey has {', '.join(ids)}.")
    # Whether an answer can be none must not depend on what was drawn: an app would have a fault on some devices only.
    for item in (item for question, is_drawn in asked if not is_drawn for item in question.items):
        if answers.get(item.id) is not None:
            item.encode(answers[item.id])
    return [question.encode(question.answer_in(answers)) if is_drawn else None for question, is_drawn in asked]


def settle(question: Question, encoded: NDArray[Any], secret: bytes, fingerprint: str) -> NDArray[Any]:
    """Return what a device takes an answer for, shape as `encoded`: of a number its level, else the answer itself.

    A device rounds all numbers, in every wave, by one draw. So those of one level have the same noise.
    """
    return question.mechanism.settle(encoded, settling_coins(secret, fingerprint, question.id))


def respond(question: Question, encoded: NDArray[Any], secret: bytes, fingerprint: str) -> Bytes:
    """Return the permanent response of one answer, shape (1, n_bytes): the same whenever it is asked for.

    The secret must be 32 random bytes that were drawn for this survey. Reports of the response, however many, take at
    most `question.epsilon_forever`; shown itself, the response takes that much at once.
    """
    settled = settle(question, encoded, secret, fingerprint)
    group = question.mechanism.draw_group(1, group_coins(secret, fingerprint, question.id))
    coins = permanent_coins(secret, fingerprint, question.id, settled)
    return question.mechanism.respond_permanently(settled, group, coins)


def report_answer(question: Question, encoded: NDArray[Any], secret: bytes, fingerprint: str, coins: Coins) -> Bytes:
    """Return a report of one answer, shape (1, n_bytes); it takes `question.epsilon`.

    `coins`, of the operating system (`sotto_client.os_coins`), are those of the instantaneous stage. A mechanism of one
    stage needs none, and reports the permanent response itself. It is `Mechanism.report` of `respond`, and faster.
    """
    settled = settle(question, encoded, secret, fingerprint)
    group = question.mechanism.draw_group(1, group_coins(secret, fingerprint, question.id))
    permanent = permanent_coins(secret, fingerprint, question.id, settled)
    return question.mechanism.perturb_by_stages(settled, group, permanent, coins)


def noise_secret(survey: Survey, secret: bytes, wave: int) -> bytes:
    """Return the secret of one report's noise: that of the survey, unless each wave has noise of its own."""
    return secret_of_wave(secret, survey.fingerprint, wave) if _is_fresh(survey) else secret


def _is_fresh(survey: Survey) -> bool:
    """Whether each wave has noise of its own."""
    return bool(survey.asked_in) and not survey.keeps_noise


def mark_answers(survey: Survey, encoded: Encoded, secret: bytes) -> bytes:
    """Return what a device knows these answers by, as long as it has the secret: of the questions that are answered.

    If noise lasts over waves, these are every question's `tag_answer` of what it settled on, in their order. Otherwise
    they are the permanent responses, which are sent as they are or with more noise. Somebody who has the secret can try
    out which answers fit. `secret`: `noise_secret`'s.
    """
    if not survey.keeps_noise:
        return _join(_respond_to_all(survey, encoded, secret))
    fingerprint = survey.fingerprint
    pairs = _answered(survey, encoded)
    settled = [(question.id, settle(question, answer, secret, fingerprint)) for question, answer in pairs]
    return b"".join([tag_answer(secret, fingerprint, *of_question) for of_question in settled])


def make_report(
    survey: Survey, encoded: Encoded, secret: bytes, numbers: Mapping[str, int], coins: Coins
) -> tuple[bytes, bytes]:
    """Return the marks of one respondent's answers (`mark_answers`), and the noisy record, to be sent.

    The record is `survey.layout.n_bytes` long and takes `survey.epsilon`. `encoded` is `check_answers`'s; `numbers` are
    those of the record's head, by name; secret and coins are those of `report_answer`, the secret of this wave
    (`noise_secret`).
    """
    if not survey.keeps_noise:  # the permanent responses are the marks, too: they are made once
        responses = _respond_to_all(survey, encoded, secret)
        pairs = zip(_answered(survey, encoded), responses, strict=True)
        columns = [question.mechanism.report(response, coins) for (question, _), response in pairs]
        return _join(responses), _pack(survey, encoded, columns, numbers)
    columns = [
        report_answer(question, answer, secret, survey.fingerprint, coins)
        for question, answer in _answered(survey, encoded)
    ]
    return mark_answers(survey, encoded, secret), _pack(survey, encoded, columns, numbers)


def _answered(survey: Survey, encoded: Encoded) -> list[tuple[Question, NDArray[Any]]]:
    return [
        (question, answer) for question, answer in zip(survey.questions, encoded, strict=True) if answer is not None
    ]


def _respond_to_all(survey: Survey, encoded: Encoded, secret: bytes) -> list[Bytes]:
    return [respond(question, answer, secret, survey.fingerprint) for question, answer in _answered(survey, encoded)]


def _pack(survey: Survey, encoded: Encoded, columns: Sequence[Bytes], numbers: Mapping[str, int]) -> bytes:
    heads = {name: [number] for name, number in numbers.items()}
    if not survey.draw:
        return survey.layout.join(columns, heads).tobytes()
    left, drawn = iter(columns), np.array([[answer is not None for answer in encoded]])
    of_all = [
        next(left) if has else np.empty((0, question.mechanism.n_bytes), np.uint8)
        for question, has in zip(survey.questions, drawn[0], strict=True)
    ]
    return survey.layout.join(of_all, heads, drawn).tobytes()


def _join(responses: list[Bytes]) -> bytes:
    return b"".join([response.tobytes() for response in responses])
