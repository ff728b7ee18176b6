"""kill -9 under load, SIGTERM one after the other: what was acknowledged is there, once, and nothing never sent."""

import random
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select

from collecting import COUNTED, COUNTED_INVITED, INVITED, SMALL, STRINGS, invite_reports, publish_here, serve
from crowd import FULL, Crowd, changed, check_stored, collectors
from sotto_collector.store import Store
from sotto_collector.store.schema import invitations
from sotto_protocol import Survey

CHANCE = random.Random(9)  # noqa: S311  # when to kill, no secret
SMALL_STEPS = "move-often"
PAUSE_S = 0.05


def kill_rounds(db: Path, n_rounds: int, survey: Survey = SMALL, change: str = "") -> Crowd:
    """Serve a crowd, kill the whole process group in the middle, look at what it left; so many times."""
    crowd = Crowd(survey)
    for _ in range(n_rounds):
        with serve(db, survey=survey, command=changed(change)) as served, crowd.at_work(served):
            crowd.wait_for(CHANCE.randint(5, 120))
            served.kill()
        crowd.check(db)
    return crowd


@pytest.mark.slow
@pytest.mark.parametrize(
    ("survey", "n_rounds"),
    [
        (SMALL, 2),
        pytest.param(STRINGS, 1, marks=pytest.mark.rare),
        pytest.param(COUNTED, 2, marks=pytest.mark.rare),
        (replace(STRINGS, keep="counts"), 1),
    ],
    ids=["one wave", "strings and waves", "counts alone", "counts of strings and waves"],
)
def test_killed_collector_loses_nothing_acknowledged_and_counts_nothing_twice(
    tmp_path: Path, survey: Survey, n_rounds: int
) -> None:
    crowd = kill_rounds(tmp_path / "survey.db", 50 if FULL else n_rounds, survey)
    with serve(tmp_path / "survey.db", survey=survey) as served:
        crowd.finish(tmp_path / "survey.db", served)
        assert served.stop() == (0, "", "")
    print(f"{len(crowd.acknowledged):,} reports")


@pytest.mark.parametrize(
    "survey", [pytest.param(SMALL, id="reports"), pytest.param(COUNTED, id="counts", marks=pytest.mark.rare)]
)
def test_collector_that_acknowledges_before_it_commits_is_found_out(tmp_path: Path, survey: Survey) -> None:
    """It commits 0.3 s late, and is killed as soon as the test hears of an acknowledgement: a round or two will do."""
    with pytest.raises(AssertionError, match="acknowledged reports are lost"):
        kill_rounds(tmp_path / "survey.db", 20, survey, change="acknowledge-early")


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize(
    "invited", [pytest.param(INVITED, id="reports", marks=pytest.mark.rare), pytest.param(COUNTED_INVITED, id="counts")]
)
def test_one_of_two_collectors_is_killed_and_the_other_goes_on(db: str, invited: Survey) -> None:
    """Each in turn; the crowd turns to the other, and back when it is there again. A report is stored, and its
    invitation used up, or neither.
    """
    crowd = Crowd(invited, pause_s=PAUSE_S)
    with collectors(db, 2, survey=invited, change=SMALL_STEPS) as (stays, goes), ExitStack() as started:
        store = started.enter_context(closing(Store(db)))
        survey = publish_here(store, invited)
        crowd.dress = lambda reports: invite_reports(store, survey, reports)
        with crowd.at_work(stays, goes):
            for _ in range(50 if FULL else 2):
                crowd.wait_for(CHANCE.randint(5, 120))
                goes.kill()
                crowd.ports = [stays.port]
                crowd.wait_for(crowd.n_clients)
                stays, goes = started.enter_context(serve(db, survey=invited, command=changed(SMALL_STEPS))), stays
                crowd.ports = [stays.port, goes.port]
        stored = check_stored(db, invited)
        assert count_invitations(store) == len(crowd.sent) - len(stored)
        crowd.finish(db, stays)
        assert count_invitations(store) == 0
    assert crowd.statuses.keys() <= {200, 503}
    print(f"{len(crowd.acknowledged):,} reports, {crowd.n_lost} requests cut, answers {dict(crowd.statuses)}")


def count_invitations(store: Store) -> int:
    with store.reader() as connection:
        return int(connection.execute(select(func.count()).select_from(invitations)).scalar_one())


@pytest.mark.slow
@pytest.mark.later("sqlite", "rare")
def test_two_collectors_are_restarted_one_after_the_other_and_no_report_is_lost(db: str) -> None:
    """As when a new version is rolled out: SIGTERM, wait, start, then the other. Clients only ever try again."""
    crowd = Crowd(pause_s=PAUSE_S)
    with collectors(db, 2, change=SMALL_STEPS) as (first, second), ExitStack() as started:
        with crowd.at_work(first, second):
            for _ in range(20 if FULL else 1):
                crowd.wait_for(4 * crowd.n_clients)
                crowd.ports = [second.port]  # as a balancer does; who has a connection still finishes on it
                code, _, err = first.stop()
                assert (code, err) == (0, "")
                first, second = second, started.enter_context(serve(db, survey=SMALL, command=changed(SMALL_STEPS)))
                crowd.ports = [first.port, second.port]
        crowd.finish(db, first)
    assert crowd.statuses.keys() == {200}
    print(f"{len(crowd.acknowledged):,} reports, {crowd.n_lost} requests cut")
