"""The index for those who run surveys: which there are, how they do, and where their pages are."""

from flask import Blueprint, Response, render_template

from sotto_collector.api.access import LISTERS
from sotto_collector.api.request import get_collector, list_for
from sotto_collector.collector import Collector
from sotto_collector.pages.headers import PAGE_TYPE
from sotto_collector.pages.sign_in import ask_to_sign_in, require_reader
from sotto_collector.store import StoredSurvey
from sotto_collector.store.stored import CLOSED

index_page = Blueprint("index_page", __name__)
ask_to_sign_in(index_page, LISTERS)


@index_page.get("/s")
def show_index() -> Response:
    """List the surveys that the token is for: as `GET /v1/surveys` does, for people."""
    collector = get_collector()
    token = require_reader(collector.tokens, LISTERS)
    rows = [_describe(collector, stored) for stored in list_for(collector, token)]
    page = render_template("index.html", root="./", rows=rows, token=token)
    response = Response(page, content_type=PAGE_TYPE)
    response.headers["Cache-Control"] = "no-store"
    return response


def _describe(collector: Collector, stored: StoredSurvey) -> dict[str, object]:
    n_reports = collector.store.count_tallied(stored.key)
    return {"survey": stored.survey, "state": _say_state(stored), "preview": stored.preview, "n_reports": n_reports}


def _say_state(stored: StoredSurvey) -> str:
    survey = stored.survey
    last_day = f" until {survey.closes}" if survey.closes and stored.state != CLOSED else ""
    return f"{stored.state}{last_day}" + ", counts only" * (not survey.keeps_reports)
