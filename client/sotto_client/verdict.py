"""What a collector's reply means for a report: it has it, it refuses it for good, or it is to be asked again."""

import json
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from sotto_client.exchange import Reply
from sotto_protocol import Problem

MAX_HOLD_S = 86_400.0
"""A collector may ask a device to stay away for a day, not longer."""

SURVEY_OVER = ("survey_closed", "wrong_fingerprint", "no_such_survey")
"""Codes by which a collector says that a version of a survey has ended."""

_TRY_AGAIN = (408, 425, 429)  # request timeout, too early, too many requests


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The collector has the report."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The collector will never take the report."""

    problem: Problem

    @property
    def ends_survey(self) -> bool:
        """Whether it will never take another one either."""
        return self.problem.code in SURVEY_OVER


@dataclass(frozen=True, slots=True)
class TryAgain:
    """Nothing is known; `hold_s` is how long the collector asked to be left alone, if it did."""

    reason: str
    hold_s: float | None = None


Verdict = Acknowledged | Refused | TryAgain


def judge(reply: Reply, now: float) -> Verdict:
    """Return what the reply to one report means; `now` in seconds since 1970.

    Only the collector's own words count, an acknowledgement or a problem document: the login page of a café's network,
    whatever its status, is neither.
    """
    if reply.status == 200 and _is_acknowledgement(reply.body):
        return Acknowledged()
    if 400 <= reply.status < 500 and reply.status not in _TRY_AGAIN:
        problem = Problem.from_response(reply.status, reply.body)
        if problem.code != "unexpected":
            return Refused(problem)
    return TryAgain(f"HTTP {reply.status}", read_retry_after(reply.headers.get("retry-after"), now))


def read_retry_after(text: str | None, now: float) -> float | None:
    """Return the seconds, in [0, 86400], that a Retry-After header asks for; None where it says nothing readable.

    It holds seconds or a date (RFC 9110, 10.2.3).

    >>> read_retry_after("120", 0.0), read_retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 0.0)
    (120.0, 60.0)
    """
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit():
        return float(min(int(text[:9]), MAX_HOLD_S)) if len(text) <= 9 else MAX_HOLD_S
    try:
        moment = parsedate_to_datetime(text)
        asked = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return min(max(asked, 0.0), MAX_HOLD_S)


def _is_acknowledgement(body: bytes) -> bool:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return False
    if not isinstance(document, dict):
        return False
    members = [document.get("counted"), document.get("duplicates"), document.get("conflicting", 0)]
    if not all(type(member) is int for member in members):
        return False
    counted, duplicates, conflicting = members  # collectors of before say nothing of conflicting ones
    return sorted([counted, duplicates]) == [0, 1] and 0 <= conflicting <= duplicates
