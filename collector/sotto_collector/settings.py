"""The settings, one table: from each name come the flag `--max-body-bytes` and the variable SOTTO_MAX_BODY_BYTES."""

from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from sotto_collector.errors import SettingError


class Setting(NamedTuple):
    """One row of the table. `low` and `high` bound an integer; a text is one of `choices`, where there are some."""

    name: str
    default: str | int
    help: str
    low: int
    high: int
    choices: tuple[str, ...]

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def env(self) -> str:
        return "SOTTO_" + self.name.upper()


def _text(default: str, text: str) -> Any:
    return field(default=default, metadata={"help": text})


def _choice(text: str, *choices: str) -> Any:
    return field(default=choices[0], metadata={"help": text, "choices": choices})


def _integer(default: int, low: int, high: int, text: str) -> Any:
    return field(default=default, metadata={"help": text, "low": low, "high": high})


@dataclass(frozen=True, slots=True)
class Settings:
    """What an operator can choose. Raises SettingError where a value is outside its domain."""

    db: str = _text("sottovoce.db", "Database that sotto db init made: a file, or postgresql://..")
    journal: str = _text("", "File that notes each act of the operator before the act is confirmed; none by default.")
    host: str = _text("127.0.0.1", "Address to listen on.")
    port: int = _integer(8000, 0, 65535, "TCP port to listen on; 0 takes a free one.")
    workers: int = _integer(1, 1, 64, "Processes that serve requests. With 1 there is no parent process.")
    threads: int = _integer(
        64, 1, 1000, "Requests that a process serves at once. Those that wait together share a commit."
    )
    max_connections: int = _integer(
        1000, 1, 100_000, "Open connections of a process, at most. Beyond that, it closes idle ones."
    )
    request_timeout_s: int = _integer(
        30,
        1,
        3600,
        "Seconds that a request may take to arrive, or a response to leave, before the connection is closed.",
    )
    min_bytes_per_s: int = _integer(2000, 1, 10**9, "Bytes of a body that add one second to --request-timeout-s.")
    max_body_bytes: int = _integer(2 * 2**20, 1, 2**30, "Largest request body, in bytes.")
    max_batch_reports: int = _integer(10_000, 1, 1_000_000, "Reports in one request, at most.")
    max_queued_reports: int = _integer(
        100_000,
        1,
        10_000_000,
        "Reports that may wait for a commit in a process. Beyond that, it responds with 503 busy.",
    )
    busy_timeout_ms: int = _integer(
        5000, 0, 60_000, "Milliseconds that a write waits for another process, before it fails with 503."
    )
    min_free_bytes: int = _integer(64 * 2**20, 0, 2**50, "Free disk space, in bytes, below which /healthz gives 503.")
    clock_wait_s: int = _integer(
        3600, 0, 43_200, "Seconds by which erase_after is put off, on its day, if the clock may be wrong; 0 for none."
    )
    max_reports_per_minute: int = _integer(
        0,
        0,
        10**9,
        "Reports a minute that a survey accepts at most, unless it has its own limit. 0 is no limit. Each worker "
        "grants at least one.",
    )
    page_max_epsilon: int = _integer(
        8,
        1,
        1000,
        "Epsilon, in nats, that a survey page lets a survey take from a browser at most, in all waves together.",
    )
    page_resend_days: int = _integer(
        0, 0, 365, "Days that a browser keeps a sent report, to send it again if it is lost; 0 for none."
    )
    title: str = _text("", "Title of the page at /; by default a general one.")
    contact: str = _text("", "Address or words at / that say whom to ask; by default nobody.")
    metrics_labels: str = _choice(
        "How the counts of reports at /metrics are split: none (not at all) or survey.", "none", "survey"
    )
    log_format: str = _choice("Form of a line of the log: text, or json (one object a line).", "text", "json")
    log_time: str = _choice("Time in a line of the log, in UTC: day, none or second.", "day", "none", "second")

    def __post_init__(self) -> None:
        for row in SETTINGS:
            value = getattr(self, row.name)
            if isinstance(row.default, int) and (type(value) is not int or not row.low <= value <= row.high):
                raise SettingError(f"{row.name} ({value!r}) must be an integer in [{row.low}, {row.high}].")
            if isinstance(row.default, str) and (not isinstance(value, str) or (row.default and not value)):
                raise SettingError(f"{row.name} ({value!r}) must be a text that is not empty.")
            if row.choices and value not in row.choices:
                raise SettingError(f"{row.name} ({value!r}) must be one of {', '.join(row.choices)}.")


def _read_table() -> tuple[Setting, ...]:
    rows = []
    for row in fields(Settings):
        meta = row.metadata
        default: Any = row.default
        rows.append(
            Setting(row.name, default, meta["help"], meta.get("low", 0), meta.get("high", 0), meta.get("choices", ()))
        )
    return tuple(rows)


SETTINGS = _read_table()
