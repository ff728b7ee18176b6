"""The gateway's key configuration: fetched by the relay for everybody, so that nobody is given keys of their own."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from sotto_protocol.errors import KeysError
from sotto_protocol.gateway_keys import SignedKeys
from sotto_relay.errors import GatewayError

MAX_AGE_S = 3600
"""Devices and browsers may keep a configuration for so many seconds, and a relay asks for the next one then."""
STALE_S = 86_400
"""A gateway that is down may be so for a day: meanwhile devices get what the relay has, and send later."""
_HURRY_S = 60
log = logging.getLogger("sotto_relay")


class KeyCache:
    """The newest configuration that the gateway gave, by `fetch`, which raises GatewayError.

    Devices check its signature. `n_refused` counts configurations that were not taken: their epoch had another one
    before, or is an earlier one.
    """

    def __init__(self, fetch: Callable[[], Awaitable[bytes]], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._lock = asyncio.Lock()
        self._kept: SignedKeys | None = None
        self._asked_at = -float("inf")
        self._came_at = -float("inf")
        self.n_refused = 0

    async def get(self) -> SignedKeys:
        """Return what is kept, at most an hour old if the gateway answers. Raises GatewayError."""
        async with self._lock:
            if self._kept is None or self._clock() - self._asked_at >= MAX_AGE_S:
                await self._renew()
            if self._kept is None or self._clock() - self._came_at > STALE_S:
                raise GatewayError("the gateway gives no key configuration.")
            return self._kept

    @property
    def epoch(self) -> int:
        """The epoch of what is kept; 0 where nothing is."""
        return self._kept.epoch if self._kept else 0

    async def hurry(self) -> None:
        """Ask anew, at most once a minute: the gateway does not know a key any more."""
        async with self._lock:
            if self._clock() - self._asked_at >= _HURRY_S:
                await self._renew()

    async def _renew(self) -> None:
        self._asked_at = self._clock()
        try:
            came = SignedKeys.from_json(await self._fetch())
        except (GatewayError, KeysError) as fault:
            log.warning("%s", fault)
            return
        kept = self._kept
        if kept is not None and (came.epoch < kept.epoch or (came.epoch == kept.epoch and came.keys != kept.keys)):
            self.n_refused += 1
            log.warning(
                "The gateway gave other keys of epoch %d, after those of epoch %d: devices get the first.",
                came.epoch,
                kept.epoch,
            )
            return
        self._kept, self._came_at = came, self._clock()
