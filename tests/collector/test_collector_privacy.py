"""What a collector keeps and says: noisy reports, and nothing of who sent them, from where, when, or in what order."""

import json
import re
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from collecting import STRINGS, SURVEY, Served, make_reports, serve
from raw_database import leaf_offsets, lies_by_key
from sotto_collector.tokens import hash_token
from sotto_protocol import Tally, batch_body

REPORTS = "/v1/surveys/habits/reports"
CANARY = "c4n4ry"
CANARY_HEADERS = {
    "User-Agent": f"{CANARY}-agent/1.0",
    "X-Forwarded-For": "203.0.113.77",
    "Forwarded": "for=203.0.113.77",
    "X-Real-IP": "203.0.113.77",
    "Cookie": f"session={CANARY}-cookie",
    "Referer": f"http://{CANARY}-referer/",
    "From": f"{CANARY}@example.org",
    "X-Request-Id": f"{CANARY}-request",
}
COLUMNS = {
    "surveys": [
        "survey_key",
        "survey_id",
        "fingerprint",
        "definition",
        "is_open",
        "cors_origins",
        "reports_per_minute",
        "preview",
        "erase_on",
        "erased_on",
        "n_erased",
    ],
    "tokens": ["token_hash", "role", "label", "survey_id", "expires_s"],
    "reports": ["survey_key", "report_id", "packed"],
    "inbox": ["survey_key", "report_id", "packed"],
    "tallies": ["survey_key", "cell", "shard", "n_reports", "counts"],
    "releases": ["survey_key", "cell", "n_reports", "counts"],
    "release_floors": ["survey_key", "cell", "n_reports", "sizes"],
    "refused_surveys": ["fingerprint"],
    "store": [
        "store_key",
        "identity",
        "n_restores",
        "restore_mark",
        "last_backup_day",
        "last_day",
        "restored_on",
        "n_restored_acts",
        "is_restore_checked",
        "last_drill_day",
        "waited_s",
    ],
    "journals": ["journal_id", "n_bytes", "n_acts", "digest"],
    "invitations": ["survey_key", "code_hash", "wave", "stratum"],
    "issued_tokens": ["survey_key", "code_hash", "wave", "stratum", "blinded_hash", "signature"],
    "token_keys": ["survey_id", "cell", "primes"],
    "gateway_identity": ["identity_key", "private", "public"],
    "gateway_keys": ["key_id", "kem", "private", "public", "epoch", "made_on", "used_until", "erase_on"],
    "alembic_version": ["version_num"],
}


def bad_requests(served: Served) -> None:
    """Send a canary everywhere a request has a place for one."""
    good = batch_body(SURVEY, make_reports(1))
    for body in (
        CANARY.encode(),
        json.dumps({CANARY: CANARY}).encode(),
        good.replace(b'"rating":', b'"c4n4ry":1,"rating":'),
        re.sub(rb'"rating":\d', b'"rating":"c4n4ry"', good),
        re.sub(rb'"id":"\w{6}', b'"id":"c4n4ry', good),
    ):
        status, _, document = served.ask("POST", f"{REPORTS}?q={CANARY}", body, headers=CANARY_HEADERS)
        assert 400 <= status < 500
        assert CANARY not in json.dumps(document)
    for method, path in (("GET", f"/{CANARY}"), (CANARY.upper(), REPORTS), ("GET", f"/v1/surveys/{CANARY}")):
        assert served.ask(method, path, headers=CANARY_HEADERS)[0] in (404, 405)
    assert served.ask("GET", "/v1/surveys/habits/tally", token=f"{CANARY}-token", headers=CANARY_HEADERS)[0] == 401
    for request in (f"{CANARY}\r\n\r\n", f"GET /{CANARY} HTTP/1.1\r\nContent-Length: {CANARY}\r\n\r\n"):
        with closing(served.connect()) as connection:
            connection.sendall(request.encode())
            assert CANARY.encode() not in connection.recv(65536)
    with closing(served.connect()) as connection:  # cut in the middle of a body
        connection.sendall(f"POST {REPORTS}/{CANARY} HTTP/1.1\r\nContent-Length: 99\r\n\r\n{CANARY}".encode())


def disk_and_log(served: Served, tmp_path: Path) -> tuple[bytes, bytes]:
    """Return every byte on the disk while it serves and after it ended, and every byte that it printed."""
    files = b"".join(path.read_bytes() for path in sorted(tmp_path.iterdir()))
    assert {path.name for path in tmp_path.iterdir()} == {"survey.db", "survey.db-wal", "survey.db-shm"}
    code, out, err = served.stop()
    assert code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["survey.db"]
    return files + served.db.read_bytes(), (out + err).encode()


def traces(served: Served, started: float) -> list[bytes]:
    """Return what must not be found: canaries, addresses, tokens, and the time in the forms that programs write."""
    moments = {int(started), int(started) + 1, int(time.time())}
    today = datetime.now(UTC)
    texts = [CANARY, CANARY.upper(), "203.0.113.77", "127.0.0.1", served.admin, served.analyst, "Mozilla", "python"]
    texts += [today.strftime("%Y-%m-%d"), today.strftime("%Y%m%d"), today.strftime("%d %b %Y"), *map(str, moments)]
    return [text.encode() for text in texts]


def test_no_trace_of_senders_or_times_is_on_the_disk_or_in_the_logs(tmp_path: Path) -> None:
    started = time.time()
    with serve(tmp_path / "survey.db") as served:
        for _ in range(5):
            body = batch_body(SURVEY, make_reports(20))
            status, _, _ = served.ask("POST", f"{REPORTS}?q={CANARY}", body, headers=CANARY_HEADERS)
            assert status == 200
        bad_requests(served)
        assert served.ask("GET", "/v1/surveys/habits/tally", token=served.analyst, headers=CANARY_HEADERS)[0] == 200
        files, log = disk_and_log(served, tmp_path)
        assert hash_token(served.admin) in files  # the search does find what is there
        for trace in traces(served, started):
            assert trace not in files
            assert trace not in log
    assert log == b""


def test_raw_database_holds_surveys_hashes_reports_and_tallies_and_nothing_else(tmp_path: Path) -> None:
    reports = make_reports(60)
    strings = {wave: make_reports(n, STRINGS, wave) for wave, n in ((1, 7), (3, 5))}
    with serve(tmp_path / "survey.db") as served:
        assert served.ask("POST", REPORTS, batch_body(SURVEY, reports), headers=CANARY_HEADERS)[0] == 200
        assert served.ask("POST", "/v1/surveys", STRINGS.canonical, served.admin, CANARY_HEADERS)[0] == 201
        body = batch_body(STRINGS, strings[3] + strings[1])
        assert served.ask("POST", "/v1/surveys/strings/reports", body, headers=CANARY_HEADERS)[0] == 200
        assert served.fetch("GET", "/v1/surveys/strings/records", b"", served.analyst, CANARY_HEADERS)[0] == 200
        assert served.stop()[0] == 0
    with closing(sqlite3.connect(tmp_path / "survey.db")) as connection:
        listed = connection.execute("SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        assert sorted(listed) == sorted(("table", name) for name in COLUMNS)
        for table, columns in COLUMNS.items():
            assert [row[1] for row in connection.execute(f"PRAGMA table_info({table})")] == columns
        rows = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in COLUMNS}  # noqa: S608
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
    keys = {survey_id: key for key, survey_id, *_ in rows["surveys"]}  # drawn at random
    first, second = keys[SURVEY.id], keys[STRINGS.id]
    assert sorted(rows["surveys"]) == sorted(
        (key, survey.id, survey.fingerprint, survey.canonical, 1, "", None, None, None, None, None)
        for key, survey in ((first, SURVEY), (second, STRINGS))
    )
    hashes = [(hash_token(served.admin), "admin", "", None, None)]
    hashes += [(hash_token(served.analyst), "analyst", "test", None, None)]
    assert sorted(rows["tokens"]) == sorted(hashes)
    stored = [(first, report.id, report.record) for report in reports]
    stored += [(second, report.id, report.record) for report in strings[1] + strings[3]]
    assert rows["reports"] == sorted(stored)
    emptied = ("inbox", "releases", "release_floors", "refused_surveys", "journals", "invitations")
    emptied += ("issued_tokens", "token_keys")
    assert not any(rows[table] for table in emptied)
    assert [(key, len(identity), *rest) for key, identity, *rest in rows["store"]] == [(1, 16, 0, 0, *[None] * 6, 0)]
    # A byte each, of so few reports, and one that says so.
    width, strings_width = (1 + Tally.empty(survey).pack().counts.size for survey in (SURVEY, STRINGS))
    tallies = [(*place, len(counts)) for *place, counts in rows["tallies"]]
    expected = [(first, 1, 0, 60, width), (second, 1, 0, 7, strings_width), (second, 3, 0, 5, strings_width)]
    assert sorted(tallies) == sorted(expected)


def test_rows_lie_in_the_order_of_their_ids_and_not_of_arrival(tmp_path: Path) -> None:
    """Correlation of the ranks of arrival and place; 1,000 random ranks exceed .2 once in 10^9."""
    reports = make_reports(1000)
    with serve(tmp_path / "survey.db") as served:
        for start in range(0, 1000, 100):
            assert served.send(reports[start : start + 100])[0] == 200
        served.stop()
    with closing(sqlite3.connect(tmp_path / "survey.db")) as connection:
        stored = [row[0] for row in connection.execute("SELECT report_id FROM reports NOT INDEXED")]
    assert stored == sorted(stored)
    arrival = {report.id: number for number, report in enumerate(reports)}
    correlation = np.corrcoef([arrival[key] for key in stored], np.arange(1000))[0, 1]
    assert abs(correlation) < 0.2


def test_pages_of_a_stopped_collector_show_no_order_of_arrival(tmp_path: Path) -> None:
    reports = make_reports(90)
    with serve(tmp_path / "survey.db") as served:
        assert all(served.send([report])[0] == 200 for report in reports)
        assert served.stop() == (0, "", "")
    leaves = leaf_offsets(served.db, reports)
    assert leaves
    assert all(map(lies_by_key, leaves))
