"""Real parts for the collector's tests: a survey with every mechanism, noisy reports, a collector that is served."""

import hashlib
import itertools
import json
import os
import signal
import socket
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import text

import starting
from made_file import make_tables
from sotto_collector.intake.counting import Batch, Outcome, count_batches, prepare_batches
from sotto_collector.invitations import hash_invitation, make_invitations
from sotto_collector.store import Store, StoredSurvey, StoredToken, TokenTable
from sotto_collector.store.recount import check_integrity
from sotto_collector.tokens import create_token, hash_token
from sotto_protocol import Coins, Report, Survey, Tally, batch_body, compile_toml, stack_records
from sotto_protocol.coins import hmac_bytes
from sotto_protocol.invitation import parse_invitation
from starting import SOTTO

MADE: dict[str, Iterator[int]] = defaultdict(itertools.count)
TIMEOUT_S = 300
"""How long a test waits before it fails: reached only where something hangs."""
TOWNS = ", ".join(f'"town {number}"' for number in range(300))
SURVEY_TOML = f"""
id = "habits"
title = "Habits"
[[questions]]
id = "affair"
type = "yes-no"
text = "Have you had an affair?"
epsilon = 1.0
[[questions]]
id = "rating"
type = "one-of"
text = "How happy are you?"
options = ["1", "2", "3", "4", "5"]
mechanism = "k-ary"
epsilon = 1.0
[[questions]]
id = "town"
type = "one-of"
text = "Where do you live?"
options = [{TOWNS}]
mechanism = "k-ary"
epsilon = 3.0
[[questions]]
id = "colour"
type = "one-of"
text = "Which colour?"
options = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
mechanism = "oue"
epsilon = 1.0
[[questions]]
id = "drugs"
type = "any-of"
mechanism = "bit-flips"
text = "Which have you taken?"
options = ["a", "b", "c"]
epsilon = 1.0
"""
SURVEY = compile_toml(SURVEY_TOML)
SMALL = compile_toml(SURVEY_TOML.split('[[questions]]\nid = "town"')[0].replace("habits", "small"))
STRINGS = compile_toml("""
id = "strings"
title = "Strings, three times"
waves = 3
[[questions]]
id = "affair"
type = "yes-no"
text = "Have you had an affair?"
mechanism = "basic-rappor"
epsilon = 1.0
epsilon_forever = 2.0
[[questions]]
id = "home"
type = "text"
text = "Which page do you see first?"
n_bits = 20
n_cohorts = 5
epsilon = 2.0
epsilon_forever = 4.0
[[questions]]
id = "street"
type = "text"
mechanism = "rappor"
text = "In which street do you live?"
n_bits = 9
n_cohorts = 300
unknown = true
epsilon = 4.0
""")
"""A survey of three waves, of strings and of a yes-no question."""
INVITED = replace(SMALL, id="invited", invited=True)
INVITED_WAVES = replace(STRINGS, id="invited-waves", invited=True)
COUNTED = replace(SMALL, id="counted", keep="counts")
COUNTED_INVITED = replace(COUNTED, id="counted-invited", invited=True)
"""Surveys of which the collector keeps counts alone."""


def make_reports(n_reports: int, survey: Survey = SURVEY, wave: int = 1, word: str = "\u00e1") -> list[Report]:
    """Return reports of people who all answer with the first option, or a word, with coins of this test's own.

    A test draws the same at every run, and its next reports other coins; ids are the system's.
    """
    answers: dict[str, Any] = {}
    for question in survey.questions:
        rows = question.mechanism.n_values if question.mechanism.takes_rows else ()
        answers[question.id] = np.zeros((n_reports, rows) if rows else n_reports, np.intp)
        if question.type == "text":
            answers[question.id] = [word] * n_reports
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    coins = Coins(hmac_bytes(hashlib.sha256(test.encode()).digest(), b"%d" % next(MADE[test])))
    records = survey.perturb(answers, coins, wave)
    return [Report(os.urandom(16), record.tobytes()) for record in records]


def tally_of(survey: Survey, reports: list[Report]) -> Tally:
    """Return the tally of exactly these reports."""
    return Tally.of(survey, stack_records([report.record for report in reports]))


def make_batch(stored: StoredSurvey, reports: list[Report]) -> Batch:
    """Return reports as the writer takes them."""
    records = np.frombuffer(b"".join(report.record for report in reports), np.uint8).reshape(len(reports), -1)
    codes = [parse_invitation(report.invitation) for report in reports] if stored.survey.invited else []
    invitations = tuple(hash_invitation(code, stored.survey) for code in codes)
    return Batch(stored, b"".join(report.id for report in reports), records, invitations)


def invite_reports(store: Store, stored: StoredSurvey, reports: list[Report]) -> list[Report]:
    """Return reports that each have a new invitation of their own."""
    codes = make_invitations(store, stored, len(reports))
    return [replace(report, invitation=code) for report, code in zip(reports, codes, strict=True)]


def publish_here(store: Store, survey: Survey = SURVEY) -> StoredSurvey:
    """Put a survey into a store, and return it as stored."""
    store.add_survey(survey)
    stored = store.find_survey(survey.id)
    assert stored is not None
    return stored


def count_here(store: Store, stored: StoredSurvey, reports: list[Report]) -> list[Outcome | Exception]:
    """Count one batch in a transaction of its own, without a writer."""
    return store.run(lambda transaction: count_batches(transaction, prepare_batches([make_batch(stored, reports)])))


def execute(store: Store, statement: str) -> None:
    """Change a store behind its back."""
    with store.transaction() as transaction:
        transaction.connection.execute(text(statement))


def count_and_fail(store: Store, batch: Batch) -> None:
    """Count a batch in a transaction that fails before it is committed."""
    with store.transaction() as transaction:
        count_batches(transaction, prepare_batches([batch]))
        transaction.connection.execute(text("SELECT no_such_function()"))


def end_token(table: TokenTable, token: str) -> None:
    """Let a token have ended long ago, as one that was replaced."""
    table.replace(hash_token(token), 1, StoredToken(os.urandom(32), "analyst", "the next one"))


def check_store(db: str | Path) -> None:
    """Hold that the database is sound and every tally equals the recount of its stored reports."""
    with closing(Store(db)) as store:
        check_integrity(store)


@dataclass
class Calendar:
    """Says which day it is, in place of a store's clock."""

    day: str

    def __call__(self) -> str:
        return self.day


@dataclass
class Served:
    """A `sotto serve` process of this test's own."""

    process: "subprocess.Popen[str]"
    port: int
    db: str | Path
    admin: str
    analyst: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_S)

    def ask(
        self, method: str, path: str, body: bytes = b"", token: str = "", headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], Any]:
        """Return (status, headers, decoded JSON) of one request."""
        status, answered, content = self.fetch(method, path, body, token, headers)
        return status, answered, json.loads(content)

    def fetch(
        self, method: str, path: str, body: bytes = b"", token: str = "", headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Return (status, headers, body) of one request."""
        sent = {"Content-Type": "application/json"} | (headers or {})
        if token:
            sent["Authorization"] = f"Bearer {token}"
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)) as connection:
            connection.request(method, path, body or None, sent)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()

    def send(self, reports: list[Report], survey: Survey = SURVEY) -> tuple[int, dict[str, str], Any]:
        return self.ask("POST", f"/v1/surveys/{survey.id}/reports", batch_body(survey, reports))

    def stop(self) -> tuple[int, str, str]:
        """Send SIGTERM; return (exit code, stdout, stderr)."""
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=TIMEOUT_S)
        return self.process.returncode, out, err

    def kill(self) -> None:
        """Kill the whole process group at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate(timeout=TIMEOUT_S)


def prepare(db: str | Path, *surveys: Survey) -> tuple[str, str]:
    """Make a database with these surveys; return an admin's and an analyst's token."""
    make_tables(db)
    with closing(Store(db)) as store:
        for survey in surveys or (SURVEY,):
            store.add_survey(survey)
        tokens = TokenTable(store)
        return create_token(tokens, "admin"), create_token(tokens, "analyst", "test")


@contextmanager
def serve(
    db: str | Path,
    *flags: str,
    survey: Survey = SURVEY,
    command: Sequence[str | Path] = (SOTTO,),
    env: Mapping[str, str] | None = None,
) -> Iterator[Served]:
    """Serve a database on a free port until the block ends; `env` is added to this process's environment."""
    admin, analyst = prepare(db, survey)
    process = starting.Popen(
        [*command, "serve", "--db", db, "--port", "0", *flags],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | (env or {}),
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("sotto collector listening on http://127.0.0.1:"), line
        yield Served(process, int(line.rsplit(":", 1)[1]), db, admin, analyst)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=TIMEOUT_S)


def assert_problem(status: int, content_type: str, document: Any, *, code: str) -> None:
    """Hold that an answer is a problem document: one shape on every route."""
    assert content_type == "application/problem+json"
    assert document["code"] == code
    assert document["status"] == status
    assert document["type"] == f"urn:sottovoce:problem:{code}"
    assert document["title"]
    assert document["detail"]


def wait_until(happens: Callable[[], bool]) -> None:
    """Ask again and again until something is so."""
    deadline = time.monotonic() + TIMEOUT_S
    while not happens():
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.01)
