"""How long the requests of an oblivious survey are: all alike, so that a relay cannot tell one from another."""

from functools import lru_cache

from sotto_protocol.blind import MODULUS_BYTES, TOKEN_BYTES, to_base64url
from sotto_protocol.documents import canonical_json
from sotto_protocol.invitation import INVITATION_BYTES, invitation_text, with_token
from sotto_protocol.oblivious import MAX_AUTHORITY_BYTES, inner_post, padded_size
from sotto_protocol.report import REPORT_ID_BYTES, Report, batch_body
from sotto_protocol.survey import Survey


@lru_cache(maxsize=16)
def oblivious_request_bytes(survey: Survey) -> int:
    """Return the size of every request of a survey's devices before encryption, but for those that read the survey.

    It holds the longest of a report, a check of an invitation, a request for a token, and an erasure.
    """
    path, room = f"/v1/surveys/{survey.id}", "x" * MAX_AUTHORITY_BYTES
    invitation = invitation_text(bytes(INVITATION_BYTES)) if survey.invited else ""
    sent_with = invitation if survey.spends_invitations else ""
    report = batch_body(survey, [Report(bytes(REPORT_ID_BYTES), survey.layout.longest, sent_with)])
    check = {"invitation": invitation, "wave": survey.waves}
    bodies = {
        "reports": report,
        "invitations/check": canonical_json(check),
        "erase": canonical_json({"receipt": bytes(REPORT_ID_BYTES).hex()}),
    }
    if survey.is_blind:
        n_strata = len(survey.strata) or 1
        bodies["reports"] = with_token(report, bytes(TOKEN_BYTES), n_strata, n_strata)
        bodies["invitations/token"] = canonical_json(check | {"blinded": to_base64url(bytes(MODULUS_BYTES))})
    requests = (inner_post(room, f"{path}/{last}", body) for last, body in bodies.items())
    return padded_size(max(len(request.to_bytes()) for request in requests))
