"""A program that asks itself: it declares its measures once, and answers a survey on its own, at most once a wave.

Rule: before the user has agreed, nothing is drawn, written or sent. What works in the background never raises into the
program, prints, or keeps it from ending.
"""

import hashlib
import json
import logging
import os
import random
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from sotto_client.consent import (
    SWITCHES,
    Consent,
    Deleted,
    Progress,
    is_switched_off,
    read_consent,
    read_deleted,
    read_progress,
    write,
)
from sotto_client.day import day_of
from sotto_client.errors import BudgetExceeded, NotAsked, ParticipationEnded, StateError, SurveyRefused
from sotto_client.forking import Renewed

if TYPE_CHECKING:
    from sotto_client.outbox import WaitingReport
    from sotto_client.state import State
    from sotto_protocol import Survey
    from sotto_protocol.questions.item import Item

ATTEMPT_S = 2.0
"""The longest that a command line waits for its measures, by default."""
RETRY_S = 3600.0
"""Between two attempts to answer, and between two looks of a program that runs for long; on average."""
MAX_DELAY_S = 604_800.0
OPTIONS = ("max_epsilon", "max_period_epsilon", "period_days", "relay_url", "resend_days")
"""What may be given on to `SurveyClient`."""
_PROGRAM = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
_DAY_S = 86_400.0
_MOST_DAYS = 366
_WIDTH = 100
_NO_REPORT = (
    "This device makes no report. It is not asked, its budget is used up, or measures were switched off after a report."
)
_SENT = "A report was made and sent. Its receipt, which can erase it, is"
_WAITS = "A report was made, and waits. Its receipt, which can erase it, is"
_REFUSED = "A report was made, and the collector refused it. Its receipt is"
_DELETED = (
    "A report was made. It was deleted, as measures were switched off before the collector had confirmed it. If it "
    "arrived all the same, its receipt can erase it:"
)
_log = logging.getLogger("sottovoce")


class Measures(Renewed):
    """The measures of a program: what it answers, when, and whether its user has agreed.

    `survey` is the published survey, as the collector gives it out: a file, or its bytes. It comes with the program, so
    nothing is asked of the collector before the user has agreed. `measures` has a function for each question's id, that
    returns the answer. A program that has several parts gives each the same `program`.

    Wave 1 of a survey with waves begins on the day `starts` (UTC); each wave lasts `days` days. A report is made at the
    first attempt in a wave. It waits for a random time of at most `max_delay_s` before it is sent, by default half a
    wave, and a week at most. `folder` keeps the state, by default `$XDG_STATE_HOME/sottovoce/PROGRAM`, or below
    ~/.local/state. `options` are those of `SurveyClient` that are in OPTIONS.

    Raises ValueError for an argument outside its domain, and for measures that are not those of the survey.

        measures = Measures(url, "plugins.json", {"plugins": installed}, program="wikid", starts="2026-12-01", days=30)
        measures.attempt()
    """

    def __init__(
        self,
        url: str,
        survey: str | os.PathLike[str] | bytes,
        measures: Mapping[str, Callable[[], object]],
        *,
        program: str,
        starts: date | str | None = None,
        days: int | None = None,
        max_delay_s: float | None = None,
        folder: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        if not _PROGRAM.fullmatch(program):
            raise ValueError(f"program ({program!r}) must be 1 to 64 of a-z, 0-9, '.', '_' and '-'.")
        if unknown := [name for name in options if name not in OPTIONS]:
            raise ValueError(f"{unknown[0]} is no option of measures; there are {', '.join(OPTIONS)}.")
        self.url, self.program = url, program
        self._canonical = survey if isinstance(survey, bytes) else Path(survey).read_bytes()
        self.fingerprint = hashlib.sha256(self._canonical).hexdigest()
        self.survey_id, self.waves = _check(self._canonical, measures)
        self._measures = dict(measures)
        self._folder = None if folder is None else Path(folder)
        if (starts is None or days is None) and self.waves > 1:
            raise ValueError(f"starts and days must be given: the survey has {self.waves} waves.")
        self.days = _MOST_DAYS if days is None else days
        if type(self.days) is not int or not 1 <= self.days <= _MOST_DAYS:
            raise ValueError(f"days ({days!r}) must be an integer in [1, {_MOST_DAYS}].")
        self.starts = date.fromisoformat(starts) if isinstance(starts, str) else starts
        half = MAX_DELAY_S if days is None else min(days * _DAY_S / 2, MAX_DELAY_S)
        self._options = {**options, "max_delay_s": half if max_delay_s is None else max_delay_s}
        _log.addHandler(logging.NullHandler())  # where nobody has set up logging, warnings would go to the terminal
        super().__init__()

    def _begin_anew(self) -> None:
        self._stopped = threading.Event()
        self._passing = threading.Lock()
        self._thread: threading.Thread | None = None

    @property
    def folder(self) -> Path:
        """Where the state and the user's word are kept."""
        from sotto_client.state import default_path

        return self._folder or default_path().parent / self.program

    @property
    def agreed(self) -> bool | None:
        """What the user said of this version of the survey; None if nothing yet. A new version is asked for anew."""
        return read_consent(self._folder_of("consent.json"), self.fingerprint).agreed

    @property
    def is_on(self) -> bool:
        """Whether the program may answer now: the user has agreed, and no variable switches measures off."""
        return self.agreed is True and not is_switched_off()

    def allow(self) -> None:
        """Note that the user agrees. Raises StateError if that cannot be kept."""
        said = self.agreed
        if said is False:  # what `off` did not delete, as it was cut short
            self._wipe()
        if said is not True:
            self._note_consent(agreed=True)

    def off(self) -> None:
        """Note that the user does not agree: nothing more is sent, not even what waits.

        What waits is deleted, and with it the secret of the noise. After a report, the device answers again from the
        next version of the survey on, even if the user agrees once more. Raises StateError.
        """
        self._note_consent(agreed=False)
        self._wipe()

    def _wipe(self) -> None:
        from sotto_client.ledger import Ledger
        from sotto_client.outbox import Outbox
        from sotto_client.sent import Sent

        if self._database.exists():
            with closing(self._open()) as state, state.write() as connection:
                waiting = [report.receipt for report in self._waiting(connection)]
                for receipt in waiting:
                    Outbox(connection).acknowledge(receipt)
                Sent(connection).drop("survey_id", self.survey_id)
                Ledger(connection).forget(self.survey_id)
            self._note_deleted(waiting)

    def _note_deleted(self, receipts: list[str]) -> None:
        """Note what was deleted, for `show`; without this note it is told as sent."""
        noted = self._folder_of("deleted.json")
        if receipts:
            known = read_deleted(noted, self.fingerprint).receipts
            with suppress(StateError):
                write(noted, Deleted(self.fingerprint, (*known, *receipts)))

    def wave_on(self, day: date) -> int | None:
        """Return the wave of a day; None before the first and after the last."""
        if self.starts is None:
            return 1
        wave = (day - self.starts).days // self.days + 1
        return wave if 1 <= wave <= self.waves else None

    def attempt(self, timeout_s: float = ATTEMPT_S) -> None:
        """Answer if the wave has no report yet, and send what is due. For a command line, at its end.

        Returns after `timeout_s` at the latest. What is not done by then is left to the next run.
        """
        if not is_switched_off() and (thread := self._begin(self._pass, timeout_s)):
            thread.join(timeout_s)

    def start(self, timeout_s: float = 30.0) -> None:
        """Do the same now and then, in the background, until `stop`. For a program that runs for long.

        The thread ends with the program. An exchange with the collector takes at most `timeout_s`.
        """
        if self._thread is None or self._stopped.is_set() or not self._thread.is_alive():
            self._stopped = threading.Event()
            self._thread = self._begin(self._run, timeout_s)

    def stop(self) -> None:
        """End what `start` began, after the attempt that runs."""
        self._stopped.set()

    def opt_in_text(self) -> str:
        """Return what a user should read before they agree. It asks nobody, and draws nothing."""
        return "\n\n".join([self._intent(), self._questions(values=False), self._end()])

    def show(self) -> str:
        """Return what would be sent, and the report of this wave if there is one. It sends nothing, and draws nothing.

        Showing two reports of the same values would tell more than one. So this one is shown only once it is made, as
        it is sent.
        """
        return "\n\n".join([self._status(), self._questions(values=True), self._reports()])

    def command(self, word: str) -> str:
        """Do what a user types, one of `on`, `off`, `show`, `about`; return what to print. Raises ValueError."""
        if word == "show":
            return self.show()
        if word == "about":
            return self.opt_in_text()
        if word not in ("on", "off"):
            raise ValueError("the word must be one of on, off, show, about.")
        self.allow() if word == "on" else self.off()
        return self._status()

    def _folder_of(self, name: str) -> Path:
        return self.folder / name

    @property
    def _database(self) -> Path:
        return self._folder_of("device.db")

    def _note_consent(self, *, agreed: bool) -> None:
        write(self._folder_of("consent.json"), Consent(self.fingerprint, agreed))

    def _begin(self, work: Callable[[float], None], timeout_s: float) -> threading.Thread | None:
        thread = threading.Thread(target=self._safely, args=(work, timeout_s), name="sottovoce-measures", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # no more threads, or the interpreter is ending
            return None
        return thread

    def _safely(self, work: Callable[[float], None], timeout_s: float) -> None:
        """Do something; if it fails, log the exception's type alone: its message may quote what a measure found."""
        try:
            work(timeout_s)
        except Exception as fault:
            _log.debug("Measures were not sent (%s).", type(fault).__name__)

    def _run(self, timeout_s: float) -> None:
        stopped = self._stopped
        while not stopped.is_set():
            self._safely(self._pass, timeout_s)
            stopped.wait(random.SystemRandom().uniform(0.5, 1.5) * RETRY_S)

    def _pass(self, timeout_s: float) -> None:
        if not self.is_on:
            return
        with self._passing:
            noted, now = self._folder_of("progress.json"), time.time()
            progress = read_progress(noted, self.fingerprint)
            wave = self.wave_on(day_of(now))
            is_tried = 0 <= now - progress.tried_at < RETRY_S / 2
            if wave is not None and wave > progress.wave and not is_tried:
                write(noted, replace(progress, tried_at=now))
                self._answer(wave, timeout_s)
                write(noted, Progress(self.fingerprint, wave))
            else:
                self._deliver(timeout_s)

    def _answer(self, wave: int, timeout_s: float) -> None:
        from sotto_client.client import SurveyClient

        options = {"fingerprint": self.fingerprint, "timeout_s": timeout_s, **self._options}
        with closing(SurveyClient(self.url, self.survey_id, state=self._database, **options)) as device:
            try:
                if wave in device.waves:
                    answers = {item.id: self._value(item) for item in device.questions}
                    if not self.is_on:  # the user switched them off meanwhile
                        raise StateError("measures are off.")
                    device.answer(answers, wave)
                    if self.agreed is not True:  # or while the report was made
                        self._wipe()
                    device.flush(timeout_s)
            except (BudgetExceeded, NotAsked, ParticipationEnded, SurveyRefused) as fault:
                _log.debug("This wave gets no other report (%s).", type(fault).__name__)

    def _value(self, item: "Item") -> object:
        """Return what a measure found, as an answer; no answer where it failed and the question can be skipped."""
        try:
            return fit(item, self._measures[item.id]())
        except Exception:
            if item.skip is None:
                raise
            return None

    def _deliver(self, timeout_s: float) -> None:
        from sotto_client.delivery import Delivery

        if self._database.exists():
            with closing(self._open()) as state:
                Delivery(state, timeout_s=timeout_s).attempt_due()

    def _open(self) -> "State":
        from sotto_client.state import State

        return State.open(self._database, create=False)

    def _waiting(self, connection: sqlite3.Connection) -> "list[WaitingReport]":
        from sotto_client.outbox import Outbox

        return [report for report in Outbox(connection).waiting() if report.survey_id == self.survey_id]

    def _survey(self) -> "Survey":
        from sotto_protocol import Survey

        return Survey.from_canonical(self._canonical)

    def _intent(self) -> str:
        waves = f"at most once in {self.days} days, {self.waves} times in all" if self.waves > 1 else "once"
        if n_asked := self._survey().asked_in:
            waves = f"in {n_asked} of {self.waves} periods of {self.days} days, drawn at random"
        relay = self._options.get("relay_url") or self._survey().relay
        return "\n".join(
            [
                f"{self.program} asks you to take part in a survey: {self._survey().title}",
                f"If you agree, it answers the questions below on its own, {waves}.",
                f"Your device may change each answer at random, before anything goes to {self.url}"
                + (f", through {relay}." if relay else "."),
            ]
        )

    def _end(self) -> str:
        from sotto_protocol.explain import explain

        told = explain(self._survey())
        warned = [text for text in (told.protected_little, told.changes) if text]
        answered = [line for asked, answer in told.in_short()[1:] for line in (asked, *_indented(answer))]
        switches = f"Nothing is sent before you agree. To switch it off, set {' or '.join(SWITCHES)} to 1."
        return "\n".join([*(line for text in warned for line in wrap(text, _WIDTH)), *answered, switches])

    def _questions(self, *, values: bool) -> str:
        from sotto_protocol.explain import explain
        from sotto_protocol.words import epsilon_above

        survey = self._survey()
        told = {question.id: question.in_short for question in explain(survey).questions}
        lines = []
        for question in survey.questions:
            lines += [f"{item.id}: {item.text}" for item in question.items]
            if values:
                lines += [f"  now: {self._found(item)}  (stays on this device)" for item in question.items]
            lines += _indented(told[question.id])
        lines.append(f"A report takes epsilon {epsilon_above(survey.epsilon)}.")
        if self.waves > 1:
            forever = epsilon_above(survey.epsilon_forever)
            lines.append(f"All reports together take at most {forever}, if your answers stay the same.")
        return "\n".join(lines)

    def _found(self, item: "Item") -> str:
        try:
            value = fit(item, self._measures[item.id]())
        except Exception as fault:
            return f"cannot be found out ({type(fault).__name__})"
        return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)

    def _status(self) -> str:
        if is_switched_off():
            return f"{self.program}: measures are off ({' or '.join(SWITCHES)} is set)."
        said = {True: "on", False: "off", None: "off, as nobody has agreed yet"}[self.agreed]
        begins = f" Wave 1 begins on {self.starts}." * bool(self.starts and day_of(time.time()) < self.starts)
        return f"{self.program}: measures are {said}.{begins}"

    def _reports(self) -> str:
        none = "No report was made."
        if not self._database.exists():
            return none
        with closing(self._open()) as state, state.read() as connection:
            from sotto_client.ledger import Ledger
            from sotto_client.outbox import Outbox

            made, waiting = Ledger(connection).find(self.fingerprint), self._waiting(connection)
            refused = {report.receipt for report in Outbox(connection).rejected()}
        became = dict.fromkeys(read_deleted(self._folder_of("deleted.json"), self.fingerprint).receipts, _DELETED)
        became |= dict.fromkeys(refused, _REFUSED) | {report.receipt: _WAITS for report in waiting}
        lines = [
            f"{self._of_wave(wave)}{became.get(entry.receipt, _SENT)} {entry.receipt}."
            for wave, entry in sorted(made.items())
        ]
        if (done := read_progress(self._folder_of("progress.json"), self.fingerprint).wave) and done not in made:
            lines.append(f"{self._of_wave(done)}{_NO_REPORT}")
        lines += [f"It waits, and is sent as it is:\n{report.body.decode().rstrip()}" for report in waiting]
        return "\n".join(lines) or none

    def _of_wave(self, wave: int) -> str:
        return f"Wave {wave}: " if self.waves > 1 else ""


def _indented(text: str) -> list[str]:
    return wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")


def fit(item: "Item", value: Any) -> Any:
    """Return a value as an answer to a question.

    Options that the survey does not have are left out, and so is what goes beyond the most that may be selected, in
    the survey's order. A number becomes the nearest one of the range.
    """
    if item.type == "any-of" and isinstance(value, list | tuple | set | frozenset):
        return [option for option in item.options if option in value][: item.max_selected]
    if item.type == "number" and isinstance(value, int | float) and not isinstance(value, bool):
        kind: Any = item.kind
        nearest = round((value - float(kind.minimum)) / float(kind.step))
        return kind.at(min(max(nearest, 0), kind.n_options - 1))
    return value


def _check(canonical: bytes, measures: Mapping[str, Callable[[], object]]) -> tuple[str, int]:
    """Return the survey's id and number of waves. Raises ValueError unless each of its questions has a measure."""
    try:
        document = json.loads(canonical)
        asked = [item for question in document["questions"] for item in question.get("questions", [question])]
        ids = [*dict.fromkeys(item["id"] for item in asked)]
        survey_id, waves = str(document["id"]), int(document.get("waves", 1))
    except (ValueError, TypeError, LookupError, AttributeError) as fault:
        raise ValueError("survey must be a published survey: what the collector has at /v1/surveys/ID.") from fault
    if document.get("invited"):
        raise ValueError("survey must not be for invited people: a program has no invitation.")
    if sorted(measures) != sorted(ids):
        raise ValueError(f"measures ({', '.join(measures)}) must be those of the survey: {', '.join(ids)}.")
    if not all(callable(measure) for measure in measures.values()):
        raise ValueError("each measure must be a function.")
    return survey_id, waves
