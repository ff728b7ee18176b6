"""One exchange by `requests`, which is loaded for the first exchange: to connect, send, and read the reply whole."""

import os
from functools import lru_cache
from http.client import HTTPException
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError

from sotto_client.causes import unanswered
from sotto_client.errors import DeliveryError
from sotto_client.line import Line
from sotto_client.reply import Reply

_HEADERS = {
    "User-Agent": "sottovoce",  # no version or platform, so that devices cannot be told apart
    "Accept": "application/json",
    "Accept-Encoding": "identity",  # requests' own value depends on what is installed; and no bombs
    "Connection": "close",
}
_CHUNK_BYTES = 2**16


def talk(
    line: Line, method: str, address: str, *, timeout_s: float, max_bytes: int, asked: str = "collector", **sent: Any
) -> Reply:
    """Return the reply; `asked` is whose it is, in an error.

    Raises DeliveryError, which holds nothing of what was sent.
    """
    try:
        with _open_session(line) as session:
            session.headers.clear()
            session.headers.update(_HEADERS)
            session.trust_env = False  # no password out of ~/.netrc; proxies are looked up once, not at every request
            session.proxies.update(_find_proxies(address))
            session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or True
            timeouts = (timeout_s, timeout_s)  # of each connection and silence: a thread that is left behind ends too
            with session.request(
                method, address, timeout=timeouts, allow_redirects=False, stream=True, **sent
            ) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Reply(response.status_code, headers, _read(response, max_bytes, asked))
    except (requests.RequestException, HTTPError, HTTPException, OSError, ValueError) as fault:
        failed = unanswered(fault, asked)
    finally:
        line.end()
    raise failed


@lru_cache(maxsize=16)
def _find_proxies(address: str) -> dict[str, str]:
    """Return the proxies that the environment names for an address (HTTPS_PROXY, NO_PROXY and so on)."""
    return dict(requests.utils.get_environ_proxies(address))


def _read(response: requests.Response, max_bytes: int, asked: str) -> bytes:
    body = b""
    for chunk in response.iter_content(_CHUNK_BYTES):
        body += chunk
        if len(body) > max_bytes:
            raise DeliveryError(f"the {asked}'s answer has more than {max_bytes} bytes.")
    return body


class _LineAdapter(HTTPAdapter):
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


def _open_session(line: Line) -> requests.Session:
    """Return a session whose connections the line holds."""
    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, _LineAdapter(line))
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
