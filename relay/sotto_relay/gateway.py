"""The one connection to the gateway. Of a device it passes on the sealed bytes, and no header."""

from dataclasses import dataclass

import aiohttp

from sotto_protocol.oblivious import GATEWAY_PATH, REQUEST_TYPE, RESPONSE_TYPE, SIGNED_PATH
from sotto_protocol.problem import CONTENT_TYPE
from sotto_relay.errors import GatewayError

TIMEOUT_S = 10
_ANSWERS = {(200, RESPONSE_TYPE), (400, CONTENT_TYPE)}  # RFC 9458, 5.2: the second where it cannot open a request
_MAX_REPLY_BYTES = 2**22  # a survey of 1 MiB, padded to a power of two
_UNSENT = ("User-Agent", "Accept", "Accept-Encoding")


@dataclass(frozen=True, slots=True)
class Reply:
    """What the gateway said to a sealed request: a sealed response, or a problem."""

    status: int
    content_type: str
    body: bytes


class Gateway:
    """A gateway, asked over one connection. Close it when done. Made within a running event loop."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=1),
            timeout=aiohttp.ClientTimeout(total=TIMEOUT_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_UNSENT,
            auto_decompress=False,
        )

    async def ask(self, body: bytes) -> Reply:
        """Return the reply to a sealed request. Raises GatewayError for a reply that is no gateway's."""
        reply = await self._exchange(
            "POST", self._url + GATEWAY_PATH, data=body, headers={"Content-Type": REQUEST_TYPE}
        )
        if (reply.status, reply.content_type) in _ANSWERS:
            return reply
        raise GatewayError(f"the gateway answered HTTP {reply.status}.")

    async def signed_keys(self) -> bytes:
        """Return the signed key configuration as it came. Raises GatewayError."""
        reply = await self._exchange("GET", self._url + SIGNED_PATH)
        if reply.status != 200:
            raise GatewayError(f"the gateway answered HTTP {reply.status} when it was asked for its keys.")
        return reply.body

    async def close(self) -> None:
        """Close the connection."""
        await self._session.close()

    async def _exchange(self, method: str, address: str, **sent: object) -> Reply:
        try:
            async with self._session.request(method, address, allow_redirects=False, **sent) as response:  # type: ignore[arg-type]
                body = await response.content.read(_MAX_REPLY_BYTES + 1)
                while not response.content.at_eof() and len(body) <= _MAX_REPLY_BYTES:
                    body += await response.content.read(_MAX_REPLY_BYTES + 1 - len(body))
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as fault:
            raise GatewayError(f"the gateway cannot be reached ({type(fault).__name__}).") from None
        if len(body) > _MAX_REPLY_BYTES:
            raise GatewayError("the gateway's answer is too long.")
        return Reply(response.status, response.content_type, body)
