"""A collector in this process, without a socket: its app is asked by Flask's test client."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from collecting import SURVEY, assert_problem, make_reports, prepare
from sotto_collector.app import create_app
from sotto_collector.collector import Collector
from sotto_collector.settings import Settings
from sotto_collector.store import StoredSurvey
from sotto_protocol import Report, Survey, batch_body

JSON = "application/json"
_BUILDERS: dict[tuple[object, ...], Any] = {}
_compile_builder = Rule._compile_builder


def _compile_once(rule: Rule, append_unknown: bool = True) -> Any:
    """Compile once a process what builds a rule's paths: every app has the same rules, and it is half of making one."""
    key = rule.rule, rule.subdomain, rule.host, str(rule.defaults), append_unknown
    if key not in _BUILDERS:
        _BUILDERS[key] = _compile_builder(rule, append_unknown)
    return _BUILDERS[key]


Rule._compile_builder = _compile_once  # type: ignore[method-assign]  # for all apps of these tests


class House(NamedTuple):
    """A collector in this process, with the headers of its two roles."""

    app: Flask
    collector: Collector
    http: FlaskClient
    admin: dict[str, str]
    analyst: dict[str, str]

    def stored(self, survey: Survey) -> StoredSurvey:
        found = self.collector.find_survey(survey.id)
        assert found is not None
        return found

    def send(self, survey: Survey, reports: list[Report]) -> TestResponse:
        path = f"/v1/surveys/{survey.id}/reports"
        return self.http.post(path, data=batch_body(survey, reports), content_type=JSON)

    def collect(self, survey: Survey, n_reports: int, wave: int = 1) -> list[Report]:
        """Send so many random reports, and return them."""
        reports = make_reports(n_reports, survey, wave)
        assert self.send(survey, reports).status_code == 200
        return reports

    def erase(self, survey_id: str, receipt: object) -> TestResponse:
        """Ask as whoever has this receipt."""
        return self.http.post(f"/v1/surveys/{survey_id}/erase", json={"receipt": receipt})

    def administer(self, method: str, path: str, sent: dict[str, Any] | None = None) -> TestResponse:
        """Ask as the admin, of all surveys."""
        return self.http.open(path, method=method, json=sent, headers=self.admin)

    def read_tally(self, survey: Survey, query: str = "") -> TestResponse:
        return self.http.get(f"/v1/surveys/{survey.id}/tally{query}", headers=self.analyst)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@contextmanager
def open_house(db: str | Path, *surveys: Survey, **values: Any) -> Iterator[House]:
    """Run a collector on a database with these surveys until the block ends."""
    admin, analyst = prepare(db, *(surveys or (SURVEY,)))
    app = create_app(Settings(db=str(db), **({"min_free_bytes": 0} | values)))
    with closing(app.extensions["collector"]) as collector:
        yield House(app, collector, app.test_client(), bearer(admin), bearer(analyst))


def assert_refused(response: TestResponse, status: int, code: str) -> None:
    """Hold that an answer is the problem document of this code."""
    assert response.status_code == status, response.text
    assert_problem(status, response.headers["Content-Type"], response.get_json(force=True), code=code)
