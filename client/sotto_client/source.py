"""Where a survey comes from: the collector, which is not trusted, or the checked copy that the device keeps."""

import hashlib
import json
import logging
import sqlite3
import time
from dataclasses import dataclass, replace

from sotto_client.database import expect, reading
from sotto_client.day import today
from sotto_client.doubts import Doubts
from sotto_client.errors import DeliveryError, SurveyRefused, SurveyUnavailable
from sotto_client.exchange import get_survey, survey_path
from sotto_client.ledger import Limits
from sotto_client.outbox import Posting
from sotto_client.relays import NEEDS_EXTRA, PlainRelay, Relays, is_possible
from sotto_client.reply import Reply
from sotto_client.sent import RESTORED_HEADER, Sent, read_restored
from sotto_client.state import State
from sotto_client.verdict import SURVEY_UNKNOWN, read_problem
from sotto_client.via import Via, authority_of
from sotto_protocol import Survey, SurveyError
from sotto_protocol.problem import SURVEY_CLOSED, UNEXPECTED
from sotto_protocol.survey import MAX_SURVEY_BYTES

_KEEP = """
INSERT INTO surveys (url, survey_id, canonical, restored) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET canonical = excluded.canonical, restored = excluded.restored
WHERE canonical <> excluded.canonical OR restored <> excluded.restored
"""  # else nothing is written
STATE_HEADER = "sottovoce-state"
_SAID = {"open": True, "closed": False}
_log = logging.getLogger("sottovoce")


@dataclass(frozen=True, slots=True)
class SurveySource:
    """One survey of one collector, with what this device demands of it."""

    url: str
    survey_id: str
    fingerprint: str | None
    limits: Limits
    posting: Posting
    relays: Relays

    def via(self, survey: Survey) -> Via | None:
        """Return the way of this survey's requests; None if they go directly."""
        return Via.of(survey, self.url, self.posting.relay)

    def kept_survey(self, state: State) -> Survey | None:
        """Return the copy that this device keeps, if there is one."""
        with state.read() as connection:
            kept = self._kept(connection)
        return None if kept is None else read_survey(kept, self.survey_id)

    def survey(self, state: State, *, timeout_s: float) -> tuple[Survey, bool | None]:
        """Return the collector's survey and keep it, or the copy kept before when the collector does not serve one.

        And whether reports of it are taken, as far as the collector has said so: None where it has not.

        The kept version is over if the collector says that it is closed, or says for a week that it has another one or
        none. Then the device forgets what could undo its noise, and does not use the copy. If its store was restored
        since, what this device keeps of delivered reports waits again. Raises SurveyRefused for a survey that this
        device must not answer, SurveyUnavailable when there is none.
        """
        try:
            reply = self._fetch(state, timeout_s)
        except SurveyUnavailable as fault:
            is_over = False
            if fault.code:
                with state.write() as connection:
                    is_over = self._note_code(connection, fault.code)
            with state.read() as connection:
                kept = self._kept(connection)
            if kept is None or is_over:
                raise
            _log.debug("The survey is the copy that this device keeps.")
            return self._check(read_survey(kept, self.survey_id)), None
        survey = read_survey(reply.body, self.survey_id)
        with state.write() as connection:
            self._doubts(connection).doubt(self._kept_fingerprint(connection), unless=survey.fingerprint)
        self._keep(state, self._check(survey), read_restored(reply.headers.get(RESTORED_HEADER)))
        _log.debug("The survey came from the collector.")
        return survey, _SAID.get(reply.headers.get(STATE_HEADER, ""))

    def _fetch(self, state: State, timeout_s: float) -> Reply:
        """Return the collector's reply: through the relay that the app gave, if it is one for encrypted requests."""
        kept = self.kept_survey(state) if self.posting.relay and is_possible() else None
        if not self.posting.relay or not is_possible() or (kept and not kept.is_oblivious):
            return _fetch(self.url, self.survey_id, timeout_s=timeout_s)
        began = time.monotonic()
        via = Via(self.posting.relay, kept.gateway_key if kept else "", authority_of(self.url), 0)
        path = survey_path(self.survey_id)
        try:
            exchange = self.relays.get(via, path, timeout_s=timeout_s, max_bytes=MAX_SURVEY_BYTES)
            reply = _check_reply(self.survey_id, exchange.result())
        except PlainRelay as fault:
            if kept:
                raise SurveyUnavailable(f"survey {self.survey_id}: {fault}") from fault
            left_s = max(0.0, began + timeout_s - time.monotonic())
            return _fetch(self.url, self.survey_id, timeout_s=left_s)
        except DeliveryError as fault:
            raise SurveyUnavailable(f"survey {self.survey_id}: {fault}") from fault
        survey = read_survey(reply.body, self.survey_id)
        if survey.is_oblivious and survey.gateway_key != via.gateway_key:
            self.relays.check(replace(via, gateway_key=survey.gateway_key))
        return reply

    def _note_code(self, connection: sqlite3.Connection, code: str) -> bool:
        """Note a problem's code, or that the reply is not the collector's; return whether the kept version is over."""
        doubts, kept = self._doubts(connection), self._kept_fingerprint(connection)
        if code == SURVEY_CLOSED:
            doubts.believe(kept)
            return True
        if code in SURVEY_UNKNOWN:
            return doubts.doubt(kept)
        doubts.restart()
        return False

    @property
    def _place(self) -> tuple[str, str]:
        return self.url, self.survey_id

    def _doubts(self, connection: sqlite3.Connection) -> Doubts:
        return Doubts(connection, self.url, self.survey_id)

    def _check(self, survey: Survey) -> Survey:
        if survey.is_oblivious and not is_possible():
            raise SurveyRefused(f"survey {survey.id}: {NEEDS_EXTRA}")
        if self.fingerprint not in (None, survey.fingerprint):
            raise SurveyRefused(f"survey {survey.id} has fingerprint {survey.fingerprint}, not the pinned one.")
        # All waves together, so that a device that begins can finish, if its answers stay the same.
        if survey.epsilon_forever > self.limits.max_epsilon:
            waves = f" in {survey.max_reports} waves" if survey.max_reports > 1 else ""
            raise SurveyRefused(
                f"survey {survey.id} takes epsilon {survey.epsilon_forever}{waves}, "
                f"above max_epsilon ({self.limits.max_epsilon})."
            )
        return survey

    def _kept(self, connection: sqlite3.Connection) -> bytes | None:
        row = connection.execute(
            "SELECT canonical FROM surveys WHERE url = ? AND survey_id = ?", self._place
        ).fetchone()
        if row is None:
            return None
        with reading("copy of a survey"):
            expect(row, bytes)
        return bytes(row[0])

    def restored(self, connection: sqlite3.Connection) -> int:
        """Return the number of the collector's store, as this device heard it last (`read_restored`)."""
        row = connection.execute("SELECT restored FROM surveys WHERE url = ? AND survey_id = ?", self._place).fetchone()
        with reading("copy of a survey"):
            expect(row or (0,), int)
        return int(row[0]) if row else 0

    def _keep(self, state: State, survey: Survey, restored: int | None) -> None:
        """Keep a copy, and the number of its collector's store; where that is another, lost reports wait again."""
        with state.write() as connection:
            number = self.restored(connection) if restored is None else restored
            connection.execute(_KEEP, (*self._place, survey.canonical, number))
            sent = Sent(connection)
            sent.sweep(today())
            lost = sent.lost(self.posting.url, survey.fingerprint, number)
            sent.readmit(lost, number, self.posting.draw_delay_end)

    def _kept_fingerprint(self, connection: sqlite3.Connection) -> str:
        kept = self._kept(connection)
        return "" if kept is None else hashlib.sha256(kept).hexdigest()


def fetch_survey(url: str, survey_id: str, *, timeout_s: float) -> Survey:
    """Return the collector's survey, its epsilon recomputed; no limit of a device is applied.

    Raises SurveyUnavailable when there is none, SurveyRefused when it is malformed or untruthful.
    """
    return read_survey(_fetch(url, survey_id, timeout_s=timeout_s).body, survey_id)


def _fetch(url: str, survey_id: str, *, timeout_s: float) -> Reply:
    try:
        reply = get_survey(url, survey_id, timeout_s=timeout_s, max_bytes=MAX_SURVEY_BYTES)
    except DeliveryError as fault:
        raise SurveyUnavailable(f"survey {survey_id}: {fault}") from fault
    return _check_reply(survey_id, reply)


def _check_reply(survey_id: str, reply: Reply) -> Reply:
    """Return a reply that may hold a survey. Raises SurveyUnavailable."""
    if reply.status != 200:
        raise _unavailable(survey_id, reply)
    if not _is_json(reply.body):  # the login page of a network in between
        raise SurveyUnavailable(f"survey {survey_id}: the reply is not a collector's.", code=UNEXPECTED)
    return reply


def read_survey(canonical: bytes, survey_id: str) -> Survey:
    """Return a published survey, trusting nothing. Raises SurveyRefused."""
    try:
        survey = Survey.from_canonical(canonical)
    except SurveyError as fault:
        raise SurveyRefused(f"survey {survey_id} is refused: {fault}") from fault
    if survey.id != survey_id:
        raise SurveyRefused(f"survey {survey_id} was asked for, but the collector sent another.")
    return survey


def _unavailable(survey_id: str, reply: Reply) -> SurveyUnavailable:
    problem = read_problem(reply)
    code = UNEXPECTED if problem is None else problem.code
    return SurveyUnavailable(f"survey {survey_id}: the collector says HTTP {reply.status} ({code}).", code=code)


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except RecursionError:
        return True  # let the survey's own reader refuse it
    except ValueError:
        return False
    return True
