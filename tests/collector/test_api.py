"""The routes, one by one: what they answer, to whom, and the problem document for everything else."""

import json
import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from collecting import SMALL, STRINGS, SURVEY, make_reports, prepare, tally_of
from house import JSON, House, assert_refused, open_house
from sotto_collector.app import create_app
from sotto_collector.errors import BusyError, StoreUnavailableError
from sotto_collector.settings import Settings
from sotto_protocol import Report, Survey, Tally, batch_body

REPORTS = "/v1/surveys/habits/reports"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One collector for what changes nothing."""
    with open_house(tmp_path_factory.mktemp("shared") / "survey.db", SURVEY, STRINGS) as opened:
        yield opened


def publish(house: House, survey: Survey) -> TestResponse:
    return house.http.post("/v1/surveys", data=survey.canonical, content_type=JSON, headers=house.admin)


def test_health_is_ok_while_the_store_can_be_written(house: House) -> None:
    response = house.http.get("/healthz")
    assert (response.status_code, response.data) == (200, b'{"status":"ok"}')


def test_health_fails_before_the_disk_is_full(tmp_path: Path) -> None:
    prepare(tmp_path / "survey.db")
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
def test_doubled_slash_is_not_found_and_not_redirected(shared: House, path: str) -> None:
    response = shared.http.get(path, headers={"Host": "c4n4ry.example"})
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


def test_survey_with_several_faults_is_told_all_of_them_at_once(house: House) -> None:
    text = SMALL.canonical.replace(b'"questions":', b'"closes":"c4n4ry","invited":7,"questions":')
    response = house.http.post("/v1/surveys", data=text, content_type=JSON, headers=house.admin)
    assert_refused(response, 422, "bad_survey")
    problem = response.get_json(force=True)
    assert problem["faults"] == [
        {"where": "$.invited", "detail": "must be true or false."},
        {"where": "$.closes", "detail": "must be a day such as 2026-12-31."},
    ]
    assert {"where": problem["where"], "detail": problem["detail"]} == problem["faults"][0]
    assert b"c4n4ry" not in response.data


@pytest.mark.parametrize("body", [b"[]", b'{"id":"a","id":"b"}', b"1" * 5000, b"[" * 40 + b"]" * 40])
def test_body_that_is_no_survey_is_refused(shared: House, body: bytes) -> None:
    response = shared.http.post("/v1/surveys", data=body, content_type=JSON, headers=shared.admin)
    assert_refused(response, 422, "bad_survey")


ROUTES_WITH_A_BODY = [
    ("POST", "/v1/surveys"),
    ("PATCH", "/v1/surveys/habits"),
    ("POST", "/v1/surveys/habits/reports"),
    ("POST", "/v1/surveys/habits/erase"),
    ("POST", "/v1/tokens"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES_WITH_A_BODY)
@pytest.mark.parametrize("body", [b" ", b"{", b"\xff", b"[" * 20_000, b"[[1, 2", b'{"receipt": 5, ', b'{"\xff": 1}'])
def test_what_is_no_json_is_said_to_be_none_everywhere(shared: House, method: str, path: str, body: bytes) -> None:
    response = shared.http.open(path, method=method, data=body, content_type=JSON, headers=shared.admin)
    assert_refused(response, 400, "bad_json")


def test_survey_is_given_as_its_canonical_bytes_under_its_fingerprint(house: House) -> None:
    response = house.http.get("/v1/surveys/habits")
    assert (response.status_code, response.data) == (200, SURVEY.canonical)
    assert response.headers["Content-Type"] == JSON
    assert response.headers["ETag"] == f'"{SURVEY.fingerprint}"'
    again = house.http.get("/v1/surveys/habits", headers={"If-None-Match": response.headers["ETag"]})
    assert response.headers["Sottovoce-Restored"] == again.headers["Sottovoce-Restored"] == "0"
    assert (again.status_code, again.data) == (304, b"")


def test_survey_says_whether_it_takes_reports_beside_its_bytes(house: House) -> None:
    """To who has the bytes already, too; and no cache may say it for the collector."""
    open_ = house.http.get("/v1/surveys/habits")
    assert house.administer("POST", "/v1/surveys/habits/close").status_code == 200
    tag = {"If-None-Match": open_.headers["ETag"]}
    closed, again = house.http.get("/v1/surveys/habits"), house.http.get("/v1/surveys/habits", headers=tag)
    said = [(response.status_code, response.headers["Sottovoce-State"]) for response in (open_, closed, again)]
    assert said == [(200, "open"), (200, "closed"), (304, "closed")]
    assert {response.headers["Cache-Control"] for response in (open_, closed, again)} == {"no-cache"}
    assert closed.data == open_.data


def test_reports_are_counted_once(house: House) -> None:
    reports = make_reports(98)
    first = house.http.post(REPORTS, data=batch_body(SURVEY, reports + reports[:2]), content_type=JSON)
    again = house.http.post(REPORTS, data=batch_body(SURVEY, reports), content_type=JSON)
    assert (first.status_code, first.get_json()) == (200, {"counted": 98, "duplicates": 2, "conflicting": 0})
    assert (again.status_code, again.get_json()) == (200, {"counted": 0, "duplicates": 98, "conflicting": 0})


def test_tally_is_that_of_the_reports(house: House) -> None:
    reports = make_reports(98)
    house.http.post(REPORTS, data=batch_body(SURVEY, reports), content_type=JSON)
    response = house.http.get("/v1/surveys/habits/tally", headers=house.analyst)
    assert (response.status_code, response.data) == (200, tally_of(SURVEY, reports).to_json())
    assert Tally.from_json(response.data) == house.collector.store.recount(house.stored(SURVEY))


def test_report_of_a_known_id_with_other_bits_is_said_to_be_in_conflict_and_the_first_stays(house: House) -> None:
    first, second = make_reports(2)
    assert first.record != second.record
    house.send(SURVEY, [first])
    answer = house.send(SURVEY, [Report(first.id, second.record), second])
    assert (answer.status_code, answer.get_json()) == (200, {"counted": 1, "duplicates": 1, "conflicting": 1})
    assert Tally.from_json(house.read_tally(SURVEY).data) == tally_of(SURVEY, [first, second])


def test_closed_survey_takes_no_reports_and_still_gives_its_tally(house: House) -> None:
    body = batch_body(SURVEY, make_reports(3))
    assert house.http.post(REPORTS, data=body, content_type=JSON).status_code == 200
    for _ in range(2):  # closing twice is closing
        response = house.http.post("/v1/surveys/habits/close", headers=house.admin)
        assert (response.status_code, response.get_json()) == (200, {"id": "habits", "open": False})
    late = batch_body(SURVEY, make_reports(1))
    assert_refused(house.http.post(REPORTS, data=late, content_type=JSON), 409, "survey_closed")
    assert house.http.post(REPORTS, data=body, content_type=JSON).get_json() == {
        "counted": 0,
        "duplicates": 3,
        "conflicting": 0,
    }
    assert house.http.get("/v1/surveys/habits/tally", headers=house.analyst).get_json()["n_reports"] == 3


def send_waves(house: House) -> dict[int, list[Report]]:
    """Publish the survey of three waves, and send reports of the first and the third."""
    assert publish(house, STRINGS).status_code == 201
    sent = {wave: make_reports(n, STRINGS, wave) for wave, n in ((1, 40), (3, 25))}
    for body in (batch_body(STRINGS, sent[1][:30]), batch_body(STRINGS, sent[1][30:] + sent[3])):
        assert house.http.post("/v1/surveys/strings/reports", data=body, content_type=JSON).status_code == 200
    return sent


def test_tally_is_of_one_wave_or_of_all_pooled(house: House) -> None:
    sent = send_waves(house)
    for query, reports in (("?wave=1", sent[1]), ("?wave=3", sent[3]), ("?wave=2", []), ("", sent[1] + sent[3])):
        response = house.http.get(f"/v1/surveys/strings/tally{query}", headers=house.analyst)
        assert (response.status_code, response.data) == (200, tally_of(STRINGS, reports).to_json())
    assert Tally.from_json(response.data).waves == (1, 3)


def test_records_are_the_survey_and_the_noisy_reports_in_the_order_of_their_ids_without_them(house: House) -> None:
    sent = send_waves(house)
    for query, reports in (("?wave=1", sent[1]), ("?wave=3", sent[3]), ("?wave=2", []), ("", sent[1] + sent[3])):
        response = house.http.get(f"/v1/surveys/strings/records{query}", headers=house.analyst)
        assert (response.status_code, response.content_type) == (200, "application/octet-stream")
        head, _, records = response.data.partition(b"\n")
        assert head == STRINGS.canonical
        assert records == b"".join(report.record for report in sorted(reports, key=lambda report: report.id))
        assert response.content_length == len(response.data)
        assert not any(report.id in response.data for report in reports)


def test_only_wave_of_a_survey_of_one_is_the_first(house: House) -> None:
    reports = make_reports(20)
    house.http.post(REPORTS, data=batch_body(SURVEY, reports), content_type=JSON)
    for route in ("tally", "records"):
        plain, first = (
            house.http.get(f"/v1/surveys/habits/{route}{query}", headers=house.analyst).data
            for query in ("", "?wave=1")
        )
        assert plain == first
    assert first.endswith(b"".join(report.record for report in sorted(reports, key=lambda report: report.id)))


@pytest.mark.parametrize("route", ["tally", "records"])
@pytest.mark.parametrize(
    "query",
    [
        "0",
        "4",
        "-1",
        "01",
        "1.0",
        "+1",
        "%201",
        "1%0A",
        "",
        "all",
        "%D9%A1",
        "9" * 5000,
        "1&wave=1",
        "1&wave=9",
        "c4n4ry",
    ],
    ids=lambda query: query[:20],
)
def test_wave_that_the_survey_has_not_is_refused(shared: House, route: str, query: str) -> None:
    response = shared.http.get(f"/v1/surveys/strings/{route}?wave={query}", headers=shared.analyst)
    assert_refused(response, 404, "no_such_wave")
    assert response.get_json(force=True)["detail"] == "wave must be given once, as an integer in [1, 3]."
    assert_refused(shared.http.get(f"/v1/surveys/habits/{route}?wave=2", headers=shared.analyst), 404, "no_such_wave")


def test_records_of_a_closed_survey_are_given_and_head_has_their_length_alone(house: House) -> None:
    send_waves(house)
    assert house.http.post("/v1/surveys/strings/close", headers=house.admin).status_code == 200
    late = batch_body(STRINGS, make_reports(1, STRINGS, 2))
    refused = house.http.post("/v1/surveys/strings/reports", data=late, content_type=JSON)
    assert_refused(refused, 409, "survey_closed")
    with (
        house.http.get("/v1/surveys/strings/records", headers=house.analyst) as full,
        house.http.head("/v1/surveys/strings/records", headers=house.analyst) as head,
    ):
        assert (head.status_code, head.data, head.content_length) == (200, b"", len(full.data))


def test_records_are_those_of_the_moment_that_they_were_asked_for(house: House) -> None:
    sent = send_waves(house)
    stored = house.collector.find_survey("strings")
    assert stored is not None
    with house.collector.store.open_records(stored) as records:
        late = batch_body(STRINGS, make_reports(50, STRINGS, 2))
        assert house.http.post("/v1/surveys/strings/reports", data=late, content_type=JSON).status_code == 200
        content = b"".join(records.chunks())
    assert records.n_records == 65
    assert content == b"".join(report.record for report in sorted(sent[1] + sent[3], key=lambda report: report.id))


def test_store_that_cannot_be_read_is_a_problem_document(house: House, tmp_path: Path) -> None:
    stored, path = house.stored(SURVEY), tmp_path / "survey.db"
    house.collector.store.dialect.read_engine.dispose()  # the next question opens the file
    path.rename(path.with_suffix(".away"))
    try:
        with pytest.raises(StoreUnavailableError, match="was moved, removed or replaced"):
            house.collector.store.open_records(stored)
        for route in ("records", "tally"):
            response = house.http.get(f"/v1/surveys/habits/{route}", headers=house.analyst)
            assert_refused(response, 503, "store_unavailable")
            assert response.headers["Retry-After"] == "5"
            assert response.get_json(force=True)["detail"] == "the store cannot be used now; ask again later."
            assert str(path) not in response.text
    finally:
        path.with_suffix(".away").rename(path)


@pytest.mark.parametrize(
    "query",
    ["", "1", "3/3", "-1/3", "0/0", "0/4097", "00/3", "0/03", "1/2/3", "a/b", "0/1&part=0/1", "0%0A/1", "9" * 5000],
)
def test_part_that_is_none_is_refused(shared: House, query: str) -> None:
    response = shared.http.get(f"/v1/surveys/habits/records?part={query}", headers=shared.analyst)
    assert_refused(response, 404, "no_such_part")


def test_parts_of_the_records_are_all_of_them(house: House) -> None:
    send_waves(house)
    path = "/v1/surveys/strings/records"
    whole = house.http.get(path, headers=house.analyst).data
    parts = [house.http.get(f"{path}?part={index}/5", headers=house.analyst) for index in range(5)]
    assert [part.content_length for part in parts] == [len(part.data) for part in parts]
    heads, records = zip(*(part.data.split(b"\n", 1) for part in parts), strict=True)
    assert set(heads) == {STRINGS.canonical}
    assert STRINGS.canonical + b"\n" + b"".join(records) == whole


@pytest.mark.parametrize(
    ("method", "path", "role"),
    [
        ("GET", "/v1/surveys/nobody", ""),
        ("POST", "/v1/surveys/nobody/reports", ""),
        ("POST", "/v1/surveys/nobody/close", "admin"),
        ("GET", "/v1/surveys/nobody/tally", "analyst"),
        ("GET", "/v1/surveys/nobody/records", "analyst"),
        ("PATCH", "/v1/surveys/nobody", "admin"),
        ("DELETE", "/v1/surveys/nobody", "admin"),
        ("POST", "/v1/surveys/nobody/erase", ""),
        ("POST", "/v1/surveys/nobody/invitations", "admin"),
        ("GET", "/v1/surveys/nobody/invitations", "admin"),
        ("POST", "/v1/surveys/nobody/invitations/revoke", "admin"),
    ],
)
def test_unknown_survey_is_said_to_be_unknown(shared: House, method: str, path: str, role: str) -> None:
    headers = getattr(shared, role) if role else {}
    assert_refused(shared.http.open(path, method=method, headers=headers), 404, "no_such_survey")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/surveys/habits/", 404, "not_found"),
        ("GET", "/static/x", 404, "not_found"),
        ("PUT", "/v1/surveys", 405, "method_not_allowed"),
        ("DELETE", "/v1/surveys", 405, "method_not_allowed"),
        ("GET", REPORTS, 405, "method_not_allowed"),
    ],
)
def test_other_routes_are_problem_documents_too(shared: House, method: str, path: str, status: int, code: str) -> None:
    response = shared.http.open(path, method=method)
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

    monkeypatch.setattr(house.collector.writer, "write", fail)
    with caplog.at_level(logging.WARNING):
        response = house.http.post(REPORTS, data=batch_body(SURVEY, make_reports(1)), content_type=JSON)
    assert_refused(response, status, code)
    assert response.headers.get("Retry-After") == retry_after
    assert "canary" not in caplog.text + response.text
    assert ("nothing was confirmed" in response.text) == (code == "store_unavailable")
    assert ("ValueError" in caplog.text) == (status == 500)


def test_every_answer_is_json_with_its_type(shared: House) -> None:
    for path in ("/healthz", "/v1/surveys/habits"):
        response = shared.http.get(path)
        assert response.headers["Content-Type"] == JSON
        json.loads(response.data)


@pytest.mark.parametrize(
    "path",
    [
        *(f"/v1/surveys/habits/{what}" for what in ("tally", "records", "turnout", "certificate", "nothing")),
        "/v1/surveys",
        "/v1/tokens",
        "/healthz",
        "/readyz",
    ],
)
def test_no_answer_to_a_program_is_kept_by_a_cache(shared: House, path: str) -> None:
    """Whoever may read it now may not tomorrow; an error may be over by then."""
    shared.collect(SURVEY, 3)
    for headers in (shared.admin, {}):
        response = shared.http.get(path, headers=headers)
        assert response.headers["Cache-Control"] == "no-store"
