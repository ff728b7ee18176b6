"""The key of the collector's gateway, which an oblivious survey names: an author need not write it."""

from dataclasses import replace
from typing import Any

from sotto_author.errors import AuthorError
from sotto_collector.errors import RemoteError
from sotto_collector.remote import RemoteCollector
from sotto_protocol import Survey
from sotto_protocol.extras import install_command
from sotto_protocol.oblivious import KEY_PATH

NO_GATEWAY = "no_gateway"


def with_gateway_key(survey: Survey, collector: RemoteCollector) -> Survey:
    """Return a survey as it is published at a collector; one that sends directly as it is.

    Raises AuthorError if the collector has no gateway, or if the survey names another's. Raises RemoteError.
    """
    if not survey.is_oblivious:
        return survey
    try:
        found: Any = collector.ask("GET", KEY_PATH).get("gateway_key")
    except RemoteError as fault:
        if fault.code not in (NO_GATEWAY, "not_found"):
            raise
        raise AuthorError(
            f"{survey.id} is delivered obliviously, and {collector.url} has no gateway. On its machine run "
            f"sotto gateway key new (it needs {install_command('oblivious')})."
        ) from None
    if survey.gateway_key not in ("", found):
        raise AuthorError(
            f"gateway_key ({survey.gateway_key}) must be the key of this collector ({found}), or be left out."
        )
    return replace(survey, gateway_key=found)
