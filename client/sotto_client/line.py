"""The connection of one exchange, which another thread can cut, whatever the exchange's own thread waits for.

Rule: a line belongs to one exchange, as its connection does, so that a late cut ends nothing else.
"""

import socket
import threading
from contextlib import suppress


class Line:
    """At most one open connection at a time. Once cut it stays so: one that is made later is closed at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_cut = False
        self._handle: socket.socket | None = None

    def hold(self, connected: socket.socket) -> None:
        """Take a handle of a connection, by which it can be cut under TLS and proxies too. Raises OSError if cut."""
        with self._lock:
            if self._is_cut:
                connected.close()
            self._check()
            self._drop()
            self._handle = socket.fromfd(connected.fileno(), connected.family, connected.type)

    def end(self) -> None:
        """End the connection, if there is one; another may follow."""
        with self._lock:
            self._end()

    def check(self) -> None:
        """Raise OSError if the line is cut."""
        with self._lock:
            self._check()

    def cut(self) -> None:
        """End the connection: whoever reads from it or writes to it stops waiting. May be called twice."""
        with self._lock:
            self._is_cut = True
            self._end()

    def _end(self) -> None:
        if self._handle is not None:
            with suppress(OSError):  # the other side was faster
                self._handle.shutdown(socket.SHUT_RDWR)
        self._drop()

    def _check(self) -> None:
        if self._is_cut:
            raise OSError("the exchange is over.")

    def _drop(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            handle.close()
