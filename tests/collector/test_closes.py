"""The last day of a survey: reports are taken until it is over, in UTC, by the collector's clock, and not after it."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from collecting import (
    INVITED,
    SMALL,
    SURVEY,
    TIMEOUT_S,
    Calendar,
    count_here,
    invite_reports,
    make_batch,
    make_reports,
    prepare,
    publish_here,
    serve,
    tally_of,
)
from house import JSON, House, assert_refused, open_house
from page_reading import password, read_page
from sotto_client.cli import main
from sotto_collector.day import today_utc
from sotto_collector.errors import SurveyClosedError
from sotto_collector.gauges import Gauges
from sotto_collector.intake.counting import Outcome
from sotto_collector.intake.writer import Writer
from sotto_collector.invitations import count_invitations
from sotto_collector.store import Store
from sotto_collector.store.recount import check_integrity
from sotto_protocol import Survey

pytestmark = pytest.mark.later("postgres", "thorough")  # the day is compared in Python

LAST, AFTER = "2026-12-31", "2027-01-01"
ENDING = replace(SURVEY, closes=LAST)
ENDING_INVITED = replace(INVITED, closes=LAST)
SAID = "the survey takes no more reports: its last day was 2026-12-31, in UTC."


@pytest.fixture
def calendar(store: Store) -> Calendar:
    store.today = calendar = Calendar(LAST)
    return calendar


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", ENDING, ENDING_INVITED, SMALL) as opened:
        opened.collector.store.today = Calendar(LAST)
        yield opened


def turn(house: House, day: str = AFTER) -> None:
    """Let it be another day, for whoever asks from now on."""
    house.collector.store.today = Calendar(day)
    for survey in (ENDING, ENDING_INVITED):
        house.collector.forget_survey(survey.id)  # as after a second
    house.collector.gauges = Gauges(house.collector.store)  # kept for longer where reading them took long


@pytest.mark.parametrize(
    ("day", "is_open"),
    [("2025-12-31", True), (LAST, True), (AFTER, False), ("2027-12-31", False), ("9999-01-01", False)],
)
def test_survey_is_open_up_to_its_last_day(store: Store, calendar: Calendar, day: str, is_open: bool) -> None:
    calendar.day = day
    assert publish_here(store, ENDING).is_open is is_open
    assert publish_here(store, SMALL).is_open


def test_today_is_a_day_as_surveys_write_it() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", today_utc())
    assert replace(SURVEY, closes=today_utc()).closes == today_utc()


def test_report_is_counted_on_the_last_day_and_refused_after_it(store: Store, calendar: Calendar) -> None:
    """Also where the survey was read when it was open; a repeat of what was counted is acknowledged."""
    stored, reports = publish_here(store, ENDING), make_reports(6)
    assert count_here(store, stored, reports[:4]) == [Outcome(4, 0, 0)]
    calendar.day = AFTER
    (refused,) = count_here(store, stored, reports)
    assert isinstance(refused, SurveyClosedError)
    assert str(refused) == SAID
    assert count_here(store, stored, reports[:4]) == [Outcome(0, 4, 0)]
    assert store.read_tally(stored) == tally_of(ENDING, reports[:4])
    store.close_survey(stored.key)  # too
    calendar.day = LAST
    assert [str(fault) for fault in count_here(store, stored, reports)] == ["the survey takes no more reports."]


def test_invitation_is_not_spent_after_the_last_day(store: Store, calendar: Calendar) -> None:
    stored = publish_here(store, ENDING_INVITED)
    reports = invite_reports(store, stored, make_reports(2, ENDING_INVITED))
    calendar.day = AFTER
    (refused,) = count_here(store, stored, reports)
    assert isinstance(refused, SurveyClosedError)
    assert count_invitations(store, stored) == {1: 2}
    calendar.day = LAST  # a clock that was ahead is set right
    assert count_here(store, stored, reports) == [Outcome(2, 0, 0)]


def test_reports_that_come_as_the_day_ends_are_each_counted_or_refused(db: str) -> None:
    """Two collectors whose clocks turn while reports come: nobody is told of a report what the tally does not say."""
    with closing(Store(db, today=(calendar := Calendar(LAST)))) as store, closing(Store(db, today=calendar)) as other:
        stored, reports = publish_here(store, ENDING), make_reports(120)
        writers = [Writer(each, max_queued_reports=1000) for each in (store, other)]

        def send(number: int) -> bool:
            if number == 60:
                calendar.day = AFTER
            try:
                return writers[number % 2].write(make_batch(stored, [reports[number]])) == Outcome(1, 0, 0)
            except SurveyClosedError:
                return False

        with ThreadPoolExecutor(6) as pool:
            counted = [task.result(TIMEOUT_S) for task in [pool.submit(send, number) for number in range(120)]]
        for writer in writers:
            writer.close()
        assert 0 < sum(counted) < 120
        known = [report for report, is_counted in zip(reports, counted, strict=True) if is_counted]
        assert store.read_tally(stored) == tally_of(ENDING, known)
        check_integrity(store)


def test_everybody_is_told_that_it_is_over(house: House) -> None:
    path = f"/v1/surveys/{ENDING.id}"
    assert house.send(ENDING, make_reports(3)).status_code == 200
    assert "survey over" not in house.http.get("/s/habits").text
    for day, state, is_open in ((LAST, "open until 2026-12-31", True), (AFTER, "closed", False)):
        turn(house, day)
        listed = house.http.get("/v1/surveys", headers=house.analyst).get_json()["surveys"]
        assert {(one["open"], one["closes"]) for one in listed if one["id"] == ENDING.id} == {(is_open, LAST)}
        rows = read_page(house.http.get("/s", headers=password(house.analyst))).table("3 surveys")
        assert [str(row[0]).count(f"{ENDING.id}: {state}, ") for row in rows].count(1) == 1
        metrics = house.http.get("/metrics", headers=house.analyst).text
        assert f'sotto_surveys{{state="open"}} {3 if is_open else 1}.0' in metrics
        assert f'sotto_surveys{{state="closed"}} {0 if is_open else 2}.0' in metrics
        assert ("data-closed" in house.http.get("/s/habits").text) is not is_open
    late = house.send(ENDING, make_reports(1))
    assert_refused(late, 409, "survey_closed")
    assert late.get_json(force=True)["detail"] == SAID
    check = house.http.post(f"/v1/surveys/{INVITED.id}/invitations/check", json={"invitation": "a" * 26})
    assert_refused(check, 409, "survey_closed")
    assert house.http.get(path).data == ENDING.canonical
    assert house.read_tally(ENDING).status_code == 200


def test_survey_is_erased_after_its_last_day_and_not_before(house: House) -> None:
    assert_refused(house.administer("DELETE", "/v1/surveys/habits"), 409, "survey_open")
    turn(house)
    erased = house.administer("DELETE", "/v1/surveys/habits").get_json()
    assert (erased["id"], erased["erased"], erased["certificate"]["what"]) == ("habits", True, "survey")


def publish(house: House, survey: Survey, path: str = "/v1/surveys") -> int:
    sent = house.http.post(path, data=survey.canonical, content_type=JSON, headers=house.admin)
    if sent.status_code == 422:
        assert_refused(sent, 422, "bad_survey")
        assert sent.get_json(force=True)["where"] == "$.closes"
    return sent.status_code


def test_survey_that_is_over_is_not_published_anew(house: House) -> None:
    turn(house)
    late = replace(ENDING, id="late")
    assert publish(house, late) == 422
    assert publish(house, late, "/v1/drafts") == 200
    assert publish(house, late) == 422
    assert publish(house, replace(late, closes=AFTER)) == 201
    assert publish(house, ENDING) == 200  # that very survey is there


def test_status_says_until_when(tmp_path: Path) -> None:
    over, going = replace(SMALL, id="over", closes="2020-01-01"), replace(SMALL, id="going", closes="9999-12-31")
    prepare(tmp_path / "survey.db", over, going)
    with serve(tmp_path / "survey.db") as served:
        said = CliRunner().invoke(main, ["status", served.url, "--token", served.analyst, "--interval-s", "0"]).stdout
        assert re.search(r"^going +open until 9999-12-31 +0 ", said, re.MULTILINE)
        assert re.search(r"^over +closed +0 ", said, re.MULTILINE)
        assert served.send(make_reports(1, over), over)[2]["code"] == "survey_closed"
