"""No answer is an answer like any other: it stands for an option, or a text, and is perturbed."""

from typing import Any

import pytest

from sotto_client import explain
from sotto_client.reporting import check_answers
from sotto_protocol import AnswerError, Survey, SurveyError, compile_survey

ONE_OF = {"type": "one-of", "options": ["Yes", "No", "No answer"], "skip": "No answer"}
TEXT = {"type": "text", "skip": "(no answer)"}
YES_NO = {"type": "yes-no", "skip": "no"}


def survey_of(*members: dict[str, Any]) -> Survey:
    questions = [{"id": f"q{index}", "text": "So?", "epsilon": 1} | more for index, more in enumerate(members)]
    return compile_survey({"id": "s", "title": "T", "questions": questions})


@pytest.mark.parametrize("members", [ONE_OF, TEXT], ids=["one-of", "text"])
@pytest.mark.parametrize("answers", [{}, {"q0": None}], ids=["left out", "None"])
def test_no_answer_is_encoded_as_what_it_stands_for(members: dict[str, Any], answers: dict[str, Any]) -> None:
    survey = survey_of(members)
    given = check_answers(survey, {"q0": members["skip"]})
    assert [part.tolist() for part in check_answers(survey, answers)] == [part.tolist() for part in given]


@pytest.mark.parametrize("members", [ONE_OF, TEXT], ids=["one-of", "text"])
def test_a_survey_that_can_be_skipped_reads_back(members: dict[str, Any]) -> None:
    survey = survey_of(members)
    assert Survey.from_canonical(survey.canonical).questions[0].skip == members["skip"]
    assert survey.fingerprint != survey_of({k: v for k, v in members.items() if k != "skip"}).fingerprint


@pytest.mark.parametrize("said", ["yes", "no"])
def test_a_yes_or_no_that_is_left_out_counts_as_the_author_says(said: str) -> None:
    survey = Survey.from_canonical(survey_of(YES_NO | {"skip": said}).canonical)
    for answers in ({}, {"q0": None}, {"q0": said == "yes"}):
        assert [part.tolist() for part in check_answers(survey, answers)] == [[int(said == "yes")]]
    with pytest.raises(AnswerError, match="must be True or False"):
        check_answers(survey, {"q0": said})


def test_who_may_skip_is_told_so() -> None:
    [question] = explain(survey_of(ONE_OF)).questions
    assert "If you skip it, that counts as “No answer”. Your device may change that" in question.what_happens


@pytest.mark.parametrize("answers", [{}, {"q0": None}], ids=["left out", "None"])
@pytest.mark.parametrize(
    "members",
    [
        {"type": "yes-no"},
        {"type": "one-of", "options": ["Yes", "No answer"]},
        {"type": "any-of", "options": ["a", "b"]},
        {"type": "text"},
    ],
    ids=lambda members: members["type"],
)
def test_without_it_there_must_be_an_answer(members: dict[str, Any], answers: dict[str, Any]) -> None:
    with pytest.raises(AnswerError, match="q0"):
        check_answers(survey_of(members), answers)


def test_an_unknown_question_is_refused_where_another_was_left_out() -> None:
    with pytest.raises(AnswerError, match="1 unknown question id"):
        check_answers(survey_of(ONE_OF), {"q1": "Yes"})


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (ONE_OF | {"skip": "Maybe"}, r"\$.questions\[0\].skip: must be one of Yes, No, No answer"),
        (ONE_OF | {"skip": True}, r"\$.questions\[0\].skip: must be one of"),
        (TEXT | {"skip": ""}, r"\$.questions\[0\].skip: must be a text of 1 to 200"),
        (TEXT | {"skip": "e\u0301"}, r"\$.questions\[0\].skip: must be a text"),
        ({"type": "yes-no", "epsilon": 1, "skip": False}, r"\$.questions\[0\].skip: must be one of yes, no"),
        ({"type": "any-of", "options": ["a"], "skip": "a"}, "nothing selected is an answer"),
    ],
)
def test_what_cannot_stand_for_no_answer_is_refused(members: dict[str, Any], message: str) -> None:
    with pytest.raises(SurveyError, match=message):
        survey_of(members)
