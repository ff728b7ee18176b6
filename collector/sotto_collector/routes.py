"""The routes: each reads a request, asks the store or the writer, and answers. docs/http.md lists them."""

from collections.abc import Mapping
from http import HTTPStatus

from flask import Blueprint, Response, current_app, request

from sotto_collector.collector import Collector
from sotto_collector.errors import refuse
from sotto_collector.intake import parse_batch, read_json_body
from sotto_collector.store import StoredSurvey
from sotto_collector.tokens import hash_token
from sotto_collector.writer import Batch
from sotto_protocol import Survey, SurveyError
from sotto_protocol.documents import canonical_json

routes = Blueprint("routes", __name__)


@routes.get("/healthz")
def check_health() -> Response:
    """Say whether reports can be stored."""
    collector = _collector()
    collector.store.check_writable(collector.settings.min_free_bytes)
    return _json({"status": "ok"})


@routes.post("/v1/surveys")
def publish_survey() -> Response:
    """Store a survey, once."""
    _require_role("admin")
    collector = _collector()
    body = read_json_body(request, collector.settings.max_body_bytes)
    try:
        survey = Survey.from_canonical(body)
    except SurveyError as fault:
        raise refuse(422, "bad_survey", fault.problem, fault.where) from None
    is_new = collector.store.add_survey(survey)
    answer = {"id": survey.id, "fingerprint": survey.fingerprint}
    response = _json(answer, HTTPStatus.CREATED if is_new else HTTPStatus.OK)
    response.headers["Location"] = f"/v1/surveys/{survey.id}"
    return response


@routes.get("/v1/surveys/<survey_id>")
def get_survey(survey_id: str) -> Response:
    """Give the published bytes, under their fingerprint."""
    survey = _find_survey(survey_id).survey
    response = Response(survey.canonical, content_type="application/json")
    response.set_etag(survey.fingerprint)
    response.make_conditional(request)
    return response


@routes.post("/v1/surveys/<survey_id>/reports")
def take_reports(survey_id: str) -> Response:
    """Count a batch of reports; the answer goes out after the commit."""
    collector = _collector()
    stored = _find_survey(survey_id)
    body = read_json_body(request, collector.settings.max_body_bytes)
    ids, records = parse_batch(body, stored.survey, collector.settings.max_batch_reports)
    outcome = collector.writer.count(Batch(stored, ids, records))
    return _json({"counted": outcome.n_counted, "duplicates": outcome.n_duplicates})


@routes.post("/v1/surveys/<survey_id>/close")
def close_survey(survey_id: str) -> Response:
    """Take no more reports of a survey."""
    _require_role("admin")
    stored = _find_survey(survey_id)
    _collector().store.close_survey(stored.key)
    return _json({"id": stored.survey.id, "open": False})


@routes.get("/v1/surveys/<survey_id>/tally")
def get_tally(survey_id: str) -> Response:
    """Give the counts of all reports so far."""
    _require_role("analyst")
    tally = _collector().store.read_tally(_find_survey(survey_id))
    return Response(tally.to_json(), content_type="application/json")


def _collector() -> Collector:
    collector: Collector = current_app.extensions["collector"]
    return collector


def _find_survey(survey_id: str) -> StoredSurvey:
    stored = _collector().find_survey(survey_id)
    if stored is None:
        raise refuse(404, "no_such_survey", "no survey has this id.")
    return stored


def _require_role(role: str) -> None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    known = _collector().store.find_role(hash_token(token.strip())) if scheme.lower() == "bearer" else None
    if known is None:
        raise refuse(401, "unauthorized", "Authorization must be Bearer and a token that this collector made.")
    if known != role:
        raise refuse(403, "forbidden", f"the token must have the role {role}.")


def _json(document: Mapping[str, object], status: HTTPStatus = HTTPStatus.OK) -> Response:
    return Response(canonical_json(document), status=status, content_type="application/json")
