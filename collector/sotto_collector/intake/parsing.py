"""Intake: a request's bytes become checked reports, or an error that says where they are wrong and quotes nothing."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray
from werkzeug.http import parse_options_header
from werkzeug.wsgi import get_content_length

from sotto_collector.errors import RequestError, refuse
from sotto_collector.intake.counting import Batch
from sotto_collector.intake.duplicates import find_duplicate_key
from sotto_collector.invitations import hash_invitation
from sotto_collector.store import StoredSurvey
from sotto_collector.token_keys import is_signed_by
from sotto_protocol import ReportError, Survey, parse_report_id
from sotto_protocol.blind import parse_token, report_id_of, token_message
from sotto_protocol.invitation import parse_invitation
from sotto_protocol.problem import (
    BAD_JSON,
    BAD_REPORT,
    INVITATION_INVALID,
    INVITATION_REQUIRED,
    TOKEN_INVALID,
    WRONG_FINGERPRINT,
)
from sotto_protocol.record import STRATUM, WAVE
from sotto_protocol.report import REPORT_ID_BYTES

_HEX = re.compile(r"[0-9a-f]*")
_PATH = re.compile(r"`(\$[a-z_.0-9\[\]]*)")  # only the path in msgspec's messages: they quote unknown members
_JSON_WORDS = "the body must be JSON in UTF-8."


class SentReport(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A report as it is sent, of any survey: `_OPTIONAL` says which surveys' reports have the last members."""

    id: str
    answers: dict[str, Any]
    wave: Any = msgspec.UNSET  # the survey says which integers
    invitation: str | msgspec.UnsetType = msgspec.UNSET
    token: str | msgspec.UnsetType = msgspec.UNSET
    stratum: Any = msgspec.UNSET  # the token's key says whether it is right


class SentBatch(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The body of a POST of reports."""

    fingerprint: str
    reports: list[SentReport]


class _Member(NamedTuple):
    """A member that only some surveys' reports have: `is_of` says whose. `form` is what the refusal says of it.

    Where one that is not required is missing, another check refuses it, with an error of its own.
    """

    name: str
    form: str
    is_of: Callable[[Survey], bool]
    is_required: bool


_OPTIONAL = (
    _Member(WAVE, "an integer", lambda survey: survey.waves > 1, is_required=True),
    _Member("invitation", "a text", lambda survey: survey.spends_invitations, is_required=False),
    _Member("token", "a text", lambda survey: survey.is_blind, is_required=False),
    _Member(STRATUM, "an integer", lambda survey: survey.is_blind and bool(survey.strata), is_required=True),
)
_DECODER = msgspec.json.Decoder(SentBatch)
_SYNTAX = msgspec.json.Decoder(msgspec.Raw)
SentObject = TypeVar("SentObject", bound=msgspec.Struct)


def read_json_body(environ: dict[str, Any], max_bytes: int) -> bytes:
    """Read the body of a JSON request, never more than max_bytes + 1 of it. Raises RequestError 411, 413, 415."""
    if (content_type := environ.get("CONTENT_TYPE", "")) != "application/json":  # as nearly everybody writes it
        mimetype, parameters = parse_options_header(content_type)
        if mimetype.lower() != "application/json" or parameters.get("charset", "utf-8").lower() != "utf-8":
            raise refuse(415, "unsupported_media", "Content-Type must be application/json, in UTF-8.")
    if environ.get("HTTP_CONTENT_ENCODING", "identity").lower() != "identity":
        raise refuse(415, "unsupported_media", "Content-Encoding must be identity.")
    return read_body(environ, max_bytes)


def read_body(environ: dict[str, Any], max_bytes: int) -> bytes:
    """Read the body of a request, never more than max_bytes + 1 of it. Raises RequestError 400, 411, 413."""
    length = get_content_length(environ)
    ends_by_itself = environ.get("wsgi.input_terminated", False)
    if length is None and not ends_by_itself:
        raise refuse(411, "length_required", "Content-Length must be given.")
    if length is not None and length > max_bytes:
        raise refuse_length(max_bytes)
    # A chunked body has no length to check before: it is read up to one byte above the limit.
    stream = environ["wsgi.input"]
    body: bytes = stream.read(max_bytes + 1 if ends_by_itself else length)
    if len(body) > max_bytes:
        raise refuse_length(max_bytes)
    if length is not None and len(body) < length:
        raise refuse(400, BAD_JSON, "the body is shorter than its Content-Length.")
    return body


def refuse_length(max_bytes: int) -> RequestError:
    """Return the refusal of a body that is too long."""
    return refuse(413, "body_too_large", f"the body must have at most {max_bytes} bytes.")


def require_json(body: bytes) -> None:
    """Raise RequestError 400 unless a body is JSON to its end: decoders stop at the first member that is wrong."""
    try:
        _SYNTAX.decode(body.decode())  # of bytes it would not look whether texts are UTF-8
    except (msgspec.DecodeError, ValueError, RecursionError):  # malformed, not Unicode, nested too deeply
        raise refuse(400, BAD_JSON, _JSON_WORDS) from None


def read_object(environ: dict[str, Any], max_bytes: int, kind: type[SentObject]) -> SentObject:
    """Return the body of a JSON request, an object of exactly this kind. Raises RequestError 400, 411 to 422."""
    body = read_json_body(environ, max_bytes)
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError:
        require_json(body)
        members = ", ".join(kind.__struct_fields__)
        raise refuse(422, "bad_request_body", f"must be an object of {members}, and nothing else.") from None
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise refuse(400, BAD_JSON, _JSON_WORDS) from None


def parse_batch(body: bytes, stored: StoredSurvey, max_reports: int) -> Batch:
    """Return the checked reports of a request.

    Raises RequestError: 400 bad_json, 409 wrong_fingerprint, 422 bad_report at the first impossible place, 403
    invitation_required or invitation_invalid.
    """
    sent = _decode(body, stored.survey)
    try:
        return _check(sent, body, stored, max_reports)
    except RequestError:  # of several faults a member too many or too few is the first
        _check_optional(sent.reports, stored.survey)
        raise


def _check(sent: SentBatch, body: bytes, stored: StoredSurvey, max_reports: int) -> Batch:
    """Return the reports that were sent, checked. Raises RequestError."""
    survey = stored.survey
    if sent.fingerprint != survey.fingerprint:
        raise refuse(409, WRONG_FINGERPRINT, "fingerprint must be that of the published survey.", "$.fingerprint")
    reports = sent.reports
    if not 1 <= len(reports) <= max_reports:
        raise refuse(422, BAD_REPORT, f"must be 1 to {max_reports} reports.", "$.reports")
    try:
        ids = _parse_ids([report.id for report in reports])
        numbers = {field.name: [getattr(report, field.name) for report in reports] for field in survey.layout.sent_head}
        records = survey.layout.from_wire([report.answers for report in reports], "$.reports", numbers)
    except ReportError as fault:
        raise refuse(422, BAD_REPORT, fault.problem, fault.where) from None
    if survey.is_blind:
        records = _admit(sent, ids, records, survey)
    codes = [report.invitation for report in reports] if survey.spends_invitations else []
    invitations = tuple(_hash_code(code, index, survey) for index, code in enumerate(codes))
    _refuse_extra_members(body, reports, survey)
    return Batch(stored, ids, records, invitations)


def _admit(sent: SentBatch, ids: bytes, records: NDArray[np.uint8], survey: Survey) -> NDArray[np.uint8]:
    """Return the records, with their strata, of reports whose tokens are all good. Raises RequestError."""
    waves = survey.layout.numbers(records, WAVE).tolist()
    strata = [report.stratum if survey.strata else 1 for report in sent.reports]
    for index, (report, wave, stratum) in enumerate(zip(sent.reports, waves, strata, strict=True)):
        where = f"$.reports[{index}]"
        if type(stratum) is not int or not 1 <= stratum <= survey.n_strata:
            raise refuse(422, BAD_REPORT, f"must be an integer in [1, {survey.n_strata}].", f"{where}.{STRATUM}")
        if not report.token:
            raise refuse(403, INVITATION_REQUIRED, "must be given: only invited people take part.", f"{where}.token")
        try:
            random, signature = parse_token(report.token, f"{where}.token")
        except ReportError as fault:
            raise refuse(422, BAD_REPORT, fault.problem, fault.where) from None
        message = token_message(random, sent.fingerprint, wave)
        if ids[index * REPORT_ID_BYTES :][:REPORT_ID_BYTES] != report_id_of(message):
            raise refuse(422, BAD_REPORT, "must be the hash of the token's message.", f"{where}.id")
        if not is_signed_by(survey.token_key(wave, stratum), message, signature):
            problem = "must be a token of this survey, of this wave and stratum."
            raise refuse(403, TOKEN_INVALID, problem, f"{where}.token")
    return survey.layout.put(records, STRATUM, strata) if survey.strata else records


def refuse_invitation(index: int) -> RequestError:
    """Return the refusal of a report whose invitation is not valid. It does not say for which reason."""
    where = f"$.reports[{index}].invitation"
    return refuse(403, INVITATION_INVALID, "must be an invitation to this survey that was not used yet.", where)


def _hash_code(code: str | msgspec.UnsetType, index: int, survey: Survey) -> bytes:
    if not code:
        where = f"$.reports[{index}].invitation"
        raise refuse(403, INVITATION_REQUIRED, "must be given: only invited people take part.", where)
    try:
        return hash_invitation(parse_invitation(code), survey)
    except ReportError:
        raise refuse_invitation(index) from None


def _decode(body: bytes, survey: Survey) -> SentBatch:
    try:
        return _DECODER.decode(body)
    except msgspec.ValidationError as fault:
        require_json(body)
        path = _PATH.search(str(fault).rpartition(" - at ")[2])
        where = path[1].replace("[...]", "").rstrip(".[") if path else "$"
        for member in _OPTIONAL:
            if not member.is_of(survey):  # what it holds does not matter: it must not be there
                where = where.removesuffix(f".{member.name}")
        raise _refuse_members(survey, where) from None
    except (msgspec.DecodeError, ValueError, RecursionError):  # malformed, not Unicode, nested too deeply
        raise refuse(400, BAD_JSON, _JSON_WORDS) from None


def _check_optional(reports: list[SentReport], survey: Survey) -> None:
    """Raise RequestError where a report has a member that it must not have, or lacks one that is required."""
    for index, report in enumerate(reports):
        for member in _OPTIONAL:
            is_sent, is_of = getattr(report, member.name) is not msgspec.UNSET, member.is_of(survey)
            if is_sent > is_of or (member.is_required and is_sent < is_of):
                raise _refuse_members(survey, f"$.reports[{index}]")


def _refuse_members(survey: Survey, where: str) -> RequestError:
    optional = [f"{member.name}, {member.form}" for member in _OPTIONAL if member.is_of(survey)]
    members = ", ".join(["id, a text", *optional])
    words = f"fingerprint and reports, a list of objects of {members}, and answers, an object"
    return refuse(422, BAD_REPORT, f"must be an object of {words}.", where)


def _parse_ids(ids: list[str]) -> bytes:
    """Return the ids' bytes, joined. All are checked at once; only a bad batch is searched for its first bad id."""
    joined = "".join(ids)
    if set(map(len, ids)) == {2 * REPORT_ID_BYTES} and _HEX.fullmatch(joined):
        return bytes.fromhex(joined)
    return b"".join(parse_report_id(text, f"$.reports[{index}].id") for index, text in enumerate(ids))


def _refuse_extra_members(body: bytes, reports: list[SentReport], survey: Survey) -> None:
    """Refuse a batch with a member that its survey has not, or that stands twice: of two the decoder keeps the last.

    Every member has a colon. Those that must be there are there by now, so with no more colons there is no other. With
    more they are searched: reported values may hold colons of their own, though those of today's mechanisms do not.
    """
    n_members = 2 + sum(member.is_of(survey) for member in _OPTIONAL) + survey.n_drawn
    if body.count(b":") == 2 + len(reports) * n_members:
        return
    _check_optional(reports, survey)
    if (where := find_duplicate_key(body)) is not None:
        raise refuse(422, BAD_REPORT, "must appear only once in its object.", where)
