"""The results page: the estimator's, mounted here. The collector decides who may see it, and reads the tallies.

Nothing else of the collector imports the estimator, and this only when an app is made: SciPy may not be installed.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from flask import Blueprint, Flask, Response, current_app, g, request

from sotto_collector.api.request import find_survey, get_collector
from sotto_collector.collector import KNOWN_S
from sotto_collector.errors import RequestError, refuse
from sotto_collector.memory import give_back
from sotto_collector.pages.cache import TimeCache
from sotto_collector.pages.headers import policy
from sotto_collector.pages.languages import choose_for
from sotto_collector.pages.sign_in import ask_to_sign_in, find_reader, require_reader
from sotto_collector.share_link import RULE, require_link
from sotto_collector.store import StoredSurvey
from sotto_collector.store.releases import floored_cells, read_released_cells, sum_by_wave
from sotto_collector.turnout import Turnout, count_turnout
from sotto_protocol import Survey, Tally
from sotto_protocol.extras import install_command

ROLES = ("analyst",)
_OF_ESTIMATOR = ("scipy", "matplotlib")
"""What `sottovoce[estimator]` brings."""


class Read(NamedTuple):
    """What of a survey's results is released to a reader."""

    survey: Survey
    is_open: bool
    tallies: dict[int, Tally]
    n_known: int | None
    is_analyst: bool
    digest: str
    turnout: list[Turnout]
    floored: frozenset[int]


Digest = Callable[[Survey, dict[int, Tally]], str]
"""Tells one state of a survey's tallies from another."""


def load_results() -> bool:
    """Load the estimator's page; return False where the estimator is not installed.

    Called before workers are forked, it takes its half second, and its memory, once for all of them.
    """
    try:
        import sotto_estimator.page.blueprint
        import sotto_estimator.page.release  # noqa: F401
    except ModuleNotFoundError as fault:
        if str(fault.name).partition(".")[0] not in _OF_ESTIMATOR:
            raise
        return False
    return True


def install_results(app: Flask) -> None:
    """Mount the results page; where the estimator is not installed, a page that says so."""
    if not load_results():
        app.register_blueprint(_make_substitute())
        return
    from sotto_estimator.page.blueprint import make_results_page
    from sotto_estimator.page.release import Release, digest_of

    read = ResultsReader(digest_of)

    def read_release(survey_id: str) -> Release:
        found = read(survey_id)
        chosen = choose_for(found.survey.languages)
        return Release(
            survey=found.survey,
            is_open=found.is_open,
            tallies=found.tallies,
            n_known=found.n_known,
            may_search=found.is_analyst,
            digest=found.digest,
            language=chosen.language,
            lang=chosen.tag,
            turnout={of.wave: (of.invited, of.n_reports) for of in found.turnout},
            floored=found.floored,
        )

    page = make_results_page(read_release, "layout.html", give_back, shared=RULE)
    page.url_value_preprocessor(_take_link)
    _refuse_as_the_collector(page)
    ask_to_sign_in(page, ROLES)
    page.after_request(_let_choose)
    app.register_blueprint(page)


class ResultsReader:
    """Reads what the sender of a request may see of a survey's results."""

    def __init__(self, digest: Digest, clock: Callable[[], float] = time.monotonic) -> None:
        self._digest = digest
        self._cache: TimeCache[tuple[dict[int, Tally], str]] = TimeCache(KNOWN_S, clock)

    def __call__(self, survey_id: str) -> Read:
        """Return the tallies, by cell; how many reports there are, and how many of the invited took part, only to an
        analyst, who may list that anyway.

        To others it would tell when each report came, which the least number of reports is there to hide.
        Raises RequestError 401, 403, 404.
        """
        collector, stored = get_collector(), find_survey(survey_id)
        if request.method == "POST":
            _require_own_page()
        if (link := g.get("share_token")) is not None:
            require_link(collector.tokens, survey_id, link)
            is_analyst = False
        elif stored.survey.public_results and request.method != "POST":
            is_analyst = find_reader(collector.tokens, ROLES, survey_id) is not None
        else:
            is_analyst = require_reader(collector.tokens, ROLES, survey_id) is not None
        tallies, digest = self._read(stored) if is_analyst else self._read_cached(stored)
        is_told = is_analyst and stored.survey.min_reports > 1
        n_known = collector.store.count_tallied(stored.key) if is_told else None
        is_counted = is_analyst and stored.survey.invited
        by_wave = sum_by_wave(stored.survey, tallies)
        turnout = count_turnout(collector.store, stored, by_wave) if is_counted else []
        floored = floored_cells(collector.store, stored) if stored.survey.min_reports > 1 else frozenset()
        return Read(stored.survey, stored.is_open, tallies, n_known, is_analyst, digest, turnout, floored)

    def _read(self, stored: StoredSurvey) -> tuple[dict[int, Tally], str]:
        tallies = read_released_cells(get_collector().store, stored)
        return tallies, self._digest(stored.survey, tallies)

    def _read_cached(self, stored: StoredSurvey) -> tuple[dict[int, Tally], str]:
        """Return tallies that may be KNOWN_S old: strangers, however many, do not hold up reports.

        A process reads them for strangers one at a time, and not within KNOWN_S after the last reading.
        """
        return self._cache.get(stored.key, lambda: self._read(stored))


def _take_link(endpoint: str | None, values: dict[str, Any] | None) -> None:
    """Keep the token of a share link, None where there is none: the views are the same."""
    g.share_token = (values or {}).pop("share_token", None)


def _require_own_page() -> None:
    """Refuse what a page of another site sends: a browser adds the password that it keeps. Raises RequestError 403."""
    site, origin = request.headers.get("Sec-Fetch-Site", ""), request.headers.get("Origin", "null")
    is_other = origin not in ("null", f"http://{request.host}", f"https://{request.host}")
    if is_other or site not in ("", "same-origin", "none"):
        raise refuse(403, "forbidden", "only the results page itself may send this form.")


def _let_choose(response: Response) -> Response:
    """Allow the page to send its form, which holds choices only; keep what a share link shows out of search engines."""
    response.headers["Content-Security-Policy"] = policy(form_action="'self'")
    if g.share_token is not None:
        response.headers["X-Robots-Tag"] = "noindex"
    return response


def _refuse_as_the_collector(page: Blueprint) -> None:
    """Turn the page's errors into the collector's problem documents."""
    from sotto_estimator.page import errors

    table: dict[type[errors.PageError], Callable[[str], RequestError]] = {
        errors.ChoiceError: lambda detail: refuse(400, "bad_choice", detail),
        errors.NoSuchStratumError: lambda detail: refuse(404, "no_such_stratum", detail),
        errors.NoSuchWaveError: lambda detail: refuse(404, "no_such_wave", detail),
        errors.NoSuchChartError: lambda detail: refuse(404, "not_found", detail),
        errors.NoEstimatesError: lambda detail: refuse(404, "no_estimates", detail),
        errors.TooFewReportsError: lambda detail: refuse(403, "below_minimum", detail),
        errors.CrowdedError: lambda detail: refuse(503, "busy", detail),
    }

    def respond(fault: errors.PageError) -> Any:
        return current_app.handle_user_exception(table[type(fault)](str(fault)))

    page.register_error_handler(errors.PageError, respond)


def _make_substitute() -> Blueprint:
    """Return the page that is shown instead where the estimator is not installed."""
    page = Blueprint("results", __name__)
    page.url_value_preprocessor(_take_link)

    @page.get("/s/<survey_id>/results")
    @page.get(RULE)
    def say_what_is_missing(survey_id: str) -> Response:
        find_survey(survey_id)
        raise refuse(501, "not_installed", f"the results page needs: {install_command('collector', 'estimator')}.")

    return page
