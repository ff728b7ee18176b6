"""What a report of a survey takes over from the ones before it: the secret of their noise, and their invitation."""

import os
from collections.abc import Sequence

from sotto_client.errors import InvitationError, ParticipationEnded
from sotto_client.ledger import Entry
from sotto_client.permanent import SECRET_BYTES
from sotto_protocol import Survey


def secret_of(survey: Survey, earlier: Sequence[Entry]) -> bytes:
    """Return the secret of the reports that were made before, or a new one where there are none."""
    if not earlier:
        return os.urandom(SECRET_BYTES)
    if earlier[0].secret is None:  # they are forgotten together
        raise ParticipationEnded(
            f"this device takes part in survey {survey.id} no longer. It has forgotten the secret of its noise, so "
            "another report would tell more than the survey declares."
        )
    return earlier[0].secret


def invitation_of(survey: Survey, earlier: Sequence[Entry], given: bytes | None) -> bytes | None:
    """Return the invitation of an invited survey: the one that was given, or else that of the report before."""
    if not survey.invited:
        if given is not None:
            raise InvitationError(f"survey {survey.id} is open to all; invitation must not be given.")
        return None
    known = given or next((entry.invitation for entry in reversed(earlier) if entry.invitation is not None), None)
    if known is None:
        raise InvitationError(f"survey {survey.id} is for invited people; invitation must be given.")
    return known
