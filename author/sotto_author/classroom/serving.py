"""A collector for one lesson: it serves a survey and its board, until the teacher ends it."""

import signal
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from flask import Flask

from sotto_author.classroom.board import PATH, Board
from sotto_author.classroom.lesson import Lesson, check_lesson, estimate_lesson, read_lesson
from sotto_author.classroom.network import needs_help
from sotto_author.errors import AuthorError
from sotto_collector.app import create_app
from sotto_collector.collector import Collector
from sotto_collector.logs import set_up_logs
from sotto_collector.pages.survey import UNENCRYPTED
from sotto_collector.serving.server import listen, say_url
from sotto_collector.serving.worker import run_app
from sotto_collector.settings import Settings
from sotto_collector.store import Store
from sotto_estimator import Estimates
from sotto_estimator.results.report import write_report
from sotto_protocol import Survey

END_S = 2.0
"""After the button is pressed the last page has so long to load its style."""
DATABASE, TALLY, REPORT = "collector.db", "tally.json", "results.html"


@dataclass(frozen=True, slots=True)
class Opened:
    """Where a lesson is: `survey` for phones, `board` for the teacher alone, who shows it."""

    survey: str
    board: str
    is_unencrypted: bool


def hold_lesson(
    survey: Survey,
    folder: Path,
    announce: Callable[[Opened], None],
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    url: str = "",
    seconds: int | None = None,
) -> Estimates | None:
    """Serve a survey and its board until SIGINT, SIGTERM, SIGHUP, the board's button, or so many seconds.

    Return the last estimates, None where too few reports came for any; counts and a report are files in `folder` then.
    `url`: where phones reach this collector, if not where it listens. Raises AuthorError.
    """
    check_lesson(survey)
    set_up_logs()
    settings = Settings(db=str(folder / DATABASE), host=host, port=port)
    listening = listen(settings)
    try:
        folder.mkdir(parents=True)
    except OSError as fault:
        listening.close()
        raise AuthorError(f"folder ({folder}) must be new: {fault.strerror}. Choose one with --folder.") from fault
    here = say_url(listening)
    reached = url.rstrip("/") or here
    app, board = make_app(survey, settings, reached, lambda: _stop_in(END_S))

    def _stop_in(wait_s: float) -> None:
        timer = threading.Timer(wait_s, app.extensions["server"].stop)
        timer.daemon = True
        timer.start()

    def on_ready() -> None:
        if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # the terminal is closed
            signal.signal(signal.SIGHUP, signal.getsignal(signal.SIGTERM))
        announce(Opened(f"{reached}/s/{survey.id}", f"{here}{PATH}?key={board.key}", app.config[UNENCRYPTED]))
        if seconds is not None:
            _stop_in(seconds)

    run_app(app, settings, listening, on_ready)
    return _keep(survey, folder)


def make_app(survey: Survey, settings: Settings, reached: str, on_end: Callable[[], None]) -> tuple[Flask, Board]:
    """Return a new collector of one survey with its board. `reached`: where phones reach it."""
    Store(settings.db, busy_timeout_ms=settings.busy_timeout_ms).close()
    app = create_app(settings)
    app.config[UNENCRYPTED] = needs_help(reached)
    collector: Collector = app.extensions["collector"]
    collector.store.add_survey(survey)
    board = Board(Lesson(collector, survey), f"{reached}/s/{survey.id}", on_end)
    app.register_blueprint(board.blueprint())
    return app, board


def _keep(survey: Survey, folder: Path) -> Estimates | None:
    """Write what may be seen of a lesson that has ended, and return its estimates."""
    with closing(Store(str(folder / DATABASE))) as store:
        stored = store.find_survey(survey.id)
        tally = read_lesson(store, stored) if stored else None
    if tally is None:
        return None
    estimates = estimate_lesson(tally)
    (folder / TALLY).write_bytes(tally.to_json())
    write_report(estimates, folder / REPORT)
    return estimates
