"""All that is wrong in a survey file is told at once: each fault at its place, none twice, none that is no fault."""

import pickle
from typing import Any

import pytest

from published import ANY_OF, ONE_OF, YES_NO
from sotto_protocol import SurveyError, compile_survey, compile_toml
from sotto_protocol.errors import together

WRONG = """
id = "Staff"
title = ""
waves = 1
invitd = true
strata = ["north", "south"]
closes = "soon"

[[questions]]
id = "rested"
type = "yes-no"
text = "Did you rest?"
epsilno = 1

[[questions]]
id = "rested"
type = "one-of"
text.en = "Which shift?"
text.de = "Welche Schicht?"
options.en = ["early", "late"]
options.de = ["frueh"]
skip = "never"
want = 3
epsilon = 30
waves = 2

[[questions]]
id = "hours"
type = "number"
txt = "How long?"
minimum = "0"
maximum = true
step = 0
unit = ""
epsilon = 0

[[questions]]
id = "shift"
type = "choice"
text = "So?"
epsilon = "1"

[[questions]]
id = "seen"
type = "any-of"
text = "What?"
options = ["a", "a"]
epsilon = 1
max_selected = 1
"""


def faults_of(document: Any) -> list[tuple[str, str]]:
    with pytest.raises(SurveyError) as caught:
        compile_toml(document) if isinstance(document, str) else compile_survey(document)
    assert (caught.value.where, caught.value.problem) == caught.value.faults[0][:2]
    assert str(caught.value).split("\n  ") == list(map(str, caught.value.faults))
    assert len(set(caught.value.faults)) == len(caught.value.faults)
    return [(fault.where, fault.problem) for fault in caught.value.faults]


def test_every_fault_of_a_file_is_told_at_its_place() -> None:
    q = "$.questions"
    assert [where for where, _ in faults_of(WRONG)] == [
        "$.id",
        "$.title",
        "$.waves",
        "$.closes",
        f"{q}[0]",
        f"{q}[0].epsilno",
        f"{q}[1].epsilon",
        f"{q}[1].options.de",
        f"{q}[1].waves",
        f"{q}[2].text",
        f"{q}[2].minimum",
        f"{q}[2].maximum",
        f"{q}[2].step",
        f"{q}[2].unit",
        f"{q}[2].epsilon",
        f"{q}[3].type",
        f"{q}[3].epsilon",
        f"{q}[4].options",
        q,
        "$",
        "$.invitd",
    ]


def test_what_is_told_of_a_fault_is_what_it_would_be_alone() -> None:
    faults = faults_of(WRONG)
    assert ("$.questions[0]", "must have epsilon or prob_truth. (question rested)") in faults
    assert ("$.questions[0].epsilno", "is unknown; is it 'epsilon'? (question rested)") in faults
    assert ("$.invitd", "is unknown; is it 'invited'?") in faults
    assert ("$.questions", "must not have two questions of the same id: rested.") in faults
    assert dict(faults)["$.questions[2].text"].endswith("'txt' is unknown. (question hours)")
    assert [problem for where, problem in faults if "'txt'" in problem] == [dict(faults)["$.questions[2].text"]]


def test_a_fault_says_last_which_question_it_is_of() -> None:
    ids: list[Any] = ["ate", "load", "Bad id", None, 7, "\u202eload"]
    found = faults_of({"id": "s", "title": "", "questions": [YES_NO | {"id": one, "text": ""} for one in ids] + ["x"]})
    told = {where: problem.rpartition(" (question ")[2] for where, problem in found if " (question " in problem}
    assert told == {"$.questions[0].text": "ate)", "$.questions[1].text": "load)"}
    assert {"$.title", "$.questions[2].text", "$.questions[6]"} <= dict(found).keys()


@pytest.mark.parametrize(
    ("question", "changes", "where"),
    [
        (YES_NO, {"options": ["a"], "unit": "x", "max_selected": 1}, ["options", "unit", "max_selected"]),
        (ONE_OF, {"skip": "never", "want": 2}, ["skip", "want"]),
        (ONE_OF, {"epsilon": 30, "skip": "a"}, ["epsilon"]),
        (ANY_OF, {"max_selected": 0, "skip": "a", "want": -1}, ["skip", "want", "max_selected"]),
        (YES_NO, {"mechanism": "k-ary", "section": "", "id": "?"}, ["id", "section", "mechanism"]),
    ],
    ids=range(5),
)
def test_faults_of_one_question_are_told_together(
    question: dict[str, Any], changes: dict[str, Any], where: list[str]
) -> None:
    asked = {"id": "q", "text": "?"} | question | changes
    found = faults_of({"id": "s", "title": "S", "questions": [asked]})
    assert [place for place, _ in found] == [f"$.questions[0].{name}" for name in where]


def test_what_goes_together_alone_is_checked_of_a_survey_whose_questions_are_wrong() -> None:
    wrong = {"id": "q", "text": "?", "type": "yes-no", "epsilon": 50}
    found = faults_of({"id": "s", "title": "S", "strata": ["a", "b"], "questions": [wrong, wrong]})
    assert [place for place, _ in found] == [
        "$.strata",
        "$.questions[0].epsilon",
        "$.questions[1].epsilon",
        "$.questions",
    ]


def test_many_faults_are_told_in_good_time_and_each_is_short() -> None:
    questions = [{"id": f"q{number}", "type": "yes-no", "epsilon": 99, "wrong": 1} for number in range(200)]
    found = faults_of({"id": "s", "title": "S", "questions": questions})
    assert len(found) == 600
    assert all(len(problem) < 200 for _, problem in found)


def test_an_error_of_several_faults_can_be_pickled() -> None:
    with pytest.raises(SurveyError) as caught:
        compile_toml(WRONG)
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301  # our own
    assert (str(again), again.faults) == (str(caught.value), caught.value.faults)


def test_steps_are_all_taken_and_another_error_is_no_fault() -> None:
    taken: list[int] = []
    with pytest.raises(ZeroDivisionError):
        together(lambda: taken.append(1), lambda: 1 // 0, lambda: taken.append(2))
    assert taken == [1]
    assert together(lambda: 1, lambda: "a") == [1, "a"]
