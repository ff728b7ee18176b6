"""The disk's word: no acknowledgement before it, by the system calls; and when the disk refuses it."""

import json
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path

import pytest

from collecting import SMALL, TIMEOUT_S, make_reports, serve
from crowd import Crowd, changed, post
from shims import compile_shim
from sotto_protocol import Report

N_POSTS = 100
N_CLIENTS = 4
STRACE = ("strace", "-f", "-y", "-xx", "-s", "5000", "-e", "trace=pwrite64,fsync,fdatasync,recvfrom,sendto")
_CALL = re.compile(r"(?P<pid>\d+) +(?:<\.\.\. )?(?P<name>\w+)(?P<rest>.*)")
_FILE = re.compile(r"\((?P<fd>\d+)<(?P<file>[^>]*)>")
_TEXT = re.compile(r'"(?P<hex>(?:\\x[0-9a-f]{2})*)"')


@dataclass
class Call:
    """A system call: the lines of the trace at which it began and ended; `data` is what was read or written."""

    name: str
    began: int
    ended: int
    file: str
    data: bytes


def read_calls(trace: Path) -> Iterator[Call]:
    """Yield the calls of a trace in the order in which they ended."""
    unfinished: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(trace.read_text().splitlines()):
        found = _CALL.match(line)
        if found is None or line.endswith("= ?"):
            continue
        if line.endswith("<unfinished ...>"):
            unfinished[found["pid"]] = number, found["rest"]
            continue
        began, text = number, found["rest"]
        if "resumed>" in text:
            began, text = unfinished[found["pid"]][0], unfinished[found["pid"]][1] + text.split("resumed>", 1)[1]
        at, data = _FILE.search(text), _TEXT.search(text)
        if at is None or " = -1 " in text:
            continue
        decoded = bytes.fromhex(data["hex"].replace("\\x", "")) if data else b""
        file = re.sub(r"\\x([0-9a-f]{2})", lambda digits: chr(int(digits[1], 16)), at["file"])
        yield Call(found["name"], began, number, file, decoded)


@dataclass
class Order:
    """What the trace shows of each report: it is on the disk once a sync that began after its write has ended."""

    written: dict[bytes, int] = field(default_factory=dict)
    synced: set[bytes] = field(default_factory=set)
    asked: dict[str, bytes] = field(default_factory=lambda: defaultdict(bytes))
    n_acknowledged: int = 0
    n_unsynced: int = 0

    def see(self, call: Call, ids: list[bytes]) -> None:
        if call.name == "pwrite64" and call.file.endswith("-wal"):
            for report_id in ids:
                if report_id in call.data:
                    self.written.setdefault(report_id, call.ended)
        elif call.name in ("fsync", "fdatasync") and call.file.endswith("-wal"):
            self.synced |= {report_id for report_id, line in self.written.items() if line < call.began}
        elif call.name == "recvfrom" and call.data:
            self.asked[call.file] += call.data
        elif call.name == "sendto" and b'"counted":1' in call.data:
            body = json.loads(self.asked.pop(call.file).split(b"\r\n\r\n", 1)[1])
            self.n_acknowledged += 1
            self.n_unsynced += bytes.fromhex(body["reports"][0]["id"]) not in self.synced


def trace_posts(folder: Path, change: str = "") -> Order:
    """Post single reports from several clients to a traced collector; return what the trace shows."""
    if shutil.which("strace") is None:
        pytest.skip("no strace to see the system calls with")
    may = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    if may.returncode != 0:
        pytest.skip("strace may trace nothing here")
    reports, trace = make_reports(N_POSTS, SMALL), folder / "trace"

    def send(mine: list[Report]) -> None:
        with closing(HTTPConnection("127.0.0.1", served.port, timeout=TIMEOUT_S)) as connection:
            assert [post(connection, SMALL, [report])[0] for report in mine] == [200] * len(mine)

    command = (*STRACE, "-o", trace, *changed(change))
    with serve(folder / "survey.db", survey=SMALL, command=command) as served, ThreadPoolExecutor(N_CLIENTS) as pool:
        list(pool.map(send, (reports[number::N_CLIENTS] for number in range(N_CLIENTS))))
        served.kill()
    order = Order()
    for call in read_calls(trace):
        order.see(call, [report.id for report in reports])
    assert order.n_acknowledged == N_POSTS
    assert len(order.written) == N_POSTS
    return order


def test_every_acknowledgement_follows_the_sync_of_its_writes(tmp_path: Path) -> None:
    order = trace_posts(tmp_path)
    assert order.n_unsynced == 0


@pytest.mark.parametrize("change", ["sync-normal", "sync-off"])
def test_acknowledgement_that_does_not_follow_the_sync_is_found_out(tmp_path: Path, change: str) -> None:
    assert trace_posts(tmp_path, change).n_unsynced == N_POSTS


def test_disk_that_refuses_to_sync_is_503_to_everybody_and_then_over(tmp_path: Path) -> None:
    """100 requests of 8 clients; and once more, when the collector is killed before the disk is well."""
    failing, db = tmp_path / "failing", tmp_path / "survey.db"
    env = {"LD_PRELOAD": str(compile_shim("failing_sync", tmp_path)), "FAIL_WHILE": str(failing)}
    crowd, refused = Crowd(), make_reports(100, SMALL)
    with serve(db, survey=SMALL, env=env) as served, ThreadPoolExecutor(8) as pool:

        def send_each() -> set[tuple[int, object, object]]:
            answers = pool.map(lambda report: served.send([report], SMALL), refused)
            return {(status, headers.get("Retry-After"), body.get("counted")) for status, headers, body in answers}

        with crowd.at_work(served):
            crowd.wait_for(10)
        failing.touch()
        assert send_each() == {(503, "5", None)}
        failing.unlink()
        assert send_each() == {(200, None, 1)}
        crowd.sent |= {report.id: report for report in refused}
        crowd.finish(db, served)
        failing.touch()
        with crowd.at_work(served):
            crowd.wait_for_status(503, 20)
        served.kill()
    crowd.check(db)
