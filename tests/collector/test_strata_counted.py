"""Strata: a report is counted in the stratum of its invitation, whatever its sender says, and in no other."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from archiving import export_store
from collecting import INVITED, STRINGS, check_store, count_here, execute, make_reports, publish_here
from house import JSON, House, assert_refused, open_house
from sotto_collector.archive.recount import recount
from sotto_collector.errors import BelowMinimumError, InvitationError
from sotto_collector.intake.counting import Outcome
from sotto_collector.invitations import count_invitations, make_invitations, revoke_invitations
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.copy import copy_store
from sotto_collector.store.recount import check_integrity, recount_survey
from sotto_collector.store.releases import read_released, read_released_waves
from sotto_protocol import Report, Survey, Tally, batch_body, stack_records
from sotto_protocol.record import STRATUM

pytestmark = pytest.mark.later("postgres", "rare")  # a stratum is a cell, as a wave is

STRATA = ("north", "south", "east side")
DEPARTMENTS = replace(INVITED, id="departments", strata=STRATA)
YEARLY = replace(STRINGS, id="yearly", invited=True, strata=STRATA)
PATH = f"/v1/surveys/{DEPARTMENTS.id}"


def invite_in(store: Store, stored: StoredSurvey, stratum: int, n_reports: int, wave: int = 1) -> list[Report]:
    """Return so many reports with invitations of a stratum; what their records say of it is another one."""
    codes = make_invitations(store, stored, n_reports, stratum)
    reports = make_reports(n_reports, stored.survey, wave)
    return [replace(report, invitation=code) for report, code in zip(reports, codes, strict=True)]


def tally_in(survey: Survey, stratum: int, reports: list[Report]) -> Tally:
    records = stack_records([report.record for report in reports])
    return Tally.of(survey, survey.layout.put(records, STRATUM, [stratum] * len(reports)))


@pytest.mark.parametrize("survey", [DEPARTMENTS, replace(DEPARTMENTS, keep="counts"), YEARLY], ids=str)
def test_a_report_is_counted_in_the_stratum_of_its_invitation(store: Store, survey: Survey) -> None:
    stored = publish_here(store, survey)
    north, south = invite_in(store, stored, 1, 20), invite_in(store, stored, 2, 7)
    last = invite_in(store, stored, 1, 4, survey.waves)
    mixed = [report for both in zip(north, south, strict=False) for report in both] + north[7:]
    assert count_here(store, stored, mixed) == [Outcome(27, 0, 0)]
    assert count_here(store, stored, last) == [Outcome(4, 0, 0)]
    assert store.read_tally(stored, stratum=1) == tally_in(survey, 1, north + last)
    assert store.read_tally(stored, stratum=2) == tally_in(survey, 2, south)
    assert store.read_tally(stored, stratum=3) == Tally.empty(survey)
    assert store.read_tally(stored) == tally_in(survey, 1, north + south + last)
    if survey.waves > 1:
        assert store.read_tally(stored, survey.waves, 1) == tally_in(survey, 1, last)
        assert store.read_tally(stored, 1) == tally_in(survey, 1, north + south)
    if survey.keeps_reports:
        for wave in (None, 1, survey.waves):
            for stratum in (None, 1, 2, 3):
                assert store.recount(stored, wave, stratum) == store.read_tally(stored, wave, stratum)
    check_integrity(store)


def test_an_invitation_of_several_waves_stays_in_its_stratum(store: Store) -> None:
    stored = publish_here(store, YEARLY)
    (code,) = make_invitations(store, stored, 1, 3)
    for wave in (2, 1, 3):
        (report,) = make_reports(1, YEARLY, wave)
        assert count_here(store, stored, [replace(report, invitation=code)]) == [Outcome(1, 0, 0)]
    assert store.read_tally(stored, stratum=3).reports_by_wave == {1: 1, 2: 1, 3: 1}
    (fault,) = count_here(store, stored, [replace(make_reports(1, YEARLY, 2)[0], invitation=code)])
    assert isinstance(fault, InvitationError)


def test_a_repeat_is_no_conflict_and_stays_in_its_stratum_under_any_invitation(store: Store) -> None:
    stored = publish_here(store, DEPARTMENTS)
    reports = invite_in(store, stored, 2, 5)
    (spare,) = make_invitations(store, stored, 1, 1)
    assert count_here(store, stored, reports) == [Outcome(5, 0, 0)]
    assert count_here(store, stored, reports) == [Outcome(0, 5, 0)]
    assert count_here(store, stored, [replace(reports[0], invitation=spare)]) == [Outcome(0, 1, 0)]
    assert count_here(store, stored, [reports[3], *invite_in(store, stored, 3, 2)]) == [Outcome(2, 1, 0)]
    other = replace(make_reports(1, DEPARTMENTS)[0], id=reports[0].id, invitation=spare)
    differs = other.record[2:] != reports[0].record[2:]
    assert count_here(store, stored, [other]) == [Outcome(0, 1, int(differs))]
    assert store.erase_report(stored, reports[4].id)
    assert count_here(store, stored, reports) == [Outcome(0, 5, 0)]
    store.close_survey(stored.key)
    assert count_here(store, stored, reports) == [Outcome(0, 5, 0)]
    assert store.read_tally(stored, stratum=2) == tally_in(DEPARTMENTS, 2, reports[:4])
    assert count_invitations(store, stored) == {1: 1}
    check_integrity(store)


@pytest.mark.parametrize("keep", ["reports", "counts"])
def test_an_id_twice_in_a_batch_is_a_repeat_whatever_its_second_invitation_is(store: Store, keep: Any) -> None:
    stored = publish_here(store, replace(DEPARTMENTS, keep=keep))
    reports = [report for place in (1, 2, 3) for report in invite_in(store, stored, place, 1)]
    spare, revoked = make_invitations(store, stored, 2, 2)
    revoke_invitations(store, stored, [revoked])
    for report, again in zip(reports, (spare, revoked, reports[0].invitation), strict=True):
        batch = [report, replace(report, invitation=again)]
        assert count_here(store, stored, batch) == [Outcome(1, 1, 0)]
        assert count_here(store, stored, batch) == [Outcome(0, 2, 0)]
    for place, report in enumerate(reports, 1):
        assert store.read_tally(stored, stratum=place) == tally_in(stored.survey, place, [report])
    (first,) = invite_in(store, stored, 1, 1)
    flipped = bytes([*first.record[:-1], first.record[-1] ^ 128])  # another answer to the last question
    other = replace(first, record=flipped, invitation=spare)
    assert count_here(store, stored, [first, other]) == [Outcome(1, 1, int(keep == "reports"))]
    (fault,) = count_here(store, stored, [replace(make_reports(1, DEPARTMENTS)[0], invitation=revoked)] * 2)
    assert isinstance(fault, InvitationError)
    assert count_invitations(store, stored) == {1: 1}
    check_integrity(store)


def test_one_bad_invitation_refuses_the_batch_whole(store: Store) -> None:
    stored = publish_here(store, DEPARTMENTS)
    reports = invite_in(store, stored, 1, 6) + invite_in(store, stored, 2, 6)
    revoke_invitations(store, stored, [reports[8].invitation])
    (fault,) = count_here(store, stored, reports)
    assert isinstance(fault, InvitationError)
    assert fault.index == 8
    twice = [*reports[:3], replace(reports[3], invitation=reports[2].invitation)]
    (fault,) = count_here(store, stored, twice)
    assert isinstance(fault, InvitationError)
    assert (store.read_reports(stored), store.read_tally(stored)) == ([], Tally.empty(DEPARTMENTS))
    assert [count_invitations(store, stored, stratum)[1] for stratum in (1, 2, 3, None)] == [6, 5, 0, 11]


def test_more_reports_than_a_statement_takes_values_are_counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_collector.store.transaction.HASHES_AT_ONCE", 7)
    stored = publish_here(store, DEPARTMENTS)
    reports = {place: invite_in(store, stored, place, 10) for place in (1, 2, 3)}
    assert count_here(store, stored, [*reports[1], *reports[2], *reports[3]]) == [Outcome(30, 0, 0)]
    for place, sent in reports.items():
        assert store.read_tally(stored, stratum=place) == tally_in(DEPARTMENTS, place, sent)


def test_erasure_takes_a_report_out_of_its_stratum_alone(store: Store) -> None:
    stored = publish_here(store, YEARLY)
    north, south = invite_in(store, stored, 1, 9, 2), invite_in(store, stored, 2, 9, 2)
    count_here(store, stored, north + south)
    assert store.erase_report(stored, south[4].id)
    assert store.read_tally(stored, stratum=2) == tally_in(YEARLY, 2, south[:4] + south[5:])
    assert store.read_tally(stored, stratum=1) == tally_in(YEARLY, 1, north)
    check_integrity(store)


def test_recount_finds_a_report_that_is_counted_in_another_stratum_and_mends_it(store: Store) -> None:
    stored = publish_here(store, DEPARTMENTS)
    north, south = invite_in(store, stored, 1, 9), invite_in(store, stored, 2, 4)
    count_here(store, stored, north + south)
    execute(store, "UPDATE tallies SET cell = 3 WHERE cell = 2")
    found = recount_survey(store, stored)
    assert [(of.cell, of.n_tallied, of.n_stored) for of in found] == [(2, 0, 4), (3, 4, 0)]
    assert DEPARTMENTS.say_cell(2) == "wave 1 of stratum south"
    recount_survey(store, stored, fix=True)
    assert store.read_tally(stored, stratum=2) == tally_in(DEPARTMENTS, 2, south)


def test_a_copy_has_the_strata_too(store: Store, tmp_path: Path) -> None:
    stored = publish_here(store, DEPARTMENTS)
    reports = invite_in(store, stored, 3, 12)
    count_here(store, stored, reports[:9])
    copy_store(store, str(tmp_path / "copy.db"))
    check_store(tmp_path / "copy.db")
    with closing(Store(tmp_path / "copy.db")) as copy:
        there = publish_here(copy, DEPARTMENTS)
        assert count_here(copy, there, reports[9:]) == [Outcome(3, 0, 0)]
        assert copy.read_tally(there, stratum=3) == tally_in(DEPARTMENTS, 3, reports)


def test_a_least_number_of_reports_holds_of_every_stratum_and_of_all(store: Store) -> None:
    """No two responses, of whatever, differ by fewer reports than the survey promises, but by none."""
    survey = replace(DEPARTMENTS, min_reports=10)
    stored = publish_here(store, survey)
    given: dict[int | None, Tally] = {stratum: Tally.empty(survey) for stratum in (None, 1, 2, 3)}
    counted: dict[int | None, list[Report]] = {1: [], 2: [], 3: []}
    for stratum, n_reports in ((1, 4), (2, 9), (1, 7), (2, 1), (3, 5), (1, 9), (3, 4), (1, 1), (3, 30)):
        reports = invite_in(store, stored, stratum, n_reports)
        count_here(store, stored, reports)
        counted[stratum] += reports
        for asked in given:
            try:
                now = read_released(store, stored, stratum=asked)
            except BelowMinimumError:
                now = Tally.empty(survey)
            assert now.n_reports - given[asked].n_reports not in range(1, 10)
            assert now == given[asked] or now.n_reports > given[asked].n_reports
            given[asked] = now
        strata = [given[place] for place in (1, 2, 3)]
        assert given[None] == strata[0] + strata[1] + strata[2]
        assert read_released_waves(store, stored) == ({1: given[None]} if given[None].n_reports else {})
    assert [given[place].n_reports for place in (1, 2, 3)] == [21, 10, 39]
    assert given[1] == tally_in(survey, 1, counted[1])


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", DEPARTMENTS, YEARLY, INVITED) as opened:
        yield opened


def invite(house: House, sent: dict[str, Any], survey: Survey = DEPARTMENTS) -> Any:
    return house.administer("POST", f"/v1/surveys/{survey.id}/invitations", sent)


def test_invitations_tallies_and_records_are_asked_for_by_the_name_of_a_stratum(house: House) -> None:
    answered = invite(house, {"count": 6, "stratum": "east side"})
    codes = answered.text.split()[1:]
    reports = [replace(one, invitation=code) for one, code in zip(make_reports(4, DEPARTMENTS), codes, strict=False)]
    assert house.send(DEPARTMENTS, reports).get_json()["counted"] == 4
    tally = Tally.from_json(house.read_tally(DEPARTMENTS, "?stratum=east+side").data)
    assert tally == tally_in(DEPARTMENTS, 3, reports) == Tally.from_json(house.read_tally(DEPARTMENTS).data)
    assert Tally.from_json(house.read_tally(DEPARTMENTS, "?stratum=north").data) == Tally.empty(DEPARTMENTS)
    for query, n_records in (("", 4), ("?stratum=east%20side", 4), ("?stratum=south", 0)):
        records = house.http.get(f"{PATH}/records{query}", headers=house.analyst).data
        assert len(records) == len(DEPARTMENTS.canonical) + 1 + n_records * DEPARTMENTS.layout.n_bytes
    for query, unused, n_reports in (("", 2, 4), ("?stratum=east+side", 2, 4), ("?stratum=south", 0, 0)):
        left = house.administer("GET", f"{PATH}/invitations{query}").get_json()
        assert left == {"unused": [unused], "n_reports": n_reports}


@pytest.mark.parametrize("stratum", [None, "", "West", "north ", "NORTH"])
def test_invitations_of_no_stratum_that_there_is_are_refused(house: House, stratum: str | None) -> None:
    response = invite(house, {"count": 1} | ({} if stratum is None else {"stratum": stratum}))
    assert_refused(response, 404, "no_such_stratum")
    assert "one of the survey's: north, south, east side" in response.get_json(force=True)["detail"]
    assert house.administer("GET", f"{PATH}/invitations").get_json() == {"unused": [0], "n_reports": 0}


def test_a_survey_without_strata_has_none(house: House) -> None:
    assert_refused(invite(house, {"count": 1, "stratum": "north"}, INVITED), 404, "no_such_stratum")
    for route in ("tally", "records"):
        response = house.http.get(f"/v1/surveys/{INVITED.id}/{route}?stratum=north", headers=house.analyst)
        assert_refused(response, 404, "no_such_stratum")
    assert invite(house, {"count": 1}, INVITED).status_code == 201


@pytest.mark.parametrize("query", ["?stratum=", "?stratum=West", "?stratum=1", "?stratum=north&stratum=south"])
def test_a_stratum_that_there_is_not_is_refused(house: House, query: str) -> None:
    assert_refused(house.read_tally(DEPARTMENTS, query), 404, "no_such_stratum")
    assert_refused(house.http.get(f"{PATH}/records{query}", headers=house.analyst), 404, "no_such_stratum")


@pytest.mark.parametrize("stratum", [1, 2, "north", None])
def test_a_sender_cannot_say_of_which_stratum_a_report_is(house: House, stratum: object) -> None:
    code = invite(house, {"count": 1, "stratum": "south"}).text.split()[1]
    (report,) = [replace(one, invitation=code) for one in make_reports(1, DEPARTMENTS)]
    body = batch_body(DEPARTMENTS, [report]).rstrip()
    said = {None: b"null", "north": b'"north"'}.get(stratum, str(stratum).encode())  # type: ignore[call-overload]
    spoken = body.replace(b'"id":', b'"stratum":' + said + b',"id":')
    assert_refused(house.http.post(f"{PATH}/reports", data=spoken, content_type=JSON), 422, "bad_report")
    assert house.http.post(f"{PATH}/reports", data=body, content_type=JSON).status_code == 200
    assert Tally.from_json(house.read_tally(DEPARTMENTS, "?stratum=south").data).n_reports == 1


def test_an_archive_has_a_column_with_the_stratum_of_every_report(db: str, tmp_path: Path) -> None:
    with closing(Store(db)) as store:
        stored = publish_here(store, YEARLY)
        sent = {place: invite_in(store, stored, place, 5 * place, 2) for place in (1, 2, 3)}
        for reports in sent.values():
            count_here(store, stored, reports)
        export_store(db, YEARLY.id, tmp_path / "archive", 3)
        assert recount(tmp_path / "archive", n_workers=1) == store.read_tally(stored)
    columns = [pq.read_table(path)["stratum"].to_pylist() for path in (tmp_path / "archive").glob("part-*")]
    assert sorted(place for column in columns for place in column) == [1] * 5 + [2] * 10 + [3] * 15
