"""All that a device keeps, made readable: what it spent, and what its reports say in the words of their surveys."""

import json
import sqlite3
from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import compress
from typing import Any

from sotto_client.database import reading
from sotto_client.draws import Draws, Seed
from sotto_client.gateways import Gateways, SeenKeys
from sotto_client.ledger import Entry, Ledger
from sotto_client.outbox import Outbox, Rejected, WaitingReport
from sotto_client.sent import Sent, SentReport
from sotto_client.state import State
from sotto_protocol import ReportError, Survey, SurveyError
from sotto_protocol.record import HEAD


@dataclass(frozen=True, slots=True)
class Spent:
    """One report that was made; `day` as an ISO date in UTC.

    `epsilon` in nats: what it took, or, if `is_summed`, what the survey's reports of all waves took together.
    """

    day: str
    survey_id: str
    fingerprint: str
    wave: int
    epsilon: Decimal
    is_summed: bool
    receipt: str


@dataclass(frozen=True, slots=True)
class Kept:
    """One report in the outbox, or a delivered one; `reason` is why it was refused, if it was.

    `reported`: by question id, what the noisy report says (in options, where known).
    `days_left`: for how many days a delivered one is kept yet, to be sent again.
    `together`: of questions that are asked together, by the id under which they are reported, their own ids.
    """

    receipt: str
    survey_id: str
    wave: int
    url: str
    n_attempts: int
    reason: str
    reported: dict[str, Any]
    days_left: int = 0
    together: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Return what is reported, one line a question."""
        return [
            f"{' and '.join(self.together.get(question_id, (question_id,)))}: reported {_words(value)}"
            for question_id, value in self.reported.items()
        ]


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions that a device was drawn for; none where the copy of the survey was replaced by another version.

    `waves`: those that it was drawn for, of a survey with `asked_in`; else none.
    """

    survey_id: str
    fingerprint: str
    questions: tuple[str, ...]
    waves: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a state holds, but for secrets and marks (`sotto_client.ledger.Entry`).

    `drawn`: of surveys with `draw` or `asked_in`, what this device answers, and when. `sent`: delivered reports that
    are kept. `gateways`: what was seen of the keys of each, to be compared with other people's.
    """

    state: str
    ledger: tuple[Spent, ...]
    waiting: tuple[Kept, ...]
    rejected: tuple[Kept, ...]
    drawn: tuple[Asked, ...] = ()
    sent: tuple[Kept, ...] = ()
    gateways: tuple[SeenKeys, ...] = ()


def take_inventory(state: State) -> Inventory:
    """Return everything that a state holds and a respondent can read."""
    with state.read() as connection:
        entries = Ledger(connection).entries()
        waiting, rejected = Outbox(connection).waiting(), Outbox(connection).rejected()
        gateways = Gateways(connection).seen()
        seeds, sent = Draws(connection).seeds(), Sent(connection).reports()
        with reading("outbox"):
            surveys = _read_surveys(connection)
            return Inventory(
                state.name,
                tuple(map(_spent, entries)),
                tuple(_keep(report, surveys, "") for report in waiting),
                tuple(_keep(report, surveys, f"{report.problem.code}: {report.problem.detail}") for report in rejected),
                tuple(_asked(seed, surveys.get(seed.fingerprint)) for seed in seeds),
                tuple(_keep(report, surveys, "") for report in sent),
                tuple(gateways),
            )


def decode(survey: Survey, report: dict[str, Any]) -> dict[str, Any]:
    """Return what one sent report says: yes-no as a bool, else the texts of the options that it supports.

    Of a text question, its cohort, and the number that was drawn (`value`), or those of the bits that are set, of the
    whole string and of any n-grams.
    `report` as on the wire. Raises ReportError where the survey's mechanisms cannot have made it.
    """
    record = survey.layout.from_wire([report["answers"]], "$", {name: [report.get(name)] for name in HEAD})
    return {question.id: question.decode(row) for question, part in survey.layout.cut(record) for row in part}


def _spent(entry: Entry) -> Spent:
    of_survey = entry.day.isoformat(), entry.survey_id, entry.fingerprint, entry.wave
    return Spent(*of_survey, entry.epsilon, entry.is_summed, entry.receipt)


def _asked(seed: Seed, survey: Survey | None) -> Asked:
    drawn = compress(survey.questions, seed.drawn(survey)) if survey else ()
    asked = dict.fromkeys(item.id for question in drawn for item in question.items)
    waves = seed.waves(survey) if survey and survey.asked_in else ()
    return Asked(seed.survey_id, seed.fingerprint, tuple(asked), waves)


def _read_surveys(connection: sqlite3.Connection) -> dict[str, Survey]:
    """Return the copies by fingerprint, without those that are damaged or that this program cannot read."""
    surveys = {}
    for (text,) in connection.execute("SELECT canonical FROM surveys"):
        with suppress(SurveyError):
            survey = Survey.from_canonical(text)
            surveys[survey.fingerprint] = survey
    return surveys


def _keep(report: WaitingReport | Rejected | SentReport, surveys: dict[str, Survey], reason: str) -> Kept:
    sent = json.loads(report.body)
    [said] = sent["reports"]
    survey = surveys.get(sent["fingerprint"])
    try:
        answers = said["answers"] if survey is None else decode(survey, said)
    except ReportError as fault:
        raise ValueError("a report is none of its survey's.") from fault
    of_report = report.receipt, report.survey_id, said.get("wave", 1), report.url
    together = _asked_together(survey, answers)
    if isinstance(report, SentReport):
        return Kept(*of_report, 0, reason, answers, report.days_left, together)
    return Kept(*of_report, report.n_attempts, reason, answers, together=together)


def _asked_together(survey: Survey | None, answers: Container[str]) -> dict[str, tuple[str, ...]]:
    """Return the items' ids of each question that is answered and stands for several."""
    answered = [question for question in survey.questions if question.id in answers] if survey else []
    return {question.id: tuple(item.id for item in question.items) for question in answered if len(question.items) > 1}


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict) and "output" in value:
        return f"{value['output']}, sent most often for numbers from {value['from']} to {value['to']}"
    if isinstance(value, dict):
        said = f"number {value['value']}" if "value" in value else f"{len(value['bits'])} bits set"
        return f"{said} in cohort {value['cohort']}"
    return (" | ".join(value) or "nothing") if isinstance(value, list) else str(value)
