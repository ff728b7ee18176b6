"""`sotto db status`: what a database says of itself, whatever its schema, beside collectors that run."""

import json
import math
import time
from dataclasses import dataclass
from typing import Any

import click
from sqlalchemy import Connection

from sotto_collector.commands.options import db_option
from sotto_collector.day import today_utc
from sotto_collector.store.databases import locate
from sotto_collector.store.disk_usage import DiskUsage, measure
from sotto_collector.store.facts import (
    LATER,
    NEVER,
    OVER,
    SOON,
    Facts,
    count_admitted,
    count_reports,
    count_waiting,
    read_facts,
)
from sotto_collector.store.inbox import count_held
from sotto_collector.store.upgrade import HEAD
from sotto_protocol.tables import align
from sotto_protocol.words import counted, examples

COLUMNS = ("survey", "state", "reports", "waiting", "invitations left")
OLDER, SAME, NEWER = "older", "this", "newer"


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was read: `facts` None, and nothing counted, where a newer sottovoce wrote the schema."""

    revision: str
    usage: DiskUsage
    facts: Facts | None
    n_reports: dict[int, int]
    n_waiting: dict[int, int]
    n_admitted: dict[int, int]


@click.command("status", epilog=examples("sotto db status --db survey.db", "sotto db status --db survey.db --json"))
@db_option
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
def db_status(db: str, is_json: bool) -> None:
    """Show a database: schema, size, backup, restores, and its surveys.

    Run it on a machine that reaches the database. It writes nothing, and collectors may run. It shows a database of an
    earlier sottovoce too. If a newer sottovoce wrote the database, it shows only the size.
    """
    seen = locate(db).glance(_read)
    document = _describe(seen, today_utc(), time.time())
    click.echo(json.dumps(document, indent=2) if is_json else _say(document))


def _read(connection: Connection, revision: str) -> _Seen:
    usage = measure(connection)
    if revision > HEAD:
        return _Seen(revision, usage, None, {}, {}, {})
    facts = read_facts(connection, revision, today_utc())
    waiting, admitted = count_waiting(connection, revision), count_admitted(connection, revision)
    return _Seen(revision, usage, facts, count_reports(connection), waiting, admitted)


def _describe(seen: _Seen, today: str, now_s: float) -> dict[str, Any]:
    revision, usage, facts = seen.revision, seen.usage, seen.facts
    known = SAME if revision == HEAD else OLDER if revision < HEAD else NEWER
    document: dict[str, Any] = {"schema": revision, "known_schema": HEAD, "is": known, "bytes": usage._asdict()}
    if facts is None:
        return document
    next_end_s = facts.next_end_s(now_s)
    tokens = facts.count_tokens(now_s) | {"next_ends_in_days": None if math.isinf(next_end_s) else next_end_s // 86400}
    n_stored = sum(seen.n_reports.values())
    return document | {
        "last_backup_day": facts.last_backup_day,
        "backup_age_days": facts.backup_age_days(today),
        "last_drill_day": facts.last_drill_day,
        "drill_age_days": facts.drill_age_days(today),
        "gateway_key_days_left": facts.gateway_days_left(today),
        "n_restores": facts.n_restores,
        "journals": [{"id": journal_id, "n_acts": n_acts} for journal_id, n_acts in facts.journals.items()],
        "last_restore": None if facts.last_restore is None else facts.last_restore._asdict(),
        "tokens": tokens,
        "inbox": {"n_reports": sum(seen.n_waiting.values()), "is_emptied_at": count_held(n_stored)},
        "surveys": [
            {
                "id": survey.survey_id,
                "state": survey.state,
                "n_reports": seen.n_reports.get(survey.key, 0),
                "n_waiting": seen.n_waiting.get(survey.key, 0),
                "n_invitations_left": seen.n_admitted.get(survey.key, 0),
            }
            for survey in facts.surveys
        ],
    }


def _say(document: dict[str, Any]) -> str:
    rows = [("schema", _say_schema(document)), *_say_sizes(document["bytes"])]
    if "surveys" not in document:
        return align(rows)
    for name in ("backup", "drill"):
        day, age = document[f"last_{name}_day"], document[f"{name}_age_days"]
        rows.append((f"last {name}", "none known" if day is None else f"{day}, {counted(age, 'day')} ago"))
    rows.append(("restores", _say_restores(document["n_restores"], document["last_restore"])))
    rows += [("journal", f"{journal['id']}, {_say_acts(journal['n_acts'])}") for journal in document["journals"]]
    rows.append(("tokens", _say_tokens(document["tokens"])))
    if (key_days := document["gateway_key_days_left"]) is not None:
        rows.append(("gateway key", _say_key_days(key_days)))
    inbox = document["inbox"]
    rows.append(("waiting", _say_waiting(inbox["n_reports"], inbox["is_emptied_at"])))
    numbers = ("n_reports", "n_waiting", "n_invitations_left")
    listed = [(row["id"], row["state"], *(f"{row[name]:,}" for name in numbers)) for row in document["surveys"]]
    return f"{align(rows)}\n\n{align([COLUMNS, *listed], n_left=2) if listed else 'no surveys'}"


def _say_waiting(n_reports: int, is_emptied_at: int) -> str:
    """Say how many reports wait to be moved, and that nothing is wrong with that."""
    if not n_reports:
        return "no report in the inbox"
    which = "it is" if n_reports == 1 else "all are"
    return (
        f"{counted(n_reports, 'report')} in the inbox; {which} counted. A collector moves them to the other reports "
        f"within seconds, or in a large store once there are {is_emptied_at:,}"
    )


def _say_restores(n_restores: int, last: dict[str, Any] | None) -> str:
    """Say whether the last restore, which may have been killed, is whole: what is there was committed at once."""
    if last is None:
        return str(n_restores)
    acts = f"the last on {last['day']} did {counted(last['n_acts'], 'act')} of the journals again"
    if last["is_checked"]:
        return f"{n_restores}; {acts}. It is complete, and the tallies equal the reports"
    return f"{n_restores}; {acts}. It ended before the tallies were compared with the reports: run sotto recount"


def _say_schema(document: dict[str, Any]) -> str:
    schema, known = document["schema"], document["known_schema"]
    return {
        SAME: f"{schema}, that of this version",
        OLDER: f"{schema}, older than {known} of this version: run sotto db upgrade",
        NEWER: f"{schema:.20}, of a newer sottovoce: this version knows {known}, and shows nothing more",
    }[document["is"]]


def _say_key_days(n_days: int) -> str:
    """Say for how long devices can send to oblivious surveys."""
    if n_days < 0:
        return "none that may be used: run sotto gateway key new"
    return f"used for {counted(n_days, 'more day')}"


def _say_sizes(sizes: dict[str, int | None]) -> list[tuple[str, str]]:
    names = {"database": "size", "log": "log", "free": "free disk"}
    return [(name, _say_bytes(sizes[key])) for key, name in names.items()]


def _say_acts(n_acts: int | None) -> str:
    return "acts unknown: an earlier sottovoce did not count them" if n_acts is None else counted(n_acts, "act")


def _say_bytes(n_bytes: int | None) -> str:
    return "the server's, not visible from here" if n_bytes is None else f"{n_bytes / 2**20:,.1f} MiB"


def _say_tokens(tokens: dict[str, int | None]) -> str:
    live = sum(tokens[word] or 0 for word in (NEVER, LATER, SOON))
    days = tokens["next_ends_in_days"]
    then = "" if days is None else f"; the next ends in {counted(int(days), 'day')}"
    return f"{live:,}, of which {tokens[SOON]} end within 14 days{then}; {tokens[OVER]} more have ended"
