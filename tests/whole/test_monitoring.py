"""Alert rules and dashboard: all that their expressions name is in the scrape of a real collector, and Prometheus' own
tools find them right.
"""

import json
import re
import shutil
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml
from prometheus_client.parser import text_string_to_metric_families

from collecting import INVITED, SMALL, TIMEOUT_S, Served, make_reports, prepare, serve
from postgres_server import free_port
from promql import named_in
from sotto_collector.store import Store, TokenTable
from sotto_collector.tokens import create_token
from sotto_protocol import Report

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
RULES = DEPLOY / "prometheus/alerts.yml"
RULE_TESTS = ROOT / "tests/data/prometheus/alerts_test.yml"
DASHBOARD = DEPLOY / "grafana/sottovoce.json"
VARIABLES = {"$__rate_interval": "1m", "$job": "sottovoce"}
CODES = re.compile(r"^\| `([a-z_]+)`", re.MULTILINE)

needs_prometheus = pytest.mark.skipif(
    not (shutil.which("prometheus") and shutil.which("promtool")), reason="prometheus is not there"
)


def read_alerts() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def read_panels() -> list[dict[str, Any]]:
    panels: list[dict[str, Any]] = json.loads(DASHBOARD.read_text())["panels"]
    return panels


def fill_in(expression: str) -> str:
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    return expression


EXPRESSIONS = [rule["expr"] for rule in read_alerts()] + [
    fill_in(target["expr"]) for panel in read_panels() for target in panel["targets"]
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector to which everything has happened that is counted: reports of each outcome, refusals, commits."""
    db = tmp_path_factory.mktemp("monitored") / "survey.db"
    prepare(db, SMALL, INVITED, replace(SMALL, id="crowded"))
    with closing(Store(db)) as store:
        create_token(TokenTable(store), "monitor", "prometheus", expires_in_s=86400)
    with serve(db) as started:
        make_traffic(started)
        yield started


def make_traffic(served: Served) -> None:
    first, second = make_reports(2)
    assert served.send([first, second])[0] == 200
    assert served.send([first, Report(second.id, make_reports(1)[0].record)])[0] == 200
    limit = json.dumps({"reports_per_minute": 1}).encode()
    path = "/v1/surveys/crowded"
    assert served.ask("PATCH", path, limit, token=served.admin)[0] == 200
    crowded = replace(SMALL, id="crowded")
    assert [served.send(make_reports(1, crowded), crowded)[0] for _ in range(3)][-1] == 429
    assert served.fetch("GET", "/healthz")[0] == 200


def scrape(served: Served) -> dict[str, dict[str, set[str]]]:
    """Return the values of every label of every metric, with `job` and `instance`, which Prometheus adds."""
    status, _, content = served.fetch("GET", "/metrics", token=served.analyst)
    assert status == 200
    seen: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for family in text_string_to_metric_families(content.decode()):
        for sample in family.samples:
            for label, value in sample.labels.items():
                seen[sample.name][label].add(value)
            seen[sample.name]["job"] = {"sottovoce"}
            seen[sample.name]["instance"] = set()
    return seen


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_all_that_an_expression_names_is_in_a_scrape(served: Served, expression: str) -> None:
    metrics, groups = named_in(expression)
    seen = scrape(served) | {"up": {"job": {"sottovoce"}, "instance": set()}}
    assert metrics
    codes = {*CODES.findall((ROOT / "docs/http.md").read_text())}
    for metric, matchers in metrics.items():
        assert metric in seen, metric
        for label, values in matchers.items():
            known = codes if label == "code" else seen[metric][label] | ({"500"} if label == "status" else set())
            assert values <= known, (metric, label)
        optional = {"survey"}  # where the operator asks for it
        assert groups <= {*seen[metric]} | optional, metric


@pytest.mark.parametrize(
    "wrong",
    [
        "sotto_surveys_open > 0",
        'sotto_surveys{status="open"} > 0',
        'sotto_surveys{state="opened"}',
        "max by (x) (sotto_info)",
    ],
)
def test_expression_that_names_what_is_not_there_is_found(served: Served, wrong: str) -> None:
    with pytest.raises(AssertionError):
        test_all_that_an_expression_names_is_in_a_scrape(served, wrong)


def test_every_alert_says_what_is_wrong_and_what_to_do_and_is_documented() -> None:
    page = (ROOT / "docs/monitoring.md").read_text()
    for rule in read_alerts():
        assert {*rule["annotations"]} == {"summary", "action"}, rule["alert"]
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert f"| `{rule['alert']}` |" in page


def test_alerts_and_panels_leave_no_metric_of_ours_out(served: Served) -> None:
    named = {name for expression in EXPRESSIONS for name in named_in(expression)[0]}
    ours = {name for name in scrape(served) if name.startswith("sotto_")}
    families = {re.sub("_(bucket|sum|count)$", "", name) for name in ours}
    assert families == {re.sub("_(bucket|sum|count)$", "", name) for name in named if name.startswith("sotto_")}


@needs_prometheus
def test_prometheus_own_tool_finds_the_files_right() -> None:
    for arguments in (
        ["check", "rules", RULES],
        ["check", "config", "--syntax-only", DEPLOY / "prometheus/prometheus.yml"],
    ):
        done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=TIMEOUT_S)
        assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_is_made_to_fire_and_not_to_fire() -> None:
    cases = yaml.safe_load(RULE_TESTS.read_text())["tests"]
    told: dict[str, set[bool]] = defaultdict(set)
    for case in cases:
        for test in case["alert_rule_test"]:
            told[test["alertname"]].add(bool(test.get("exp_alerts")))
    assert told == {rule["alert"]: {True, False} for rule in read_alerts()}


@needs_prometheus
@pytest.mark.thorough
def test_alerts_fire_when_they_should_and_else_do_not() -> None:
    done = subprocess.run(["promtool", "test", "rules", RULE_TESTS], capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_prometheus
@pytest.mark.thorough
def test_alert_tests_bite(tmp_path: Path) -> None:
    """A rule that is slightly off is found."""
    rules = RULES.read_text().replace("sotto_backup_age_days > 2", "sotto_backup_age_days > 3")
    (tmp_path / "alerts.yml").write_text(rules)
    tests = yaml.safe_load(RULE_TESTS.read_text()) | {"rule_files": ["alerts.yml"]}
    about = [test for test in tests["tests"] if "backup" in str(test["alert_rule_test"]).lower()]
    assert about
    (tmp_path / "alerts_test.yml").write_text(yaml.safe_dump(tests | {"tests": about}))
    done = subprocess.run(
        ["promtool", "test", "rules", tmp_path / "alerts_test.yml"], capture_output=True, timeout=TIMEOUT_S
    )
    assert done.returncode == 1


@contextmanager
def prometheus(served: Served, folder: Path) -> Iterator[str]:
    """Run a real Prometheus by the file in deploy/, with this collector as its target and a shorter interval."""
    config = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(RULES)]
    (job,) = config["scrape_configs"]
    job["static_configs"] = [{"targets": [f"127.0.0.1:{served.port}"]}]
    job["authorization"]["credentials_file"] = str(folder / "token")
    (folder / "token").write_text(served.analyst)
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    address = f"127.0.0.1:{free_port()}"
    flags = [f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}"]
    process = subprocess.Popen(
        ["prometheus", *flags, f"--web.listen-address={address}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(TIMEOUT_S)


def ask(url: str, path: str, **query: str) -> Any:
    return requests.get(f"{url}/api/v1/{path}", params=query, timeout=TIMEOUT_S).json()["data"]


def ask_until(url: str, is_there: Any, path: str, **query: str) -> Any:
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        with suppress(requests.RequestException, KeyError):  # it has not begun yet, or says that it has not
            if is_there(found := ask(url, path, **query)):
                return found
        assert time.monotonic() < deadline, (path, query)
        time.sleep(0.2)


@needs_prometheus
@pytest.mark.thorough
def test_prometheus_scrapes_a_collector_and_every_expression_has_an_answer(served: Served, tmp_path: Path) -> None:
    """Each panel shows something, each rule is evaluated, and of a collector that is well no alert fires."""
    with prometheus(served, tmp_path) as url:
        ask_until(url, lambda found: found["result"], "query", query="rate(sotto_requests_total[1m])")
        make_traffic(served)
        for panel in read_panels():
            for target in panel["targets"]:
                ask_until(url, lambda found: found["result"], "query", query=fill_in(target["expr"]))
        groups = ask_until(
            url,
            lambda found: all(rule["health"] == "ok" for group in found["groups"] for rule in group["rules"]),
            "rules",
        )["groups"]
        assert len(groups[0]["rules"]) == len(read_alerts())
        firing = {rule["name"] for rule in groups[0]["rules"] if rule["state"] == "firing"}
        assert firing == set()
