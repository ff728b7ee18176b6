"""The way of an oblivious survey's requests: through which relay, for which gateway, and how long each is."""

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sotto_client.database import expect

if TYPE_CHECKING:
    from sotto_protocol.survey import Survey


@dataclass(frozen=True, slots=True)
class Via:
    """A `relay` and the key of the gateway behind it; `size`: of each request before encryption.

    `authority` is the collector's host, with its port if it has one.
    """

    relay: str
    gateway_key: str
    authority: str
    size: int

    @staticmethod
    def of(survey: "Survey", url: str, relay: str) -> "Via | None":
        """Return the way of a survey's requests; None if devices send directly. `relay`: another than the survey's."""
        if not survey.is_oblivious:
            return None
        from sotto_protocol.request_size import oblivious_request_bytes

        return Via(relay or survey.relay, survey.gateway_key, authority_of(url), oblivious_request_bytes(survey))

    def to_text(self) -> str:
        """Return it as a state keeps it."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_text(text: str) -> "Via | None":
        """Read what a state keeps; None of "". Raises ValueError for anything else than a way."""
        if not text:
            return None
        try:
            via = Via(**json.loads(text))
        except TypeError as fault:
            raise ValueError("a way must have its members.") from fault
        expect((via.relay, via.gateway_key, via.authority, via.size), str, str, str, int)
        return via


def authority_of(url: str) -> str:
    """Return host and port of an address, as a request inside another names its collector."""
    return urlsplit(url).netloc
