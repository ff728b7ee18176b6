"""The clock is set by a day, forward and back, while reports come."""

import mmap
import struct
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from collecting import SMALL, Served, make_reports, publish_here, serve
from crowd import Crowd
from shims import compile_shim
from sotto_collector.store import Store

DAY_S = 86_400


def told_time(served: Served) -> datetime:
    """Return the time that the collector believes it is, as its answers say."""
    return parsedate_to_datetime(served.fetch("GET", f"/v1/surveys/{SMALL.id}")[1]["Date"])


def test_clock_that_is_set_by_a_day_under_load_loses_nothing_and_counts_nothing_twice(tmp_path: Path) -> None:
    """What is reported of connections that were cut is sent again; and the collector never falls over."""
    db, step_file, crowd = tmp_path / "survey.db", tmp_path / "step", Crowd()
    step_file.write_bytes(bytes(8))
    env = {"LD_PRELOAD": str(compile_shim("stepped_clock", tmp_path)), "STEP_FILE": str(step_file)}
    with step_file.open("r+b") as file, mmap.mmap(file.fileno(), 8) as step, serve(db, survey=SMALL, env=env) as served:
        with crowd.at_work(served):
            for days in (0, 1, 0, -1, 0):
                step[:] = struct.pack("=q", days * DAY_S)
                crowd.wait_for(20)
                error = told_time(served) - datetime.now(UTC) - timedelta(days=days)
                assert abs(error) < timedelta(hours=1)  # the shim works
        crowd.finish(db, served)
        assert served.stop() == (0, "", "")
    assert crowd.statuses.keys() == {200}
    print(f"{len(crowd.acknowledged):,} reports, {crowd.n_lost} requests cut")


@pytest.mark.later("postgres", "rare")
def test_start_with_a_clock_that_is_days_ahead_erases_nothing_and_says_so(db: str, tmp_path: Path) -> None:
    """The day of the reports' erasure seems to have come; the clock is set right, and all of them are there."""
    closes = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    kept = replace(SMALL, closes=closes, erase_after=1)
    reports, step_file = make_reports(30, kept), tmp_path / "step"
    env = {"LD_PRELOAD": str(compile_shim("stepped_clock", tmp_path)), "STEP_FILE": str(step_file)}

    def start(days: int, status: int) -> str:
        """Let a collector begin with a clock that is so many days ahead, and look; return what it said at its stop."""
        step_file.write_bytes(struct.pack("=q", days * DAY_S))
        with serve(db, survey=kept, env=env) as served:
            for _ in range(3):  # it has looked once, if not before, between the first and the second
                assert served.send(reports, kept)[0] == status
            more = make_reports(1, kept)
            assert served.send(more, kept)[0] == (409 if days else 200)
            reports.extend([] if days else more)
            code, _, said = served.stop()
        assert code == 0
        return said

    assert start(0, 200) == ""
    said = start(5, 200)  # repeats are acknowledged even then
    assert "its reports are due to be erased, but the last known day is" in said
    assert "reports were erased on the day" not in said
    assert start(0, 200) == ""
    with closing(Store(db)) as store:
        stored = dict(store.read_reports(publish_here(store, kept)))
    assert stored == {report.id: report.record for report in reports}
