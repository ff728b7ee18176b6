"""Several workers, real processes: one socket, none missed when one dies or all are replaced, an ending that drains."""

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest
from test_serve import read_stored, run_serve

import starting
from collecting import SOTTO, SURVEY, TIMEOUT_S, Served, check_store, make_reports, serve, wait_until
from sotto_collector.serving.server import RECEIVE_S
from sotto_protocol import Report, batch_body

pytestmark = pytest.mark.thorough  # real processes, of whose parts the other tests of a collector hold each

PATH = f"/v1/surveys/{SURVEY.id}/reports"
PLANTED = Path(__file__).parents[1] / "faults" / "planted.py"
N_ROUNDS = 20 if os.environ.get("SOTTO_TEST_FULL") else 1


def children(served: Served) -> set[int]:
    """Return the process ids of the workers."""
    pid = served.process.pid
    return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


class Load:
    """Clients that post batches without a pause; half of them keep their connections.

    A server may close a connection on which nothing comes for a second: a client that let so long pass tries again.
    It counts from when it sent its last request, before which the server cannot have begun to wait.
    """

    def __init__(self, served: Served) -> None:
        self.served = served
        self.acknowledged: list[Report] = []
        self.unanswered: list[Report] = []
        self.failures: list[str] = []
        self.is_over = False
        self.n_answers = 0

    def run(self, *, keeps: bool) -> None:
        connection, last = HTTPConnection("127.0.0.1", self.served.port, timeout=TIMEOUT_S), time.monotonic()
        while not self.is_over:
            reports, sent = make_reports(5), 0.0
            try:
                if not keeps:
                    connection.close()
                    last = time.monotonic()
                connection.request("POST", PATH, batch_body(SURVEY, reports), {"Content-Type": "application/json"})
                sent = time.monotonic()
                self.take_note(reports, connection)
            except (OSError, HTTPException) as fault:
                self.unanswered.extend(reports)
                connection.close()
                if (sent or time.monotonic()) - last < RECEIVE_S / 2:
                    self.failures.append(repr(fault))
            last = sent or time.monotonic()
        connection.close()

    def take_note(self, reports: list[Report], connection: HTTPConnection) -> None:
        response = connection.getresponse()
        answer = response.read()
        if response.status == 200:
            self.acknowledged.extend(reports)
            self.n_answers += 1
        else:
            self.failures.append(f"{response.status} {answer!r}")


@contextmanager
def under_load(served: Served, n_clients: int = 6) -> Iterator[Load]:
    load = Load(served)
    with ThreadPoolExecutor(n_clients) as pool:
        clients = [pool.submit(load.run, keeps=number % 2 == 0) for number in range(n_clients)]
        try:
            wait_until(lambda: load.n_answers >= 10)
            yield load
        finally:
            load.is_over = True
        for client in clients:
            client.result(TIMEOUT_S)


def check_stored(served: Served, load: Load) -> None:
    """Hold that what was acknowledged is stored, once, and that nothing is stored that was not sent."""
    stored = read_stored(Path(served.db))
    acknowledged = {report.id: report.record for report in load.acknowledged}
    assert acknowledged.items() <= stored.items()
    unanswered = {report.id: report.record for report in load.unanswered}
    assert stored.items() <= (acknowledged | unanswered).items()
    check_store(served.db)


def test_hangup_under_load_replaces_every_worker_and_no_request_fails(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db", "--workers", "3") as served:
        first = children(served)
        assert len(first) == 3
        with under_load(served) as load:
            for _ in range(N_ROUNDS):
                before, n_before = children(served), load.n_answers
                served.process.send_signal(signal.SIGHUP)
                wait_until(lambda before=before: len(children(served)) == 3 and not before & children(served))
                wait_until(lambda n_before=n_before: load.n_answers > n_before + 10)
        assert load.failures == []
        assert served.stop() == (0, "", "")
    check_stored(served, load)
    assert [path.name for path in tmp_path.iterdir()] == ["survey.db"]


def test_killed_worker_is_replaced_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db", "--workers", "2") as served:
        with under_load(served) as load:
            for _ in range(N_ROUNDS):
                before = children(served)
                os.kill(min(before), signal.SIGKILL)
                wait_until(lambda before=before: len(children(served)) == 2 and children(served) != before)
        code, _, err = served.stop()
    assert code == 0
    assert "a worker ended unexpectedly (signal 9); another starts" in err
    check_stored(served, load)


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.rare), "2"])
def test_sigterm_under_load_drains_within_ten_seconds(tmp_path: Path, workers: str) -> None:
    for number in range(N_ROUNDS):
        (tmp_path / str(number)).mkdir()
        with serve(tmp_path / str(number) / "survey.db", "--workers", workers) as served:
            with under_load(served) as load:
                # No wall-clock assert: a parent that waits longer kills, says so and exits with 1.
                assert served.stop() == (0, "", "")
            assert not [failure for failure in load.failures if failure[0].isdigit()]
        check_stored(served, load)


@pytest.mark.rare
def test_stalled_requests_do_not_keep_workers_from_stopping(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db", "--workers", "2") as served:
        stalled = [served.connect() for _ in range(20)]
        for connection in stalled:
            connection.sendall(b"POST " + PATH.encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        assert served.send(make_reports(1))[0] == 200
        assert served.stop() == (0, "", "")
        for connection in stalled:
            connection.close()


def test_worker_that_cannot_stop_is_killed_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped process takes no signal but this one."""
    command = [sys.executable, PLANTED, "stop-soon"]
    with serve(tmp_path / "survey.db", "--workers", "2", command=command) as served:
        os.kill(min(children(served)), signal.SIGSTOP)
        code, _, err = served.stop()
    assert code == 1
    assert "Error: a worker did not stop within 1 s and was killed.\n" in err


def test_workers_end_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db", "--workers", "2") as served:
        workers = children(served)
        served.process.kill()
        wait_until(lambda: not any(Path(f"/proc/{pid}/fd/0").exists() for pid in workers))
        with pytest.raises(ConnectionRefusedError):
            served.connect()
        served.process.communicate(timeout=TIMEOUT_S)
    check_store(served.db)


def test_what_every_worker_needs_is_loaded_once_before_they_begin(tmp_path: Path) -> None:
    with serve(
        tmp_path / "survey.db", "--workers", "2", command=["/usr/bin/env", SOTTO]
    ) as served:  # with nothing loaded
        assert "/scipy/special/" in Path(f"/proc/{served.process.pid}/maps").read_text()
        assert served.stop() == (0, "", "")


@pytest.mark.rare
def test_unusable_database_is_one_line_however_many_workers(tmp_path: Path) -> None:
    (tmp_path / "other.db").write_text("no database, but long enough to be looked at as one" * 50)
    done = run_serve("--db", tmp_path / "other.db", "--port", "0", "--workers", "3")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"Error: db \([^\n]+\n", done.stderr)


def test_worker_that_does_not_begin_to_serve_is_ended_and_said(tmp_path: Path) -> None:
    command = [sys.executable, PLANTED, "never-serve", "serve", "--db", tmp_path / "survey.db", "--port", "0"]
    done = starting.run([*command, "--workers", "2"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "Error: it did not serve within 0.5 s\n")


def test_new_workers_that_cannot_begin_leave_the_old_ones(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db", "--workers", "2") as served:
        before = children(served)
        hidden = tmp_path / "hidden"
        hidden.mkdir()
        for path in tmp_path.glob("survey.db*"):
            path.rename(hidden / path.name)
        (tmp_path / "survey.db").mkdir()
        served.process.send_signal(signal.SIGHUP)
        assert served.process.stderr is not None
        said = iter(served.process.stderr.readline, "")  # a worker that tidies may say first that the file is gone
        assert any("a new worker could not start, so the old ones stay" in line for line in said)
        assert children(served) == before
        (tmp_path / "survey.db").rmdir()
        for path in hidden.iterdir():
            path.rename(tmp_path / path.name)
        assert served.send(make_reports(1))[0] == 200
        assert served.stop()[0] == 0


@pytest.mark.rare
@pytest.mark.parametrize("workers", ["1", "2"])
def test_hangup_ends_no_collector(tmp_path: Path, workers: str) -> None:
    with serve(tmp_path / "survey.db", "--workers", workers) as served:
        served.process.send_signal(signal.SIGHUP)
        assert served.send(make_reports(1))[0] == 200
        assert served.stop() == (0, "", "")


def test_sigterm_while_a_reload_awaits_its_last_worker_ends_all(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db", "--workers", "2") as served:
        last = max(children(served))
        wait_until(lambda: is_stopped_without_locks(last))  # what it is told then waits
        served.process.send_signal(signal.SIGHUP)
        wait_until(lambda: signal.SIGTERM in pending(last))
        served.process.send_signal(signal.SIGTERM)
        os.kill(last, signal.SIGCONT)
        assert served.process.communicate(timeout=TIMEOUT_S) == ("", "")
        assert served.process.returncode == 0


def is_stopped_without_locks(pid: int) -> bool:
    """Stop a process; let it go on, and return False, where others would wait for the database's lock."""
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: "State:\tT" in Path(f"/proc/{pid}/status").read_text())
    if re.search(rf" WRITE +{pid} ", Path("/proc/locks").read_text()):
        os.kill(pid, signal.SIGCONT)
        return False
    return True


def pending(pid: int) -> set[int]:
    """Return the signals that a process was sent and has not taken."""
    [mask] = re.findall(r"^ShdPnd:\s*(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return {number for number in range(1, 65) if int(mask, 16) >> (number - 1) & 1}


def test_metrics_of_all_workers_meet_in_a_private_folder_that_goes_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    with serve(tmp_path / "survey.db", "--workers", "2") as served:
        [folder] = (tmp_path / "tmp").iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        for _ in range(40):
            assert served.send(make_reports(2))[0] == 200
        assert 'sotto_reports_total{outcome="counted"} 80.0' in read_metrics(served)
        before = children(served)
        served.process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(children(served)) == 2 and not before & children(served))
        text = read_metrics(served)
        assert 'sotto_reports_total{outcome="counted"} 80.0' in text  # what the old ones counted stays
        assert "sotto_process_starts_total 4.0" in text
        assert len({*folder.glob("counter_*.db")}) <= 3  # a slot's files are used again
        assert served.stop() == (0, "", "")
    assert not folder.exists()


def read_metrics(served: Served) -> str:
    status, _, content = served.fetch("GET", "/metrics", token=served.analyst)
    assert status == 200
    return content.decode()


@pytest.mark.rare
def test_what_is_sent_besides_reports_is_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the database, the metrics, the log, nor in a file."""
    canary = "c4n4ry"
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    headers = dict.fromkeys(("User-Agent", "X-Forwarded-For", "Cookie", "Referer", "Authorization", "X-Id"), canary)
    with serve(tmp_path / "survey.db", "--workers", "2", "--log-format", "json") as served:
        for _ in range(5):  # to either worker
            for body in (canary.encode(), batch_body(SURVEY, make_reports(1)), b'{"c4n4ry": 1}'):
                served.fetch("POST", f"{PATH}?q={canary}", body, headers=headers)
            served.fetch("GET", f"/{canary}", headers=headers)
            served.fetch(canary.upper(), "/healthz", headers=headers)
        text = read_metrics(served)
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert any(path.suffix == ".db" and "counter" in path.name for path in files)
        assert not [path for path in files if canary.encode() in path.read_bytes().lower()]
        code, out, err = served.stop()
    assert (code, err) == (0, "")
    assert canary not in (text + out).lower()
