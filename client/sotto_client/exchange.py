"""One exchange with a collector, which learns nothing of the device: no version, cookie or password; no redirects."""

import json
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from sotto_client.database import no_fork
from sotto_client.errors import ClientError, DeliveryError
from sotto_client.line import Line
from sotto_client.reply import Reply
from sotto_protocol.members import ID_PATTERN

_RECEIPT = re.compile(r"[0-9a-f]{32}")
MAX_REPLY_BYTES = 2**16
Ask = Callable[..., Reply]
"""What asks the other side, with a `Line` and `timeout_s`, in an exchange's own thread. Raises DeliveryError."""
_LONGEST_S = 86_400.0  # of an exchange, whatever is asked for: clocks and locks take no larger number


def check_url(url: str, name: str = "url") -> str:
    """Return a collector's or a relay's address without a trailing slash. Raises ValueError, which quotes nothing."""
    try:
        parts = urlsplit(url)
        is_plain = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
        is_plain = is_plain and not parts.query and not parts.fragment and parts.port != 0
    except (ValueError, AttributeError):
        is_plain = False
    if not is_plain or not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError(f"{name} must be http:// or https://, a host, and no user, password, query or fragment.")
    return url.rstrip("/")


def check_survey_id(survey_id: str) -> str:
    """Return the id if a survey can have it. Raises ValueError."""
    if not isinstance(survey_id, str) or ID_PATTERN.fullmatch(survey_id) is None:
        raise ValueError("survey_id must be 1 to 64 lower-case letters, digits, - or _, the first a letter or digit.")
    return survey_id


def check_receipt(text: str) -> str:
    """Return a receipt as it is sent: 32 hexadecimal digits in lower case. Raises ValueError, which quotes nothing."""
    receipt = text.strip().lower()
    if _RECEIPT.fullmatch(receipt) is None:
        raise ValueError("receipt must be 32 hexadecimal digits.")
    return receipt


class Exchange:
    """One exchange, under way in a thread of its own: it is over after `timeout_s`, whatever the other side does.

    `deadline` by the monotonic clock. A thread that waits for what cannot be cut, such as the system's look-up of a
    name, is left behind, and ends by itself.
    """

    def __init__(self, ask: Ask, *, timeout_s: float) -> None:
        timeout_s = min(timeout_s, _LONGEST_S)
        self.deadline = time.monotonic() + timeout_s
        self._line = Line()
        self._reply: Future[Reply] = Future()
        work = partial(ask, self._line, timeout_s=timeout_s)
        try:
            threading.Thread(target=_settle, args=(self._reply, work), name="sottovoce-exchange", daemon=True).start()
        except RuntimeError:  # no more threads, or the interpreter is ending
            self._reply.set_exception(DeliveryError("no thread could be started for an exchange."))

    @property
    def is_over(self) -> bool:
        """Whether `result` returns at once."""
        return self._reply.done() or time.monotonic() >= self.deadline

    def when_over(self, callback: Callable[[], None]) -> None:
        """Call `callback` when the exchange ends before its deadline; at once if it has ended."""
        self._reply.add_done_callback(lambda _: callback())

    def result(self) -> Reply:
        """Return what came back, at the deadline at the latest. Raises DeliveryError if no whole reply did.

        Through a relay it raises SurveyRefused, too, if the gateway's keys must not be used.
        """
        try:
            return self._reply.result(max(0.0, self.deadline - time.monotonic()))
        except TimeoutError:
            raise DeliveryError("no whole answer from the collector in time.") from None
        finally:
            self._line.cut()


def survey_path(survey_id: str) -> str:
    """Return where a survey is below a collector's address."""
    return f"/v1/surveys/{survey_id}"


def report_path(survey_id: str) -> str:
    """Return where reports of it go."""
    return f"{survey_path(survey_id)}/reports"


def erasure_path(survey_id: str) -> str:
    """Return where reports of it are erased."""
    return f"{survey_path(survey_id)}/erase"


def wish_path(survey_id: str, last: str) -> str:
    """Return where a token is asked for, or first the stratum of its invitation: `last` of the path."""
    return f"{survey_path(survey_id)}/{last}"


def erasure_body(receipt: str) -> bytes:
    """Return what a respondent sends who has a report erased."""
    return json.dumps({"receipt": receipt}).encode()


def get_survey(url: str, survey_id: str, *, timeout_s: float, max_bytes: int) -> Reply:
    """Return the reply to a request for a survey, after `timeout_s` at the latest. Raises DeliveryError."""
    return begin_with("GET", url + survey_path(survey_id), timeout_s=timeout_s, max_bytes=max_bytes).result()


def post_report(url: str, survey_id: str, body: bytes, *, timeout_s: float) -> Exchange:
    """Return the exchange that sends a report's bytes, under way."""
    return _post(url + report_path(survey_id), body, timeout_s)


def post_wish(url: str, survey_id: str, path: str, body: bytes, *, timeout_s: float) -> Exchange:
    """Return the exchange that asks for a token, or first for the stratum of its invitation, under way."""
    return _post(url + wish_path(survey_id, path), body, timeout_s)


def post_erasure(url: str, survey_id: str, receipt: str, *, timeout_s: float) -> Reply:
    """Return the reply to a respondent who has a report erased. Raises DeliveryError."""
    return _post(url + erasure_path(survey_id), erasure_body(receipt), timeout_s).result()


def _post(address: str, body: bytes, timeout_s: float) -> Exchange:
    headers = {"Content-Type": "application/json"}
    return begin_with("POST", address, timeout_s=timeout_s, max_bytes=MAX_REPLY_BYTES, data=body, headers=headers)


def begin_with(method: str, address: str, *, timeout_s: float, max_bytes: int, **sent: Any) -> Exchange:
    """Return an exchange with an address itself, under way; `sent`: `data` and `headers`."""
    with no_fork:
        from sotto_client.talk import talk

    def ask(line: Line, *, timeout_s: float) -> Reply:
        return talk(line, method, address, timeout_s=timeout_s, max_bytes=max_bytes, **sent)

    return Exchange(ask, timeout_s=timeout_s)


def _settle(reply: "Future[Reply]", work: Callable[[], Reply]) -> None:
    try:
        came_back = work()
    except ClientError as fault:
        reply.set_exception(fault.with_traceback(None))  # the variables of its frames hold what was sent
    except BaseException as fault:
        reply.set_exception(fault)
    else:
        reply.set_result(came_back)
