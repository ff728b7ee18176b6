"""The index for those who run surveys: which there are, how they do, and where their pages are."""

from collections.abc import Iterator

from flask import Blueprint, Response, render_template

from sotto_collector.api.access import LISTERS
from sotto_collector.api.request import get_collector, list_for
from sotto_collector.collector import Collector
from sotto_collector.pages.headers import PAGE_TYPE
from sotto_collector.pages.languages import speak_english
from sotto_collector.pages.sign_in import ask_to_sign_in, require_reader
from sotto_collector.store import StoredSurvey
from sotto_collector.turnout import count_invited

index_page = Blueprint("index_page", __name__)
ask_to_sign_in(index_page, LISTERS)


@index_page.get("/s")
def show_index() -> Response:
    """List the surveys that the token is for: as `GET /v1/surveys` does, for people."""
    collector = get_collector()
    token = require_reader(collector.tokens, LISTERS)
    speak_english()
    rows = [_describe(collector, stored) for stored in list_for(collector, token)]
    page = render_template("index.html", root="./", rows=rows, token=token)
    response = Response(page, content_type=PAGE_TYPE)
    response.headers["Cache-Control"] = "no-store"
    return response


def _describe(collector: Collector, stored: StoredSurvey) -> dict[str, object]:
    survey, store = stored.survey, collector.store
    is_once = survey.invited and survey.waves == 1 and not stored.is_draft
    return {
        "survey": survey,
        "facts": list(_say_facts(stored)),
        "preview": stored.preview,
        "n_reports": store.count_tallied(stored.key),
        "n_invited": count_invited(store, stored).get(1, 0) if is_once else None,
    }


def _say_facts(stored: StoredSurvey) -> Iterator[str]:
    """Yield what tells surveys apart, in a few words each."""
    survey = stored.survey
    yield f"{stored.state} until {survey.closes}" if survey.closes and stored.is_open else stored.state
    yield "by invitation" if survey.invited else "for everybody"
    if survey.waves > 1:
        yield f"{survey.waves} waves" + f", each device in {survey.asked_in}" * bool(survey.asked_in)
    if survey.min_reports > 1:
        yield f"results by every {survey.min_reports:,} reports"
    if not survey.keeps_reports:
        yield "counts only"
    if survey.erase_on:
        yield "reports erased" if stored.is_erased else f"reports erased on {survey.erase_on}"
