"""The routes of invitations: an operator makes, counts and revokes them, and whoever has one may check it."""

from http import HTTPStatus

import msgspec
from flask import Blueprint, Response

from sotto_collector.api.access import require_role
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
from sotto_collector.collector import Collector
from sotto_collector.day import refuse_report
from sotto_collector.errors import CheckLimitError, RateLimitError, TradedError, refuse
from sotto_collector.invitations import (
    INVALID,
    check_invitation,
    count_invitations,
    find_stratum_of,
    make_invitations,
    revoke_invitations,
    trade_invitation,
)
from sotto_collector.store import StoredSurvey
from sotto_collector.store.releases import read_released_waves
from sotto_collector.token_keys import make_keys
from sotto_collector.turnout import count_issued, count_turnout
from sotto_protocol import ReportError, Survey
from sotto_protocol.blind import MODULUS_BYTES, from_base64url, to_base64url
from sotto_protocol.invitation import MAX_INVITATIONS, MAX_REVOKED
from sotto_protocol.members import ID_PATTERN, MAX_TOKEN_KEYS
from sotto_protocol.problem import INVITATION_INVALID, INVITATION_USED, NO_SUCH_SURVEY

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


class SentBlinded(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a POST that trades an invitation for a token of a wave."""

    invitation: str
    blinded: str
    wave: int = 1


class SentKeys(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a POST that asks for the keys of a blind survey."""

    count: int


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
    said: dict[str, object] = {"unused": [left[wave] for wave in sorted(left)], "n_reports": n_reports}
    if stored.survey.is_blind:
        issued = count_issued(collector.store, stored, stratum)
        said["tokens"] = [issued.get(wave, 0) for wave in sorted(left)]
    return respond(said)


@invitations.get("/v1/surveys/<survey_id>/turnout")
def get_turnout(survey_id: str) -> Response:
    """Say how many were invited and how many of them took part, for each wave, of a stratum or of all.

    Where invitations are blind, and the survey is closed, anybody may ask: more tokens than people, or more reports
    than tokens, would be made up.
    """
    stored = find_survey(survey_id)
    if not (stored.survey.is_blind and not stored.is_open):
        stored = find_listed(survey_id)
    _require_invited(stored)
    store, stratum = get_collector().store, read_stratum(stored.survey)
    waves = count_turnout(store, stored, read_released_waves(store, stored, stratum), stratum)
    members = [wave._asdict() for wave in waves]
    if not stored.survey.is_blind:
        members = [{name: value for name, value in wave.items() if name != "tokens"} for wave in members]
    return respond({"waves": members})


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
    _check_wave(stored.survey, sent.wave)
    _take_check(collector, stored)
    said: dict[str, object] = {"state": check_invitation(collector.store, stored, sent.invitation, sent.wave)}
    if stored.survey.is_blind and said["state"] != INVALID:
        said["stratum"] = find_stratum_of(collector.store, stored, sent.invitation)
    response = respond(said)
    response.headers["Cache-Control"] = "no-store"
    return response


@invitations.post("/v1/surveys/<survey_id>/invitations/token")
def trade(survey_id: str) -> Response:
    """Sign a blinded message for an invitation, which is used up: once, and the same one again."""
    collector, stored = get_collector(), find_survey(survey_id)
    _require_invited(stored)
    survey = stored.survey
    if not survey.is_blind:
        raise refuse(409, "survey_not_blind", "invitations to this survey are sent with the report.")
    if not stored.is_open:
        raise refuse_report(survey, collector.store.today())
    sent = read_sent(SentBlinded)
    _check_wave(survey, sent.wave)
    blinded = from_base64url(sent.blinded)
    if blinded is None or len(blinded) != MODULUS_BYTES:
        raise refuse(422, "bad_blinded", f"must be {MODULUS_BYTES} bytes in base64url.", "$.blinded")
    _take_check(collector, stored)
    try:
        issued = trade_invitation(collector.store, stored, sent.invitation, sent.wave, blinded)
    except TradedError as fault:
        raise refuse(409, INVITATION_USED, str(fault), "$.invitation") from None
    except ValueError as fault:
        raise refuse(422, "bad_blinded", str(fault), "$.blinded") from None
    if issued is None:
        problem = "must be an invitation to this survey that was not used yet."
        raise refuse(403, INVITATION_INVALID, problem, "$.invitation")
    collector.writer.note_change()
    response = respond({"signature": to_base64url(issued.signature or b""), "stratum": issued.stratum})
    response.headers["Cache-Control"] = "no-store"
    return response


@invitations.post("/v1/surveys/<survey_id>/token-keys")
def make_token_keys(survey_id: str) -> Response:
    """Make the keys of a blind survey that will be published under this id, and give the public ones: always the same.

    The private ones stay in the database.
    """
    collector = get_collector()
    require_role(collector.tokens, "admin", survey_id)
    sent = read_sent(SentKeys)
    if not ID_PATTERN.fullmatch(survey_id):
        raise refuse(404, NO_SUCH_SURVEY, "no survey can have this id.")
    if not 1 <= sent.count <= MAX_TOKEN_KEYS:
        raise refuse(422, "bad_count", f"must be an integer in [1, {MAX_TOKEN_KEYS}].", "$.count")
    return respond({"token_keys": make_keys(collector.store, survey_id, sent.count)})


def _check_wave(survey: Survey, wave: int) -> None:
    if not 1 <= wave <= survey.waves:
        raise refuse(404, "no_such_wave", f"must be an integer in [1, {survey.waves}].", "$.wave")


def _take_check(collector: Collector, stored: StoredSurvey) -> None:
    try:
        collector.checks.take(stored.key, 1, CHECKS_PER_MINUTE)
    except RateLimitError as fault:
        raise CheckLimitError(fault.retry_after_s) from None


def _require_invited(stored: StoredSurvey) -> None:
    if not stored.survey.invited:
        raise refuse(409, "survey_not_invited", "the survey is open to all; it has no invitations.")
