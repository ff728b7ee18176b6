"""How long the requests of an oblivious survey are: all alike, so that a relay cannot tell one from another."""

from functools import lru_cache

from sotto_protocol.documents import canonical_json
from sotto_protocol.invitation import INVITATION_BYTES, invitation_text
from sotto_protocol.oblivious import MAX_AUTHORITY_BYTES, inner_post, padded_size
from sotto_protocol.report import REPORT_ID_BYTES, Report, batch_body
from sotto_protocol.survey import Survey


@lru_cache(maxsize=16)
def oblivious_request_bytes(survey: Survey) -> int:
    """Return the size of every request of a survey's devices before encryption, but for those that read the survey.

    It holds the longest of a report, a check of an invitation, and an erasure.
    """
    path, room = f"/v1/surveys/{survey.id}", "x" * MAX_AUTHORITY_BYTES
    invitation = invitation_text(bytes(INVITATION_BYTES)) if survey.invited else ""
    bodies = {
        "reports": batch_body(survey, [Report(bytes(REPORT_ID_BYTES), survey.layout.longest, invitation)]),
        "invitations/check": canonical_json({"invitation": invitation, "wave": survey.waves}),
        "erase": canonical_json({"receipt": bytes(REPORT_ID_BYTES).hex()}),
    }
    requests = (inner_post(room, f"{path}/{last}", body) for last, body in bodies.items())
    return padded_size(max(len(request.to_bytes()) for request in requests))
