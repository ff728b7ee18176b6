"""The clock is set by a day, forward and back, while reports come."""

import mmap
import struct
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

from collecting import SMALL, Served, serve
from crowd import Crowd
from shims import compile_shim

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
