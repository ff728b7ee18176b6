"""From answers to a report: what a device does when it is answered, and all that it needs NumPy for.

It is loaded for the first survey that is asked for: an app that starts with the client does not wait for it.
"""

import os
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from sotto_client.day import today
from sotto_client.draws import Draws
from sotto_client.entropy import os_coins
from sotto_client.errors import AlreadyAnswered, NotAsked
from sotto_client.ledger import Entry, Ledger, Limits, epsilon_of_report
from sotto_client.outbox import Outbox, Posting
from sotto_client.participation import invitation_of, secret_of
from sotto_client.receipt import Receipt
from sotto_client.reporting import Encoded, check_answers, make_report, mark_answers, noise_secret
from sotto_client.source import SurveySource
from sotto_client.state import State
from sotto_client.tokens import Tokens
from sotto_protocol import Report, Survey, batch_body
from sotto_protocol.blind import report_id_of
from sotto_protocol.record import WAVE
from sotto_protocol.report import REPORT_ID_BYTES


@dataclass(frozen=True, slots=True)
class Answering:
    """Makes the reports of one survey. `made`: what this object made, by receipt."""

    state: State
    source: SurveySource
    limits: Limits
    posting: Posting
    made: dict[str, Entry] = field(default_factory=dict)

    def answer(self, survey: Survey, answers: Mapping[str, Any], wave: int, invitation: bytes | None) -> Receipt:
        """Return the receipt of the report that is made, or of the first one: see `SurveyClient.answer`."""
        survey.check_wave(wave)
        waves = self.waves(survey)
        if wave not in waves:
            raise NotAsked(survey, wave, waves)
        encoded = check_answers(survey, answers, self.draw(survey))
        with self.state.write() as connection:
            earlier = Ledger(connection).find(survey.fingerprint)
            if wave in earlier:
                return self._repeat(earlier[wave], survey, encoded)
            of_wave = wave, waves[-1]
            return self._make(connection, survey, encoded, of_wave, list(earlier.values()), invitation).to_receipt()

    def draw(self, survey: Survey) -> list[bool]:
        """Return of each question whether this device answers it: committed before anything can be refused."""
        if not survey.draw:
            return [True] * len(survey.questions)
        with self.state.write() as connection:
            return Draws(connection).of(survey)

    def waves(self, survey: Survey) -> tuple[int, ...]:
        """Return the waves in which this device is asked, ascending: committed before anything can be refused."""
        if not survey.asked_in:
            return (*range(1, survey.waves + 1),)
        with self.state.write() as connection:
            return Draws(connection).waves_of(survey)

    def _make(
        self,
        connection: sqlite3.Connection,
        survey: Survey,
        encoded: Encoded,
        of_wave: tuple[int, int],
        earlier: Sequence[Entry],
        invitation: bytes | None,
    ) -> Entry:
        """Return the entry of a report that waits from now on; `of_wave`: its wave, and the last of this device's."""
        wave, last_wave = of_wave
        secret = secret_of(survey, earlier)
        admitting = None if survey.is_blind else invitation_of(survey, earlier, invitation)
        marks, record = make_report(survey, encoded, noise_secret(survey, secret, wave), {WAVE: wave}, os_coins())
        tokens, random, report_id = Tokens(connection), b"", os.urandom(REPORT_ID_BYTES)
        if survey.is_blind:
            random, message = tokens.draw_message(survey, wave)
            report_id = report_id_of(message)
        report = Report(report_id, record)
        taken = epsilon_of_report(survey, marks, earlier, [answer is not None for answer in encoded])
        of_survey = survey.fingerprint, wave, last_wave, survey.id
        made = Entry(*of_survey, taken, today(), report.receipt, secret, marks, admitting)
        Ledger(connection).charge(made, self.limits, Decimal(0) if earlier else survey.epsilon)
        body = batch_body(survey, [report])
        posting, restored = self.posting, self.source.restored(connection)
        via = self.source.via(survey)
        delay_end = 0.0 if survey.is_blind else posting.draw_delay_end()
        if survey.is_blind:  # the report's own wait begins with the token
            tokens.want(survey, made.receipt, random, of_wave, invitation, posting.max_delay_s)
        waits = delay_end, posting.resend_days, restored, None, via.to_text() if via else ""
        Outbox(connection).put(made.receipt, posting.url, survey.id, body, *waits)
        # Before the commit: from then on the report may be delivered, and what made it forgotten in the state.
        self.made[made.receipt] = made
        return made

    def _repeat(self, earlier: Entry, survey: Survey, encoded: Encoded) -> Receipt:
        """Return the first receipt if these are the same answers, or, in a survey of one wave, have the same noise.

        The device knows that while it has the secret, and this object as long as it lives. Raises AlreadyAnswered.
        """
        known = self.made.get(earlier.receipt, earlier)
        if known.secret is None:
            raise AlreadyAnswered(known.to_receipt(), survey)
        if mark_answers(survey, encoded, noise_secret(survey, known.secret, known.wave)) != known.marks:
            raise AlreadyAnswered(known.to_receipt(), survey)
        return known.to_receipt()
