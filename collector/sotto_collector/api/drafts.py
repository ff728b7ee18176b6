"""The routes of drafts: a survey as it may become, shown to who has its link, open to nobody."""

from flask import Blueprint, Response

from sotto_collector.api.request import get_collector, respond
from sotto_collector.api.surveys import read_survey

drafts = Blueprint("drafts", __name__)


@drafts.post("/v1/drafts")
def put_draft() -> Response:
    """Store a draft, in the place of the one that has its id."""
    collector, survey = get_collector(), read_survey()
    preview = collector.store.put_draft(survey)
    collector.note_change(survey.id)  # what it replaced is cleared
    response = respond({"id": survey.id, "fingerprint": survey.fingerprint, "preview": preview})
    response.headers["Cache-Control"] = "no-store"
    return response


@drafts.get("/drafts/<preview>/v1/surveys/<survey_id>")
def get_draft(preview: str, survey_id: str) -> Response:
    """Give a draft's bytes to who has its link: to a client whose collector's address is /drafts/PREVIEW."""
    stored = get_collector().require_draft(survey_id, preview)
    response = Response(stored.survey.canonical, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response
