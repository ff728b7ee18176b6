"""Numbers: which ones an author may ask for, and what may be answered."""

import json
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

from sotto_protocol import AnswerError, Question, Survey, SurveyError, compile_survey, compile_toml

AGE: dict[str, Any] = {"minimum": 0, "maximum": 120, "step": 1, "unit": "years"}
HALVES: dict[str, Any] = {"minimum": -1, "maximum": 2, "step": Decimal("0.5")}
TENTHS: dict[str, Any] = {"minimum": 0, "maximum": Decimal("0.7"), "step": Decimal("0.1")}


def ask(members: dict[str, Any]) -> Question:
    document = {"id": "q", "type": "number", "text": "?", "epsilon": 1} | members
    survey = compile_survey({"id": "s", "title": "S", "questions": [document]})
    assert Survey.from_canonical(survey.canonical) == survey
    return survey.questions[0]


def test_what_is_published_is_exact() -> None:
    survey = compile_toml(
        'id = "s"\ntitle = "S"\n[[questions]]\nid = "q"\ntype = "number"\ntext = "?"\nepsilon = 1\nunit = "km"\n'
        'mechanism = "window"\n'
        "minimum = -0.50\nmaximum = 10.0\nstep = 0.3\nskip = 1.0\n"
    )
    assert (
        b'"maximum":10,"mechanism":{"levels":2,"name":"window","threshold_if_true":3139872686,"width":1},'
        b'"minimum":-0.5,"skip":1,"step":0.3,"text":"?","type":"number","unit":"km"}' in survey.canonical
    )


@pytest.mark.parametrize(
    ("members", "answer", "steps"),
    [
        (AGE, 0, 0),
        (AGE, 120, 120),
        (HALVES, -1, 0),
        (HALVES, -0.5, 1),
        (HALVES, Decimal("1.50"), 5),
        (HALVES, 2.0, 6),
        (HALVES, np.float64(0.5), 3),
        (TENTHS, 0.3, 3),
        (TENTHS, 0.7, 7),
        ({"minimum": -(10**15), "maximum": 10**15, "step": 10**6}, 10**15, 2 * 10**9),
        ({"minimum": 0, "maximum": Decimal("0.001"), "step": Decimal("1e-12")}, 1e-12, 1),
        ({"minimum": 0, "maximum": 2**32 - 1, "step": 1}, 2**32 - 1, 2**32 - 1),
    ],
)
def test_a_number_is_so_many_steps_above_the_least(members: dict[str, Any], answer: object, steps: int) -> None:
    question = ask(members)
    assert question.encode(answer).tolist() == [steps]
    with localcontext(prec=3):  # an app's own affair
        assert question.encode(answer).tolist() == [steps]
        assert question.kind.at(steps) == Decimal(str(answer))  # type: ignore[attr-defined]  # of numbers


@pytest.mark.parametrize(
    ("members", "answers", "expected"),
    [
        (AGE, [120.5, 120.0, 1e3, "12", True, None, -1, 121, 2**53 + 1, Decimal(12), [12]], "an integer in [0, 120]"),
        (AGE | {"step": 10}, [5, 125, 10.0], "an integer in [0, 120] in steps of 10"),
        (
            HALVES,
            [0.25, float("nan"), float("inf"), Decimal("NaN"), Decimal("-Infinity"), "0.5", True, 2.5, 5e-324],
            "a number in [-1, 2] in steps of 0.5",
        ),
        (TENTHS, [0.1 + 0.2, 0.8, Decimal("0.30000000000000001")], "a number in [0, 0.7] in steps of 0.1"),
    ],
)
def test_what_is_no_number_of_the_range_is_refused_and_not_quoted(
    members: dict[str, Any], answers: list[object], expected: str
) -> None:
    for answer in answers:
        with pytest.raises(AnswerError) as refused:
            ask(members).encode(answer)
        assert str(refused.value) == f"q: the answer must be {expected}."


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (AGE | {"maximum": 0}, "$.questions[0].maximum: must be above minimum (0)."),
        (AGE | {"minimum": Decimal("0.5")}, "$.questions[0].step: must go into maximum - minimum"),
        (
            AGE | {"step": 0},
            "$.questions[0].step: must be a number above 0, to 1000000000000000, of at most 12 decimals.",
        ),
        (AGE | {"step": -1}, "$.questions[0].step: must be a number above 0"),
        (AGE | {"step": 7}, "$.questions[0].step: must go into maximum - minimum 1 to 4294967295 times"),
        (AGE | {"step": 240}, "$.questions[0].step: must go into"),
        (AGE | {"maximum": 2**32}, "$.questions[0].step: must go into"),
        (AGE | {"step": Decimal("1e-13")}, "$.questions[0].step: must be a number above 0"),
        (AGE | {"minimum": True}, "$.questions[0].minimum: must be a number in"),
        (AGE | {"maximum": "120"}, "$.questions[0].maximum: must be a number in"),
        (AGE | {"maximum": Decimal("NaN")}, "$.questions[0].maximum: must be a number in"),
        (AGE | {"maximum": 10**15 + 1, "step": 10**15 + 1}, "$.questions[0].maximum: must be a number in"),
        (
            {"minimum": 0, "maximum": 10**6, "step": Decimal("1e-10")},
            "$.questions[0].step: must leave minimum and maximum at most 15 digits",
        ),
        (AGE | {"unit": ""}, "$.questions[0].unit: must be a text of 1 to 40 characters"),
        (AGE | {"skip": 121}, "$.questions[0].skip: must be an integer in [0, 120]."),
        (AGE | {"skip": True}, "$.questions[0].skip: must be an integer in [0, 120]."),
        (AGE | {"skip": Decimal("7.5")}, "$.questions[0].skip: must be an integer in [0, 120]."),
        (AGE | {"skip": "none"}, "$.questions[0].skip: must be an integer in [0, 120]."),
        (AGE | {"levels": 1}, "$.questions[0].levels: must be an integer in [2, 121]."),
        (AGE | {"levels": 122}, "$.questions[0].levels: must be an integer in [2, 121]."),
        (AGE | {"distribution": 1}, "$.questions[0].distribution: must be true or false."),
        (AGE | {"epsilon_forever": 1}, "$.questions[0]: epsilon_forever (1) must be above epsilon (1), of one report."),
        (AGE | {"epsilon_forever": 2, "distribution": True}, "$.questions[0].epsilon_forever: does not go with"),
        (AGE | {"options": ["a", "b"]}, "$.questions[0].options: belongs to one-of and any-of questions."),
        (AGE | {"mechanism": "k-ary"}, "$.questions[0].mechanism: must be one of auto, window, segments."),
    ],
)
def test_what_an_author_may_not_ask_is_refused_where_it_stands(members: dict[str, Any], message: str) -> None:
    with pytest.raises(SurveyError) as refused:
        ask(members)
    assert message in str(refused.value)


def test_a_missing_member_is_named() -> None:
    for key in ("minimum", "maximum"):
        with pytest.raises(SurveyError, match=rf"\$\.questions\[0\]\.{key}: is missing"):
            ask({k: v for k, v in AGE.items() if k != key})


@pytest.mark.parametrize(
    ("members", "hint"),
    [
        ({"maximum": 120}, "12 decimals."),
        ({"minimal": 0, "maximum": 120}, "12 decimals. 'minimal' is unknown."),
        ({"minimun": 0, "maximum": 120}, "12 decimals. 'minimun' is unknown."),
    ],
)
def test_what_looks_like_the_missing_member_is_named_and_no_right_one(members: dict[str, Any], hint: str) -> None:
    with pytest.raises(SurveyError) as refused:
        ask(members)
    assert refused.value.where == "$.questions[0].minimum"
    assert refused.value.problem.endswith(f"of at most {hint} (question q)")


def test_a_step_left_out_is_1_and_published() -> None:
    stepless = {key: value for key, value in AGE.items() if key != "step"}
    assert ask(stepless) == ask(AGE)
    with pytest.raises(SurveyError, match="stpe: is unknown; is it 'step'"):
        ask(stepless | {"stpe": 2})


def test_a_distribution_has_64_levels_or_as_many_as_there_are_numbers() -> None:
    def levels_of(more: dict[str, Any]) -> int:
        return int(ask(AGE | more).mechanism.parameters()["levels"])

    assert levels_of({"distribution": True}) == 64
    assert levels_of({"distribution": True, "maximum": 10}) == 11
    assert levels_of({"distribution": True, "levels": 100}) == levels_of({"levels": 100}) == 100
    assert levels_of({"distribution": False}) == levels_of({}) == 21  # segments, for the mean
    assert levels_of({"mechanism": "window"}) == 2


def test_what_a_report_speaks_for_is_said_in_numbers() -> None:
    question = ask(AGE | {"levels": 7, "epsilon": 4})
    width = question.mechanism.parameters()["width"]
    report = question.mechanism.from_wire([3])[0]
    assert question.decode(report) == {"output": 3, "from": 20 * (4 - width), "to": 60}
    halves = ask(HALVES | {"levels": 3, "epsilon": 4})
    said = halves.decode(halves.mechanism.from_wire([1])[0])
    assert json.dumps(said) == '{"output": 1, "from": 0.5, "to": 0.5}'


def test_no_answer_stands_for_the_number_that_the_author_gives() -> None:
    assert ask(HALVES | {"skip": Decimal("0.5")}).encode(None).tolist() == [3]
    assert ask(AGE | {"skip": Decimal("7.00")}).encode(None).tolist() == [7]
    with pytest.raises(AnswerError):
        ask(HALVES).encode(None)
