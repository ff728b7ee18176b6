"""A report: what leaves the device. A random id, which is also the respondent's receipt, and noisy answers.

On the wire a batch is `{"fingerprint": "...", "reports": [{"id": "...", "answers": {...}}, ...]}`; in a survey of
several waves a report also has its `wave`, in an invited one the `invitation` that admits it. Blanks follow.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sotto_protocol.documents import canonical_json
from sotto_protocol.errors import ReportError
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.survey import Survey

REPORT_ID_BYTES = 16
_REPORT_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Report:
    """One noisy report. `id` has 16 random bytes, `record` the packed answers, `survey.layout.n_bytes` long.

    `invitation` is the text of the invitation in an invited survey. It is sent with the report, but is not part of it.
    """

    id: bytes
    record: bytes
    invitation: str = field(default="", repr=False)

    @property
    def receipt(self) -> str:
        """The id as it is written: 32 lower-case hexadecimal digits."""
        return self.id.hex()

    def to_wire(self, survey: Survey) -> dict[str, Any]:
        """Return the JSON object that is sent, with the invitation if the report has one."""
        invitation = {"invitation": self.invitation} if self.invitation else {}
        return {"id": self.receipt} | invitation | survey.layout.to_wire(np.frombuffer(self.record, np.uint8))


def batch_body(survey: Survey, reports: list[Report]) -> bytes:
    """Return the bytes of a POST that carries these reports; the same reports give the same bytes.

    Blanks fill it up to the length of this survey's longest reports. So the length of a POST shows how many reports it
    has, and nothing of what they say.
    """
    sent = [report.to_wire(survey) for report in reports]
    body = canonical_json({"fingerprint": survey.fingerprint, "reports": sent})
    longest = canonical_json(Report(bytes(REPORT_ID_BYTES), survey.layout.longest).to_wire(survey))
    n_commas = max(0, len(reports) - 1)
    invitations = sum(len(f',"invitation":"{report.invitation}"') for report in reports if report.invitation)
    frame = canonical_json({"fingerprint": survey.fingerprint, "reports": []})
    return body.ljust(len(frame) + len(reports) * len(longest) + n_commas + invitations)


def parse_report_id(text: Any, where: str) -> bytes:
    """Return the 16 bytes of a report id as written. Raises ReportError at `where`."""
    if type(text) is not str or _REPORT_ID.fullmatch(text) is None:
        raise ReportError(where, "must be 32 lower-case hexadecimal digits.")
    return bytes.fromhex(text)


def stack_records(records: list[bytes]) -> Bytes:
    """Return packed reports as one array, shape (n, n_bytes). Raises ReportError unless all are equally long."""
    width = len(records[0]) if records else 0
    if any(len(record) != width for record in records):
        raise ReportError("$", "packed reports of one survey must be equally long.")
    return np.frombuffer(b"".join(records), np.uint8).reshape(len(records), width)
