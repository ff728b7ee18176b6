"""Problem details (RFC 9457): the one shape in which a collector says what is wrong, and a client reads it."""

import json
from dataclasses import dataclass
from http import HTTPStatus

from sotto_protocol.documents import canonical_json, is_text

CONTENT_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:sottovoce:problem:"
UNEXPECTED = "unexpected"

# The codes that a device acts on. What a report meets beside them says nothing of the report itself.
BAD_JSON = "bad_json"
BAD_REPORT = "bad_report"
INVITATION_REQUIRED = "invitation_required"
INVITATION_INVALID = "invitation_invalid"
INVITATION_USED = "invitation_used"
"""The invitation was traded for another token."""
TOKEN_INVALID = "token_invalid"  # noqa: S105  # a code
SURVEY_CLOSED = "survey_closed"
"""The collector has this very version of the survey, and takes no more reports."""
NO_SUCH_SURVEY = "no_such_survey"
WRONG_FINGERPRINT = "wrong_fingerprint"
MAX_FAULTS = 100
"""The most faults that a document lists."""
_MAX_TEXT = 2000  # characters of a code, detail or path


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong. `code` is stable and documented (docs/http.md). `where` is a JSON path into the request, or empty.

    If several things are wrong, `faults` lists them all as (where, detail), the first one too. Else it is empty.
    """

    status: int
    code: str
    detail: str
    where: str = ""
    faults: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> bytes:
        """Return the problem document."""
        document = {
            "type": f"{TYPE_PREFIX}{self.code}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
        }
        faults = [{"where": where, "detail": detail} for where, detail in self.faults[:MAX_FAULTS]]
        given = {"where": self.where, "faults": faults}
        return canonical_json(document | {name: value for name, value in given.items() if value})

    @staticmethod
    def from_response(status: int, body: bytes) -> "Problem":
        """Read a problem from any reply. If it is not a problem document, the code is `unexpected`."""
        try:
            document = json.loads(body)
            code, detail, where = texts = [document.get(key, "") for key in ("code", "detail", "where")]
            # Nothing that could steer a terminal: a problem's words are printed.
            if all(text == "" or is_text(text, _MAX_TEXT) for text in texts) and code:
                return Problem(status, code, detail, where, _read_faults(document.get("faults", [])))
        except (ValueError, AttributeError, RecursionError, TypeError, LookupError):
            return Problem(status, UNEXPECTED, f"HTTP {status} without a problem document.")
        return Problem(status, UNEXPECTED, f"HTTP {status} without a problem document.")

    @staticmethod
    def of_collector(status: int, content_type: str, body: bytes) -> "Problem | None":
        """Read a problem that a collector wrote. None for any other reply.

        It must be sent as a problem document, and its `type` must match its code. JSON of a firewall or a portal may
        have a code, too.
        """
        if content_type.partition(";")[0].strip().lower() != CONTENT_TYPE:
            return None
        problem = Problem.from_response(status, body)
        if problem.code == UNEXPECTED or json.loads(body).get("type") != f"{TYPE_PREFIX}{problem.code}":
            return None
        return problem


def _read_faults(listed: list[dict[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the faults of a document. Raises ValueError where they are not texts that can be printed."""
    found = tuple((fault["where"], fault["detail"]) for fault in listed[:MAX_FAULTS])
    if not all(text == "" or is_text(text, _MAX_TEXT) for fault in found for text in fault):
        raise ValueError("faults must be texts.")
    return found
