"""Text questions whose survey says how many people there are: cohorts that so many people fill."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from published import YES_NO
from sotto_protocol import compile_survey
from sotto_protocol.cohorts import decoded_cohorts, likely_reports, shown_cohorts

RAPPOR = {"type": "text", "mechanism": "rappor", "epsilon": 2}
SKETCH = {"type": "text", "mechanism": "sketch", "epsilon": 2}


def shape(question: dict[str, Any], **of_survey: Any) -> Any:
    """Return what is published of the mechanism of the first of two questions."""
    asked = [{"id": "q0", "text": "?"} | question, {"id": "q1", "text": "?"} | YES_NO]
    survey = compile_survey({"id": "s", "title": "S", "questions": asked} | of_survey)
    return survey.questions[0].mechanism.parameters()


@pytest.mark.parametrize(
    ("people", "n_cohorts", "n_bits"),
    [(1, 1, 4096), (199, 1, 4096), (200, 2, 2048), (300, 2, 2048), (10_000, 64, 128), (10**9, 1024, 128)],
)
def test_so_many_people_have_a_hundred_reports_in_each_cohort_of_rappor(
    people: int, n_cohorts: int, n_bits: int
) -> None:
    found = shape(RAPPOR, people=people)
    assert (found["n_cohorts"], found["n_bits"], found["n_hashes"]) == (n_cohorts, n_bits, 1)


def test_without_people_and_where_the_author_says_how_many_it_is_as_ever() -> None:
    usual = shape(RAPPOR)
    assert (usual["n_cohorts"], usual["n_bits"]) == (64, 128)
    given = shape(RAPPOR | {"n_cohorts": 16}, people=300)
    assert (given["n_cohorts"], given["n_bits"]) == (16, 256)
    assert shape(RAPPOR | {"n_cohorts": 64, "n_bits": 128}, people=300) == usual
    assert shape(SKETCH, people=300) == shape(SKETCH)


@pytest.mark.parametrize(("people", "min_reports"), [*product([60, 300, 3000, 10**5], [2, 20, 50])])
def test_every_cohort_probably_has_as_many_reports_as_are_promised_and_one_more_cohort_would_not(
    people: int, min_reports: int
) -> None:
    n_cohorts = shape(SKETCH, people=people, min_reports=min_reports)["n_cohorts"]
    assert n_cohorts == 1 or likely_reports(n_cohorts, min_reports, Fraction(1)) <= people
    assert n_cohorts == 64 or likely_reports(n_cohorts + 1, min_reports, Fraction(1)) > people
    rappor = shape(RAPPOR, people=people, min_reports=min_reports)["n_cohorts"]
    assert rappor == decoded_cohorts(people, min_reports)
    assert rappor == 1 or likely_reports(rappor, min_reports, Fraction(1)) <= people
    assert rappor & (rappor - 1) == 0


def test_what_a_crowd_of_staff_fills_is_four_cohorts_of_fifty() -> None:
    assert shown_cohorts(300, 50, 64) == 4
    assert shape(SKETCH | {"unknown": True}, people=300, min_reports=50)["n_cohorts"] == 4
    assert shape(SKETCH | {"unknown": True}, people=60, min_reports=50)["n_cohorts"] == 2, "one of each length"


def test_people_who_draw_another_question_or_are_of_another_stratum_fill_no_cohort() -> None:
    assert shape(RAPPOR, people=600, draw=1) == shape(RAPPOR, people=300)
    assert shape(RAPPOR, people=600, invited=True, strata=["a", "b"]) == shape(RAPPOR, people=300)
