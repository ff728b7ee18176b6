"""Problem details (RFC 9457): the one shape in which a collector says what is wrong, and a client reads it."""

import json
from dataclasses import dataclass
from http import HTTPStatus

from sotto_protocol.documents import canonical_json, is_text

CONTENT_TYPE = "application/problem+json"
_MAX_TEXT = 2000  # characters of a code, detail or path


@dataclass(frozen=True, slots=True)
class Problem:
    """`code` is stable and documented (docs/http.md); `where` is a JSON path into the request, or empty."""

    status: int
    code: str
    detail: str
    where: str = ""

    def to_json(self) -> bytes:
        """Return the problem document."""
        document = {
            "type": f"urn:sottovoce:problem:{self.code}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
        }
        return canonical_json(document | ({"where": self.where} if self.where else {}))

    @staticmethod
    def from_response(status: int, body: bytes) -> "Problem":
        """Read a problem from any answer; whatever is not a problem document becomes the code `unexpected`."""
        try:
            document = json.loads(body)
            texts = [document.get(key, "") for key in ("code", "detail", "where")]
            # Nothing that could steer a terminal: a problem's words are printed.
            if all(text == "" or is_text(text, _MAX_TEXT) for text in texts) and texts[0]:
                return Problem(status, *texts)
        except (ValueError, AttributeError, RecursionError):
            return Problem(status, "unexpected", f"HTTP {status} without a problem document.")
        return Problem(status, "unexpected", f"HTTP {status} without a problem document.")
