"""A collector of one survey file: its draft, and a copy with made-up reports; all of it ends with the folder."""

import os
import signal
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask

from sotto_author.made_up import made_up_records
from sotto_client.commands import read_file
from sotto_collector.app import create_app
from sotto_collector.collector import Collector
from sotto_collector.intake.counting import Batch
from sotto_collector.logs import set_up_logs
from sotto_collector.serving.server import listen, say_url
from sotto_collector.serving.worker import run_app
from sotto_collector.settings import Settings
from sotto_collector.store import Store
from sotto_collector.tokens import create_token
from sotto_protocol import SottoError, Survey
from sotto_protocol.members import DIRECT, MAX_TEXT, PLAIN

PEOPLE = 300
MOST_PEOPLE = 1000
"""Of more made-up people a page would keep its author waiting, and say nothing else."""
_ID_LENGTH = 40
_NO_KEY = 64 * "0"
"""Of a gateway that is not known before the survey is published: nothing is sent from a preview."""
_RESULTS = "/results"


class Previewed:
    """The WSGI application around a collector's: `/` is the draft, `/results` the results, read anew as the file is.

    Whoever can reach it may read the results: it listens on this machine, and they are made up.
    """

    def __init__(self, path: Path, survey: Survey, app: Flask) -> None:
        self._path = path
        self._app: WSGIApplication = app.wsgi_app
        self._collector: Collector = app.extensions["collector"]
        self._token = create_token(self._collector.tokens, "analyst")
        self._lock = threading.Lock()
        self._n_read = 0
        self._changed_at = self._look()
        self._show(survey)

    def _look(self) -> int:
        """Return a number that changes with the file; 0 where there is none."""
        try:
            return self._path.stat().st_mtime_ns
        except OSError:
            return 0

    def _show(self, survey: Survey) -> None:
        """Take a survey for the one that is shown: its draft, and a copy with made-up reports."""
        self._n_read += 1
        self.n_made_up = min(survey.people or PEOPLE, MOST_PEOPLE)
        shown = replace(survey, gateway_key=survey.gateway_key or _NO_KEY) if survey.is_oblivious else survey
        secret = self._collector.store.put_draft(shown)
        self._collector.note_change(survey.id)
        self._draft = f"/s/{survey.id}?preview={secret}"
        copy = replace(
            survey,
            id=f"{survey.id[:_ID_LENGTH]}-made-up-{self._n_read}",
            title=_made_up(survey.title),
            translations=tuple(replace(words, title=_made_up(words.title)) for words in survey.translations),
            invited=False,
            invitations=PLAIN,
            token_keys=(),
            strata=(),
            closes="",
            erase_after=0,
            delivery=DIRECT,
            relay="",
            gateway_key="",
        )
        self._collector.store.add_survey(copy)
        stored = self._collector.require_survey(copy.id)
        ids = b"".join(os.urandom(16) for _ in range(self.n_made_up))
        self._collector.writer.write(Batch(stored, ids, made_up_records(copy, self.n_made_up)))
        self._results = f"/s/{copy.id}{_RESULTS}"

    def _read_again(self) -> None:
        """Read the file if it has changed. Raises SottoError where it is no survey now."""
        with self._lock:
            if (changed_at := self._look()) != self._changed_at:
                survey = read_file(self._path)
                self._show(survey)
                self._changed_at = changed_at

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path in ("/", _RESULTS) or path == self._draft.partition("?")[0]:
            try:
                self._read_again()
            except SottoError as fault:
                start_response("200 OK", [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")])
                return [f"{fault}\n\nMend the file, and load the page again.\n".encode()]
        if path in ("/", _RESULTS):
            place = f"{self._draft}&" if path == "/" else f"{self._results}?"
            place = (place + environ.get("QUERY_STRING", "")).rstrip("?&")  # ?lang= stays
            start_response("302 Found", [("Location", place), ("Cache-Control", "no-store")])
            return []
        if path.startswith(self._results):
            environ["HTTP_AUTHORIZATION"] = f"Bearer {self._token}"
        return self._app(environ, start_response)


def _made_up(title: str) -> str:
    """Return the title of the copy with made-up reports."""
    return f"Made-up reports: {title}"[:MAX_TEXT]


def serve_preview(
    path: Path,
    survey: Survey,
    folder: Path,
    port: int,
    seconds: int | None,
    announce: Callable[[str, Previewed], None],
) -> None:
    """Serve a survey file until SIGINT, SIGTERM or SIGHUP, or so many seconds; all that is kept is in the folder."""
    set_up_logs()
    settings = Settings(db=str(folder / "preview.db"), port=port)
    listening = listen(settings)
    Store(settings.db, busy_timeout_ms=settings.busy_timeout_ms).close()
    app = create_app(settings)
    previewed = Previewed(path, survey, app)
    app.wsgi_app = previewed  # type: ignore[method-assign]  # Flask's own way to have middleware

    def on_ready() -> None:
        if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # the terminal is closed: else the folder would stay
            signal.signal(signal.SIGHUP, signal.getsignal(signal.SIGTERM))
        announce(say_url(listening), previewed)
        if seconds is not None:
            timer = threading.Timer(seconds, app.extensions["server"].stop)
            timer.daemon = True
            timer.start()

    run_app(app, settings, listening, on_ready)
