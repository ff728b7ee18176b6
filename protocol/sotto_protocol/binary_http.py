"""Binary HTTP (RFC 9292): a request or a response as one text of bytes, which is then encrypted as a whole.

Known-length messages are written; those of indeterminate length are read as well. Zeros may follow a message (3.8).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sotto_protocol.errors import MessageError

_KNOWN_REQUEST, _KNOWN_RESPONSE, _OPEN_REQUEST, _OPEN_RESPONSE = range(4)
"""Framing indicators (3.3): the last two are of indeterminate length."""
Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class InnerRequest:
    """A request: names of headers in lower case. Trailers are not kept."""

    method: str
    scheme: str
    authority: str
    path: str
    headers: Headers = ()
    body: bytes = b""

    def to_bytes(self, size: int = 0) -> bytes:
        """Return the message, with zeros up to `size` bytes. Raises MessageError if it is longer than that."""
        control = b"".join(_sized(text.encode()) for text in (self.method, self.scheme, self.authority, self.path))
        return _padded(bytes([_KNOWN_REQUEST]) + control + _written(self.headers, self.body), size)

    @staticmethod
    def from_bytes(message: bytes) -> "InnerRequest":
        """Read a request. Raises MessageError."""
        reading = _Reading(message)
        is_open = reading.framing(_KNOWN_REQUEST, _OPEN_REQUEST)
        method, scheme, authority, path = (_text(reading.sized()) for _ in range(4))
        return InnerRequest(method, scheme, authority, path, *reading.rest(is_open))


@dataclass(frozen=True, slots=True)
class InnerResponse:
    """A response, as `InnerRequest`; informational ones before it are not kept."""

    status: int
    headers: Headers = ()
    body: bytes = b""

    def to_bytes(self, size: int = 0) -> bytes:
        """Return the message, with zeros up to `size` bytes. Raises MessageError if it is longer than that."""
        head = bytes([_KNOWN_RESPONSE]) + varint(self.status)
        return _padded(head + _written(self.headers, self.body), size)

    @staticmethod
    def from_bytes(message: bytes) -> "InnerResponse":
        """Read a response. Raises MessageError."""
        reading = _Reading(message)
        is_open = reading.framing(_KNOWN_RESPONSE, _OPEN_RESPONSE)
        while 100 <= (status := reading.varint()) < 200:
            reading.lines(is_open)
        if not 200 <= status < 600:
            raise MessageError("a response must have a status in [200, 599].")
        return InnerResponse(status, *reading.rest(is_open))


def varint(number: int) -> bytes:
    """Return an integer in [0, 2^62) as QUIC writes it (RFC 9000, 16): in 1, 2, 4 or 8 bytes."""
    for prefix, n_bytes in enumerate((1, 2, 4, 8)):
        if number < 1 << (8 * n_bytes - 2):
            return (number | prefix << (8 * n_bytes - 2)).to_bytes(n_bytes, "big")
    raise MessageError("a number must be below 2^62.")


def _sized(content: bytes) -> bytes:
    return varint(len(content)) + content


def _written(headers: Headers, body: bytes) -> bytes:
    lines = b"".join(_sized(name.encode()) + _sized(value.encode("latin-1")) for name, value in headers)
    return _sized(lines) + _sized(body) + varint(0)


def _padded(message: bytes, size: int) -> bytes:
    if size and len(message) > size:
        raise MessageError(f"a message must have at most {size} bytes.")
    return message.ljust(size, b"\0")


def _text(content: bytes) -> str:
    return content.decode("latin-1")


class _Reading:
    """A message that is read from its beginning. Every method raises MessageError."""

    def __init__(self, message: bytes) -> None:
        self._message = message
        self._at = 0

    def framing(self, known: int, indeterminate: int) -> bool:
        """Return whether the message is of indeterminate length."""
        found = self.varint()
        if found not in (known, indeterminate):
            raise MessageError("a message must begin with the framing that is expected.")
        return found == indeterminate

    def varint(self) -> int:
        first = self._take(1)[0]
        value = first & 0x3F
        for byte in self._take((1 << (first >> 6)) - 1):
            value = value << 8 | byte
        return value

    def sized(self) -> bytes:
        return self._take(self.varint())

    def rest(self, is_open: bool) -> tuple[Headers, bytes]:
        """Return headers and content; sections at the end may be missing where they are empty (3.8)."""
        headers = () if self._is_over() else self.lines(is_open)
        body = b"" if self._is_over() else b"".join(self._chunks()) if is_open else self.sized()
        if not self._is_over():
            self.lines(is_open)  # trailers
        if self._message.count(0, self._at) < len(self._message) - self._at:
            raise MessageError("a message must be followed by zeros alone.")
        return headers, body

    def lines(self, is_open: bool) -> Headers:
        """Return a section of headers or trailers."""
        return tuple(self._until_blank() if is_open else _Reading(self.sized())._until_end())

    def _until_blank(self) -> Iterator[tuple[str, str]]:
        while not self._is_over() and (name := self.sized()):
            yield _text(name), _text(self.sized())

    def _until_end(self) -> Iterator[tuple[str, str]]:
        while not self._is_over():
            name, value = self.sized(), self.sized()
            if not name:
                raise MessageError("a header must have a name.")
            yield _text(name), _text(value)

    def _chunks(self) -> Iterator[bytes]:
        while not self._is_over() and (chunk := self.sized()):
            yield chunk

    def _take(self, n_bytes: int) -> bytes:
        end = self._at + n_bytes
        if end > len(self._message):
            raise MessageError("a message must not end before its end.")
        taken, self._at = self._message[self._at : end], end
        return taken

    def _is_over(self) -> bool:
        return self._at == len(self._message)
