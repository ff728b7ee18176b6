"""`sotto status`: how a collector does, seen from outside."""

import json
import time
from dataclasses import dataclass
from typing import Any

import click

from sotto_collector.errors import RemoteError
from sotto_collector.remote import RemoteCollector
from sotto_protocol.members import COUNTS, ID_PATTERN, KEEPS, REPORTS, is_day
from sotto_protocol.tables import align
from sotto_protocol.words import examples

COLUMNS = ("survey", "state", "reports", "reports/s", "waves", "limit/min")


@dataclass(frozen=True, slots=True)
class Listing:
    """What a collector says of its surveys, and when, by this machine's monotonic clock."""

    surveys: list[dict[str, Any]]
    at_s: float

    def reports_by_survey(self) -> dict[str, int]:
        return {survey["id"]: survey["n_reports"] for survey in self.surveys}


@click.command(
    epilog=examples(
        "sotto status http://127.0.0.1:8000 --interval-s 1", "sotto status http://127.0.0.1:8000 --interval-s 0 --json"
    )
)
@click.argument("url")
@click.option(
    "--token",
    envvar="SOTTO_TOKEN",
    show_envvar=True,
    required=True,
    help="Token for the collector, of any role.",
)
@click.option(
    "--interval-s",
    type=click.FloatRange(0, 3600),
    default=2.0,
    show_default=True,
    help="Seconds between two looks, which give the reports per second. 0 looks once.",
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
def status(url: str, token: str, interval_s: float, is_json: bool) -> None:
    """List the surveys of a collector, with their numbers of reports.

    URL is the collector's. If your token is for one survey, you see only that survey.
    """
    collector = RemoteCollector(url, token)
    first = _fetch(collector)
    if interval_s:
        time.sleep(interval_s)
    last = _fetch(collector) if interval_s else first
    rates = _rates(first, last)
    reason = _ask_readiness(collector)
    if is_json:
        surveys = [survey | {"reports_per_s": rates.get(survey["id"])} for survey in last.surveys]
        click.echo(json.dumps({"url": collector.url, "ready": not reason, "surveys": surveys}, indent=2))
        return
    click.echo(f"{collector.url}  {'not ready: ' + reason if reason else 'ready'}")
    rows = [COLUMNS, *(_describe(survey, rates.get(survey["id"])) for survey in last.surveys)]
    click.echo(align(rows, n_left=2) if last.surveys else "no surveys")


def _fetch(collector: RemoteCollector) -> Listing:
    surveys = collector.ask("GET", "/v1/surveys").get("surveys")
    if not isinstance(surveys, list) or not all(map(_is_survey, surveys)):
        raise RemoteError(f"{collector.url} must be a collector; it lists no surveys.")
    return Listing(surveys, time.monotonic())


def _is_survey(document: Any) -> bool:
    """Return whether this is what a collector says of a survey; nothing else is printed to a terminal."""
    return (
        isinstance(document, dict)
        and isinstance(document.get("id"), str)
        and ID_PATTERN.fullmatch(document["id"]) is not None
        and all(type(document.get(name)) is int for name in ("n_reports", "waves"))
        and type(document.get("draw", 0)) is int
        and all(type(document.get(name)) is bool for name in ("open", "invited"))
        and all(type(document.get(name, False)) is bool for name in ("draft", "erased"))
        and type(document.get("reports_per_minute")) in (int, type(None))
        and document.get("keep", REPORTS) in KEEPS
        and (not document.get("closes") or is_day(document["closes"]))
    )


def _rates(first: Listing, last: Listing) -> dict[str, float]:
    """Return the reports a second of each survey between two listings; of none where there was only one."""
    passed_s, before = last.at_s - first.at_s, first.reports_by_survey()
    if passed_s <= 0:
        return {}
    return {key: (n_reports - before.get(key, 0)) / passed_s for key, n_reports in last.reports_by_survey().items()}


def _ask_readiness(collector: RemoteCollector) -> str:
    """Return why the collector is not ready; nothing where it is."""
    try:
        collector.ask("GET", "/readyz")
    except RemoteError as fault:
        return str(fault)
    return ""


def _describe(survey: dict[str, Any], rate: float | None) -> tuple[str, ...]:
    limit = survey.get("reports_per_minute")
    return (
        survey["id"],
        _describe_state(survey),
        f"{survey['n_reports']:,}",
        "" if rate is None else f"{rate:,.1f}",
        str(survey["waves"]),
        "" if limit is None else f"{limit:,}",
    )


def _describe_state(survey: dict[str, Any]) -> str:
    """Return who takes part, whether reports are taken, how many questions are drawn, and whether reports are kept."""
    state = "draft" if survey.get("draft") else "open" if survey["open"] else "closed"
    if survey.get("closes") and survey["open"]:
        state += f" until {survey['closes']}"
    if survey.get("erased"):
        state += ", reports erased"
    drawn = [f"draws {survey['draw']}"] * bool(survey.get("draw"))
    counts = ["counts only"] * (survey.get("keep") == COUNTS)
    return " ".join([*["invited"] * survey["invited"], ", ".join([state, *drawn, *counts])])
