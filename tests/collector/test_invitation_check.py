"""Checking an invitation: what it would admit is said, nothing is spent, written or given away."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event, select
from werkzeug.test import TestResponse

from collecting import (
    INVITED,
    INVITED_WAVES,
    SURVEY,
    TIMEOUT_S,
    count_here,
    invite_reports,
    make_reports,
    publish_here,
    serve,
)
from house import House, assert_refused, open_house
from sotto_collector.api.invitations import CHECKS_PER_MINUTE
from sotto_collector.intake.counting import Outcome
from sotto_collector.intake.limits import RateLimits
from sotto_collector.invitations import check_invitation, count_invitations, make_invitations, revoke_invitations
from sotto_collector.store import Store
from sotto_collector.store.schema import metadata
from sotto_protocol import Survey
from sotto_protocol.invitation import invitation_text, parse_invitation

pytestmark = pytest.mark.later("postgres", "thorough")  # test_store_postgres.py has invited batches

UNKNOWN = invitation_text(bytes(16))
STRATIFIED = replace(INVITED, id="stratified", strata=("north", "south"))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", INVITED, INVITED_WAVES, STRATIFIED, SURVEY) as opened:
        yield opened


def check(house: House, invitation: object, survey: Survey = INVITED, **sent: object) -> TestResponse:
    return house.http.post(f"/v1/surveys/{survey.id}/invitations/check", json={"invitation": invitation, **sent})


def read_everything(store: Store) -> dict[str, list[tuple[object, ...]]]:
    with store.reader() as connection:
        return {
            name: sorted(map(tuple, connection.execute(select(table)).all())) for name, table in metadata.tables.items()
        }


def test_checked_invitation_is_not_spent_and_admits_its_report(store: Store) -> None:
    stored = publish_here(store, INVITED)
    (report,) = invite_reports(store, stored, make_reports(1, INVITED))
    before = read_everything(store)
    assert [check_invitation(store, stored, report.invitation, 1) for _ in range(3)] == ["unused"] * 3
    assert read_everything(store) == before
    assert count_here(store, stored, [report]) == [Outcome(1, 0, 0)]
    assert check_invitation(store, stored, report.invitation, 1) == "invalid"


def test_invitation_of_waves_is_used_in_one_and_unused_in_another(store: Store) -> None:
    stored = publish_here(store, INVITED_WAVES)
    (first,) = invite_reports(store, stored, make_reports(1, INVITED_WAVES, 2))
    count_here(store, stored, [first])
    assert [check_invitation(store, stored, first.invitation, wave) for wave in (1, 2, 3)] == [
        "unused",
        "used",
        "unused",
    ]
    for wave in (1, 3):
        (again,) = make_reports(1, INVITED_WAVES, wave)
        assert count_here(store, stored, [replace(again, invitation=first.invitation)]) == [Outcome(1, 0, 0)]
    assert {check_invitation(store, stored, first.invitation, wave) for wave in (1, 2, 3)} == {"invalid"}


@pytest.mark.parametrize(
    "given", [UNKNOWN, "", "AAAA", "a" * 25 + "1", "\u00e1" * 26, "x" * 10_000, "OTHER", "REVOKED"]
)
def test_what_admits_nothing_is_invalid_for_whatever_reason(house: House, given: str) -> None:
    store, stored = house.collector.store, house.stored(INVITED)
    (revoked,) = make_invitations(store, stored, 1)
    revoke_invitations(store, stored, [revoked])
    (other,) = make_invitations(store, house.stored(INVITED_WAVES), 1)
    response = check(house, {"OTHER": other, "REVOKED": revoked}.get(given, given))
    assert (response.status_code, response.get_json()) == (200, {"state": "invalid"})


def test_check_takes_an_invitation_as_people_type_it_and_keeps_no_copy(house: House) -> None:
    (code,) = make_invitations(house.collector.store, house.stored(INVITED), 1)
    response = check(house, " - ".join(code[start : start + 5].upper() for start in range(0, 26, 5)))
    assert response.get_json() == {"state": "unused"}
    assert response.headers["Cache-Control"] == "no-store"
    assert count_invitations(house.collector.store, house.stored(INVITED)) == {1: 1}


def test_stratum_of_an_invitation_is_not_said(house: House) -> None:
    stored = house.stored(STRATIFIED)
    said = {
        check(house, *make_invitations(house.collector.store, stored, 1, stratum), STRATIFIED).data
        for stratum in (1, 2)
    }
    assert said == {b'{"state":"unused"}'}


def test_one_statement_says_all_of_an_invitation_whether_it_is_wrong_near_or_right(house: House) -> None:
    """So the time that it takes is one search by a hash, which nobody can choose."""
    store, stored = house.collector.store, house.stored(INVITED)
    (right,) = make_invitations(store, stored, 1)
    near = ("a" if right[0] != "a" else "b") + right[1:]
    statements: list[str] = []
    event.listen(store.dialect.read_engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    assert [check(house, code).get_json()["state"] for code in (UNKNOWN, near, right)] == [
        "invalid",
        "invalid",
        "unused",
    ]
    of_invitations = [statement for statement in statements if "invitations" in statement]
    assert len(of_invitations) == 3
    assert len({*of_invitations}) == 1


@pytest.mark.parametrize(
    ("survey", "sent", "status", "code"),
    [
        (SURVEY, {"invitation": UNKNOWN}, 409, "survey_not_invited"),
        (replace(INVITED, id="nobody"), {"invitation": UNKNOWN}, 404, "no_such_survey"),
        (INVITED, {}, 422, "bad_request_body"),
        (INVITED, {"invitation": 7}, 422, "bad_request_body"),
        (INVITED, {"invitation": UNKNOWN, "stratum": "north"}, 422, "bad_request_body"),
        (INVITED, {"invitation": UNKNOWN, "wave": 2}, 404, "no_such_wave"),
        (INVITED_WAVES, {"invitation": UNKNOWN, "wave": 0}, 404, "no_such_wave"),
        (INVITED_WAVES, {"invitation": UNKNOWN, "wave": True}, 422, "bad_request_body"),
    ],
)
def test_what_is_no_check_is_refused_and_not_quoted(
    house: House, survey: Survey, sent: dict[str, object], status: int, code: str
) -> None:
    response = house.http.post(f"/v1/surveys/{survey.id}/invitations/check", json=sent)
    assert_refused(response, status, code)
    assert UNKNOWN not in response.text


def test_closed_survey_says_so_whatever_the_invitation(house: House) -> None:
    (code,) = make_invitations(house.collector.store, house.stored(INVITED), 1)
    house.administer("POST", f"/v1/surveys/{INVITED.id}/close")
    for given in (code, UNKNOWN):
        assert_refused(check(house, given), 409, "survey_closed")


def test_so_many_checks_a_minute_and_no_more_of_one_survey(house: House) -> None:
    """Reports and other surveys go on; a worker of four grants a quarter."""
    now = time.monotonic()
    house.collector.checks = RateLimits(4, clock=lambda: now)
    share = CHECKS_PER_MINUTE // 4
    house.collector.checks.take(house.stored(INVITED).key, share - 1, CHECKS_PER_MINUTE)
    assert check(house, UNKNOWN).status_code == 200
    refused = check(house, UNKNOWN)
    assert_refused(refused, 429, "too_many_checks")
    assert refused.headers["Retry-After"] == "60"
    assert check(house, UNKNOWN, INVITED_WAVES).status_code == 200
    reports = invite_reports(house.collector.store, house.stored(INVITED), make_reports(3, INVITED))
    assert house.send(INVITED, reports).get_json()["counted"] == 3


@pytest.mark.thorough
def test_invitation_checked_while_it_is_used_is_unused_and_then_used(db: str, store: Store) -> None:
    """Two collectors: one takes the reports of wave 2, the other is asked all the while. No check loses a report."""
    stored = publish_here(store, INVITED_WAVES)
    reports = invite_reports(store, stored, make_reports(60, INVITED_WAVES, 2))

    def watch(other: Store, code: str) -> list[str]:
        states = ["unused"]
        while states[-1] != "used":
            states.append(check_invitation(other, stored, code, 2))
        return states

    with closing(Store(db)) as other, ThreadPoolExecutor(5) as pool:
        watching = [pool.submit(watch, other, report.invitation) for report in reports[::15]]
        outcomes = [count_here(store, stored, [report]) for report in reports]
        seen = [task.result(TIMEOUT_S) for task in watching]
    assert outcomes == [[Outcome(1, 0, 0)]] * 60
    assert all({*states[:-1]} == {"unused"} and states[-1] == "used" for states in seen)
    assert count_invitations(store, stored) == {1: 60, 2: 0, 3: 60}


def test_check_changes_no_byte_of_the_file_or_its_log(tmp_path: Path) -> None:
    def read() -> list[bytes]:
        return [path.read_bytes() for path in sorted(tmp_path.iterdir()) if path.suffix != ".db-shm"]

    with closing(Store(tmp_path / "survey.db")) as store:
        stored = publish_here(store, INVITED)
        codes = make_invitations(store, stored, 3)
        before = read()
        assert [check_invitation(store, stored, code, 1) for code in (*codes, UNKNOWN)] == ["unused"] * 3 + ["invalid"]
        assert read() == before
        revoke_invitations(store, stored, codes[:1])
        assert read() != before  # the comparison does find a change


def test_what_was_checked_is_in_no_file_and_no_log(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db", survey=INVITED) as served:
        path = f"/v1/surveys/{INVITED.id}/invitations"
        made = served.fetch("POST", path, b'{"count":2}', served.admin)[2].decode().split()[1:]
        states = [
            served.ask("POST", f"{path}/check", f'{{"invitation":"{code}"}}'.encode())[2] for code in (*made, UNKNOWN)
        ]
        assert [document["state"] for document in states] == ["unused", "unused", "invalid"]
        files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert served.stop() == (0, "", "")
    for code in (*made, UNKNOWN):
        assert code.encode() not in files
        assert parse_invitation(code) not in files or code == UNKNOWN  # its 16 zeros are anywhere
