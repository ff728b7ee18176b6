"""Problem documents: one shape, written and read; whatever else comes back is `unexpected`."""

import json
from http import HTTPStatus

import pytest
from hypothesis import given, strategies as st

from published import words
from sotto_protocol import Problem
from sotto_protocol.problem import MAX_FAULTS


def test_a_problem_document_has_the_members_of_rfc_9457() -> None:
    problem = Problem(422, "bad_report", "must be true or false.", "$.reports[3].answers.affair")
    assert json.loads(problem.to_json()) == {
        "type": "urn:sottovoce:problem:bad_report",
        "title": HTTPStatus(422).phrase,  # of which Python 3.13 has another
        "status": 422,
        "code": "bad_report",
        "detail": "must be true or false.",
        "where": "$.reports[3].answers.affair",
    }


def test_a_problem_of_no_place_has_no_member_where() -> None:
    assert "where" not in json.loads(Problem(404, "not_found", "No such page.").to_json())


@given(st.sampled_from([status.value for status in HTTPStatus]), words, words, st.one_of(st.just(""), words))
def test_problems_read_back(status: int, code: str, detail: str, where: str) -> None:
    problem = Problem(status, code, detail, where)
    assert Problem.from_response(status, problem.to_json()) == problem


def test_several_faults_are_each_told_up_to_a_hundred() -> None:
    faults = tuple((f"$.questions[{number}]", "must be an object.") for number in range(MAX_FAULTS + 7))
    problem = Problem(422, "bad_survey", "must be an object.", "$.questions[0]", faults)
    listed = json.loads(problem.to_json())["faults"]
    assert listed[1] == {"where": "$.questions[1]", "detail": "must be an object."}
    assert Problem.from_response(422, problem.to_json()).faults == faults[:MAX_FAULTS]
    assert "faults" not in json.loads(Problem(422, "bad_survey", "must be an object.").to_json())


def test_the_status_is_the_responses_not_the_documents() -> None:
    assert Problem.from_response(503, Problem(404, "a", "b").to_json()).status == 503


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>502 Bad Gateway</html>",
        b"[]",
        b"null",
        b'"code"',
        b"{}",
        b'{"code":""}',
        b'{"code":5}',
        b'{"code":"a","detail":["b"]}',
        b'{"code":"a","where":null}',
        b'{"code":"\\ud800"}',
        b'{"code":"a","detail":"\\u001b[2J"}',
        b'{"code":"a","detail":"two\\nlines"}',
        b'{"code":"a","faults":7}',
        b'{"code":"a","faults":["b"]}',
        b'{"code":"a","faults":[{"where":"b"}]}',
        b'{"code":"a","faults":[{"where":"b","detail":"\\u001b[2J"}]}',
        b'{"code":"a","faults":[{"where":"b","detail":[]}]}',
        b'{"code":"' + b"a" * 5000 + b'"}',
        b'{"code":' + b"1" * 5000 + b"}",
        b"[" * 100_000,
        b"\xff\xfe",
        b"\x80",
    ],
    ids=lambda body: repr(body)[:30],
)
def test_any_other_body_is_unexpected(body: bytes) -> None:
    problem = Problem.from_response(502, body)
    assert problem == Problem(502, "unexpected", "HTTP 502 without a problem document.")


@given(st.binary())
def test_no_body_raises(body: bytes) -> None:
    assert Problem.from_response(500, body).status == 500
