"""The routes of invitations: an operator makes, counts and revokes them, and whoever has one may check it."""

from http import HTTPStatus

import msgspec
from flask import Blueprint, Response

from sotto_collector.api.request import (
    find_for,
    find_listed,
    find_stratum,
    find_survey,
    get_collector,
    read_sent,
    read_stratum,
    respond,
)
from sotto_collector.day import refuse_report
from sotto_collector.errors import CheckLimitError, RateLimitError, refuse
from sotto_collector.invitations import check_invitation, count_invitations, make_invitations, revoke_invitations
from sotto_collector.store import StoredSurvey
from sotto_collector.store.releases import read_released_waves
from sotto_collector.turnout import count_turnout
from sotto_protocol import ReportError
from sotto_protocol.invitation import MAX_INVITATIONS, MAX_REVOKED

invitations = Blueprint("invitations", __name__)

CHECKS_PER_MINUTE = 6_000
"""The most invitations of a survey that are checked a minute, in all workers. None could be guessed without it: there
are 2^128. It bounds what checking takes from counting."""


class SentCount(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a POST of invitations."""

    count: int
    stratum: str | None = None


class SentRevocation(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a POST that revokes invitations: a list of them, or all."""

    invitations: list[str] = []
    all: bool = False


class SentCheck(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a POST that checks an invitation, for a wave."""

    invitation: str
    wave: int = 1


@invitations.post("/v1/surveys/<survey_id>/invitations")
def invite(survey_id: str) -> Response:
    """Make invitations; they are shown this once."""
    collector, stored = get_collector(), find_for("admin", survey_id)
    _require_invited(stored)
    sent = read_sent(SentCount)
    most = MAX_INVITATIONS // stored.survey.waves
    if not 1 <= sent.count <= most:
        raise refuse(422, "bad_count", f"must be an integer in [1, {most}].", "$.count")
    has_none = not stored.survey.strata and sent.stratum is None
    stratum = 1 if has_none else find_stratum(stored.survey, sent.stratum)
    lines = ["invitation", *make_invitations(collector.store, stored, sent.count, stratum), ""]
    response = Response("\r\n".join(lines), status=HTTPStatus.CREATED, content_type="text/csv; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"
    return response


@invitations.get("/v1/surveys/<survey_id>/invitations")
def get_invitations(survey_id: str) -> Response:
    """Say how many invitations, of a stratum or of all, are not used yet, for each wave, and how many reports came."""
    collector, stored = get_collector(), find_for("admin", survey_id)
    _require_invited(stored)
    stratum = read_stratum(stored.survey)
    left = count_invitations(collector.store, stored, stratum)
    n_reports = collector.store.count_tallied(stored.key, stored.survey.cells(stratum=stratum))
    return respond({"unused": [left[wave] for wave in sorted(left)], "n_reports": n_reports})


@invitations.get("/v1/surveys/<survey_id>/turnout")
def get_turnout(survey_id: str) -> Response:
    """Say how many were invited and how many of them took part, for each wave, of a stratum or of all."""
    stored = find_listed(survey_id)
    _require_invited(stored)
    store, stratum = get_collector().store, read_stratum(stored.survey)
    waves = count_turnout(store, stored, read_released_waves(store, stored, stratum), stratum)
    return respond({"waves": [wave._asdict() for wave in waves]})


@invitations.post("/v1/surveys/<survey_id>/invitations/revoke")
def revoke(survey_id: str) -> Response:
    """Revoke invitations that are not used yet."""
    collector, stored = get_collector(), find_for("admin", survey_id)
    _require_invited(stored)
    sent = read_sent(SentRevocation)
    if sent.all == bool(sent.invitations):
        raise refuse(422, "bad_revocation", "must have either invitations, a list, or all, true.")
    if len(sent.invitations) > MAX_REVOKED:
        raise refuse(422, "bad_revocation", f"must be at most {MAX_REVOKED}.", "$.invitations")
    try:
        revoked = revoke_invitations(collector.store, stored, None if sent.all else sent.invitations)
    except ReportError as fault:
        raise refuse(422, "bad_revocation", fault.problem, fault.where) from None
    collector.note_change(survey_id)
    return respond({"revoked": revoked})


@invitations.post("/v1/surveys/<survey_id>/invitations/check")
def check(survey_id: str) -> Response:
    """Say whether an invitation would admit a report of a wave now; it is not used up, and nothing is written."""
    collector, stored = get_collector(), find_survey(survey_id)
    _require_invited(stored)
    if not stored.is_open:
        raise refuse_report(stored.survey, collector.store.today())
    sent = read_sent(SentCheck)
    if not 1 <= sent.wave <= stored.survey.waves:
        raise refuse(404, "no_such_wave", f"must be an integer in [1, {stored.survey.waves}].", "$.wave")
    try:
        collector.checks.take(stored.key, 1, CHECKS_PER_MINUTE)
    except RateLimitError as fault:
        raise CheckLimitError(fault.retry_after_s) from None
    response = respond({"state": check_invitation(collector.store, stored, sent.invitation, sent.wave)})
    response.headers["Cache-Control"] = "no-store"
    return response


def _require_invited(stored: StoredSurvey) -> None:
    if not stored.survey.invited:
        raise refuse(409, "survey_not_invited", "the survey is open to all; it has no invitations.")
