"""Where a survey comes from: the collector, which is not trusted, or the checked copy that the device keeps."""

import hashlib
import json
import sqlite3
from dataclasses import dataclass

from sotto_client.errors import DeliveryError, SurveyRefused, SurveyUnavailable
from sotto_client.exchange import Reply, get_survey
from sotto_client.ledger import Ledger, Limits
from sotto_client.state import State
from sotto_client.verdict import SURVEY_OVER
from sotto_protocol import Problem, Survey, SurveyError
from sotto_protocol.survey import MAX_SURVEY_BYTES


@dataclass(frozen=True, slots=True)
class SurveySource:
    """One survey of one collector, with what this device demands of it."""

    url: str
    survey_id: str
    fingerprint: str | None
    limits: Limits
    timeout_s: float

    def survey(self, state: State) -> Survey:
        """Return the collector's survey and keep it, or the copy kept before when the collector cannot be reached.

        The version that was kept is over where the collector has another one now, or none: the device forgets what
        could undo its noise. Raises SurveyRefused for one that this device must not answer, SurveyUnavailable when
        there is none.
        """
        try:
            survey = fetch_survey(self.url, self.survey_id, timeout_s=self.timeout_s)
        except SurveyUnavailable as fault:
            if fault.is_over:
                with state.write() as connection:
                    self._end_kept(connection)
            with state.read() as connection:
                kept = self._kept(connection)
            if kept is None or fault.is_final:
                raise
            return self._check(read_survey(kept, self.survey_id))
        with state.write() as connection:
            self._end_kept(connection, unless=survey.fingerprint)
        self._keep(state, self._check(survey))
        return survey

    def _check(self, survey: Survey) -> Survey:
        if self.fingerprint not in (None, survey.fingerprint):
            raise SurveyRefused(f"survey {survey.id} has fingerprint {survey.fingerprint}, not the pinned one.")
        # Of all its waves, so that a device that begins can finish, if its answers stay the same.
        if survey.epsilon_forever > self.limits.max_epsilon:
            waves = f" in {survey.waves} waves" if survey.waves > 1 else ""
            raise SurveyRefused(
                f"survey {survey.id} takes epsilon {survey.epsilon_forever}{waves}, "
                f"above max_epsilon ({self.limits.max_epsilon})."
            )
        return survey

    def _kept(self, connection: sqlite3.Connection) -> bytes | None:
        row = connection.execute(
            "SELECT canonical FROM surveys WHERE url = ? AND survey_id = ?", (self.url, self.survey_id)
        ).fetchone()
        return None if row is None else row[0]

    def _keep(self, state: State, survey: Survey) -> None:
        with state.write() as connection:
            connection.execute(
                "INSERT INTO surveys (url, survey_id, canonical) VALUES (?, ?, ?) ON CONFLICT DO UPDATE "
                "SET canonical = excluded.canonical WHERE canonical <> excluded.canonical",  # else nothing is written
                (self.url, self.survey_id, survey.canonical),
            )

    def _end_kept(self, connection: sqlite3.Connection, unless: str = "") -> None:
        kept = self._kept(connection)
        fingerprint = None if kept is None else hashlib.sha256(kept).hexdigest()
        if fingerprint not in (None, unless):
            Ledger(connection).end(fingerprint)


def fetch_survey(url: str, survey_id: str, *, timeout_s: float) -> Survey:
    """Return the collector's survey, its epsilon recomputed; whether it is affordable is for a device to say.

    Raises SurveyUnavailable when there is none to be had, SurveyRefused when it is malformed or untruthful.
    """
    try:
        reply = get_survey(url, survey_id, timeout_s=timeout_s, max_bytes=MAX_SURVEY_BYTES)
    except DeliveryError as fault:
        raise SurveyUnavailable(f"survey {survey_id}: {fault}") from fault
    if reply.status != 200:
        raise _unavailable(survey_id, reply)
    if not _is_json(reply.body):  # the login page of a network in between
        raise SurveyUnavailable(f"survey {survey_id}: the answer is not the collector's.")
    return read_survey(reply.body, survey_id)


def read_survey(canonical: bytes, survey_id: str) -> Survey:
    """Return a published survey, trusting nothing. Raises SurveyRefused."""
    try:
        survey = Survey.from_canonical(canonical)
    except SurveyError as fault:
        raise SurveyRefused(f"survey {survey_id} is refused: {fault}") from fault
    if survey.id != survey_id:
        raise SurveyRefused(f"survey {survey_id} was asked for, and another was served.")
    return survey


def _unavailable(survey_id: str, reply: Reply) -> SurveyUnavailable:
    problem = Problem.from_response(reply.status, reply.body)
    is_final = 400 <= reply.status < 500 and problem.code != "unexpected"  # the collector itself says no
    return SurveyUnavailable(
        f"survey {survey_id}: the collector says HTTP {reply.status} ({problem.code}).",
        is_final=is_final,
        is_over=is_final and problem.code in SURVEY_OVER,
    )


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except RecursionError:
        return True  # let the survey's own reader refuse it
    except ValueError:
        return False
    return True
