"""What a store says of itself, whatever its schema, without its reports being read: for its operator, and metrics."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from sqlalchemy import Column, Connection, Table, func, literal, select

from sotto_collector.store.about import LastRestore, read_about, read_restore
from sotto_collector.store.schema import gateway_keys, inbox, invitations, journals, store, surveys, tallies, tokens
from sotto_collector.store.stored import CLOSED, DRAFT, OPEN, STATES

SINCE: dict[Table | Column[Any], str] = {
    inbox: "0003",
    invitations: "0003",
    tokens.c.expires_s: "0003",
    surveys.c.preview: "0008",
    store: "0009",
    store.c.last_drill_day: "0010",
    journals: "0009",
    journals.c.n_acts: "0010",
    store.c.restored_on: "0010",
    gateway_keys: "0012",
}
"""What is read here and was not there from the beginning, and the revision that brought it."""
SOON_S = 14 * 86400
"""A token that ends within so many seconds ends soon."""
ENDS = NEVER, LATER, SOON, OVER = "never", "later", "soon", "over"
"""When a token ends, in a word; OVER: it has ended, and is still there."""


@dataclass(frozen=True, slots=True)
class SurveyFacts:
    """A survey or a draft: its key and id, in which of the states it is, and whether only invited people take part."""

    key: int
    survey_id: str
    state: str
    is_invited: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """The schema's `revision`; surveys, by id; when each token ends (Unix time, None: never); restores; last backup.

    `token_ends` leaves out share links: nobody has to rotate them.

    `journals`: how many acts this store has of each journal, by its id; None: an earlier sottovoce did not note it.
    `last_drill_day`: when a backup was last restored for trial. `gateway_until`: the last day on which devices may use
    a key of the gateway; None without a gateway, "" if it has no key.
    """

    revision: str
    surveys: tuple[SurveyFacts, ...]
    token_ends: tuple[int | None, ...]
    n_restores: int = 0
    last_backup_day: str | None = None
    journals: Mapping[str, int | None] = field(default_factory=dict)
    last_drill_day: str | None = None
    last_restore: LastRestore | None = None
    gateway_until: str | None = None

    def backup_age_days(self, today: str) -> int | None:
        """Return how many days ago the last backup was made; None where none is known of."""
        return _age_days(self.last_backup_day, today)

    def drill_age_days(self, today: str) -> int | None:
        """Return how many days ago the last drill was; None where none is known of."""
        return _age_days(self.last_drill_day, today)

    def gateway_days_left(self, today: str) -> int | None:
        """Return for how many more days devices may use the gateway's key; -1: no key; None: there is no gateway."""
        if self.gateway_until is None:
            return None
        left = -(_age_days(self.gateway_until or None, today) or 0)
        return max(left, -1) if self.gateway_until else -1

    def count_acts(self) -> int:
        """Return how many acts the journals have in all, as far as it is known."""
        return sum(n_acts for n_acts in self.journals.values() if n_acts is not None)

    def count_states(self) -> dict[str, int]:
        """Return how many surveys are in each of the states."""
        return {state: sum(survey.state == state for survey in self.surveys) for state in STATES}

    def count_tokens(self, now_s: float) -> dict[str, int]:
        """Return how many tokens end NEVER, LATER, SOON, or have ended, at a Unix time."""
        words = [_say_end(ends_s, now_s) for ends_s in self.token_ends]
        return {word: words.count(word) for word in ENDS}

    def next_end_s(self, now_s: float) -> float:
        """Return in how many seconds the next token ends; infinity where none of those that are left does."""
        return min(
            (ends_s - now_s for ends_s in self.token_ends if ends_s is not None and ends_s > now_s), default=math.inf
        )


def _age_days(day: str | None, today: str) -> int | None:
    return None if day is None else (date.fromisoformat(today) - date.fromisoformat(day)).days


def _say_end(ends_s: int | None, now_s: float) -> str:
    if ends_s is None:
        return NEVER
    return OVER if ends_s <= now_s else SOON if ends_s <= now_s + SOON_S else LATER


def read_facts(connection: Connection, revision: str, today: str) -> Facts:
    """Return what is so on a day, in a database of one of our revisions. The time it takes grows with no report.

    Raises SQLAlchemyError.
    """
    columns = surveys.c
    asked = (columns.survey_key, columns.survey_id, columns.definition, columns.is_open)
    rows = connection.execute(select(*asked, _or_null(columns.preview, revision)).order_by(columns.survey_id))
    found = [_describe(*row, today) for row in rows]
    kept = select(_or_null(tokens.c.expires_s, revision)).select_from(tokens).where(tokens.c.role != "reader")
    ends = connection.execute(kept).scalars()
    if revision < SINCE[store]:
        return Facts(revision, tuple(found), tuple(ends))
    about = read_about(connection)
    noted = connection.execute(select(journals.c.journal_id, _or_null(journals.c.n_acts, revision)))
    acts = {bytes(row[0]).hex(): row[1] for row in noted}
    drilled = connection.execute(select(_or_null(store.c.last_drill_day, revision)).select_from(store)).scalar_one()
    last_restore = read_restore(connection) if revision >= SINCE[store.c.restored_on] else None
    backed_up, until = about.last_backup_day, _read_gateway(connection, revision)
    return Facts(revision, tuple(found), tuple(ends), about.n_restores, backed_up, acts, drilled, last_restore, until)


def _read_gateway(connection: Connection, revision: str) -> str | None:
    if revision < SINCE[gateway_keys] or (newest := connection.scalar(select(func.max(gateway_keys.c.epoch)))) is None:
        return None
    columns = gateway_keys.c
    rows = connection.execute(select(columns.used_until, columns.private).where(columns.epoch == newest))
    return max((until for until, private in rows if private), default="")


def _or_null(wanted: Column[Any], revision: str) -> Any:
    return wanted if revision >= SINCE[wanted] else literal(None)


def _describe(
    key: int, survey_id: str, definition: bytes, is_open: int, preview: str | None, today: str
) -> SurveyFacts:
    members = json.loads(definition)  # the survey is not compiled for that, which takes many times as long
    is_over = members.get("closes", today) < today
    state = DRAFT if preview is not None else OPEN if is_open and not is_over else CLOSED
    return SurveyFacts(key, survey_id, state, bool(members.get("invited")))


def count_reports(connection: Connection) -> dict[int, int]:
    """Return how many reports the tallies have, by the survey's key. Raises SQLAlchemyError."""
    counted = select(tallies.c.survey_key, func.sum(tallies.c.n_reports)).group_by(tallies.c.survey_key)
    return {key: int(n_reports) for key, n_reports in connection.execute(counted)}


def count_waiting(connection: Connection, revision: str) -> dict[int, int]:
    """Return how many reports are in the inbox, by the survey's key. Raises SQLAlchemyError."""
    return _count_rows(connection, inbox, revision)


def count_admitted(connection: Connection, revision: str) -> dict[int, int]:
    """Return how many reports the invitations that are left admit, in all waves, by the survey's key.

    Reads all of them. Raises SQLAlchemyError.
    """
    return _count_rows(connection, invitations, revision)


def _count_rows(connection: Connection, table: Table, revision: str) -> dict[int, int]:
    if revision < SINCE[table]:
        return {}
    counted = select(table.c.survey_key, func.count()).group_by(table.c.survey_key)
    return {row[0]: row[1] for row in connection.execute(counted)}
