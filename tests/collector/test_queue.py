"""Reports from a queue: a real Redis, and readers and servers that die at the worst moments; each counts once."""

import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from collecting import SOTTO, SURVEY, TIMEOUT_S, make_reports, publish_here
from redis_server import RedisServer, needs_redis, redis_server
from sotto_client.cli import main
from sotto_collector.collector import Collector
from sotto_collector.commands.intake import intake
from sotto_collector.errors import QueueError, StoreUnavailableError
from sotto_collector.intake.counting import Outcome
from sotto_collector.queues.consumer import Consumed, Consumer
from sotto_collector.queues.redis_stream import RedisStream
from sotto_collector.settings import Settings
from sotto_collector.store import Store, StoredSurvey
from sotto_protocol import Survey, compile_toml
from sotto_protocol.report import Report, batch_body

pytestmark = [needs_redis, pytest.mark.thorough]  # a server of its own

CLOSED = compile_toml(
    'id = "closed"\ntitle = "C"\ncloses = 2020-01-01\n'
    'questions = [{id = "a", type = "yes-no", text = "?", epsilon = 1}]'
)
EXAMPLE = "sotto intake redis://127.0.0.1:6379 --db survey.db"
SECRET = "do-not-print"  # noqa: S105  # of no account


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis")) as started:
        yield started


@pytest.fixture
def queue(server: RedisServer) -> RedisServer:
    server.client.flushall()
    return server


@pytest.fixture
def db(tmp_path: Path) -> Path:
    with closing(Store(tmp_path / "survey.db")) as store:
        publish_here(store)
    return tmp_path / "survey.db"


def stored(db: Path, survey: Survey = SURVEY) -> dict[bytes, bytes]:
    with closing(Store(db)) as store:
        found = publish_here(store, survey)
        assert store.read_tally(found) == store.recount(found)
        return dict(store.read_reports(found))


def records(reports: list[Report]) -> dict[bytes, bytes]:
    return {report.id: report.record for report in reports}


def wait_until(is_so: Callable[[], bool]) -> None:
    ends = time.monotonic() + TIMEOUT_S
    while not is_so():
        assert time.monotonic() < ends
        time.sleep(0.02)


def is_empty(queue: RedisServer) -> bool:
    return not queue.client.xlen("sotto")


@contextmanager
def consuming(db: Path, queue: RedisServer, **settings: Any) -> Iterator[Consumed]:
    """A consumer in a thread of this process."""
    with closing(RedisStream(queue.url, "sotto", idle_s=1)) as stream:
        collector = Collector(Settings(str(db), **settings))
        consumer = Consumer(collector, stream, pause_s=0.05)
        thread = threading.Thread(target=consumer.run)
        thread.start()
        try:
            yield consumer.consumed
        finally:
            consumer.stop()
            thread.join()
            collector.close()


@contextmanager
def command(db: Path, queue: RedisServer) -> Iterator["subprocess.Popen[str]"]:
    """`sotto intake` as its help has it."""
    assert intake.epilog is not None
    assert EXAMPLE in intake.epilog
    words = EXAMPLE.replace("redis://127.0.0.1:6379", queue.url).replace("survey.db", str(db)).split()[1:]
    with subprocess.Popen(
        [str(SOTTO), *words, "--idle-s", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "sotto intake reads sotto\n"
            yield process
        finally:
            process.kill()


def test_reports_are_counted_once_and_leave_the_queue(db: Path, queue: RedisServer) -> None:
    reports = make_reports(40)
    for start in range(0, 40, 4):
        queue.put(SURVEY.id, batch_body(SURVEY, reports[start : start + 4]))
    queue.put(SURVEY.id, batch_body(SURVEY, reports[:4]))  # a device that sends again
    with consuming(db, queue) as consumed:
        wait_until(lambda: is_empty(queue))
    assert (consumed.n_counted, consumed.n_duplicates, consumed.n_refused) == (40, 4, 0)
    assert stored(db) == records(reports)
    assert queue.entries("sotto-refused") == []
    assert queue.client.xinfo_consumers("sotto", "sotto") == []


@pytest.mark.parametrize(
    ("survey", "body", "reason"),
    [
        ("other", b"{}", "404 no_such_survey no survey has this id."),
        (SURVEY.id, b"{", "400 bad_json the body must be JSON in UTF-8."),
        (SURVEY.id, b'{"fingerprint":"00","reports":[]}', "409 wrong_fingerprint $.fingerprint"),
        (SURVEY.id, b'{"secret":1}', "422 bad_report $"),
        (SURVEY.id, b" " * 3000, "413 body_too_large"),
        ("closed", batch_body(CLOSED, make_reports(1, CLOSED)), "the survey takes no more reports: its last day"),
    ],
)
def test_message_that_can_never_be_counted_is_kept_apart_with_the_reason(
    db: Path, queue: RedisServer, survey: str, body: bytes, reason: str
) -> None:
    with closing(Store(db)) as store:
        publish_here(store, CLOSED)
    [good] = make_reports(1)
    queue.put(survey, body)
    queue.put(SURVEY.id, batch_body(SURVEY, [good]))
    with consuming(db, queue, max_body_bytes=2000) as consumed:
        wait_until(lambda: is_empty(queue))
    assert (consumed.n_counted, consumed.n_refused) == (1, 1)
    [refused] = queue.entries("sotto-refused")
    assert (refused["survey"], refused["body"].encode()) == (survey, body)
    assert refused["reason"].startswith(reason)
    assert "secret" not in refused["reason"]
    assert stored(db) == records([good])


def test_message_without_its_fields_is_refused(db: Path, queue: RedisServer) -> None:
    queue.client.xadd("sotto", {"other": b"\xff"})
    with consuming(db, queue):
        wait_until(lambda: is_empty(queue))
    assert queue.entries("sotto-refused")[0]["reason"] == "404 no_such_survey no survey has this id."


def test_refused_message_that_cannot_be_kept_stays_and_is_in_no_log(
    db: Path, queue: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    queue.client.set("sotto-refused", "no stream")
    queue.put(SURVEY.id, b'{"secret":1}')
    with consuming(db, queue):
        wait_until(lambda: "WRONGTYPE" in caplog.text)
        assert queue.client.xlen("sotto") == 1
        queue.client.delete("sotto-refused")
        wait_until(lambda: is_empty(queue))
    assert len(queue.entries("sotto-refused")) == 1
    assert "secret" not in caplog.text


def test_reader_that_dies_between_commit_and_settling_counts_nothing_twice(
    db: Path, queue: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = make_reports(12)
    for report in reports:
        queue.put(SURVEY.id, batch_body(SURVEY, [report]))

    def die(*_: object) -> None:
        raise QueueError("the reader is gone")

    with monkeypatch.context() as patch:  # all is committed, nothing settled
        patch.setattr(RedisStream, "settle", die)
        with consuming(db, queue) as consumed:
            wait_until(lambda: consumed.n_counted == 12)
    assert queue.client.xlen("sotto") == 12
    with consuming(db, queue) as consumed:
        wait_until(lambda: is_empty(queue))
    assert (consumed.n_counted, consumed.n_duplicates) == (0, 12)
    assert stored(db) == records(reports)


def test_message_of_a_store_that_fails_stays_until_it_is_committed(
    db: Path, queue: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports, failed = make_reports(3), list[bytes]()
    take = Collector.take

    def fail_first(collector: Collector, stored: StoredSurvey, body: bytes) -> Outcome:
        if body not in failed:
            failed.append(body)
            raise StoreUnavailableError("the store does not respond.")
        return take(collector, stored, body)

    monkeypatch.setattr(Collector, "take", fail_first)
    for report in reports:
        queue.put(SURVEY.id, batch_body(SURVEY, [report]))
    with consuming(db, queue):
        wait_until(lambda: len(failed) == 3)
        assert queue.client.xlen("sotto") == 3
        wait_until(lambda: is_empty(queue))
    assert stored(db) == records(reports)


def test_message_above_a_surveys_rate_waits_and_holds_no_other_back(db: Path, queue: RedisServer) -> None:
    [report] = make_reports(1)
    queue.put(SURVEY.id, batch_body(SURVEY, [report]))
    with consuming(db, queue, max_reports_per_minute=1) as consumed:
        wait_until(lambda: is_empty(queue))
        queue.put(SURVEY.id, batch_body(SURVEY, make_reports(1)))  # above the rate
        wait_until(lambda: bool(queue.client.xpending("sotto", "sotto")["pending"]))
        queue.put("other", b"{}")  # is not held back by it
        wait_until(lambda: consumed.n_refused == 1)
        assert (consumed.n_counted, queue.client.xlen("sotto")) == (1, 1)
    with consuming(db, queue) as consumed:
        wait_until(lambda: is_empty(queue))
    assert len(stored(db)) == 2


def test_two_commands_that_are_killed_and_a_server_that_is_killed_lose_and_double_nothing(
    db: Path, queue: RedisServer
) -> None:
    reports = make_reports(600)
    bodies = [batch_body(SURVEY, reports[start : start + 2]) for start in range(0, 600, 2)]

    def put(some: list[bytes]) -> None:
        for body in some:
            queue.put(SURVEY.id, body)

    put(bodies[:100])
    with command(db, queue) as first, command(db, queue) as second:
        wait_until(lambda: queue.client.xlen("sotto") < 100)
        first.kill()
        queue.kill()
        queue.start()
        put(bodies[100:200])
        second.kill()
    with command(db, queue) as third, command(db, queue) as fourth:
        put(bodies[200:])
        wait_until(lambda: is_empty(queue))
        for process in (third, fourth):
            process.send_signal(signal.SIGTERM)
            out, _ = process.communicate(timeout=TIMEOUT_S)
            assert process.returncode == 0
            assert out.endswith("there before, 0 messages refused\n")
    assert stored(db) == records(reports)
    assert queue.entries("sotto-refused") == []


def test_redis_that_forgot_its_group_is_begun_again(db: Path, queue: RedisServer) -> None:
    with consuming(db, queue) as consumed:
        queue.client.flushall()
        queue.put(SURVEY.id, batch_body(SURVEY, make_reports(2)))
        wait_until(lambda: consumed.n_counted == 2)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (f"redis://:{SECRET}@127.0.0.1", "must have no password. Set REDISCLI_AUTH"),
        ("http://127.0.0.1", "must be redis://HOST[:PORT][/DATABASE]"),
        (f"redis://127.0.0.1?password={SECRET}", "must be redis://"),
        ("redis://127.0.0.1:x", "must be redis://"),
        ("redis://127.0.0.1:1", "Redis cannot be used: Error 111 connecting to 127.0.0.1:1."),
    ],
)
def test_queue_that_cannot_be_read_is_named(db: Path, url: str, said: str) -> None:
    result = CliRunner().invoke(main, ["intake", url, "--db", str(db)])
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr
    assert SECRET not in result.stderr


def test_password_is_of_the_environment_and_in_no_message(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with redis_server(tmp_path, SECRET) as locked:
        monkeypatch.setenv("REDISCLI_AUTH", SECRET + "x")
        result = CliRunner().invoke(main, ["intake", locked.url, "--db", str(db)])
        assert result.stderr.startswith("Error: Redis cannot be used:")
        assert SECRET not in result.stderr
        monkeypatch.setenv("REDISCLI_AUTH", SECRET)
        locked.put(SURVEY.id, batch_body(SURVEY, make_reports(1)))
        with consuming(db, locked):
            wait_until(lambda: is_empty(locked))
    assert len(stored(db)) == 1
