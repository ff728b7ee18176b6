"""The routes of those who run a survey: its settings, invitations, tokens (docs/http.md)."""

from http import HTTPStatus
from typing import Any

import msgspec
from flask import Blueprint, Response

from sotto_collector.api.access import require_role
from sotto_collector.api.cors import ORIGIN
from sotto_collector.api.request import find_stratum, find_survey, get_collector, read_sent, read_stratum, respond
from sotto_collector.collector import Collector
from sotto_collector.errors import TokenError, refuse
from sotto_collector.invitations import (
    MAX_INVITATIONS,
    MAX_REVOKED,
    count_invitations,
    make_invitations,
    revoke_invitations,
)
from sotto_collector.store import StoredSurvey, StoredToken
from sotto_collector.tokens import ROLES, create_token, has_ended, revoke_token, rotate_token
from sotto_protocol import ReportError

administration = Blueprint("administration", __name__)

MAX_ORIGINS = 20
MAX_PER_MINUTE = 10**9
MAX_LABEL = 200


class SentSettings(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a PATCH of a survey; what is not there stays as it is."""

    cors_origins: list[str] | msgspec.UnsetType = msgspec.UNSET
    reports_per_minute: int | msgspec.UnsetType | None = msgspec.UNSET


class SentCount(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a POST of invitations."""

    count: int
    stratum: str | None = None


class SentRevocation(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a POST that revokes invitations: a list of them, or all."""

    invitations: list[str] = []
    all: bool = False


class SentToken(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a POST of a token."""

    role: str
    label: str = ""
    survey: str | None = None
    expires_in_s: int | None = None


class SentOverlap(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a POST that rotates a token."""

    overlap_s: int


@administration.patch("/v1/surveys/<survey_id>")
def set_survey(survey_id: str) -> Response:
    """Set which web pages' origins may use a survey, and how many reports it takes a minute."""
    collector, stored = _administer(survey_id)
    sent = read_sent(SentSettings)
    values: dict[str, object] = {}
    if sent.cors_origins is not msgspec.UNSET:
        if len(sent.cors_origins) > MAX_ORIGINS or not all(map(ORIGIN.fullmatch, sent.cors_origins)):
            raise refuse(
                422,
                "bad_setting",
                f"must be at most {MAX_ORIGINS} origins, each * or like https://host or http://host:8080, without a "
                "path or a / at the end.",
                "$.cors_origins",
            )
        values["cors_origins"] = " ".join(sent.cors_origins)
    if sent.reports_per_minute is not msgspec.UNSET:
        if sent.reports_per_minute is not None and not 1 <= sent.reports_per_minute <= MAX_PER_MINUTE:
            raise refuse(
                422, "bad_setting", f"must be an integer in [1, {MAX_PER_MINUTE}] or null.", "$.reports_per_minute"
            )
        values["reports_per_minute"] = sent.reports_per_minute
    if values:
        collector.store.set_survey(stored.key, **values)
        collector.forget_survey(survey_id)
    return respond({"id": survey_id} | {name: getattr(sent, name) for name in values})


@administration.post("/v1/surveys/<survey_id>/invitations")
def invite(survey_id: str) -> Response:
    """Make invitations; they are shown this once."""
    collector, stored = _administer(survey_id)
    _check_invited(stored)
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


@administration.get("/v1/surveys/<survey_id>/invitations")
def get_invitations(survey_id: str) -> Response:
    """Say how many invitations, of a stratum or of all, are not used yet, for each wave, and how many reports came."""
    collector, stored = _administer(survey_id)
    _check_invited(stored)
    stratum = read_stratum(stored.survey)
    left = count_invitations(collector.store, stored, stratum)
    n_reports = collector.store.count_tallied(stored.key, stored.survey.cells(stratum=stratum))
    return respond({"unused": [left[wave] for wave in sorted(left)], "n_reports": n_reports})


@administration.post("/v1/surveys/<survey_id>/invitations/revoke")
def revoke(survey_id: str) -> Response:
    """Revoke invitations that are not used yet."""
    collector, stored = _administer(survey_id)
    _check_invited(stored)
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


@administration.get("/v1/tokens")
def list_tokens() -> Response:
    """List the tokens."""
    collector = _administer_all()
    return respond({"tokens": [describe_token(token) for token in collector.tokens.list()]})


@administration.post("/v1/tokens")
def make_token() -> Response:
    """Make a token; it is shown this once."""
    collector = _administer_all()
    sent = read_sent(SentToken)
    if sent.role not in ROLES:
        raise refuse(422, "bad_token", f"must be one of {', '.join(ROLES)}.", "$.role")
    if len(sent.label) > MAX_LABEL or not sent.label.isprintable():
        raise refuse(422, "bad_token", f"must be at most {MAX_LABEL} printable characters.", "$.label")
    if sent.survey is not None:
        find_survey(sent.survey)
    try:
        token = create_token(
            collector.tokens, sent.role, sent.label, survey_id=sent.survey, expires_in_s=sent.expires_in_s
        )
    except TokenError as fault:
        raise refuse(422, "bad_token", str(fault)) from None
    return _show(token)


@administration.delete("/v1/tokens/<prefix>")
def remove_token(prefix: str) -> Response:
    """Forget a token."""
    collector = _administer_all()
    try:
        return respond(describe_token(revoke_token(collector.tokens, prefix)))
    except TokenError as fault:
        raise refuse(404, "no_such_token", str(fault)) from None


@administration.post("/v1/tokens/<prefix>/rotate")
def renew_token(prefix: str) -> Response:
    """Make a token that allows what another does, which ends after the overlap."""
    collector = _administer_all()
    overlap_s = read_sent(SentOverlap).overlap_s
    try:
        return _show(rotate_token(collector.tokens, prefix, overlap_s))
    except TokenError as fault:
        raise refuse(404, "no_such_token", str(fault)) from None


def describe_token(token: StoredToken) -> dict[str, Any]:
    """Return what may be said of a token: the first digits of its hash, and what it allows."""
    return {
        "hash_prefix": token.token_hash.hex()[:12],
        "role": token.role,
        "label": token.label,
        "survey": token.survey_id,
        "expires_s": token.expires_s,
        "ended": has_ended(token),
    }


def _show(token: str) -> Response:
    response = respond({"token": token}, HTTPStatus.CREATED)
    response.headers["Cache-Control"] = "no-store"
    return response


def _administer(survey_id: str) -> tuple[Collector, StoredSurvey]:
    collector = get_collector()
    require_role(collector.tokens, "admin", survey_id)
    return collector, find_survey(survey_id)


def _administer_all() -> Collector:
    collector = get_collector()
    require_role(collector.tokens, "admin", None)
    return collector


def _check_invited(stored: StoredSurvey) -> None:
    if not stored.survey.invited:
        raise refuse(409, "survey_not_invited", "the survey is open to all; it has no invitations.")
