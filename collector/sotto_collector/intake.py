"""Intake: a request's bytes become checked reports, or an error that says where they are wrong and quotes nothing."""

import re
from typing import Any

import msgspec
import numpy as np
from flask import Request
from numpy.typing import NDArray

from sotto_collector.duplicates import find_duplicate_key
from sotto_collector.errors import refuse
from sotto_protocol import ReportError, Survey, parse_report_id
from sotto_protocol.report import REPORT_ID_BYTES

_HEX = re.compile(r"[0-9a-f]*")
_PATH = re.compile(r"`(\$[a-z_.0-9\[\]]*)")  # of msgspec's messages only this much: they name unknown members
_JSON_WORDS = "the body must be JSON in UTF-8."


class SentReport(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A report as it is sent."""

    id: str
    answers: dict[str, Any]


class SentBatch(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The body of a POST of reports."""

    fingerprint: str
    reports: list[SentReport]


_decoder = msgspec.json.Decoder(SentBatch)


def read_json_body(request: Request, max_bytes: int) -> bytes:
    """Read the body of a JSON request, never more than max_bytes + 1 of it. Raises RequestError 411, 413, 415."""
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != "application/json" or charset != "utf-8":
        raise refuse(415, "unsupported_media", "Content-Type must be application/json, in UTF-8.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise refuse(415, "unsupported_media", "Content-Encoding must be identity.")
    return _read_body(request, max_bytes)


def _read_body(request: Request, max_bytes: int) -> bytes:
    too_large = refuse(413, "body_too_large", f"the body must have at most {max_bytes} bytes.")
    length = request.content_length
    ends_by_itself = request.environ.get("wsgi.input_terminated", False)
    if length is None and not ends_by_itself:
        raise refuse(411, "length_required", "Content-Length must be given.")
    if length is not None and length > max_bytes:
        raise too_large
    # A chunked body has no length to check beforehand: one byte over the limit tells, and no more is read.
    stream = request.environ["wsgi.input"]
    body: bytes = stream.read(max_bytes + 1 if ends_by_itself else length)
    if len(body) > max_bytes:
        raise too_large
    if length is not None and len(body) < length:
        raise refuse(400, "bad_json", "the body is shorter than its Content-Length.")
    return body


def parse_batch(body: bytes, survey: Survey, max_reports: int) -> tuple[bytes, NDArray[np.uint8]]:
    """Return the ids, joined, and the packed records, shape (n, record_bytes), of a batch.

    Raises RequestError: 400 bad_json, 409 wrong_fingerprint, 422 bad_report at the first impossible place.
    """
    sent = _decode(body)
    if sent.fingerprint != survey.fingerprint:
        raise refuse(409, "wrong_fingerprint", "fingerprint must be that of the published survey.", "$.fingerprint")
    reports = sent.reports
    if not 1 <= len(reports) <= max_reports:
        raise refuse(422, "bad_report", f"must be 1 to {max_reports} reports.", "$.reports")
    try:
        ids = _parse_ids([report.id for report in reports])
        records = survey.from_wire([report.answers for report in reports], "$.reports")
    except ReportError as fault:
        raise refuse(422, "bad_report", fault.problem, fault.where) from None
    _refuse_duplicate_keys(body, len(reports), len(survey.questions))
    return ids, records


def _decode(body: bytes) -> SentBatch:
    try:
        return _decoder.decode(body)
    except msgspec.ValidationError as fault:
        path = _PATH.search(str(fault).rpartition(" - at ")[2])
        where = path[1].replace("[...]", "").rstrip(".[") if path else "$"
        raise refuse(
            422,
            "bad_report",
            "must be an object of fingerprint and reports, a list of objects of id, a text, and answers, an object.",
            where,
        ) from None
    except (ValueError, RecursionError):  # malformed, not Unicode, nested too deeply
        raise refuse(400, "bad_json", _JSON_WORDS) from None


def _parse_ids(ids: list[str]) -> bytes:
    """Return the ids' bytes, joined. All are checked at once; only a bad batch is searched for its first bad id."""
    joined = "".join(ids)
    if set(map(len, ids)) == {2 * REPORT_ID_BYTES} and _HEX.fullmatch(joined):
        return bytes.fromhex(joined)
    return b"".join(parse_report_id(text, f"$.reports[{index}].id") for index, text in enumerate(ids))


def _refuse_duplicate_keys(body: bytes, n_reports: int, n_questions: int) -> None:
    """Refuse a batch in which a member stands twice: the decoder keeps the last and says nothing.

    In JSON every member has one colon outside of strings, and no string that passed the checks before has one inside:
    fingerprint and ids are hexadecimal, questions' ids are [a-z0-9_-], reported values base64. So the members that
    were kept account for exactly this many colons, and each that was dropped adds at least its own.
    """
    if body.count(b":") != 2 + n_reports * (2 + n_questions):
        raise refuse(422, "bad_report", "must not stand twice in its object.", find_duplicate_key(body))
