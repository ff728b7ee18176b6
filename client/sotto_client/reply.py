"""What a collector said: the end of an exchange."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. Header names are in lower case.

    `keys`: the SHA-256 of the gateway's keys that it came through, in hexadecimal digits; "" if it came directly.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    keys: str = ""
