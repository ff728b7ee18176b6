"""The connection of one exchange, which another thread can cut, whatever the exchange's own thread waits for.

Rule: a line belongs to one exchange, as its connection does, so that a late cut ends nothing else.
"""

import socket
import threading
from contextlib import suppress
from typing import Any

import requests
from requests.adapters import HTTPAdapter


class Line:
    """At most one open connection. Once cut it stays so: a connection that is made later is closed at once."""

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

    def check(self) -> None:
        """Raise OSError if the line is cut."""
        with self._lock:
            self._check()

    def cut(self) -> None:
        """End the connection: whoever reads from it or writes to it stops waiting. May be called twice."""
        with self._lock:
            self._is_cut = True
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


class LineAdapter(HTTPAdapter):
    """Gives every connection of a `requests.Session`, to a proxy or not, to a line."""

    def __init__(self, line: Line) -> None:
        self._line = line
        super().__init__()

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        _hold_connections(self.poolmanager, self._line)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **options)
        _hold_connections(manager, self._line)
        return manager


def open_session(line: Line) -> requests.Session:
    """Return a session whose connections the line holds."""
    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, LineAdapter(line))
    return session


def _hold_connections(manager: Any, line: Line) -> None:
    """Let the pools of a urllib3 manager, of whatever kind, make connections that the line holds."""
    manager.pool_classes_by_scheme = {
        scheme: type(pool.__name__, (pool,), {"ConnectionCls": _held_class(pool.ConnectionCls, line)})
        for scheme, pool in manager.pool_classes_by_scheme.items()
    }


def _held_class(connection_class: Any, line: Line) -> type:
    """Return a class of urllib3's connections whose socket the line holds before a byte goes through it.

    Overridden is what urllib3 1.x and 2.x have in common.
    """

    def connect(self: Any) -> Any:
        connected = connection_class._new_conn(self)
        line.hold(connected)
        return connected

    def tunnel(self: Any) -> None:
        connection_class._tunnel(self)
        line.check()  # a proxy's reply that was cut off looks complete: no handshake may follow it

    return type(connection_class.__name__, (connection_class,), {"_new_conn": connect, "_tunnel": tunnel})
