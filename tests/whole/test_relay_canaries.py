"""Many requests through real relays to a real collector: nothing that is kept tells who sent, or what was answered.

Logs, streams, databases and metrics are searched, of both operators.
"""

import os
from contextlib import closing
from pathlib import Path

import pytest
import requests

from collecting import make_reports, serve
from made_file import make_tables
from oblivious_device import keys_of_url, seal_report, with_gateway
from proxies import CANARY, CANARY_HEADERS, find_traces, read_all
from real_relays import RELAYS, RealRelay, relayed, require_relay
from sotto_collector.store import Store
from sotto_protocol.oblivious import GATEWAY_PATH, REQUEST_TYPE
from typed_answers import EVERY

pytestmark = pytest.mark.thorough
N_REQUESTS = 1000 if os.environ.get("SOTTO_TEST_FULL") else 100
WORD = "kaleidoscope"
"""What everybody answers in words of their own."""


def send(relay: RealRelay, message: bytes) -> bytes:
    """Return the answer to a sealed request from PEER, in whose head is a canary wherever there is room."""
    lines = [f"POST {GATEWAY_PATH}?q={CANARY} HTTP/1.1", "Host: localhost", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in CANARY_HEADERS.items()]
    lines += [f"Content-Type: {REQUEST_TYPE}", f"Content-Length: {len(message)}", "", ""]
    with closing(relay.connect() if relay.url.startswith("http:") else relay.connect_tls()) as connection:
        connection.sendall("\r\n".join(lines).encode() + message)
        return read_all(connection)


@pytest.mark.parametrize("program", RELAYS)
def test_nothing_that_is_kept_tells_who_sent_or_what_was_answered(program: str, tmp_path: Path) -> None:
    require_relay(program)
    store, db = tmp_path / "collector", tmp_path / "collector" / "survey.db"
    store.mkdir()
    make_tables(db)
    with closing(Store(db)) as opened:
        survey = with_gateway(opened, EVERY)
    with (
        serve(db, survey=survey) as served,
        relayed(program, tmp_path / "relay", served.port, 0, "--batch", "1") as relay,
    ):
        key = keys_of_url(served.url)[0]
        reports = make_reports(N_REQUESTS, survey, word=WORD)
        sealed = [seal_report(survey, report, key) for report in reports]
        for each in sealed:
            answer = send(relay, each.message)
            assert answer.startswith(b"HTTP/1.1 200"), answer
        for broken in (sealed[0].message[:-1], b"", b"x" * 200_000):  # of faults something might be written
            send(relay, broken)
        requests.get(f"{served.url}/{CANARY}?{CANARY}", headers=CANARY_HEADERS, timeout=60)
        status, _, metrics = served.fetch("GET", "/metrics", token=served.admin)
        assert status == 200
        (store / "metrics.txt").write_bytes(metrics)
        if relay.plain_port:
            told = requests.get(f"http://127.0.0.1:{relay.plain_port}/metrics", timeout=60).text
            assert f'requests_total{{outcome="passed_on"}} {N_REQUESTS}' in told
            (tmp_path / "relay" / "metrics.txt").write_text(told)
        _, out, err = served.stop()
        (store / "output.log").write_text(out + err)
    found = find_traces(tmp_path, WORD.encode())
    assert found == set()
    kept = [each.message[7:39] for each in sealed] + [report.id for report in reports]
    kept += [report.id.hex().encode() for report in reports]
    everything = b"".join(path.read_bytes() for path in (tmp_path / "relay").rglob("*") if path.is_file())
    assert [each for each in kept if each in everything] == []
    content = db.read_bytes()
    assert all(report.id in content for report in reports)  # what is there is found
    assert not [each for each in sealed if each.message[7:39] in content]
