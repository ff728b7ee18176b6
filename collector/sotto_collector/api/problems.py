"""How every error leaves the collector: as one problem document, with a stable code and no submitted value in it."""

import logging
from http import HTTPStatus

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from sotto_collector.errors import (
    BelowMinimumError,
    BusyError,
    CheckLimitError,
    CollectorError,
    NotErasedError,
    NotKeptError,
    RateLimitError,
    RequestError,
    StoreError,
    SurveyClosedError,
    SurveyExistsError,
    SurveyOpenError,
    UnknownReportError,
)
from sotto_collector.logs import describe_fault
from sotto_protocol import Problem
from sotto_protocol.problem import CONTENT_TYPE, SURVEY_CLOSED

BUSY_RETRY_S = 1
STORE_RETRY_S = 5

_CODES = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    431: "headers_too_large",
    500: "internal",
    501: "unsupported_encoding",
}
_ERRORS: dict[type[CollectorError], tuple[int, str, str]] = {
    BusyError: (503, "busy", "too many reports are waiting; send it again later."),
    CheckLimitError: (429, "too_many_checks", "too many invitations are checked in this minute; ask again later."),
    RateLimitError: (429, "too_many_reports", "the survey takes no more reports in this minute; send it again later."),
    StoreError: (503, "store_unavailable", "nothing was confirmed; send it again later. A report counts only once."),
    SurveyClosedError: (409, SURVEY_CLOSED, ""),  # its own message says why
    SurveyOpenError: (409, "survey_open", "the survey must be closed first."),
    BelowMinimumError: (403, "below_minimum", ""),  # its own message names the minimum
    NotKeptError: (409, "not_kept", ""),  # its own message, too
    NotErasedError: (409, "not_erased", ""),  # it, too
    UnknownReportError: (404, "no_such_report", ""),  # it, too
    SurveyExistsError: (409, "survey_exists", ""),  # its own message says whether it is the same one
}

_UNUSABLE = "the store cannot be used now; ask again later."

log = logging.getLogger("sotto_collector")


def install_problems(app: Flask) -> None:
    """Turn every exception into a problem document."""
    app.register_error_handler(CollectorError, _respond_to_collector_error)
    app.register_error_handler(HTTPException, _respond_to_http_error)
    app.register_error_handler(Exception, _respond_to_bug)


def describe_status(status: int, max_body_bytes: int | None = None) -> Problem:
    """Return the problem document for a status without a message, or for a body above a limit."""
    code = _CODES.get(status, _CODES[400] if status < 500 else _CODES[500])
    if code == "body_too_large" and max_body_bytes is not None:
        return Problem(status, code, f"the body must have at most {max_body_bytes} bytes.")
    return Problem(status, code, f"{HTTPStatus(status).phrase.lower()}.")


def _respond(problem: Problem, retry_after_s: int = 0) -> Response:
    current_app.extensions["metrics"].count_refusal(problem.code)
    response = Response(problem.to_json(), status=problem.status, content_type=CONTENT_TYPE)
    if problem.status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Bearer"
    if problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        retry_after_s = BUSY_RETRY_S if problem.code == "busy" else STORE_RETRY_S
    if retry_after_s:
        response.headers["Retry-After"] = str(retry_after_s)
    return response


def _respond_to_collector_error(fault: CollectorError) -> Response:
    if isinstance(fault, RequestError):
        return _respond(fault.problem)
    for kind, (status, code, detail) in _ERRORS.items():
        if isinstance(fault, kind):
            if kind is StoreError:
                log.error("%s", fault)  # our own message and the database's: no report is quoted
            retry_after_s = fault.retry_after_s if isinstance(fault, RateLimitError) else 0
            if kind is StoreError and request.method in ("GET", "HEAD"):
                detail = _UNUSABLE
            return _respond(Problem(status, code, detail or str(fault)), retry_after_s)
    return _respond_to_bug(fault)


def _respond_to_http_error(fault: HTTPException) -> Response:
    response = _respond(describe_status(fault.code or 500))
    if fault.code == HTTPStatus.METHOD_NOT_ALLOWED:
        response.headers["Allow"] = dict(fault.get_headers()).get("Allow", "")
    return response


def _respond_to_bug(fault: Exception) -> Response:
    """Log where it happened, not what it says: an exception's message may quote the request."""
    log.error("%s", describe_fault(type(fault), fault.__traceback__))
    return _respond(Problem(500, "internal", "the collector failed; nothing was stored."))
