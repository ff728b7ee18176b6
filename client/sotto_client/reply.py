"""What a collector said: the end of an exchange."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
