"""A survey that keeps counts alone: counted exactly once as any other, its reports stored nowhere, on both stores."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import CliRunner

import old_schemas
from collecting import (
    COUNTED,
    COUNTED_INVITED,
    INVITED,
    SMALL,
    STRINGS,
    SURVEY,
    check_store,
    count_and_fail,
    count_here,
    execute,
    invite_reports,
    make_batch,
    make_reports,
    publish_here,
    tally_of,
)
from sotto_client.cli import main
from sotto_collector.errors import BelowMinimumError, NotKeptError, StoreError, StoreUnavailableError, SurveyClosedError
from sotto_collector.intake.counting import Outcome
from sotto_collector.intake.writer import Writer
from sotto_collector.invitations import count_invitations
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.copy import copy_store
from sotto_collector.store.recount import Difference, check_integrity, recount_survey
from sotto_collector.store.releases import read_released
from sotto_collector.store.schema import metadata
from sotto_protocol import Report, Survey

pytestmark = pytest.mark.later("postgres", "thorough")  # test_counting.py has both

COUNTED_WAVES = replace(STRINGS, id="counted-waves", keep="counts")
SURVEYS = pytest.mark.parametrize("survey", [COUNTED, COUNTED_WAVES], ids=["one wave", "three waves"])


@pytest.fixture(params=["sqlite", "postgres"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(request.getfixturevalue("postgres_empty")) if request.param == "postgres" else str(tmp_path / "copy.db")


def tidy(store: Store) -> None:
    with closing(Writer(store, max_queued_reports=1000)) as writer:
        writer.tidy()


def check_counted(store: Store, stored: StoredSurvey, reports: list[Report]) -> None:
    """Hold that exactly these are counted, and that nothing but their ids is there."""
    assert store.read_tally(stored) == tally_of(stored.survey, reports)
    assert store.read_reports(stored) == [(key, b"") for key in sorted(report.id for report in reports)]
    assert store.count_tallied(stored.key) == len(reports)
    check_integrity(store)


@SURVEYS
def test_every_report_is_counted_once_and_its_id_alone_is_stored(store: Store, survey: Survey) -> None:
    stored = publish_here(store, survey)
    reports = make_reports(60, survey, survey.waves) + make_reports(40, survey)
    assert count_here(store, stored, reports[:70]) == [Outcome(70, 0, 0)]
    assert count_here(store, stored, reports[50:] + reports[50:60]) == [Outcome(30, 30, 0)]
    check_counted(store, stored, reports)
    for wave in range(1, survey.waves + 1):
        of_wave = [
            report for report in reports if int.from_bytes(report.record[: survey.layout.head_bytes]) in (0, wave)
        ]
        assert store.read_tally(stored, wave) == tally_of(survey, of_wave)


@SURVEYS
def test_it_stays_so_when_the_store_is_tidied_and_opened_again(db: str, store: Store, survey: Survey) -> None:
    stored, reports = publish_here(store, survey), make_reports(50, survey)
    count_here(store, stored, reports[:30])
    tidy(store)
    assert count_here(store, stored, reports[20:]) == [Outcome(20, 10, 0)]
    tidy(store)
    with closing(Store(db)) as again:
        assert count_here(again, publish_here(again, survey), reports) == [Outcome(0, 50, 0)]
        check_counted(again, publish_here(again, survey), reports)


@SURVEYS
def test_repeat_with_other_bits_is_a_repeat_for_nobody_knows_the_first_ones(store: Store, survey: Survey) -> None:
    stored, (first, *others) = publish_here(store, survey), make_reports(10, survey)
    changed = [Report(first.id, other.record) for other in others]
    assert count_here(store, stored, [first, *changed]) == [Outcome(1, 9, 0)]  # in one batch as well as afterwards
    assert count_here(store, stored, changed) == [Outcome(0, 9, 0)]
    check_counted(store, stored, [first])


def test_reports_that_come_to_two_collectors_at_once_are_counted_once(db: str, store: Store) -> None:
    stored, reports = publish_here(store, COUNTED), make_reports(400, COUNTED)
    with closing(Store(db)) as other, ThreadPoolExecutor(8) as pool:
        cuts = [(mine, start) for start in range(0, 400, 20) for mine in (store, other)]
        tasks = [pool.submit(count_here, mine, stored, reports[start : start + 40]) for mine, start in cuts]
        outcomes = [task.result()[0] for task in tasks]
    assert all(isinstance(outcome, Outcome) for outcome in outcomes)
    assert sum(outcome.n_counted for outcome in outcomes if isinstance(outcome, Outcome)) == 400
    check_counted(store, stored, reports)


def test_what_fails_in_the_middle_leaves_neither_an_id_nor_a_count(store: Store) -> None:
    stored, reports = publish_here(store, COUNTED), make_reports(10, COUNTED)
    with pytest.raises(StoreUnavailableError):
        count_and_fail(store, make_batch(stored, reports))
    check_counted(store, stored, [])
    assert count_here(store, stored, reports) == [Outcome(10, 0, 0)]


def test_closed_survey_acknowledges_repeats_and_takes_nothing_new(store: Store) -> None:
    stored, reports = publish_here(store, COUNTED), make_reports(10, COUNTED)
    count_here(store, stored, reports)
    store.close_survey(stored.key)
    assert count_here(store, stored, reports) == [Outcome(0, 10, 0)]
    (refused,) = count_here(store, stored, [*reports, *make_reports(1, COUNTED)])
    assert isinstance(refused, SurveyClosedError)
    check_counted(store, stored, reports)


def test_every_report_uses_up_one_invitation(store: Store) -> None:
    stored = publish_here(store, COUNTED_INVITED)
    reports = invite_reports(store, stored, make_reports(10, COUNTED_INVITED))
    assert count_here(store, stored, reports[:6]) == [Outcome(6, 0, 0)]
    assert count_here(store, stored, reports[:6]) == [Outcome(0, 6, 0)]
    stolen = replace(make_reports(1, COUNTED_INVITED)[0], invitation=reports[0].invitation)
    (refused,) = count_here(store, stored, [*reports[6:], stolen])
    assert isinstance(refused, Exception)
    assert count_invitations(store, stored) == {1: 4}
    check_counted(store, stored, reports[:6])


def test_tally_is_released_in_steps_as_any_others(store: Store) -> None:
    few = replace(COUNTED, id="few", min_reports=50)
    stored, reports = publish_here(store, few), make_reports(120, few)
    count_here(store, stored, reports[:49])
    with pytest.raises(BelowMinimumError):
        read_released(store, stored)
    count_here(store, stored, reports[49:70])
    assert read_released(store, stored) == tally_of(few, reports[:70])
    count_here(store, stored, reports[70:110])
    assert read_released(store, stored) == tally_of(few, reports[:70])
    count_here(store, stored, reports[110:])
    assert read_released(store, stored) == tally_of(few, reports)


def test_no_report_can_be_erased_read_or_recounted_and_nothing_changes(store: Store) -> None:
    stored, reports = publish_here(store, COUNTED), make_reports(20, COUNTED)
    count_here(store, stored, reports)
    said = "survey counted keeps only counts. It has no reports to erase, recount, export or associate"
    for receipt in (reports[3].id, make_reports(1, COUNTED)[0].id):  # of a report that was counted, and of none
        with pytest.raises(NotKeptError, match=said):
            store.erase_report(stored, receipt)
    for read in (store.open_records, store.recount):
        with pytest.raises(NotKeptError, match=said):
            read(stored)
    check_counted(store, stored, reports)


def test_recount_of_counts_finds_nothing_wrong_and_writes_nothing(store: Store) -> None:
    counted, kept = publish_here(store, COUNTED), publish_here(store, SMALL)
    reports = make_reports(20, COUNTED)
    for stored in (counted, kept):
        count_here(store, stored, reports)
    assert recount_survey(store, counted) == recount_survey(store, counted, fix=True) == []
    assert recount_survey(store, kept, fix=True) == []
    check_counted(store, counted, reports)


@pytest.mark.parametrize(
    ("statement", "n_tallied", "n_ids"),
    [
        ("UPDATE tallies SET n_reports = n_reports + 1 WHERE cell = 3", 51, 50),
        ("DELETE FROM tallies WHERE cell = 3", 30, 50),
        ("DELETE FROM inbox WHERE report_id = (SELECT min(report_id) FROM inbox)", 50, 49),
    ],
    ids=["a report too many", "a wave is gone", "an id is gone"],
)
def test_counts_that_are_not_of_as_many_reports_as_there_are_ids_are_found_and_cannot_be_fixed(
    store: Store, statement: str, n_tallied: int, n_ids: int
) -> None:
    stored = publish_here(store, COUNTED_WAVES)
    count_here(store, stored, make_reports(30, COUNTED_WAVES))
    count_here(store, stored, make_reports(20, COUNTED_WAVES, 3))
    execute(store, statement)
    differences = [Difference("counted-waves", None, n_tallied, n_ids, 0)]
    assert (
        recount_survey(store, stored)
        == recount_survey(store, stored, fix=True)
        == recount_survey(store, stored)
        == differences
    )
    assert not differences[0].can_be_fixed
    with pytest.raises(StoreError, match="tally of counted-waves differs"):
        check_integrity(store)


@pytest.mark.later("postgres", "thorough")
def test_copy_has_the_counts_and_counts_on(store: Store, target: str) -> None:
    stored, reports = publish_here(store, COUNTED), make_reports(30, COUNTED)
    count_here(store, stored, reports[:10])
    tidy(store)
    count_here(store, stored, reports[10:20])
    copy_store(store, target)
    with closing(Store(target)) as copy:
        copied = publish_here(copy, COUNTED)
        check_counted(copy, copied, reports[:20])
        assert count_here(copy, copied, reports) == [Outcome(10, 20, 0)]
    check_store(target)


def test_whole_survey_can_be_erased(store: Store) -> None:
    stored, other = publish_here(store, COUNTED_INVITED), publish_here(store, INVITED)
    for survey in (stored, other):
        count_here(store, survey, invite_reports(store, survey, make_reports(5, survey.survey)))
    store.close_survey(stored.key)
    store.erase_survey(stored.key)
    with store.reader() as connection:
        for table in metadata.sorted_tables:
            if "survey_key" in table.c:
                assert stored.key not in connection.execute(table.select()).scalars().all(), table.name
    assert store.read_tally(other).n_reports == 5


def test_upgrade_that_would_drop_the_counts_is_refused_and_leaves_all_as_it_was(empty_db: str) -> None:
    """No program of that schema could publish such a survey; but counts that are dropped are gone."""
    with patch.object(old_schemas, "SMALL", replace(SMALL, keep="counts")):
        old_schemas.make_old(empty_db, 2, {SURVEY.id: make_reports(5), SMALL.id: make_reports(5, SMALL)})
    for _ in range(2):
        result = CliRunner().invoke(main, ["db", "upgrade", "--db", empty_db])
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == "Error: survey small keeps only counts, which cannot be counted again.\n"
