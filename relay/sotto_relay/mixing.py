"""Mixing: requests wait for one another, go on in random order over one connection, and are answered together.

Chaum, "Untraceable electronic mail, return addresses, and digital pseudonyms" (1981), calls it a mix. Somebody who
sees both sides learns only in which batch a request was. A batch of one hides nothing. Nor does a batch that a stranger
has filled up (the n - 1 attack: Serjantov, Dingledine & Syverson, "From a trickle to a flood", 2002).
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from sotto_relay.errors import FullError, GatewayError
from sotto_relay.gateway import Reply

_shuffle = random.SystemRandom().shuffle


@dataclass(slots=True)
class _Waiting:
    body: bytes
    reply: asyncio.Future[Reply]


@dataclass(slots=True)
class _Batch:
    requests: list[_Waiting] = field(default_factory=list)
    timer: asyncio.TimerHandle | None = None


class Mixer:
    """Passes requests on in batches, by `forward`, which raises GatewayError.

    A batch goes when `size` requests wait, or `wait_s` seconds after its first one came. One batch is on its way at a
    time, and one request of it. At most `max_bytes` bytes of requests wait in all.
    """

    def __init__(
        self, forward: Callable[[bytes], Awaitable[Reply]], *, size: int, wait_s: float, max_bytes: int
    ) -> None:
        self._forward = forward
        self._size = size
        self._wait_s = wait_s
        self._max_bytes = max_bytes
        self._open: _Batch = _Batch()
        self._queue: asyncio.Queue[list[_Waiting]] = asyncio.Queue()
        self._sender = asyncio.create_task(self._send_batches())
        self.n_waiting = 0
        self.n_waiting_bytes = 0
        self.n_batches = 0

    async def pass_on(self, body: bytes) -> Reply:
        """Return the reply to a request, after all of its batch were answered. Raises FullError, GatewayError."""
        if self.n_waiting_bytes + len(body) > self._max_bytes:
            raise FullError("too many requests wait.")
        loop = asyncio.get_running_loop()
        waiting = _Waiting(body, loop.create_future())
        self.n_waiting += 1
        self.n_waiting_bytes += len(body)
        self._open.requests.append(waiting)
        if len(self._open.requests) >= self._size:
            self.flush()
        elif self._open.timer is None:
            self._open.timer = loop.call_later(self._wait_s, self.flush)
        try:
            return await waiting.reply
        finally:
            self.n_waiting -= 1
            self.n_waiting_bytes -= len(body)

    def flush(self) -> None:
        """Send what waits without waiting for more."""
        batch, self._open = self._open, _Batch()
        if batch.timer is not None:
            batch.timer.cancel()
        if batch.requests:
            self._queue.put_nowait(batch.requests)

    async def close(self) -> None:
        """Send what waits, and return when all of it was answered."""
        self.flush()
        await self._queue.join()
        self._sender.cancel()

    async def _send_batches(self) -> None:
        while True:
            requests = await self._queue.get()
            await self._send(requests)
            self.n_batches += 1
            self._queue.task_done()

    async def _send(self, requests: list[_Waiting]) -> None:
        _shuffle(requests)
        replies: list[Reply | GatewayError] = []
        for request in requests:
            if replies and isinstance(replies[-1], GatewayError):
                replies.append(replies[-1])  # leave a gateway alone that does not answer: devices send again
                continue
            try:
                replies.append(await self._forward(request.body))
            except GatewayError as fault:
                replies.append(fault)
            except Exception as fault:  # whatever it is, nobody may wait for ever
                replies.append(GatewayError(f"the relay failed ({type(fault).__name__})."))
        answers = list(zip(requests, replies, strict=True))
        _shuffle(answers)
        for request, reply in answers:
            if request.reply.done():
                continue  # the device has hung up
            if isinstance(reply, GatewayError):
                request.reply.set_exception(GatewayError(str(reply)))
            else:
                request.reply.set_result(reply)
