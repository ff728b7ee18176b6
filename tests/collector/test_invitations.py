"""Invitations: each admits one report a wave, all of a batch or none, used up with its report in one transaction."""

import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from collecting import (
    INVITED,
    INVITED_WAVES,
    SURVEY,
    TIMEOUT_S,
    count_here,
    invite_reports,
    make_batch,
    make_reports,
    publish_here,
    tally_of,
)
from house import JSON, House, assert_refused, open_house
from sotto_collector.errors import InvitationError
from sotto_collector.intake.counting import Outcome
from sotto_collector.intake.writer import Writer
from sotto_collector.invitations import (
    UNUSED,
    USED,
    check_invitation,
    count_invitations,
    hash_invitation,
    make_invitations,
    revoke_invitations,
)
from sotto_collector.store import Store
from sotto_collector.store.recount import check_integrity
from sotto_protocol import Report, Tally, batch_body
from sotto_protocol.invitation import invitation_text, parse_invitation

pytestmark = pytest.mark.later("postgres", "thorough")  # test_store_postgres.py has invited batches

PATH = f"/v1/surveys/{INVITED.id}"
OTHER = replace(INVITED, id="other")
UNKNOWN = invitation_text(bytes(16))


def with_code(report: Report, code: str) -> Report:
    return replace(report, invitation=code)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", INVITED, INVITED_WAVES, OTHER, SURVEY) as opened:
        yield opened


def test_invitation_admits_one_report_and_is_gone(store: Store) -> None:
    stored = publish_here(store, INVITED)
    (first,) = invite_reports(store, stored, make_reports(1, INVITED))
    assert count_invitations(store, stored) == {1: 1}
    assert count_here(store, stored, [first]) == [Outcome(1, 0, 0)]
    assert count_invitations(store, stored) == {1: 0}
    (second,) = make_reports(1, INVITED)
    (fault,) = count_here(store, stored, [with_code(second, first.invitation)])
    assert isinstance(fault, InvitationError)
    assert store.read_tally(stored) == tally_of(INVITED, [first]) == store.recount(stored)


def test_repeat_of_a_counted_report_needs_no_unused_invitation(store: Store) -> None:
    stored = publish_here(store, INVITED)
    reports = invite_reports(store, stored, make_reports(20, INVITED))
    (spare,) = make_invitations(store, stored, 1)
    assert count_here(store, stored, reports) == [Outcome(20, 0, 0)]
    assert count_here(store, stored, reports[5:]) == [Outcome(0, 15, 0)]
    assert count_here(store, stored, [with_code(reports[0], spare)]) == [Outcome(0, 1, 0)]
    assert count_invitations(store, stored) == {1: 1}  # a repeat uses none up


def test_an_invitation_admits_as_many_reports_as_a_device_is_asked_in(store: Store) -> None:
    survey = replace(INVITED, id="some-waves", waves=3, asked_in=2)
    stored = publish_here(store, survey)
    (code,) = make_invitations(store, stored, 1)
    text = invitation_text(parse_invitation(code))
    for wave in range(1, survey.waves + 1):
        (report,) = make_reports(1, survey, wave)
        state = check_invitation(store, stored, text, wave)
        (counted,) = count_here(store, stored, [with_code(report, code)])
        if wave < survey.waves:
            assert (state, counted) == (UNUSED, Outcome(1, 0, 0))
            assert check_invitation(store, stored, text, wave) == USED
        else:
            assert state == USED
            assert isinstance(counted, InvitationError)
    assert store.read_tally(stored).n_reports == survey.asked_in


def test_batch_with_one_bad_invitation_is_refused_whole_and_its_good_ones_stay_good(store: Store) -> None:
    stored = publish_here(store, INVITED)
    reports = invite_reports(store, stored, make_reports(10, INVITED))
    bad = [*reports[:7], with_code(reports[7], UNKNOWN), *reports[8:]]
    (fault,) = count_here(store, stored, bad)
    assert isinstance(fault, InvitationError)
    assert fault.index == 7
    assert (store.read_reports(stored), count_invitations(store, stored)) == ([], {1: 10})
    assert store.read_tally(stored) == Tally.empty(INVITED)
    assert count_here(store, stored, reports) == [Outcome(10, 0, 0)]


def test_one_invitation_twice_in_a_batch_is_refused(store: Store) -> None:
    stored = publish_here(store, INVITED)
    first, second = invite_reports(store, stored, make_reports(2, INVITED))
    (fault,) = count_here(store, stored, [first, with_code(second, first.invitation)])
    assert isinstance(fault, InvitationError)
    assert store.read_reports(stored) == []


def test_batches_of_one_group_are_each_admitted_or_refused(store: Store) -> None:
    """One is all or nothing; the others that are committed with it are not harmed."""
    stored, waves = publish_here(store, INVITED), publish_here(store, INVITED_WAVES)
    good = invite_reports(store, stored, make_reports(3, INVITED))
    later = invite_reports(store, waves, make_reports(2, INVITED_WAVES, 2))
    with closing(Writer(store, max_queued_reports=1000)) as writer, ThreadPoolExecutor(8) as pool:
        bad = [with_code(report, UNKNOWN) for report in make_reports(3, INVITED)]
        sent = [(stored, good), (stored, bad), (waves, later), (stored, [*make_reports(0, INVITED), *good])]
        replies = [pool.submit(writer.write, make_batch(survey, reports)) for survey, reports in sent]
        faults = [reply.exception(TIMEOUT_S) for reply in replies]
    assert [type(fault) for fault in faults] == [type(None), InvitationError, type(None), type(None)]
    assert store.read_tally(stored) == tally_of(INVITED, good)
    assert store.read_tally(waves) == tally_of(INVITED_WAVES, later)
    check_integrity(store)


def test_invitation_is_good_once_in_every_wave(store: Store) -> None:
    stored = publish_here(store, INVITED_WAVES)
    (code,) = make_invitations(store, stored, 1)
    for wave in (2, 1, 3):
        first, second = (with_code(report, code) for report in make_reports(2, INVITED_WAVES, wave))
        assert count_here(store, stored, [first]) == [Outcome(1, 0, 0)]
        assert isinstance(count_here(store, stored, [second])[0], InvitationError)
    assert count_invitations(store, stored) == {1: 0, 2: 0, 3: 0}
    assert store.read_tally(stored).waves == (1, 2, 3)


def test_revoked_invitation_admits_nobody_and_reports_that_came_with_one_stay(store: Store) -> None:
    stored = publish_here(store, INVITED)
    used, revoked, kept = invite_reports(store, stored, make_reports(3, INVITED))
    count_here(store, stored, [used])
    assert revoke_invitations(store, stored, [used.invitation, revoked.invitation.upper()]) == 1
    assert isinstance(count_here(store, stored, [revoked])[0], InvitationError)
    assert count_here(store, stored, [kept]) == [Outcome(1, 0, 0)]
    make_invitations(store, stored, 5)
    assert revoke_invitations(store, stored, None) == 5
    assert store.read_tally(stored) == tally_of(INVITED, [used, kept])


@pytest.mark.later("postgres", "thorough")
def test_many_invitations_are_revoked_at_once(store: Store) -> None:
    stored = publish_here(store, INVITED)
    codes = make_invitations(store, stored, 12_000)
    assert revoke_invitations(store, stored, codes[:10_000]) == 10_000
    assert count_invitations(store, stored) == {1: 2000}


@pytest.mark.thorough
@pytest.mark.later("postgres", "thorough")
def test_one_invitation_from_16_threads_of_two_collectors_is_redeemed_once(db: str, store: Store) -> None:
    """Every report is another one, and so is every thread's order: they would deadlock but for the retries."""
    stored = publish_here(store, INVITED)
    codes = make_invitations(store, stored, 30)
    with (
        closing(Store(db)) as second,
        closing(Writer(store, max_queued_reports=10_000)) as one,
        closing(Writer(second, max_queued_reports=10_000)) as two,
        ThreadPoolExecutor(16) as pool,
    ):
        start = threading.Barrier(16)

        def redeem(number: int) -> list[tuple[str, Report]]:
            admitted = []
            reports = make_reports(30, INVITED)
            start.wait(TIMEOUT_S)
            for index in range(30):
                code = codes[(index if number % 4 < 2 else 29 - index)]
                report = with_code(reports[index], code)
                try:
                    outcome = (one, two)[number % 2].write(make_batch(stored, [report]))
                except InvitationError:
                    continue
                assert outcome == Outcome(1, 0, 0)
                admitted.append((code, report))
            return admitted

        redeemed = [pair for task in pool.map(redeem, range(16)) for pair in task]
    assert sorted(code for code, _ in redeemed) == sorted(codes)
    assert store.read_tally(stored) == tally_of(INVITED, [report for _, report in redeemed])
    assert count_invitations(store, stored) == {1: 0}
    check_integrity(store)


@pytest.mark.thorough
def test_waves_that_two_collectors_count_at_once_use_up_no_more_of_an_invitation_than_it_has(
    db: str, store: Store
) -> None:
    survey = replace(INVITED, id="one-wave", waves=4, asked_in=1)
    stored = publish_here(store, survey)
    codes = make_invitations(store, stored, 40)
    with (
        closing(Store(db)) as second,
        closing(Writer(store, max_queued_reports=10_000)) as one,
        closing(Writer(second, max_queued_reports=10_000)) as two,
        ThreadPoolExecutor(4) as pool,
    ):
        start = threading.Barrier(4)

        def redeem(number: int) -> list[str]:
            admitted = []
            reports = make_reports(40, survey, number + 1)
            for code, report in zip(codes, reports, strict=True):
                start.wait(TIMEOUT_S)
                try:
                    outcome = (one, two)[number % 2].write(make_batch(stored, [with_code(report, code)]))
                except InvitationError:
                    continue
                assert outcome == Outcome(1, 0, 0)
                admitted.append(code)
            return admitted

        redeemed = [code for task in pool.map(redeem, range(4)) for code in task]
    assert sorted(redeemed) == sorted(codes)
    assert store.read_tally(stored).n_reports == 40


@pytest.mark.later("postgres", "thorough")
def test_same_report_sent_to_two_collectors_at_once_uses_one_invitation(db: str, store: Store) -> None:
    stored = publish_here(store, INVITED)
    reports = invite_reports(store, stored, make_reports(40, INVITED))
    with closing(Store(db)) as second, ThreadPoolExecutor(4) as pool:
        tasks = [
            pool.submit(count_here, mine, stored, [report]) for report in reports for mine in (store, second, store)
        ]
        outcomes = [outcome for task in tasks for outcome in task.result(TIMEOUT_S)]
    assert outcomes.count(Outcome(1, 0, 0)) == 40
    assert outcomes.count(Outcome(0, 1, 0)) == 80
    assert store.read_tally(stored) == tally_of(INVITED, reports)


def test_invitations_differ_and_are_stored_as_hashes_of_this_survey(store: Store) -> None:
    stored, other = publish_here(store, INVITED), publish_here(store, OTHER)
    codes = make_invitations(store, stored, 200)
    assert len(set(codes)) == 200
    assert all(re.fullmatch("[a-z2-7]{26}", code) for code in codes)
    raw = parse_invitation(codes[0])
    assert hash_invitation(raw, stored.survey) != hash_invitation(raw, other.survey)
    (report,) = make_reports(1, OTHER)
    assert isinstance(count_here(store, other, [with_code(report, codes[0])])[0], InvitationError)


@pytest.mark.few(5)
@pytest.mark.parametrize(
    ("given", "status", "code"),
    [
        (None, 403, "invitation_required"),
        ('""', 403, "invitation_required"),
        ('"AAAA"', 403, "invitation_invalid"),
        (f'"{UNKNOWN}"', 403, "invitation_invalid"),
        ('"' + "1" * 26 + '"', 403, "invitation_invalid"),
        ('"a:' + "a" * 24 + '"', 403, "invitation_invalid"),
        ("null", 422, "bad_report"),
        ("7", 422, "bad_report"),
        ("OTHER", 403, "invitation_invalid"),
        ("USED", 403, "invitation_invalid"),
        ("REVOKED", 403, "invitation_invalid"),
    ],
)
def test_report_without_a_good_invitation_is_refused_with_its_place(
    house: House, given: str | None, status: int, code: str
) -> None:
    store, stored = house.collector.store, house.stored(INVITED)
    used, revoked, last = invite_reports(store, stored, make_reports(3, INVITED))
    assert house.send(INVITED, [used]).status_code == 200
    revoke_invitations(store, stored, [revoked.invitation])
    codes = {"USED": used.invitation, "REVOKED": revoked.invitation}
    codes["OTHER"] = make_invitations(store, house.stored(OTHER), 1)[0]
    text = f'"{codes[given]}"' if given in codes else given
    member = "" if text is None else f'"invitation":{text},'
    body = batch_body(INVITED, [last, with_code(make_reports(1, INVITED)[0], "")])
    body = body.replace(b'"id"', b'"@"', 1).replace(b'"id"', member.encode() + b'"id"').replace(b'"@"', b'"id"')
    response = house.http.post(f"{PATH}/reports", data=body, content_type=JSON)
    assert_refused(response, status, code)
    assert response.get_json(force=True)["where"].startswith("$.reports[1]")
    assert (text or "-").strip('"') not in response.text or text in ("7", '""', "null")
    assert store.count_tallied(stored.key) == 1
    assert count_invitations(store, stored) == {1: 1}


def test_invitation_in_an_open_survey_or_twice_in_a_report_is_refused(house: House) -> None:
    (code,) = make_invitations(house.collector.store, house.stored(INVITED), 1)
    response = house.send(SURVEY, [with_code(make_reports(1)[0], code)])
    assert_refused(response, 422, "bad_report")
    body = batch_body(INVITED, [with_code(make_reports(1, INVITED)[0], code)])
    doubled = body.replace(b'"invitation":', b'"invitation":"x:y","invitation":')
    response = house.http.post(f"{PATH}/reports", data=doubled, content_type=JSON)
    assert_refused(response, 422, "bad_report")
    assert response.get_json(force=True)["where"] == "$.reports[0].invitation"
    assert code not in response.text
    assert count_invitations(house.collector.store, house.stored(INVITED)) == {1: 1}


def test_invitation_is_taken_as_people_type_it(house: House) -> None:
    (code,) = make_invitations(house.collector.store, house.stored(INVITED), 1)
    typed = "-".join(code[start : start + 5].upper() for start in range(0, 26, 5))
    assert house.send(INVITED, [with_code(make_reports(1, INVITED)[0], typed)]).get_json()["counted"] == 1


def test_made_invitations_are_csv_that_nobody_keeps(house: House) -> None:
    response = house.administer("POST", f"{PATH}/invitations", {"count": 25})
    assert response.status_code == 201
    assert response.content_type == "text/csv; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-store"
    head, *codes = response.text.split("\r\n")[:-1]
    assert (head, len(set(codes))) == ("invitation", 25)
    assert house.administer("GET", f"{PATH}/invitations").get_json() == {"unused": [25], "n_reports": 0}
    reports = [with_code(report, code) for report, code in zip(make_reports(25, INVITED), codes, strict=True)]
    assert house.send(INVITED, reports).get_json() == {"counted": 25, "duplicates": 0, "conflicting": 0}
    assert house.administer("GET", f"{PATH}/invitations").get_json() == {"unused": [0], "n_reports": 25}


def test_invitations_are_revoked_one_by_one_or_all(house: House) -> None:
    waves = f"/v1/surveys/{INVITED_WAVES.id}/invitations"
    codes = house.administer("POST", waves, {"count": 4}).text.split()[1:]
    revoke = f"{waves}/revoke"
    assert house.administer("POST", revoke, {"invitations": codes[:1]}).get_json() == {"revoked": 3}  # a wave each
    assert house.administer("POST", revoke, {"invitations": codes[:1]}).get_json() == {"revoked": 0}
    assert house.administer("GET", waves).get_json()["unused"] == [3, 3, 3]
    bad = house.administer("POST", revoke, {"invitations": [codes[1], "c4n4ry"]})
    assert_refused(bad, 422, "bad_revocation")
    assert bad.get_json(force=True)["where"] == "$.invitations[1]"
    assert "c4n4ry" not in bad.text
    assert house.administer("GET", waves).get_json()["unused"] == [3, 3, 3]
    assert house.administer("POST", revoke, {"all": True}).get_json() == {"revoked": 9}


@pytest.mark.parametrize(
    ("rest", "sent", "code"),
    [
        ("", {"count": 0}, "bad_count"),
        ("", {"count": 100_001}, "bad_count"),
        ("", {"count": "5"}, "bad_request_body"),
        ("", {}, "bad_request_body"),
        ("", {"count": 1, "c4n4ry": 1}, "bad_request_body"),
        ("/revoke", {}, "bad_revocation"),
        ("/revoke", {"all": True, "invitations": [UNKNOWN]}, "bad_revocation"),
        ("/revoke", {"invitations": "c4n4ry"}, "bad_request_body"),
    ],
)
def test_request_that_makes_no_sense_is_refused(house: House, rest: str, sent: dict[str, Any], code: str) -> None:
    response = house.administer("POST", f"{PATH}/invitations{rest}", sent)
    assert_refused(response, 422, code)
    assert "c4n4ry" not in response.text


@pytest.mark.parametrize(("method", "rest"), [("POST", ""), ("GET", ""), ("POST", "/revoke")])
def test_open_survey_has_no_invitations(house: House, method: str, rest: str) -> None:
    response = house.administer(method, f"/v1/surveys/habits/invitations{rest}", {"count": 1})
    assert_refused(response, 409, "survey_not_invited")
