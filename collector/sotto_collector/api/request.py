"""A request: what it asks for, and the response to it. For every route."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import TypeVar

import msgspec
from flask import Response, current_app, request

from sotto_collector.api.access import require_lister_of, require_role
from sotto_collector.collector import Collector
from sotto_collector.errors import refuse
from sotto_collector.intake.parsing import read_object
from sotto_collector.store import StoredSurvey, StoredToken
from sotto_protocol import ReportError, Survey, parse_report_id

Sent = TypeVar("Sent", bound=msgspec.Struct)
_WAVE = re.compile(r"[1-9][0-9]{0,3}")


class SentReceipt(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a POST about one report."""

    receipt: str


def get_collector() -> Collector:
    """Return the collector that serves this request."""
    collector: Collector = current_app.extensions["collector"]
    return collector


def find_survey(survey_id: str) -> StoredSurvey:
    """Return the published survey of this id, for anyone. Raises RequestError 404."""
    return get_collector().require_survey(survey_id)


def find_for(role: str, survey_id: str) -> StoredSurvey:
    """Return the published survey of this id, to who has this role for it. Raises RequestError 401, 403, 404, 409."""
    return _published(find_any_for(role, survey_id))


def find_listed(survey_id: str) -> StoredSurvey:
    """Return the published survey of this id, to its admins and analysts. Raises RequestError 401, 403, 404, 409."""
    collector = get_collector()
    require_lister_of(collector.tokens, survey_id)
    return _published(collector.require_any(survey_id))


def find_any_for(role: str, survey_id: str) -> StoredSurvey:
    """Return the survey or draft of this id, to who has this role for it. Raises RequestError 401, 403, 404."""
    collector = get_collector()
    require_role(collector.tokens, role, survey_id)
    return collector.require_any(survey_id)


def _published(stored: StoredSurvey) -> StoredSurvey:
    if stored.is_draft:
        raise refuse(409, "survey_draft", "the survey is a draft: it must be published first.")
    return stored


def respond(document: Mapping[str, object], status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Return a JSON response."""
    content = msgspec.json.encode(document, order="sorted")
    return Response(content, status=status, content_type="application/json")


def read_sent(kind: type[Sent]) -> Sent:
    """Return the request's body, an object of exactly this kind. Raises RequestError."""
    return read_object(request.environ, get_collector().settings.max_body_bytes, kind)


def read_receipt() -> bytes:
    """Return the id of the report that the request's body names by its receipt. Raises RequestError."""
    try:
        return parse_report_id(read_sent(SentReceipt).receipt, "$.receipt")
    except ReportError as fault:
        raise refuse(422, "bad_receipt", fault.problem, fault.where) from None


def read_wave(survey: Survey) -> int | None:
    """Return the wave that the query asks for; None where it asks for none, and all are meant."""
    asked = request.args.getlist("wave")
    if not asked:
        return None
    if len(asked) > 1 or not _WAVE.fullmatch(asked[0]) or int(asked[0]) > survey.waves:
        raise refuse(404, "no_such_wave", f"wave must be given once, as an integer in [1, {survey.waves}].")
    return int(asked[0])


def read_stratum(survey: Survey) -> int | None:
    """Return the place of the stratum that the query asks for by name; None where it asks for none: all are meant."""
    asked = request.args.getlist("stratum")
    return find_stratum(survey, asked[0] if len(asked) == 1 else None) if asked else None


def find_stratum(survey: Survey, name: object) -> int:
    """Return the place of the stratum of this name, from 1 on. Raises RequestError 404."""
    if name not in survey.strata:
        expected = (
            f"one of the survey's: {', '.join(survey.strata)}."
            if survey.strata
            else "left out; the survey has no strata."
        )
        raise refuse(404, "no_such_stratum", f"stratum must be {expected}")
    return survey.strata.index(str(name)) + 1


def list_for(collector: Collector, token: StoredToken) -> list[StoredSurvey]:
    """Return the surveys that a token is for."""
    return [stored for stored in collector.store.list_surveys() if token.survey_id in (None, stored.survey.id)]
