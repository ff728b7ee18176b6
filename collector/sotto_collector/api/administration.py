"""The routes of those who run a survey: its settings, and tokens (docs/http.md)."""

from http import HTTPStatus
from typing import Any

import msgspec
from flask import Blueprint, Response

from sotto_collector.api.access import require_role
from sotto_collector.api.cors import ORIGIN
from sotto_collector.api.request import find_any_for, get_collector, read_sent, respond
from sotto_collector.collector import Collector
from sotto_collector.errors import TokenError, refuse
from sotto_collector.store import StoredToken
from sotto_collector.tokens import ROLES, create_token, has_ended, revoke_token, rotate_token

administration = Blueprint("administration", __name__)

MAX_ORIGINS = 20
MAX_PER_MINUTE = 10**9
MAX_LABEL = 200


class SentSettings(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a PATCH of a survey; what is not there stays as it is."""

    cors_origins: list[str] | msgspec.UnsetType = msgspec.UNSET
    reports_per_minute: int | msgspec.UnsetType | None = msgspec.UNSET


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
    collector, stored = get_collector(), find_any_for("admin", survey_id)
    sent = read_sent(SentSettings)
    values: dict[str, object] = {}
    if sent.cors_origins is not msgspec.UNSET:
        if len(sent.cors_origins) > MAX_ORIGINS or not all(map(ORIGIN.fullmatch, sent.cors_origins)):
            raise refuse(
                422,
                "bad_setting",
                f"must be at most {MAX_ORIGINS} origins. Each is *, null for files on a disk, or like https://host or "
                "http://host:8080, without a path or a / at the end. A port is in [1, 65535].",
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
        collector.require_any(sent.survey)
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


def _administer_all() -> Collector:
    collector = get_collector()
    require_role(collector.tokens, "admin", None)
    return collector
