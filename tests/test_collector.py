"""The routes, one by one: what they answer, to whom, and the problem document for everything else."""

import json
import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from collecting import SMALL, SURVEY, assert_problem, make_batch, make_reports, prepare
from sotto_collector.app import create_app
from sotto_collector.collector import Collector
from sotto_collector.errors import BusyError, StoreUnavailableError
from sotto_collector.settings import Settings
from sotto_protocol import Survey, Tally, batch_body

JSON = "application/json"
REPORTS = "/v1/surveys/habits/reports"


class House(NamedTuple):
    """A collector in this process, with one survey."""

    app: Flask
    collector: Collector
    http: FlaskClient
    admin: dict[str, str]
    analyst: dict[str, str]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    path = tmp_path / "survey.db"
    tokens = prepare(path, SURVEY)
    app = create_app(Settings(db=str(path), min_free_bytes=0))
    with closing(app.extensions["collector"]) as collector:
        admin, analyst = ({"Authorization": f"Bearer {token}"} for token in tokens)
        yield House(app, collector, app.test_client(), admin, analyst)


def publish(house: House, survey: Survey) -> TestResponse:
    return house.http.post("/v1/surveys", data=survey.canonical, content_type=JSON, headers=house.admin)


def assert_refused(response: TestResponse, status: int, code: str) -> None:
    assert response.status_code == status
    assert_problem(status, response.headers["Content-Type"], response.get_json(force=True), code=code)


def test_health_is_ok_while_the_store_can_be_written(house: House) -> None:
    response = house.http.get("/healthz")
    assert (response.status_code, response.data) == (200, b'{"status":"ok"}')


def test_health_fails_before_the_disk_is_full(tmp_path: Path) -> None:
    app = create_app(Settings(db=str(tmp_path / "survey.db"), min_free_bytes=2**50))
    with closing(app.extensions["collector"]):
        response = app.test_client().get("/healthz")
    assert_refused(response, 503, "store_unavailable")
    assert response.headers["Retry-After"] == "5"


def test_new_survey_is_created_and_the_same_one_again_is_ok(house: House) -> None:
    for status in (201, 200):
        response = publish(house, SMALL)
        assert response.status_code == status
        assert response.headers["Location"] == "/v1/surveys/small"
        assert response.get_json() == {"id": "small", "fingerprint": SMALL.fingerprint}


@pytest.mark.parametrize("path", ["/v1//surveys/c4n4ry", "//v1/surveys/c4n4ry", "/v1/surveys//c4n4ry/tally"])
def test_doubled_slash_is_not_found_and_not_redirected(house: House, path: str) -> None:
    response = house.http.get(path, headers={"Host": "c4n4ry.example"})
    assert_refused(response, 404, "not_found")
    assert b"c4n4ry" not in response.data
    assert "Location" not in response.headers


def test_another_survey_of_a_known_id_is_refused(house: House) -> None:
    other = Survey(SURVEY.id, "other", SURVEY.questions)
    assert_refused(publish(house, other), 409, "survey_exists")
    assert house.http.get("/v1/surveys/habits").data == SURVEY.canonical


def test_survey_that_declares_less_epsilon_than_it_takes_is_refused(house: House) -> None:
    text = SMALL.canonical.replace(b'"epsilon":1,', b'"epsilon":0.9,').replace(b'"epsilon":2,', b'"epsilon":1.8,')
    response = house.http.post("/v1/surveys", data=text, content_type=JSON, headers=house.admin)
    assert_refused(response, 422, "bad_survey")
    assert response.get_json(force=True)["where"].startswith("$.questions[0]")


@pytest.mark.parametrize("body", [b" ", b"{", b"[]", b"\xff", b"[" * 20_000, b'{"id":"a","id":"b"}', b"1" * 5000])
def test_body_that_is_no_survey_is_refused(house: House, body: bytes) -> None:
    response = house.http.post("/v1/surveys", data=body, content_type=JSON, headers=house.admin)
    assert_refused(response, 422, "bad_survey")


def test_survey_is_given_as_its_canonical_bytes_under_its_fingerprint(house: House) -> None:
    response = house.http.get("/v1/surveys/habits")
    assert (response.status_code, response.data) == (200, SURVEY.canonical)
    assert response.headers["Content-Type"] == JSON
    assert response.headers["ETag"] == f'"{SURVEY.fingerprint}"'
    again = house.http.get("/v1/surveys/habits", headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_reports_are_counted_once(house: House) -> None:
    reports = make_reports(98)
    first = house.http.post(REPORTS, data=batch_body(SURVEY, reports + reports[:2]), content_type=JSON)
    again = house.http.post(REPORTS, data=batch_body(SURVEY, reports), content_type=JSON)
    assert (first.status_code, first.get_json()) == (200, {"counted": 98, "duplicates": 2})
    assert (again.status_code, again.get_json()) == (200, {"counted": 0, "duplicates": 98})


def test_tally_is_that_of_the_reports(house: House) -> None:
    reports = make_reports(98)
    house.http.post(REPORTS, data=batch_body(SURVEY, reports), content_type=JSON)
    response = house.http.get("/v1/surveys/habits/tally", headers=house.analyst)
    stored = house.collector.find_survey("habits")
    assert stored is not None
    expected = Tally.of(SURVEY, make_batch(stored, reports).records)
    assert (response.status_code, response.data) == (200, expected.to_json())
    assert Tally.from_json(response.data) == house.collector.store.recount(stored)


def test_closed_survey_takes_no_reports_and_still_gives_its_tally(house: House) -> None:
    body = batch_body(SURVEY, make_reports(3))
    assert house.http.post(REPORTS, data=body, content_type=JSON).status_code == 200
    for _ in range(2):  # closing twice is closing
        response = house.http.post("/v1/surveys/habits/close", headers=house.admin)
        assert (response.status_code, response.get_json()) == (200, {"id": "habits", "open": False})
    late = batch_body(SURVEY, make_reports(1))
    assert_refused(house.http.post(REPORTS, data=late, content_type=JSON), 409, "survey_closed")
    assert house.http.post(REPORTS, data=body, content_type=JSON).get_json() == {"counted": 0, "duplicates": 3}
    assert house.http.get("/v1/surveys/habits/tally", headers=house.analyst).get_json()["n_reports"] == 3


@pytest.mark.parametrize(
    ("method", "path", "role"),
    [
        ("POST", "/v1/surveys", "admin"),
        ("POST", "/v1/surveys/habits/close", "admin"),
        ("GET", "/v1/surveys/habits/tally", "analyst"),
    ],
)
@pytest.mark.parametrize("given", ["none", "wrong", "basic", "bare", "other role"])
def test_roles_are_exact(house: House, method: str, path: str, role: str, given: str) -> None:
    right = getattr(house, role)["Authorization"]
    headers = {
        "none": {},
        "wrong": {"Authorization": right[:-1] + ("A" if right[-1] != "A" else "B")},
        "basic": {"Authorization": right.replace("Bearer", "Basic")},
        "bare": {"Authorization": right.removeprefix("Bearer ")},
        "other role": house.analyst if role == "admin" else house.admin,
    }[given]
    response = house.http.open(path, method=method, headers=headers, data=SURVEY.canonical, content_type=JSON)
    if given == "other role":
        assert_refused(response, 403, "forbidden")
    else:
        assert_refused(response, 401, "unauthorized")
        assert response.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("method", "path", "role"),
    [
        ("GET", "/v1/surveys/nobody", ""),
        ("POST", "/v1/surveys/nobody/reports", ""),
        ("POST", "/v1/surveys/nobody/close", "admin"),
        ("GET", "/v1/surveys/nobody/tally", "analyst"),
    ],
)
def test_unknown_survey_is_said_to_be_unknown(house: House, method: str, path: str, role: str) -> None:
    headers = getattr(house, role) if role else {}
    assert_refused(house.http.open(path, method=method, headers=headers), 404, "no_such_survey")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/", 404, "not_found"),
        ("GET", "/v1/surveys/habits/", 404, "not_found"),
        ("GET", "/static/x", 404, "not_found"),
        ("GET", "/v1/surveys", 405, "method_not_allowed"),
        ("DELETE", "/v1/surveys/habits", 405, "method_not_allowed"),
        ("GET", REPORTS, 405, "method_not_allowed"),
    ],
)
def test_other_routes_are_problem_documents_too(house: House, method: str, path: str, status: int, code: str) -> None:
    response = house.http.open(path, method=method)
    assert_refused(response, status, code)
    assert ("Allow" in response.headers) == (status == 405)


@pytest.mark.parametrize(
    ("fault", "status", "code", "retry_after"),
    [
        (BusyError("x"), 503, "busy", "1"),
        (StoreUnavailableError("x"), 503, "store_unavailable", "5"),
        (ValueError("canary"), 500, "internal", None),
    ],
)
def test_faults_while_counting_are_problem_documents(  # one table
    house: House,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: Exception,
    status: int,
    code: str,
    retry_after: str | None,
) -> None:
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr(house.collector.writer, "count", fail)
    with caplog.at_level(logging.WARNING):
        response = house.http.post(REPORTS, data=batch_body(SURVEY, make_reports(1)), content_type=JSON)
    assert_refused(response, status, code)
    assert response.headers.get("Retry-After") == retry_after
    assert "canary" not in caplog.text + response.text
    assert ("ValueError" in caplog.text) == (status == 500)


def test_every_answer_is_json_with_its_type(house: House) -> None:
    for path in ("/healthz", "/v1/surveys/habits"):
        response = house.http.get(path)
        assert response.headers["Content-Type"] == JSON
        json.loads(response.data)
