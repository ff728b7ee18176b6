"""Intake: a request's bytes become checked reports, or an error that says where they are wrong and quotes nothing."""

import re
from typing import Any, Generic, TypeVar

import msgspec
from werkzeug.http import parse_options_header
from werkzeug.wsgi import get_content_length

from sotto_collector.errors import RequestError, refuse
from sotto_collector.intake.counting import Batch
from sotto_collector.intake.duplicates import find_duplicate_key
from sotto_collector.invitations import hash_invitation
from sotto_collector.store import StoredSurvey
from sotto_protocol import ReportError, Survey, parse_report_id
from sotto_protocol.invitation import parse_invitation
from sotto_protocol.problem import BAD_JSON, BAD_REPORT, INVITATION_INVALID, INVITATION_REQUIRED, WRONG_FINGERPRINT
from sotto_protocol.report import REPORT_ID_BYTES

_HEX = re.compile(r"[0-9a-f]*")
_PATH = re.compile(r"`(\$[a-z_.0-9\[\]]*)")  # of msgspec's messages only this much: they name unknown members
_JSON_WORDS = "the body must be JSON in UTF-8."


class SentReport(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A report as it is sent. `wave` in a survey of several, `invitation` in an invited one; the survey says which."""

    id: str
    answers: dict[str, Any]


class SentReportOfWave(SentReport, forbid_unknown_fields=True, gc=False):
    """A report as it is sent in a survey of several waves."""

    wave: Any  # the survey says which integers


class InvitedReport(SentReport, forbid_unknown_fields=True, gc=False):
    """A report as it is sent in an invited survey."""

    invitation: str = ""


class InvitedReportOfWave(SentReportOfWave, forbid_unknown_fields=True, gc=False):
    """A report as it is sent in an invited survey of several waves."""

    invitation: str = ""


Sent = TypeVar("Sent", bound=SentReport)
SentObject = TypeVar("SentObject", bound=msgspec.Struct)


class SentBatch(msgspec.Struct, Generic[Sent], forbid_unknown_fields=True, gc=False):
    """The body of a POST of reports."""

    fingerprint: str
    reports: list[Sent]


_DECODERS: dict[tuple[bool, bool], msgspec.json.Decoder[Any]] = {  # by (several waves, invited)
    (False, False): msgspec.json.Decoder(SentBatch[SentReport]),
    (True, False): msgspec.json.Decoder(SentBatch[SentReportOfWave]),
    (False, True): msgspec.json.Decoder(SentBatch[InvitedReport]),
    (True, True): msgspec.json.Decoder(SentBatch[InvitedReportOfWave]),
}


def read_json_body(environ: dict[str, Any], max_bytes: int) -> bytes:
    """Read the body of a JSON request, never more than max_bytes + 1 of it. Raises RequestError 411, 413, 415."""
    if (content_type := environ.get("CONTENT_TYPE", "")) != "application/json":  # as nearly everybody writes it
        mimetype, parameters = parse_options_header(content_type)
        if mimetype.lower() != "application/json" or parameters.get("charset", "utf-8").lower() != "utf-8":
            raise refuse(415, "unsupported_media", "Content-Type must be application/json, in UTF-8.")
    if environ.get("HTTP_CONTENT_ENCODING", "identity").lower() != "identity":
        raise refuse(415, "unsupported_media", "Content-Encoding must be identity.")
    return _read_body(environ, max_bytes)


def _read_body(environ: dict[str, Any], max_bytes: int) -> bytes:
    length = get_content_length(environ)
    ends_by_itself = environ.get("wsgi.input_terminated", False)
    if length is None and not ends_by_itself:
        raise refuse(411, "length_required", "Content-Length must be given.")
    if length is not None and length > max_bytes:
        raise _refuse_length(max_bytes)
    # A chunked body has no length to check beforehand: one byte over the limit tells, and no more is read.
    stream = environ["wsgi.input"]
    body: bytes = stream.read(max_bytes + 1 if ends_by_itself else length)
    if len(body) > max_bytes:
        raise _refuse_length(max_bytes)
    if length is not None and len(body) < length:
        raise refuse(400, BAD_JSON, "the body is shorter than its Content-Length.")
    return body


def _refuse_length(max_bytes: int) -> RequestError:
    return refuse(413, "body_too_large", f"the body must have at most {max_bytes} bytes.")


def read_object(environ: dict[str, Any], max_bytes: int, kind: type[SentObject]) -> SentObject:
    """Return the body of a JSON request, an object of exactly this kind. Raises RequestError 400, 411 to 422."""
    body = read_json_body(environ, max_bytes)
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError:
        members = ", ".join(kind.__struct_fields__)
        raise refuse(422, "bad_request_body", f"must be an object of {members}, and nothing else.") from None
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise refuse(400, BAD_JSON, _JSON_WORDS) from None


def parse_batch(body: bytes, stored: StoredSurvey, max_reports: int) -> Batch:
    """Return the checked reports of a request.

    Raises RequestError: 400 bad_json, 409 wrong_fingerprint, 422 bad_report at the first impossible place, 403
    invitation_required or invitation_invalid.
    """
    survey = stored.survey
    sent = _decode(body, survey)
    if sent.fingerprint != survey.fingerprint:
        raise refuse(409, WRONG_FINGERPRINT, "fingerprint must be that of the published survey.", "$.fingerprint")
    reports = sent.reports
    if not 1 <= len(reports) <= max_reports:
        raise refuse(422, BAD_REPORT, f"must be 1 to {max_reports} reports.", "$.reports")
    try:
        ids = _parse_ids([report.id for report in reports])
        waves = None if survey.waves == 1 else [report.wave for report in reports]
        records = survey.from_wire([report.answers for report in reports], "$.reports", waves)
    except ReportError as fault:
        raise refuse(422, BAD_REPORT, fault.problem, fault.where) from None
    codes = [report.invitation for report in reports] if survey.invited else []
    invitations = tuple(_hash_code(code, index, survey) for index, code in enumerate(codes))
    _refuse_duplicate_keys(body, len(reports), survey)
    return Batch(stored, ids, records, invitations)


def refuse_invitation(index: int) -> RequestError:
    """Return the refusal of a report whose invitation is not good; which of the reasons it is, nobody is told."""
    where = f"$.reports[{index}].invitation"
    return refuse(403, INVITATION_INVALID, "must be an invitation to this survey that was not used yet.", where)


def _hash_code(code: str, index: int, survey: Survey) -> bytes:
    if not code:
        where = f"$.reports[{index}].invitation"
        raise refuse(403, INVITATION_REQUIRED, "must be given: only who was invited takes part.", where)
    try:
        return hash_invitation(parse_invitation(code), survey)
    except ReportError:
        raise refuse_invitation(index) from None


def _decode(body: bytes, survey: Survey) -> SentBatch[Any]:
    try:
        return _DECODERS[survey.waves > 1, survey.invited].decode(body)  # type: ignore[no-any-return]
    except msgspec.ValidationError as fault:
        path = _PATH.search(str(fault).rpartition(" - at ")[2])
        where = path[1].replace("[...]", "").rstrip(".[") if path else "$"
        raise refuse(422, BAD_REPORT, f"must be an object of {_members(survey)}.", where) from None
    except (msgspec.DecodeError, ValueError, RecursionError):  # malformed, not Unicode, nested too deeply
        raise refuse(400, BAD_JSON, _JSON_WORDS) from None


def _members(survey: Survey) -> str:
    members = ["id, a text", *["wave, an integer"] * (survey.waves > 1), *["invitation, a text"] * survey.invited]
    return f"fingerprint and reports, a list of objects of {', '.join(members)}, and answers, an object"


def _parse_ids(ids: list[str]) -> bytes:
    """Return the ids' bytes, joined. All are checked at once; only a bad batch is searched for its first bad id."""
    joined = "".join(ids)
    if set(map(len, ids)) == {2 * REPORT_ID_BYTES} and _HEX.fullmatch(joined):
        return bytes.fromhex(joined)
    return b"".join(parse_report_id(text, f"$.reports[{index}].id") for index, text in enumerate(ids))


def _refuse_duplicate_keys(body: bytes, n_reports: int, survey: Survey) -> None:
    """Refuse a batch in which a member stands twice: the decoder keeps the last and says nothing.

    In JSON every member has one colon outside of strings, and no string that passed the checks before has one inside:
    fingerprint and ids are hexadecimal, invitations base32, questions' ids are [a-z0-9_-], reported values base64,
    alone or in a list. So the members that were kept account for exactly this many colons, and each that was dropped
    adds at least its own.
    """
    n_members = 2 + (survey.waves > 1) + survey.invited + len(survey.questions)
    if body.count(b":") != 2 + n_reports * n_members:
        raise refuse(422, BAD_REPORT, "must not stand twice in its object.", find_duplicate_key(body))
