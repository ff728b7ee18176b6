"""Which survey a page shows: a published one to anybody, a draft to who has its link, or signs in."""

from flask import request

from sotto_collector.api.access import LISTERS
from sotto_collector.api.request import get_collector
from sotto_collector.pages.sign_in import find_reader
from sotto_collector.store import StoredSurvey


def find_shown(survey_id: str) -> StoredSurvey:
    """Return the survey or draft that the request may see.

    Raises RequestError 404: nobody else learns that there is a draft.
    """
    collector = get_collector()
    stored = collector.require_any(survey_id)
    if stored.is_draft and find_reader(collector.tokens, LISTERS, survey_id) is None:
        return collector.require_draft(survey_id, request.args.get("preview", ""))
    return stored
