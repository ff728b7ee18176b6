"""`sotto status` shows a real collector's surveys and how fast reports come, as a table and as JSON."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from collecting import SMALL, SURVEY, Served, make_reports, prepare, serve
from sotto_collector.commands.status import status


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    db = tmp_path_factory.mktemp("status") / "survey.db"
    prepare(db, SMALL)
    with serve(db) as started:
        assert started.send(make_reports(1234))[0] == 200
        assert started.ask("POST", "/v1/surveys/small/close", token=started.admin)[0] == 200
        yield started


def run(served: Served, *flags: str, token: str = "") -> Result:
    return CliRunner().invoke(status, [served.url, "--token", token or served.analyst, *flags])


def test_surveys_are_listed_in_a_table_that_lines_up(served: Served) -> None:
    result = run(served, "--interval-s", "0")
    assert result.exit_code == 0
    first, *table = result.stdout.splitlines()
    assert first == f"{served.url}  ready"
    assert table == [
        "survey  state   reports  reports/s  waves  limit/min",
        "habits  open      1,234                 1",
        "small   closed        0                 1",
    ]


def test_json_says_the_same(served: Served) -> None:
    document = json.loads(run(served, "--interval-s", "0", "--json").stdout)
    assert (document["url"], document["ready"]) == (served.url, True)
    habits, small = document["surveys"]
    assert (habits["id"], habits["open"], habits["n_reports"], habits["reports_per_s"]) == ("habits", True, 1234, None)
    assert (small["id"], small["open"]) == ("small", False)


def test_rates_are_of_the_interval(served: Served) -> None:
    is_over, n_sent = threading.Event(), []

    def send() -> None:
        while not is_over.is_set():
            assert served.send(make_reports(10))[0] == 200
            n_sent.append(10)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        document = json.loads(run(served, "--interval-s", "1", "--json").stdout)
    finally:
        is_over.set()
        sender.join()
    habits, small = document["surveys"]
    assert 0 < habits["reports_per_s"] <= sum(n_sent)
    assert small["reports_per_s"] == 0


def test_what_a_collector_refuses_is_said_without_the_token(served: Served) -> None:
    result = run(served, token="sotto_analyst_wrong")  # noqa: S106  # one that is none
    assert "unauthorized" in str(result.exception)
    assert "sotto_analyst" not in str(result.exception)


@pytest.mark.parametrize("answer", [{}, {"surveys": 1}, {"surveys": [1]}, {"surveys": [{"id": "\x1b[2J"}]}])
def test_something_else_than_a_collector_is_named(
    served: Served, monkeypatch: pytest.MonkeyPatch, answer: dict[str, object]
) -> None:
    monkeypatch.setattr("sotto_collector.remote.RemoteCollector.ask", lambda *_: answer)
    assert "it lists no surveys" in str(run(served).exception)


def test_how_many_questions_are_drawn_is_listed(tmp_path: Path) -> None:
    drawn = replace(SURVEY, draw=1)
    with serve(tmp_path / "survey.db", survey=drawn) as served:
        assert "habits  open, draws 1  " in run(served, "--interval-s", "0").stdout
        listed = json.loads(run(served, "--interval-s", "0", "--json").stdout)["surveys"]
    assert [row["draw"] for row in listed] == [1]


def test_a_collector_without_surveys_is_no_fault(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db", survey=SURVEY) as served:
        for path in ("/close", ""):
            method = "POST" if path else "DELETE"
            assert served.ask(method, f"/v1/surveys/{SURVEY.id}{path}", token=served.admin)[0] == 200
        assert run(served, "--interval-s", "0").stdout.endswith("ready\nno surveys\n")
