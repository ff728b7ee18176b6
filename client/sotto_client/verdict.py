"""What a collector's reply means for a report: it has it, refuses it, knows no such survey, or is to be asked again."""

import json
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from sotto_client.reply import Reply
from sotto_client.tokens import Wish
from sotto_protocol.blind import from_base64url
from sotto_protocol.problem import (
    BAD_JSON,
    BAD_REPORT,
    INVITATION_INVALID,
    INVITATION_REQUIRED,
    INVITATION_USED,
    NO_SUCH_SURVEY,
    SURVEY_CLOSED,
    TOKEN_INVALID,
    WRONG_FINGERPRINT,
    Problem,
)

MAX_HOLD_S = 86_400.0
"""A collector may ask a device to stay away for a day, not longer."""

SURVEY_UNKNOWN = (NO_SUCH_SURVEY, WRONG_FINGERPRINT)
"""A collector without this version: it was erased or replaced, or the collector serves a wrong database for now."""
UNKNOWN_FINAL_S = 7 * 86_400.0
"""How long a collector must say nothing else before that is believed."""
_MOST_BETWEEN_S = 86_400.0
NEEDS_INVITATION = (INVITATION_REQUIRED, INVITATION_INVALID, INVITATION_USED)
"""The report was refused for its invitation alone."""
_REFUSING = (BAD_JSON, BAD_REPORT, *NEEDS_INVITATION, TOKEN_INVALID, SURVEY_CLOSED)


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The collector has the report. `keys`: see `sotto_client.reply.Reply`."""

    keys: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """The collector will never take the report."""

    problem: Problem

    @property
    def ends_survey(self) -> bool:
        """Whether it will never take another one either."""
        return self.problem.code in (SURVEY_CLOSED, *SURVEY_UNKNOWN)

    @property
    def can_be_resent(self) -> bool:
        """Whether it may take the same report later, after all (`SurveyClient.resend`)."""
        return self.problem.code in (*NEEDS_INVITATION, *SURVEY_UNKNOWN)


@dataclass(frozen=True, slots=True)
class Unknown:
    """The collector says that it has no such survey, or another version: it is to be asked again, for days."""

    problem: Problem
    hold_s: float | None = None


@dataclass(frozen=True, slots=True)
class TryAgain:
    """Nothing is known; `hold_s` is how long the collector asked to be left alone, if it did."""

    reason: str
    hold_s: float | None = None
    has_reply: bool = True


@dataclass(frozen=True, slots=True)
class Placed:
    """The collector said of which stratum an invitation is."""

    stratum: int


@dataclass(frozen=True, slots=True)
class Signed:
    """The collector has signed a token, and the signature is good."""

    token: bytes = field(repr=False)


Verdict = Acknowledged | Refused | Unknown | TryAgain | Placed | Signed


def judge(reply: Reply, now: float) -> Verdict:
    """Return what the reply to one report means; `now` in seconds since 1970.

    Only the collector's own words count, an acknowledgement or one of its own problems with this very report: what a
    network in between says, a café's login page or a firewall's JSON, is neither, whatever its status. Nor is what the
    collector says of its settings, its load, or the form of the request.
    """
    if reply.status == 200 and _is_acknowledgement(reply.body):
        return Acknowledged(reply.keys)
    hold_s = read_retry_after(reply.headers.get("retry-after"), now)
    problem = read_problem(reply)
    if problem is not None and problem.code in _REFUSING:
        return Refused(problem)
    if problem is not None and problem.code in SURVEY_UNKNOWN:
        return Unknown(problem, hold_s)
    return TryAgain(f"HTTP {reply.status}", hold_s)


def judge_wish(reply: Reply, wish: Wish, now: float) -> Verdict:
    """Return what the reply to a wish for a token means, as `judge` does of a report."""
    said = _read_object(reply.body) if reply.status == 200 else {}
    if wish.stratum:
        signature = from_base64url(said["signature"]) if isinstance(said.get("signature"), str) else None
        if signature is not None:
            token = wish.token(signature)
            fault = "the collector's signature does not fit the survey's key"
            return TryAgain(fault) if token is None else Signed(token)
    elif (stratum := said.get("stratum")) in range(1, len(wish.keys) + 1) and type(stratum) is int:
        return Placed(stratum)
    elif said.get("state") == "invalid":
        return Refused(Problem(403, INVITATION_INVALID, "must be an invitation to this survey.", "$.invitation"))
    return judge(Reply(reply.status if reply.status != 200 else 502, reply.headers, reply.body), now)


def read_problem(reply: Reply) -> Problem | None:
    """Return what the collector itself says is wrong with a request; None where this is not its word."""
    if not 400 <= reply.status < 500:
        return None
    return Problem.of_collector(reply.status, reply.headers.get("content-type", ""), reply.body)


def lengthen(said_s: float, said_at: float, now: float) -> float:
    """Return for how many seconds a collector has said one thing only, which it says again `now`.

    It had said it for `said_s` when it last did, at `said_at`; 0 if it never did. The time between two replies counts
    for a day at most, and not at all if the clock went back: neither a clock that is stepped nor a device that sleeps
    turns few replies into a long time.

    >>> lengthen(0.0, 0.0, 5e8), lengthen(60.0, 5e8, 5e8 + 60), lengthen(60.0, 5e8, 9e8), lengthen(60.0, 5e8, 4e8)
    (0.0, 120.0, 86460.0, 60.0)
    """
    return said_s + min(max(now - said_at, 0.0), _MOST_BETWEEN_S) if said_at else 0.0


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


def _read_object(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _is_acknowledgement(body: bytes) -> bool:
    document = _read_object(body)
    members = [document.get("counted"), document.get("duplicates"), document.get("conflicting", 0)]
    if not all(type(member) is int for member in members):
        return False
    counted, duplicates, conflicting = members  # older collectors do not send the third
    return sorted([counted, duplicates]) == [0, 1] and 0 <= conflicting <= duplicates
