"""Taking reports: what a POST of reports does, and a fast path to it, for nearly all requests are such."""

import re
import time
from collections.abc import Iterable
from typing import Any

from flask import Flask, Response, g

from sotto_collector.collector import Collector
from sotto_collector.intake.parsing import read_json_body

REPORTS_RULE = "/v1/surveys/<survey_id>/reports"
_PATH = re.compile(r"/v1/surveys/([^/]+)/reports")


def receive_reports(collector: Collector, survey_id: str, environ: dict[str, Any]) -> bytes:
    """Count the batch in a request's body, and return the JSON response to it. Raises CollectorError."""
    stored = collector.require_survey(survey_id)
    body = read_json_body(environ, collector.settings.max_body_bytes)
    outcome = collector.take(stored, body)
    return b'{"conflicting":%d,"counted":%d,"duplicates":%d}' % (
        outcome.n_conflicting,
        outcome.n_counted,
        outcome.n_duplicates,
    )


class FastPath:
    """WSGI in front of Flask: receives reports without a request context, which takes longer than all else together.

    The rest of a refusal, and of a web page's request, is Flask's: its handlers make the response.
    """

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._flask = app.wsgi_app
        self._collector: Collector = app.extensions["collector"]

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        found = _PATH.fullmatch(environ["PATH_INFO"]) if environ["REQUEST_METHOD"] == "POST" else None
        if found is None:
            return self._flask(environ, start_response)
        began = time.perf_counter()
        try:
            content = receive_reports(self._collector, found[1], environ)
        except Exception as fault:  # Flask's handlers turn it into a response
            return self._finish(fault, environ, began)(environ, start_response)
        if "HTTP_ORIGIN" in environ:
            return self._finish(content, environ, began)(environ, start_response)
        self._collector.metrics.count_request(REPORTS_RULE, "POST", 200, time.perf_counter() - began)
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(content)))])
        return [content]

    def _finish(self, outcome: bytes | Exception, environ: dict[str, Any], began: float) -> Response:
        """Return the response to what was counted or refused, as Flask would have made it."""
        with self._app.request_context(environ):
            g.began = began
            if isinstance(outcome, bytes):
                return self._app.process_response(Response(outcome, content_type="application/json"))
            response = self._app.make_response(self._app.handle_user_exception(outcome))
            return self._app.process_response(response)
