"""Requests through a relay: encrypted for the gateway behind it, so that neither sees both who and what.

Nothing here ever sends directly: what a relay or a gateway does wrong is an error, and the report waits.
"""

import json
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

from sotto_client.database import no_fork
from sotto_client.day import today
from sotto_client.errors import DeliveryError, SurveyRefused
from sotto_client.exchange import MAX_REPLY_BYTES, Exchange
from sotto_client.gateways import Gateways
from sotto_client.line import Line
from sotto_client.reply import Reply
from sotto_client.state import State
from sotto_client.via import Via
from sotto_protocol.binary_http import InnerRequest, InnerResponse
from sotto_protocol.errors import KeysError, MessageError
from sotto_protocol.extras import install_command
from sotto_protocol.gateway_keys import MAX_SIGNED_BYTES, KeyConfiguration, SignedKeys, read_keys
from sotto_protocol.oblivious import (
    GATEWAY_PATH,
    KEY_PROBLEM,
    LEAST_BYTES,
    REQUEST_TYPE,
    RESPONSE_TYPE,
    SIGNED_PATH,
    inner_get,
    inner_post,
)
from sotto_protocol.problem import CONTENT_TYPE

NEEDS_EXTRA = f"an oblivious survey needs: {install_command('oblivious')}"
KEEP_S = 3600.0
"""Keys are asked for again after so many seconds: relays keep them as long."""
_KEY_PROBLEM_TYPE = json.loads(KEY_PROBLEM)["type"]


def is_possible() -> bool:
    """Return whether what encrypts is installed."""
    return find_spec("pyhpke") is not None


class PlainRelay(DeliveryError):  # noqa: N818  # reads as what happened
    """A relay answers, but gives no keys: it passes requests on as they are."""


class Relays:
    """The relays of a device. Threads may share them: two that ask for the same keys both do.

    `clock`: seconds, which only go on.
    """

    def __init__(self, state: State, clock: Callable[[], float] = time.monotonic) -> None:
        self._state = state
        self._clock = clock
        self._keys: dict[tuple[str, str], tuple[float, SignedKeys]] = {}

    def post(self, via: Via, path: str, body: bytes, *, timeout_s: float) -> Exchange:
        """Return the exchange that sends JSON, under way. What comes back is the collector's own reply."""
        request = inner_post(via.authority, path, body)
        ask = partial(self._ask, via, request, via.size, MAX_REPLY_BYTES)
        return Exchange(ask, timeout_s=timeout_s)

    def get(self, via: Via, path: str, *, timeout_s: float, max_bytes: int) -> Exchange:
        """Return the exchange that reads something, under way. Without `via.gateway_key` see `check`."""
        request = inner_get(via.authority, path)
        ask = partial(self._ask, via, request, LEAST_BYTES, max_bytes)
        return Exchange(ask, timeout_s=timeout_s)

    def check(self, via: Via) -> None:
        """Raise SurveyRefused unless the keys that this relay gave before its gateway was known are the gateway's."""
        asked_at, keys = self._keys.pop((via.relay, ""))
        self._admit(via, keys)
        self._keys[via.relay, via.gateway_key] = asked_at, keys

    def _ask(
        self, via: Via, request: InnerRequest, size: int, max_bytes: int, line: Line, *, timeout_s: float
    ) -> Reply:
        """Return the reply to a request. Keys that the gateway does not take are asked for again, once."""
        deadline = time.monotonic() + timeout_s
        try:
            message = request.to_bytes(size)
        except MessageError as fault:
            raise DeliveryError(f"a request does not fit: {fault}") from None
        for is_again in (False, True):
            keys = self._find_keys(via, line, deadline, is_again=is_again)
            reply = self._send(via, keys, message, max_bytes, line, deadline)
            if reply is not None:
                return reply
        raise DeliveryError("the gateway does not take what is encrypted with its own keys.")

    def _send(
        self, via: Via, keys: SignedKeys, message: bytes, max_bytes: int, line: Line, deadline: float
    ) -> Reply | None:
        """Return the collector's reply; None if the gateway does not know the keys."""
        with no_fork:
            from sotto_client.sealing import seal
            from sotto_client.talk import talk

        sealed = seal(_choose(keys), message)
        said = talk(
            line,
            "POST",
            f"{via.relay}{GATEWAY_PATH}",
            timeout_s=_left(deadline),
            max_bytes=2 * max_bytes,
            asked="relay",
            data=sealed.message,
            headers={"Content-Type": REQUEST_TYPE},
        )
        if _is_key_problem(said):
            return None
        if said.status != 200:  # the relay's word, or the gateway's: none of it is the collector's
            held = said.headers.get("retry-after")
            return Reply(said.status, {"retry-after": held} if held else {}, b"")
        if _type_of(said) != RESPONSE_TYPE:
            raise DeliveryError("the relay's reply is not a gateway's.")
        try:
            inner = InnerResponse.from_bytes(sealed.open(said.body))
        except MessageError:
            raise DeliveryError("the gateway's reply cannot be read.") from None
        return Reply(inner.status, dict(inner.headers), inner.body, keys.digest)

    def _find_keys(self, via: Via, line: Line, deadline: float, *, is_again: bool) -> SignedKeys:
        """Return the gateway's keys, asked for if they are not known, or not any more. Raises as `_admit` does."""
        place = via.relay, via.gateway_key
        asked_at, keys = self._keys.get(place, (0.0, None))
        if keys is None or is_again or self._clock() - asked_at >= KEEP_S or keys.until < today().isoformat():
            keys = _fetch_keys(via.relay, line, deadline)
            if via.gateway_key:
                self._admit(via, keys)
            self._keys[place] = self._clock(), keys
        return keys

    def _admit(self, via: Via, keys: SignedKeys) -> None:
        """Note keys, and raise SurveyRefused or DeliveryError if they must not be used: forged, doubted, or too old."""
        with no_fork:
            from sotto_client.sealing import is_signed

        if not is_signed(keys, via.gateway_key):
            raise SurveyRefused("the gateway's keys are not signed with the key that the survey names.")
        with self._state.write() as connection:
            seen = Gateways(connection).note(via.gateway_key, keys)
        if seen.doubt:
            raise SurveyRefused(seen.doubt)
        if keys.epoch < seen.epoch:
            raise DeliveryError(f"the relay gives keys of epoch {keys.epoch}, and {seen.epoch} was seen before.")
        if keys.until < (day := today().isoformat()):
            raise DeliveryError(f"the gateway's keys are good until {keys.until}, and this clock says {day}.")


def _fetch_keys(relay: str, line: Line, deadline: float) -> SignedKeys:
    with no_fork:
        from sotto_client.talk import talk

    asked = f"{relay}{SIGNED_PATH}"
    said = talk(line, "GET", asked, timeout_s=_left(deadline), max_bytes=MAX_SIGNED_BYTES, asked="relay")
    if said.status != 200:
        raise PlainRelay(f"the relay gives no keys of a gateway (HTTP {said.status}).")
    try:
        return SignedKeys.from_json(said.body)
    except KeysError as fault:
        raise DeliveryError(f"the relay gives something else than keys ({fault})") from None


def _choose(keys: SignedKeys) -> KeyConfiguration:
    try:
        return next(each for each in read_keys(keys.keys) if each.is_ours)
    except KeysError as fault:
        raise DeliveryError(f"the gateway's keys cannot be read ({fault})") from None
    except StopIteration:
        raise DeliveryError("the gateway has no keys that this device can use.") from None


def _is_key_problem(said: Reply) -> bool:
    if said.status != 400 or _type_of(said) != CONTENT_TYPE:
        return False
    try:
        document = json.loads(said.body)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("type") == _KEY_PROBLEM_TYPE


def _type_of(said: Reply) -> str:
    return said.headers.get("content-type", "").partition(";")[0].strip().lower()


def _left(deadline: float) -> float:
    left_s = deadline - time.monotonic()
    if left_s <= 0:
        raise DeliveryError("no whole answer from the relay in time.")
    return left_s
