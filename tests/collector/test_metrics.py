"""/metrics counts what happens, shows it to those with a token for all surveys, and names nobody."""

import re
import time
from pathlib import Path

import pytest
from prometheus_client import values
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from collecting import SMALL, SURVEY, make_reports, serve
from house import House, assert_refused, bearer, open_house
from sotto_collector.metrics import FOLDER_VARIABLE, Metrics, render
from sotto_collector.slot import Slot
from sotto_collector.tokens import create_token
from sotto_protocol import Report

PAGE = Path(__file__).parents[2] / "docs/monitoring.md"
OWN_LABELS = {"state", "outcome", "code", "route", "method", "status", "le", "ends", "version", "schema", "store"}
CLOCKS = (1, 10**3, 10**6, 10**9)
"""How many of each unit a second has: a moment may be told in any."""
CANARY = "c4n4ry"


def read_samples(text: str) -> list[Sample]:
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


def find(text: str, name: str, **labels: str) -> float:
    """Return the value of one sample; 0 where it is not there."""
    return sum(sample.value for sample in read_samples(text) if sample.name == name and sample.labels == labels)


def scrape(house: House) -> str:
    response = house.http.get("/metrics", headers=house.analyst)
    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    return response.text


def test_reports_are_counted_by_what_became_of_them(house: House) -> None:
    first, second = make_reports(2)
    house.send(SURVEY, [first, second])
    house.send(SURVEY, [first, Report(second.id, first.record)])
    text = scrape(house)
    for outcome, n_reports in (("counted", 2), ("duplicate", 1), ("conflicting", 1)):
        assert find(text, "sotto_reports_total", outcome=outcome) == n_reports
    assert find(text, "sotto_commit_reports_sum") == 4
    assert find(text, "sotto_commit_seconds_count") == find(text, "sotto_commit_reports_count") == 2
    assert find(text, "sotto_queued_reports") == 0


def test_requests_are_counted_by_route_and_refusals_by_code(house: House) -> None:
    house.http.get(f"/v1/surveys/{CANARY}?q={CANARY}")
    house.http.get(f"/{CANARY}", headers={"User-Agent": CANARY})
    house.http.open("/healthz", method=CANARY.upper())
    text = scrape(house)
    assert find(text, "sotto_requests_total", route="/v1/surveys/<survey_id>", method="GET", status="404") == 1
    assert find(text, "sotto_requests_total", route="none", method="GET", status="404") == 1
    assert find(text, "sotto_requests_total", route="none", method="none", status="405") == 1
    assert find(text, "sotto_request_seconds_count", route="none") == 2
    assert find(text, "sotto_refusals_total", code="no_such_survey") == 1
    assert find(text, "sotto_refusals_total", code="not_found") == 1
    assert CANARY not in text.lower()


def test_no_metric_is_a_moment(house: House) -> None:
    """But the start of the process: when the first report came is nobody's business."""
    house.send(SURVEY, make_reports(1))
    now_s = time.time()
    moments = {
        sample.name
        for sample in read_samples(scrape(house))
        for unit in CLOCKS
        if abs(sample.value / unit - now_s) < 1e8 and not sample.name.endswith("_bytes")  # 1.7 GB are no moment
    }
    assert moments <= {"process_start_time_seconds"}


def test_no_label_names_a_survey_unless_the_operator_asks_for_it(tmp_path: Path) -> None:
    for labels, expected in (("none", OWN_LABELS), ("survey", OWN_LABELS | {"survey"})):
        with open_house(tmp_path / f"{labels}.db", SURVEY, SMALL, metrics_labels=labels) as house:
            house.send(SURVEY, make_reports(3))
            house.send(SMALL, make_reports(1, SMALL))
            house.http.get("/nothing")
            text = scrape(house)
        seen = {name for sample in read_samples(text) for name in sample.labels}
        assert seen == expected
        total = find(
            text, "sotto_reports_total", outcome="counted", **({"survey": "small"} if "survey" in seen else {})
        )
        assert total == (1 if "survey" in seen else 4)


def test_metrics_need_a_token_for_all_surveys(house: House) -> None:
    assert_refused(house.http.get("/metrics"), 401, "unauthorized")
    assert_refused(house.http.get("/metrics", headers={"X-Forwarded-For": "127.0.0.1"}), 401, "unauthorized")
    of_one = create_token(house.collector.tokens, "analyst", survey_id=SURVEY.id)
    assert_refused(house.http.get("/metrics", headers=bearer(of_one)), 403, "forbidden")
    for role in (house.admin, house.analyst):
        assert house.http.get("/metrics", headers=role).status_code == 200


def test_refusals_of_the_server_itself_are_counted(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db") as served:
        assert served.fetch("GET", "/healthz", headers={"X": "a" * 70_000})[0] == 431
        _, headers, content = served.fetch("GET", "/metrics", token=served.admin)
        assert headers["Content-Type"].startswith("text/plain; version=")
        assert find(content.decode(), "sotto_refusals_total", code="headers_too_large") == 1
        assert find(content.decode(), "process_resident_memory_bytes") > 0
        assert served.stop() == (0, "", "")


def test_every_metric_is_documented_and_no_other(house: House) -> None:
    ours = {family.name for family in text_string_to_metric_families(scrape(house))}
    row = re.compile(r"^\| `(sotto_[a-z_]+?)(?:_total)?(?:\{[a-z, ]*\})?` \|", re.MULTILINE)
    documented = set(row.findall(PAGE.read_text()))
    assert documented == {name for name in ours if name.startswith("sotto_")}


@pytest.mark.parametrize("n_threads", [8])
def test_threads_lose_no_count(n_threads: int) -> None:
    from concurrent.futures import ThreadPoolExecutor

    metrics = Metrics()
    with ThreadPoolExecutor(n_threads) as pool:
        for _ in range(1000):
            pool.submit(metrics.count_outcome, "habits", 2, 1, 1)
    text = render(metrics.collect()).decode()
    assert find(text, "sotto_reports_total", outcome="counted") == 2000
    assert find(text, "sotto_reports_total", outcome="conflicting") == 1000


def test_they_are_read_as_another_worker_begins_and_one_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first has made an empty file, and the file of the other was there as the folder was read."""
    monkeypatch.setattr(values, "ValueClass", values.ValueClass)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    metrics = Metrics(Slot(1, 2, tmp_path))
    metrics.count_outcome("habits", 2, 0)
    (tmp_path / "counter_2.db").touch()
    (tmp_path / "gauge_livesum_0.db").symlink_to(tmp_path / "gone")
    text = render(metrics.collect()).decode()
    assert find(text, "sotto_reports_total", outcome="counted") == 2
