"""The poller: waits until connections can be read or written, and lets them.

waitress asks every connection in every round what it waits for; with some dozens open that costs more than a request.
Here the system keeps what each waits for (epoll, kqueue), and is told of changes only.
"""

import select
import selectors
from collections import deque
from typing import Any

from sotto_collector.serving.waitress_parts import readwrite

_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
_FLAGS = {_READ: select.POLLIN, _WRITE: select.POLLOUT, _READ | _WRITE: select.POLLIN | select.POLLOUT}


class Poller:
    """Watches waitress's channels, the listening one and the trigger among them.

    All but `note_change` is for the thread that polls.
    """

    def __init__(self, channels: dict[int, Any]) -> None:
        """`channels`: those that are open, by descriptor; waitress keeps it."""
        self._channels = channels
        self._selector = selectors.DefaultSelector()
        self._watched: dict[int, int] = {}  # the events asked for, by descriptor
        self._changed: deque[Any] = deque()

    def add(self, channel: Any) -> None:
        """Begin to watch a channel, for reading."""
        self.remove(channel)  # what had its descriptor before, if that was closed without `remove`
        self._register(channel._fileno, _READ)

    def remove(self, channel: Any) -> None:
        """Stop watching a channel. Call it before its descriptor is closed."""
        self._register(channel._fileno, 0)

    def watch(self, channel: Any) -> None:
        """Watch a channel for the events that it waits for now; while it waits for none, for those of before."""
        descriptor = channel._fileno
        if (wanted := _wanted(channel)) and self._channels.get(descriptor) is channel:
            self._register(descriptor, wanted)

    def note_change(self, channel: Any) -> bool:
        """Note, from any thread, that a channel may wait for other events; return whether the poller must be woken.

        Usually not if it waits for its next request: a channel is watched for that while one is served, too.
        """
        must = channel.writable() or channel._fileno not in self._watched
        if must:
            self._changed.append(channel)
        return bool(must)

    def poll(self, timeout_s: float) -> None:
        """Wait at most so long until a channel can be read or written, and do all that can be done."""
        while self._changed:
            self.watch(self._changed.popleft())
        for key, events in self._selector.select(timeout_s):
            channel = self._channels.get(key.fd)
            if channel is None or key.fd not in self._watched:  # closed by an event before it
                continue
            if ready := events & _wanted(channel):
                readwrite(channel, _FLAGS[ready])
            else:  # it sends, or hangs up, while it is served: that has to wait
                self._register(key.fd, 0)
            self.watch(channel)  # in either case: it may have been served meanwhile

    def close(self) -> None:
        """Close the system's selector."""
        self._selector.close()

    def _register(self, descriptor: int, wanted: int) -> None:
        before = self._watched.get(descriptor, 0)
        if wanted == before:
            return
        if not wanted:
            del self._watched[descriptor]
            self._selector.unregister(descriptor)
        elif before:
            self._selector.modify(descriptor, wanted)
        else:
            self._selector.register(descriptor, wanted)
        if wanted:
            self._watched[descriptor] = wanted


def _wanted(channel: Any) -> int:
    return (_READ if channel.readable() else 0) | (_WRITE if channel.writable() else 0)
