"""Logs: a line an event, of our words only, with no time finer than a day, in text or JSON."""

import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sotto_collector.logs import set_up_logs

CANARY = "c4n4ry"


@pytest.fixture
def loggers() -> Iterator[None]:
    """Put back what set_up_logs changes."""
    names = ("", "sotto_collector", "waitress", "waitress.queue")
    before = [(logger := logging.getLogger(name), logger.handlers, logger.level, logger.propagate) for name in names]
    raises = logging.raiseExceptions
    yield
    logging.raiseExceptions = raises
    for logger, handlers, level, propagate in before:
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)


@pytest.mark.usefixtures("loggers")
@pytest.mark.parametrize(
    ("log_time", "stamp"), [("none", ""), ("day", "2026-07-01 "), ("second", "2026-07-01T10:00:00Z ")]
)
def test_a_line_of_text_has_the_time_that_was_asked_for(
    log_time: str, stamp: str, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up_logs("text", log_time)
    log = logging.getLogger("sotto_collector")
    record = log.makeRecord(log.name, logging.ERROR, "here.py", 1, "the store %s", ("is full",), None)
    record.created = 1_782_900_000.0  # 2026-07-01 10:00 UTC
    log.handle(record)
    assert capsys.readouterr().err == f"{stamp}sotto_collector: the store is full\n"


@pytest.mark.usefixtures("loggers")
def test_a_line_of_json_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs("json")
    logging.getLogger("sotto_collector").error("two\nlines")
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    document = json.loads(line)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", document.pop("time"))
    assert document == {"level": "error", "module": "test_logs", "logger": "sotto_collector", "event": "two\nlines"}


@pytest.mark.usefixtures("loggers")
@pytest.mark.parametrize("log_format", ["text", "json"])
def test_other_libraries_are_not_quoted(log_format: str, capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logs(log_format)
    for name in ("waitress", "sqlalchemy.pool", "werkzeug"):
        try:
            raise ValueError(CANARY)
        except ValueError:
            logging.getLogger(name).exception("peer 203.0.113.77 sent %s", CANARY)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert all(re.search(r"error at test_logs:\d+ \(ValueError\)", line) for line in lines)
    assert not any(CANARY in line or "203.0.113.77" in line for line in lines)


@pytest.mark.usefixtures("loggers")
def test_equal_lines_are_written_once_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each failed request, with a time that the journal adds, would be a request log."""
    set_up_logs()
    for reason in ("full", "full", "gone", "full"):
        logging.getLogger("sotto_collector").error("the store is %s", reason)
    assert len(capsys.readouterr().err.splitlines()) == 2


@pytest.mark.parametrize(
    "fault", ["raise ValueError(CANARY)", "t = threading.Thread(target=int, args=[CANARY]); t.start(); t.join()"]
)
def test_what_nobody_caught_is_logged_by_its_place(fault: str) -> None:
    code = (
        "import threading, warnings; from sotto_collector.logs import *; CANARY = 'c4n4ry';"
        f"set_up_logs(); log_what_nobody_caught(); warnings.warn(CANARY); {fault}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "internal error: ValueError" in done.stderr
    assert "py.warnings: warning at" in done.stderr
    assert CANARY not in done.stderr


@pytest.mark.usefixtures("loggers")
def test_a_line_that_cannot_be_written_is_lost_and_nothing_is_quoted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, (tmp_path / "log").open("w") as gone:
        patched.setattr(sys, "stderr", gone)
        set_up_logs()
    try:
        raise ValueError(CANARY)
    except ValueError:
        logging.getLogger("sotto_collector").error("the store %s", "is full")
    assert capsys.readouterr().err == ""
