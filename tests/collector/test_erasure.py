"""Erasure: a report by its receipt, or a whole survey; tallies are those of what is left, and nothing comes back."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select

from collecting import INVITED, SMALL, STRINGS, SURVEY, count_here, invite_reports, make_reports, publish_here, tally_of
from house import JSON, House, assert_refused, open_house
from sotto_collector.errors import SurveyOpenError
from sotto_collector.intake.counting import Outcome
from sotto_collector.intake.writer import Writer
from sotto_collector.invitations import make_invitations
from sotto_collector.store import Store
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.schema import metadata
from sotto_protocol import Report, Survey, Tally

pytestmark = pytest.mark.later("postgres", "thorough")  # test_store.py and test_store_postgres.py erase, too

HABITS = "/v1/surveys/habits"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SURVEY, SMALL) as opened:
        yield opened


def tidy(store: Store) -> None:
    with closing(Writer(store, max_queued_reports=1000)) as writer:
        writer.tidy()


@pytest.mark.parametrize("is_tidy", [False, True], ids=["in the inbox", "among the others"])
@pytest.mark.parametrize("survey", [SURVEY, STRINGS], ids=["one wave", "three waves"])
def test_erased_report_leaves_reports_and_tallies_and_a_repeat_is_not_counted(
    store: Store, survey: Survey, is_tidy: bool
) -> None:
    stored = publish_here(store, survey)
    gone, *kept = make_reports(20, survey, survey.waves) + make_reports(10, survey, 1)
    count_here(store, stored, [gone, *kept])
    if is_tidy:
        tidy(store)
    assert store.erase_report(stored, make_reports(1, survey)[0].id) is False
    assert store.erase_report(stored, gone.id) is True
    assert store.erase_report(stored, gone.id) is True  # who was not answered asks again
    for _ in range(2):
        assert store.read_tally(stored) == tally_of(survey, kept) == store.recount(stored)
        check_integrity(store)
        with store.open_records(stored) as records:
            assert records.n_records == 29
            content = b"".join(records.chunks())
        assert content == b"".join(report.record for report in sorted(kept, key=lambda report: report.id))
        changed = Report(gone.id, kept[0].record)
        assert count_here(store, stored, [gone, changed, kept[0]]) == [Outcome(0, 3, 0)]
        tidy(store)
    assert dict(store.read_reports(stored))[gone.id] == b""


def test_only_report_of_a_wave_can_be_erased(store: Store) -> None:
    stored, (report,) = publish_here(store, STRINGS), make_reports(1, STRINGS, 2)
    count_here(store, stored, [report])
    assert store.erase_report(stored, report.id)
    assert store.read_tally(stored) == store.read_tally(stored, 2) == Tally.empty(STRINGS) == store.recount(stored)
    assert store.read_tally(stored).waves == ()
    check_integrity(store)


def test_report_that_is_erased_from_many_places_at_once_is_erased_once(db: str, store: Store) -> None:
    stored, reports = publish_here(store, SMALL), make_reports(60, SMALL)
    with closing(Store(db)) as other, ThreadPoolExecutor(8) as pool:
        for start in range(0, 60, 10):  # by another process than the one that counted it, while others are counted
            count_here(other, stored, reports[start : start + 10])
            erasing = [pool.submit(mine.erase_report, stored, reports[start].id) for mine in (store, other) * 4]
            assert all(task.result() for task in erasing)
            check_integrity(store)
    assert store.read_tally(stored) == tally_of(SMALL, [r for index, r in enumerate(reports) if index % 10])
    check_integrity(store)


def test_erased_report_does_not_give_its_invitation_back(store: Store) -> None:
    stored = publish_here(store, INVITED)
    (report,) = invite_reports(store, stored, make_reports(1, INVITED))
    count_here(store, stored, [report])
    store.erase_report(stored, report.id)
    (other,) = make_reports(1, INVITED)
    (fault,) = count_here(store, stored, [Report(other.id, other.record, report.invitation)])
    assert isinstance(fault, Exception)
    assert store.read_tally(stored) == Tally.empty(INVITED)


def test_erased_survey_is_gone_with_all_that_was_its_own_and_others_stay(store: Store) -> None:
    stored, small = publish_here(store, INVITED), publish_here(store, SMALL)
    count_here(store, stored, invite_reports(store, stored, make_reports(30, INVITED)))
    make_invitations(store, stored, 5)
    reports = make_reports(10, SMALL)
    count_here(store, small, reports)
    tidy(store)
    count_here(store, stored, invite_reports(store, stored, make_reports(3, INVITED)))
    with pytest.raises(SurveyOpenError):
        store.erase_survey(stored.key)
    store.close_survey(stored.key)
    store.erase_survey(stored.key)
    assert store.find_survey(INVITED.id) is None
    with store.reader() as connection:
        for table in metadata.sorted_tables:
            if "survey_key" in table.c:
                of_it = select(func.count()).select_from(table).where(table.c.survey_key == stored.key)
                assert connection.execute(of_it).scalar_one() == 0, table.name
    assert store.read_tally(small) == tally_of(SMALL, reports)
    check_integrity(store)


def test_another_survey_may_take_the_id_of_an_erased_one_and_is_empty(store: Store) -> None:
    stored, reports = publish_here(store), make_reports(10)
    count_here(store, stored, reports)
    store.close_survey(stored.key)
    store.erase_survey(stored.key)
    other = publish_here(store, replace(SURVEY, title="Other habits"))
    assert store.read_tally(other) == Tally.empty(other.survey)
    assert count_here(store, other, reports) == [Outcome(10, 0, 0)]


def test_batch_that_comes_for_a_survey_that_was_just_erased_is_refused_and_nothing_stays(store: Store) -> None:
    stored = publish_here(store)
    store.close_survey(stored.key)
    store.erase_survey(stored.key)
    (fault,) = count_here(store, stored, make_reports(5))
    assert isinstance(fault, Exception)
    assert store.read_reports(stored) == []


def test_whoever_has_the_receipt_may_erase_the_report(house: House) -> None:
    reports = make_reports(5)
    house.send(SURVEY, reports)
    for _ in range(2):
        response = house.erase("habits", reports[0].receipt)
        assert (response.status_code, response.get_json()) == (200, {"id": "habits", "erased": True})
    assert house.send(SURVEY, reports).get_json() == {"counted": 0, "duplicates": 5, "conflicting": 0}
    assert Tally.from_json(house.read_tally(SURVEY).data) == tally_of(SURVEY, reports[1:])


def test_report_of_a_closed_survey_can_be_erased(house: House) -> None:
    reports = make_reports(5)
    house.send(SURVEY, reports)
    house.administer("POST", f"{HABITS}/close")
    assert house.erase("habits", reports[0].receipt).status_code == 200
    assert house.send(SURVEY, reports).get_json()["duplicates"] == 5
    assert house.read_tally(SURVEY).get_json()["n_reports"] == 4


@pytest.mark.parametrize("receipt", ["c4n4ry", "0" * 31, "0" * 33, "A" * 32, "%00" * 16])
def test_receipt_that_is_none_is_refused_and_not_echoed(house: House, receipt: str) -> None:
    response = house.erase("habits", receipt)
    assert_refused(response, 422, "bad_receipt")
    assert response.get_json(force=True)["where"] == "$.receipt"
    assert receipt not in response.text


@pytest.mark.parametrize("body", ["[]", "{}", '{"receipt": 5}', f'{{"receipt": "{"0" * 32}", "why": "c4n4ry"}}'])
def test_body_that_names_no_receipt_is_refused(house: House, body: str) -> None:
    response = house.http.post(f"{HABITS}/erase", data=body, content_type=JSON)
    assert_refused(response, 422, "bad_request_body")
    assert "c4n4ry" not in response.text


def test_receipt_stands_in_no_address(house: House) -> None:
    (report,) = make_reports(1)
    house.send(SURVEY, [report])
    assert house.http.delete(f"{HABITS}/reports/{report.receipt}").status_code == 404
    assert not [rule.rule for rule in house.app.url_map.iter_rules() if "receipt" in rule.rule]
    assert house.read_tally(SURVEY).get_json()["n_reports"] == 1


def test_receipt_is_good_in_its_own_survey_only(house: House) -> None:
    (report,) = make_reports(1)
    house.send(SURVEY, [report])
    assert_refused(house.erase("small", report.receipt), 404, "no_such_report")
    assert_refused(house.erase("nobody", report.receipt), 404, "no_such_survey")
    assert_refused(house.erase("habits", "0" * 32), 404, "no_such_report")
    assert house.read_tally(SURVEY).get_json()["n_reports"] == 1


def test_survey_is_erased_by_an_admin_once_it_is_closed(house: House) -> None:
    house.send(SURVEY, make_reports(5))
    assert_refused(house.administer("DELETE", HABITS), 409, "survey_open")
    house.administer("POST", f"{HABITS}/close")
    response = house.administer("DELETE", HABITS)
    assert (response.status_code, response.get_json()["erased"]) == (200, True)
    assert_refused(house.http.get(HABITS), 404, "no_such_survey")
    assert_refused(house.send(SURVEY, make_reports(1)), 404, "no_such_survey")
    assert_refused(house.administer("DELETE", HABITS), 404, "no_such_survey")
