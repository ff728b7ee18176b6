"""The routes of surveys and reports: each reads a request and responds with what the store or the writer says.

docs/http.md describes them.
"""

import re
from http import HTTPStatus
from itertools import chain

from flask import Blueprint, Response, request

from sotto_collector.api.access import require_lister, require_role, require_token
from sotto_collector.api.cors import RESTORE_MARK, STATE
from sotto_collector.api.reports import REPORTS_RULE, receive_reports
from sotto_collector.api.request import (
    find_any_for,
    find_for,
    find_survey,
    get_collector,
    list_for,
    read_receipt,
    read_stratum,
    read_wave,
    respond,
)
from sotto_collector.certificate import certify_survey
from sotto_collector.collector import Collector
from sotto_collector.day import is_over
from sotto_collector.errors import UnknownReportError, refuse, refuse_survey
from sotto_collector.intake.parsing import read_json_body, require_json
from sotto_collector.store import Part, StoredSurvey
from sotto_collector.store.releases import read_released
from sotto_collector.token_keys import has_keys
from sotto_protocol import Survey, SurveyError

surveys = Blueprint("surveys", __name__)
PART = re.compile(r"(0|[1-9][0-9]{0,3})/([1-9][0-9]{0,3})")


@surveys.get("/v1/surveys")
def list_surveys() -> Response:
    """List the surveys that the token is for, with how many reports each has."""
    collector = get_collector()
    token = require_lister(collector.tokens)
    return respond({"surveys": [_describe(collector, stored) for stored in list_for(collector, token)]})


def _describe(collector: Collector, stored: StoredSurvey) -> dict[str, object]:
    survey = stored.survey
    return {
        "id": survey.id,
        "title": survey.title,
        "fingerprint": survey.fingerprint,
        "open": stored.is_open,
        "draft": stored.is_draft,
        "erased": stored.is_erased,
        **survey.settings(),
        "n_reports": collector.store.count_tallied(stored.key),
        "cors_origins": list(stored.cors_origins),
        "reports_per_minute": stored.reports_per_minute,
    }


@surveys.post("/v1/surveys")
def publish_survey() -> Response:
    """Store a survey, once; a draft of its id gives way to it."""
    collector, survey = get_collector(), read_survey()
    known = collector.find_survey(survey.id)
    if is_over(survey, collector.store.today()) and (known is None or known.is_draft):
        raise refuse(
            422,
            "bad_survey",
            "must be today or later, in UTC: it is the last day on which reports are accepted.",
            "$.closes",
        )
    if survey.is_blind and not has_keys(collector.store, survey):
        problem = "must be the keys that this collector made for the survey's id: sotto publish fills them in."
        raise refuse(422, "bad_survey", problem, "$.token_keys")
    is_new = collector.store.add_survey(survey)
    collector.forget_survey(survey.id)
    response = respond(
        {"id": survey.id, "fingerprint": survey.fingerprint}, HTTPStatus.CREATED if is_new else HTTPStatus.OK
    )
    response.headers["Location"] = f"/v1/surveys/{survey.id}"
    return response


def read_survey() -> Survey:
    """Return the survey in the body of a request, of who may publish it. Raises RequestError 400 to 422."""
    collector = get_collector()
    token = require_token(collector.tokens)
    require_role(collector.tokens, "admin", token.survey_id)
    body = read_json_body(request.environ, collector.settings.max_body_bytes)
    require_json(body)
    try:
        survey = Survey.from_canonical(body)
        survey.check_size()
    except SurveyError as fault:
        raise refuse_survey(fault) from None
    require_role(collector.tokens, "admin", survey.id)
    return survey


@surveys.get("/v1/surveys/<survey_id>")
def get_survey(survey_id: str) -> Response:
    """Give the published bytes, under their fingerprint; beside them, whether reports are taken."""
    collector, stored = get_collector(), find_survey(survey_id)
    response = Response(stored.survey.canonical, content_type="application/json")
    response.set_etag(stored.survey.fingerprint)
    response.headers[RESTORE_MARK] = str(collector.restore_mark)
    response.headers[STATE] = stored.state
    response.headers["Cache-Control"] = "no-cache"  # the bytes stay, what is beside them does not
    response.make_conditional(request)
    return response


@surveys.delete("/v1/surveys/<survey_id>")
def erase_survey(survey_id: str) -> Response:
    """Erase a closed survey and all that belongs to it, or a draft."""
    collector, stored = get_collector(), find_any_for("admin", survey_id)
    if not stored.is_open:  # perhaps since its last day alone, which nothing has written down
        collector.store.close_survey(stored.key)
    erased = collector.store.erase_survey(stored.key)
    collector.note_change(survey_id)
    certificate = {} if stored.is_draft else {"certificate": certify_survey(collector.store, stored, erased)}
    return respond({"id": survey_id, "erased": True} | certificate)


@surveys.post(REPORTS_RULE)
def take_reports(survey_id: str) -> Response:
    """Count a batch of reports, and respond after the commit. `FastPath` does it for most requests, before Flask."""
    return Response(receive_reports(get_collector(), survey_id, request.environ), content_type="application/json")


@surveys.post("/v1/surveys/<survey_id>/erase")
def erase_report(survey_id: str) -> Response:
    """Take a report out of the reports and the tally, for anyone with its receipt. Addresses are logged, bodies not.

    Where a survey keeps counts alone the response to every receipt is the same: nobody learns whether it was counted.
    """
    collector = get_collector()
    stored = find_survey(survey_id)
    if not collector.store.erase_report(stored, read_receipt()):
        raise UnknownReportError("no report of this survey has this receipt.")
    collector.note_change(survey_id)
    return respond({"id": survey_id, "erased": True})


@surveys.post("/v1/surveys/<survey_id>/close")
def close_survey(survey_id: str) -> Response:
    """Take no more reports of a survey."""
    collector, stored = get_collector(), find_for("admin", survey_id)
    collector.store.close_survey(stored.key)
    collector.forget_survey(survey_id)
    return respond({"id": stored.survey.id, "open": False})


@surveys.get("/v1/surveys/<survey_id>/tally")
def get_tally(survey_id: str) -> Response:
    """Give the counts of all reports so far, or of a wave's, or a stratum's."""
    collector, stored = get_collector(), find_for("analyst", survey_id)
    tally = read_released(collector.store, stored, read_wave(stored.survey), read_stratum(stored.survey))
    return Response(tally.to_json(), content_type="application/json")


@surveys.get("/v1/surveys/<survey_id>/records")
def get_records(survey_id: str) -> Response:
    """Give noisy reports, of a wave, a stratum, a part or all: the survey, a line feed, packed reports without ids."""
    collector, stored = get_collector(), find_for("analyst", survey_id)
    stored.require_reports()
    if stored.survey.min_reports > 1:
        raise refuse(403, "below_minimum", "the survey promises that nobody sees single reports; ask for its tally.")
    asked = read_wave(stored.survey), _read_part(), read_stratum(stored.survey)
    records = collector.store.open_records(stored, *asked)
    head = stored.survey.canonical + b"\n"
    response = Response(chain([head], records.chunks()), content_type="application/octet-stream")
    response.call_on_close(records.close)  # however it ends
    response.content_length = len(head) + records.n_records * records.width
    return response


def _read_part() -> Part | None:
    """Return the part that the query asks for, `part=3/16`; None where it asks for none, and all are meant."""
    asked = request.args.getlist("part")
    if not asked:
        return None
    found = PART.fullmatch(asked[0])
    try:
        if len(asked) > 1 or found is None:
            raise ValueError("part must be given once, as i/n.")
        return Part(int(found[1]), int(found[2]))
    except ValueError as fault:
        raise refuse(404, "no_such_part", str(fault)) from None
