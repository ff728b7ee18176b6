"""A database is upgraded while collectors of the version before run: they refuse all, and nothing is lost or double."""

from pathlib import Path

from collecting import SMALL, serve
from crowd import Crowd, collectors
from newer_program import undo, upgrade_as_newer


def test_collectors_whose_database_is_upgraded_refuse_until_they_are_replaced(db: str, tmp_path: Path) -> None:
    crowd = Crowd()
    with collectors(db, 2) as (one, other):
        with crowd.at_work(one, other):
            crowd.wait_for(20)
            upgrade_as_newer(db, tmp_path)
            crowd.wait_for_status(503, 30)
            for served in (one, other):
                assert served.ask("GET", "/readyz")[0] == 503
                status, headers, document = served.send(list(crowd.sent.values())[:5], SMALL)
                assert (status, headers["Retry-After"], document["code"]) == (503, "5", "store_unavailable")
                assert served.ask("GET", f"/v1/surveys/{SMALL.id}/tally", token=served.analyst)[0] == 503
        stopped = [served.stop() for served in (one, other)]
    assert {code for code, *_ in stopped} == {1}
    assert not any("Traceback" in err for *_, err in stopped)
    assert all("another version upgraded it. Restart with that one" in err for *_, err in stopped)
    undo(db)
    crowd.check(db)
    with serve(db, survey=SMALL) as served:
        crowd.finish(db, served)
    assert crowd.statuses.keys() == {200, 503}
