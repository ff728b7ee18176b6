"""What is erased leaves nothing: not in the file, not in a shard of the tally, not for a survey of the same id."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from collecting import SMALL, SURVEY, TIMEOUT_S, count_here, make_reports, publish_here, tally_of
from house import House, assert_refused, open_house
from sotto_collector.app import create_app
from sotto_collector.settings import Settings
from sotto_collector.store import Store
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.schema import reports, tallies
from sotto_collector.store.transaction import unpack_row
from sotto_protocol import compile_toml

WIDE = compile_toml("""
id = "wide"
title = "Wide"
[[questions]]
id = "town"
type = "one-of"
text = "?"
options = ["a", "b", "c"]
mechanism = "sue"
epsilon = 1.0
""")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SURVEY, SMALL) as opened:
        yield opened


def wait_until_forgotten(path: Path, records: list[bytes]) -> None:
    """Return once none of these is in the file or its log; polled, for nothing announces it."""
    deadline = time.monotonic() + TIMEOUT_S
    while any(record in part.read_bytes() for part in path.parent.glob("survey.db*") for record in records):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_erased_reports_leave_the_file_though_no_other_report_comes(house: House, tmp_path: Path) -> None:
    sent = make_reports(20)
    house.send(SURVEY, sent)
    ids = [report.id for report in sent]
    assert any(ids[0] in part.read_bytes() for part in tmp_path.glob("survey.db*"))  # the check can fail
    for report in sent[:3]:
        assert house.erase(SURVEY.id, report.receipt).status_code == 200
    house.administer("POST", "/v1/surveys/habits/close")
    assert house.administer("DELETE", "/v1/surveys/habits").status_code == 200
    wait_until_forgotten(tmp_path / "survey.db", ids)


def test_reports_to_an_erased_survey_are_not_counted_in_another_of_its_id(house: House, tmp_path: Path) -> None:
    successor = compile_toml(
        'id = "habits"\ntitle = "New"\n[[questions]]\nid = "affair"\ntype = "yes-no"\ntext = "Not?"\nepsilon = 1.0'
    )
    other = create_app(Settings(db=str(tmp_path / "survey.db"), min_free_bytes=0))
    with closing(other.extensions["collector"]) as collector:
        known = collector.find_survey("habits")
        house.administer("POST", "/v1/surveys/habits/close")
        house.administer("DELETE", "/v1/surveys/habits")
        stored = publish_here(house.collector.store, successor)
        assert known is not None
        assert stored.key != known.key
        collector._surveys["habits"] = time.monotonic() + TIMEOUT_S, known  # it has not heard of the change yet
        late = house._replace(http=other.test_client()).send(SURVEY, make_reports(5))
        assert_refused(late, 409, "survey_closed")
        assert collector.store.read_tally(stored).n_reports == 0


def test_no_shard_of_a_tally_is_an_erased_report_taken_away(postgres_db: str) -> None:
    with closing(Store(postgres_db)) as first, closing(Store(postgres_db)) as second:
        first._shard, second._shard = 1, 2
        stored, sent = publish_here(first, SURVEY), make_reports(30)
        count_here(first, stored, sent)
        assert second.erase_report(stored, sent[0].id)
        with second.reader() as connection:
            shards = connection.execute(select(tallies.c.n_reports, tallies.c.counts)).all()
        assert [
            (n_reports, int(unpack_row(1, n_reports, counts).counts.min()) >= 0) for n_reports, counts in shards
        ] == [(29, True)]
        assert second.read_tally(stored) == tally_of(SURVEY, sent[1:])
        check_integrity(second)


@pytest.mark.thorough
def test_survey_is_erased_while_its_reports_are_being_written_anew(postgres_db: str) -> None:
    with closing(Store(postgres_db)) as first, closing(Store(postgres_db)) as second, ThreadPoolExecutor(1) as pool:
        for number in range(3):
            survey = replace(WIDE, id=f"wide-{number}")
            stored = publish_here(first, survey)
            count_here(first, stored, make_reports(3000, survey))
            first.close_survey(stored.key)
            rewriting = pool.submit(second.rewrite)
            first.erase_survey(stored.key)
            rewriting.result(TIMEOUT_S)
            with first.reader() as connection:
                assert connection.execute(select(reports.c.report_id)).first() is None


@pytest.mark.parametrize("survey_id", ["%00", "a%00b", "%ff", "A", "x" * 65])
def test_survey_id_that_none_can_have_is_unknown(house: House, survey_id: str) -> None:
    assert_refused(house.http.get(f"/v1/surveys/{survey_id}"), 404, "no_such_survey")
