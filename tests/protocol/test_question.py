"""Answers: what a question takes, and that a message never shows what it was given."""

from typing import Any

import numpy as np
import pytest

from published import EXAMPLE, TEXT, WIDE, survey_of
from reference_bloom import FAMILY
from sotto_protocol import AnswerError, Coins, Question, compile_toml, hmac_bytes

CANARY = "CANARY-5309"


class Unhashable(str):
    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # on purpose


ANSWERS: list[Any] = [
    None,
    CANARY,
    0,
    1,
    5309,
    1.0,
    np.bool_(True),
    np.int64(1),
    np.array([True]),
    np.array(["red"]),
    b"red",
    [CANARY],
    [[CANARY]],
    [{CANARY: 1}],
    {CANARY: True},
    {"red": False},
    {"a": False},
    (CANARY,),
    {CANARY},
    ["a", "a"],
    ["a", "b", "c", CANARY],
    ["a", None],
    ["a", 1],
    list("abcdef"),
    object(),
    iter(["a"]),
    float("nan"),
    "RED",
    " red",
    "",
    Unhashable(CANARY),
    [Unhashable("a"), []],
]


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
def test_an_answer_outside_the_domain_is_refused_and_never_shown(answer: Any) -> None:
    for question in EXAMPLE.questions:
        refuse(question, answer)


def refuse(question: Question, answer: Any) -> None:
    with pytest.raises(AnswerError) as caught:
        question.encode(answer)
    error = caught.value
    assert error.where == question.id
    assert str(error).startswith(f"{question.id}: the answer must be ")
    assert not {"CANARY", "5309", "nan", "RED"} & set(str(error).replace(",", " ").split())
    assert "CANARY" not in str(error) + repr(error) + repr(error.args)
    assert error.__cause__ is None
    assert error.__context__ is None


@pytest.mark.parametrize(
    ("question_id", "answer", "encoded"),
    [
        ("q0", True, [1]),
        ("q0", False, [0]),
        ("q1", "red", [0]),
        ("q1", "blue", [2]),
        ("q2", [], [[0] * 9]),
        ("q2", ["i", "a"], [[1, 0, 0, 0, 0, 0, 0, 0, 1]]),
        ("q2", ("b",), [[0, 1, 0, 0, 0, 0, 0, 0, 0]]),
        ("q2", {"b", "c", "d"}, [[0, 1, 1, 1, 0, 0, 0, 0, 0]]),
        ("q2", frozenset(), [[0] * 9]),
        ("q3", "o299", [299]),
    ],
)
def test_answers_are_encoded_as_the_mechanism_takes_them(question_id: str, answer: Any, encoded: Any) -> None:
    (question,) = [question for question in EXAMPLE.questions if question.id == question_id]
    given_answer = question.encode(answer)
    assert given_answer.tolist() == encoded
    assert question.mechanism.perturb(given_answer, Coins(hmac_bytes(bytes(32), b""))).shape[0] == 1


STREET = survey_of(TEXT).questions[0]


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "",
            " ",
            "\u200f",
            "x" * 201,
            "\ufb2c" * 100,
            "CANARY\nb",
            "CANARY\x00",
            "CANARY\x7f",
            "CANARY\x85",
            "b\u2028CANARY",
            "\ud800",
        ),
        *(
            "CANARY\u202e",
            "\u2066CANARY",
            "CANARY\u202c",
            b"CANARY",
            5309,
            None,
            True,
            ["CANARY"],
            {"CANARY": 1},
            pytest.param(object(), id="an object"),
        ),
    ],
    ids=lambda answer: ascii(answer)[:24],
)
def test_a_string_that_cannot_be_an_answer_is_refused_and_never_shown(answer: Any) -> None:
    refuse(STREET, answer)


@pytest.mark.parametrize(
    ("answer", "normal"),
    [
        ("CANARY", "CANARY"),
        ("cafe\u0301", "caf\u00e9"),
        ("\u212b", "\u00c5"),
        ("x" * 200, "x" * 200),
        ("e\u0301" * 100, "\u00e9" * 100),
        (FAMILY, FAMILY),
        (" \u200fx y\t", "x y"),
    ],
)
def test_a_string_is_encoded_in_normal_form(answer: str, normal: str) -> None:
    assert STREET.encode(answer).tolist() == [normal]
    assert STREET.mechanism.perturb(STREET.encode(answer), Coins(hmac_bytes(bytes(32), b""))).shape == (1, 5)


def test_a_long_list_of_options_is_shortened_in_messages() -> None:
    expected = survey_of(WIDE).questions[0].expected
    assert expected == "one of these texts: " + " | ".join(f"o{i}" for i in range(12)) + " | .."


def test_a_question_and_a_survey_are_shown_short_without_their_thresholds() -> None:
    survey = compile_toml(
        'id = "lunch"\ntitle = "L"\n[[questions]]\nid = "paid"\ntype = "yes-no"\ntext = "Paid?"\nprob_truth = "3/4"'
    )
    assert repr(survey.questions[0]) == "<Question paid: yes-no, warner, epsilon 1.0987>"
    fingerprint = survey.fingerprint[:8]
    assert repr(survey) == f"<Survey lunch: 1 question, epsilon 1.0987, fingerprint {fingerprint}..>"
