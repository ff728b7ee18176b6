"""Mixing: requests wait for one another, go on in random order over one connection, and are answered together.

Chaum, "Untraceable electronic mail, return addresses, and digital pseudonyms" (1981), calls it a mix. Somebody who
sees both sides learns only in which batch a request was. A batch of one hides nothing. Nor does a batch that a stranger
has filled up (the n - 1 attack: Serjantov, Dingledine & Syverson, "From a trickle to a flood", 2002).

A device waits for 30 seconds. So a batch goes as soon as it has as many requests as can be passed on in time, as fast
as the gateway answered lately; and what was not passed on in time is answered so, to be sent again later.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from sotto_relay.errors import FullError, GatewayError, LateError
from sotto_relay.gateway import Reply

ANSWER_S = 25.0
"""So many seconds after its first request came a batch is answered: the rest of a device's 30 is for its network."""
SHARE = 0.5
"""Of the time that is left after the wait, for one batch: another one may be on its way before it."""
LEAST = 20
"""A batch never goes early with fewer: else a gateway that dawdles could have every request alone."""
PACE_S = 0.02
"""So long one request is taken to need, until it is known."""
_N_LATELY = 100
_LATE = "the gateway took too long."
log = logging.getLogger("sotto_relay")
_shuffle = random.SystemRandom().shuffle


@dataclass(slots=True)
class _Waiting:
    body: bytes
    reply: asyncio.Future[Reply]


@dataclass(slots=True)
class _Batch:
    requests: list[_Waiting] = field(default_factory=list)
    deadline: float = 0.0
    timer: asyncio.TimerHandle | None = None


class Mixer:
    """Passes requests on in batches, by `forward`, which raises GatewayError.

    A batch goes when `size` requests wait, or as many as can be passed on in time, or `wait_s` seconds after its first
    one came. One batch is on its way at a time, and one request of it. It is answered `answer_s` seconds after its
    first request came at the latest. At most `max_bytes` bytes of requests wait in all.
    """

    def __init__(
        self,
        forward: Callable[[bytes], Awaitable[Reply]],
        *,
        size: int,
        wait_s: float,
        max_bytes: int,
        answer_s: float = ANSWER_S,
    ) -> None:
        self._forward = forward
        self._size = size
        self._wait_s = wait_s
        self._max_bytes = max_bytes
        self._answer_s = answer_s
        self._pace_s = PACE_S
        self._open: _Batch = _Batch()
        self._queue: asyncio.Queue[_Batch] = asyncio.Queue()
        self._sender = asyncio.create_task(self._send_batches())
        self.n_waiting = 0
        self.n_waiting_bytes = 0
        self.n_batches = 0

    async def pass_on(self, body: bytes) -> Reply:
        """Return the reply to a request, after all of its batch were answered.

        Raises FullError, GatewayError, LateError.
        """
        if self.n_waiting_bytes + len(body) > self._max_bytes:
            raise FullError("too many requests wait.")
        loop = asyncio.get_running_loop()
        waiting = _Waiting(body, loop.create_future())
        self.n_waiting += 1
        self.n_waiting_bytes += len(body)
        if not self._open.requests:
            self._open.deadline = loop.time() + self._answer_s
        self._open.requests.append(waiting)
        if len(self._open.requests) >= self.most:
            self.flush()
        elif self._open.timer is None:
            self._open.timer = loop.call_later(self._wait_s, self.flush)
        try:
            return await waiting.reply
        finally:
            self.n_waiting -= 1
            self.n_waiting_bytes -= len(body)

    @property
    def most(self) -> int:
        """With so many requests a batch goes now: `size`, or what can be passed on in time."""
        in_time = SHARE * (self._answer_s - self._wait_s) / self._pace_s
        return min(self._size, max(LEAST, int(in_time)))

    def flush(self) -> None:
        """Send what waits without waiting for more."""
        batch, self._open = self._open, _Batch()
        if batch.timer is not None:
            batch.timer.cancel()
        if batch.requests:
            self._queue.put_nowait(batch)

    async def close(self) -> None:
        """Send what waits, and return when all of it was answered."""
        self.flush()
        await self._queue.join()
        self._sender.cancel()

    async def _send_batches(self) -> None:
        while True:
            batch = await self._queue.get()
            await self._send(batch)
            self.n_batches += 1
            self._queue.task_done()

    async def _send(self, batch: _Batch) -> None:
        _shuffle(batch.requests)
        replies: list[Reply | GatewayError | LateError] = []
        for request in batch.requests:
            if replies and not isinstance(replies[-1], Reply):
                replies.append(replies[-1])  # leave a gateway alone that does not answer: devices send again
            else:
                replies.append(await self._send_one(request.body, batch.deadline))
        n_late = sum(isinstance(reply, LateError) for reply in replies)
        if n_late:
            log.warning("The gateway is slow: %d of %d requests were not passed on in time.", n_late, len(replies))
        answers = list(zip(batch.requests, replies, strict=True))
        _shuffle(answers)
        for request, reply in answers:
            if request.reply.done():
                continue  # the device has hung up
            if isinstance(reply, Reply):
                request.reply.set_result(reply)
            else:
                request.reply.set_exception(type(reply)(str(reply)))

    async def _send_one(self, body: bytes, deadline: float) -> Reply | GatewayError | LateError:
        loop = asyncio.get_running_loop()
        began = loop.time()
        if began >= deadline:
            return LateError(_LATE)
        try:
            async with asyncio.timeout_at(deadline):
                reply = await self._forward(body)
        except TimeoutError:
            return LateError(_LATE)
        except GatewayError as fault:
            return fault
        except Exception as fault:  # whatever it is, nobody may wait for ever
            return GatewayError(f"the relay failed ({type(fault).__name__}).")
        self._pace_s += (loop.time() - began - self._pace_s) / _N_LATELY
        return reply
