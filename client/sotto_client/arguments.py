"""What a client is made with, each checked as it is given: ValueError says what was expected."""

import math
import os
import re
from numbers import Real

from sotto_client.delivery import MAX_DELAY_S
from sotto_client.sent import MAX_RESEND_DAYS
from sotto_protocol.errors import ReportError
from sotto_protocol.invitation import parse_invitation


def check_timeout(timeout_s: float) -> float:
    if not isinstance(timeout_s, Real) or not 0 < timeout_s < math.inf:  # NaN is not either
        raise ValueError(f"timeout_s ({timeout_s!r:.40}) must be a finite number of seconds > 0.")
    return float(timeout_s)


def check_state(state: str | os.PathLike[str] | None) -> str | os.PathLike[str] | None:
    if state is not None and not isinstance(state, str | os.PathLike):
        raise ValueError(f"state ({state!r:.40}) must be a path.")
    return state


def check_fingerprint(fingerprint: str | None) -> str | None:
    if fingerprint is not None and not (isinstance(fingerprint, str) and re.fullmatch("[0-9a-f]{64}", fingerprint)):
        raise ValueError("fingerprint must be one: 64 hexadecimal digits, in lower case.")
    return fingerprint


def check_invitation(text: str | None) -> bytes | None:
    try:
        return None if text is None else parse_invitation(text)
    except ReportError as fault:
        raise ValueError(f"invitation {fault.problem}") from None


def check_delay(max_delay_s: float) -> float:
    is_number = isinstance(max_delay_s, int | float) and not isinstance(max_delay_s, bool)
    if not is_number or not 0 <= max_delay_s <= MAX_DELAY_S:
        raise ValueError(f"max_delay_s ({max_delay_s!r:.40}) must be a number of seconds in [0, {MAX_DELAY_S:.0f}].")
    return float(max_delay_s)


def check_days(resend_days: int) -> int:
    if type(resend_days) is not int or not 0 <= resend_days <= MAX_RESEND_DAYS:
        raise ValueError(f"resend_days ({resend_days!r:.40}) must be an integer in [0, {MAX_RESEND_DAYS}].")
    return resend_days
