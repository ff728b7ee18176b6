"""Measures: a program that asks itself, if its user agrees, at most once a wave, and never in its way."""

import json
import logging
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from devices import rows_of
from fault_server import FaultServer, Scripted, fault_server
from node import JS, require_node, run
from sotto_client import SurveyClient
from sotto_client.consent import is_switched_off
from sotto_client.measures import Measures, fit
from sotto_protocol import Survey, compile_toml
from sotto_protocol.problem import Problem

PLUGINS = compile_toml("""
id = "plugins"
title = "Which plugins do you run?"
waves = 3
[[questions]]
id = "plugins"
type = "any-of"
text = "Which plugins are installed?"
options = ["auth", "search", "maps"]
max_selected = 2
epsilon = 1
epsilon_forever = 2
[[questions]]
id = "old"
type = "yes-no"
text = "Is the database older than five years?"
epsilon = 1
""")
FOUND: dict[str, Callable[[], object]] = {"plugins": lambda: ["maps", "of my own", "auth"], "old": lambda: True}
TODAY = datetime.now(UTC).date()
BUSY = Scripted(503, headers={"Retry-After": "3600"})
SLOW_S = 20.0
"""How long a test waits before it fails: reached only where something hangs."""


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(PLUGINS) as server:
        yield server


@pytest.fixture(autouse=True)
def switches(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DO_NOT_TRACK", "SOTTOVOCE_OFF"):
        monkeypatch.delenv(name, raising=False)


def measures(http: FaultServer, tmp_path: Path, found: dict[str, Any] | None = None, **more: Any) -> Measures:
    """Return measures of a program that is in its first wave, and sends without a delay."""
    options: dict[str, Any] = {"starts": TODAY, "days": 30, "max_delay_s": 0, "folder": tmp_path / "wikid"} | more
    return Measures(http.url, PLUGINS.canonical, FOUND | (found or {}), program="wikid", **options)


def again(of: Measures) -> None:
    """Let the pause after an attempt be over."""
    (of.folder / "progress.json").unlink(missing_ok=True)


def test_before_the_user_has_agreed_nothing_is_asked_made_or_written(http: FaultServer, tmp_path: Path) -> None:
    asked: list[str] = []
    of = measures(http, tmp_path, {"old": lambda: asked.append("old")})
    of.attempt(SLOW_S)
    text = of.opt_in_text()
    assert (of.agreed, asked, http.gets, http.posts, [*tmp_path.iterdir()]) == (None, [], [], [], [])
    assert "Which plugins are installed?" in text
    assert "at most once in 30 days, 3 times in all" in text
    assert "DO_NOT_TRACK to 1" in text


def test_drawn_periods_are_said_as_such(http: FaultServer, tmp_path: Path) -> None:
    drawn = replace(PLUGINS, asked_in=1, questions=PLUGINS.questions[1:])
    of = Measures(http.url, drawn.canonical, {"old": lambda: True}, program="wikid", starts=TODAY, days=30)
    assert "on its own, in 1 of 3 periods of 30 days, drawn at random." in of.opt_in_text()


def test_a_device_that_makes_no_report_says_so(http: FaultServer, tmp_path: Path) -> None:
    of = measures(http, tmp_path, max_epsilon=0.5)
    of.allow()
    of.attempt(SLOW_S)
    assert http.posts == []
    assert "Wave 1: This device makes no report. It is not asked, its budget is used up" in of.show()
    again(of)
    measures(http, tmp_path).attempt(SLOW_S)
    assert "makes no report" not in of.show()
    assert "Wave 1: A report was made and sent. Its receipt, which can erase it, is" in of.show()


def test_it_answers_once_a_wave_and_the_next_wave_again(http: FaultServer, tmp_path: Path) -> None:
    of = measures(http, tmp_path)
    of.allow()
    for _ in range(3):
        of.attempt(SLOW_S)
        again(of)  # even if it has forgotten how far it was
    assert [json.loads(post.body)["reports"][0]["wave"] for post in http.posts] == [1]
    later = measures(http, tmp_path, starts=TODAY - timedelta(days=30))
    later.attempt(SLOW_S)
    later.attempt(SLOW_S)
    assert [json.loads(post.body)["reports"][0]["wave"] for post in http.posts] == [1, 2]
    over = measures(http, tmp_path, starts=TODAY - timedelta(days=90))
    over.attempt(SLOW_S)
    assert len(http.posts) == 2


def test_the_report_waits_for_a_random_time_of_the_wave(http: FaultServer, tmp_path: Path) -> None:
    of = measures(http, tmp_path, days=10, max_delay_s=None)
    of.allow()
    before = time.time()
    of.attempt(SLOW_S)
    [row] = rows_of(of.folder / "device.db", "outbox")
    assert before < float(row[8]) <= time.time() + 5 * 86_400
    assert http.posts == []


@pytest.mark.parametrize("switch", ["DO_NOT_TRACK", "SOTTOVOCE_OFF"])
def test_a_variable_switches_it_off_also_what_waits(
    http: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, switch: str
) -> None:
    http.script = [BUSY]
    of = measures(http, tmp_path)
    of.allow()
    of.attempt(SLOW_S)
    monkeypatch.setenv(switch, "1")
    rested = measures(http, tmp_path, starts=TODAY - timedelta(days=30))
    rested.attempt(SLOW_S)
    assert len(http.posts) == 1
    assert not rested.is_on
    assert "are off" in rested.show()
    assert not is_switched_off({switch: "false"})


def test_switched_off_it_deletes_what_waits_and_the_secret_of_its_noise(http: FaultServer, tmp_path: Path) -> None:
    http.script = [BUSY] * 9
    of = measures(http, tmp_path)
    of.allow()
    of.attempt(SLOW_S)
    database = of.folder / "device.db"
    [secret] = [row[8] for row in rows_of(database, "ledger")]
    assert secret in database.read_bytes()
    assert of.command("off") == "wikid: measures are off."
    assert (rows_of(database, "outbox"), secret in database.read_bytes()) == ([], False)
    n_posts = len(http.posts)
    of.attempt(SLOW_S)
    again(of)
    of.attempt(SLOW_S)
    assert len(http.posts) == n_posts


def test_off_while_the_measures_are_taken_stays_off(http: FaultServer, tmp_path: Path) -> None:
    def turns_off() -> bool:
        measures(http, tmp_path).off()
        return True

    of = measures(http, tmp_path, {"old": turns_off})
    of.allow()
    of.attempt(SLOW_S)
    assert of.agreed is False
    assert (rows_of(of.folder / "device.db", "ledger"), http.posts) == ([], [])


def test_off_while_the_report_is_made_leaves_nothing_that_waits(
    http: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = measures(http, tmp_path, days=10, max_delay_s=None)
    answer = SurveyClient.answer

    def answer_late(*given: Any) -> Any:
        measures(http, tmp_path).off()
        return answer(*given)

    monkeypatch.setattr(SurveyClient, "answer", answer_late)
    of.allow()
    of.attempt(SLOW_S)
    assert (of.agreed, len(rows_of(of.folder / "device.db", "ledger"))) == (False, 1)
    assert (rows_of(of.folder / "device.db", "outbox"), http.posts) == ([], [])


def test_the_consent_is_to_one_version_of_the_survey(http: FaultServer, tmp_path: Path) -> None:
    measures(http, tmp_path).allow()
    other = PLUGINS.canonical.replace(b"Which plugins do you run?", b"Which plugins do you like?")
    of = Measures(http.url, other, FOUND, program="wikid", starts=TODAY, days=30, folder=tmp_path / "wikid")
    assert of.agreed is None
    of.attempt(SLOW_S)
    assert http.gets == []


def test_showing_draws_nothing_and_shows_the_report_as_it_is_sent(http: FaultServer, tmp_path: Path) -> None:
    of = measures(http, tmp_path)
    shown = of.show()
    assert "now: auth, maps  (stays on this device)" in shown
    assert "A report takes epsilon 2.\nAll reports together take at most 2.8629, if your answers" in shown
    assert "No report was made." in shown
    tomorrow = TODAY + timedelta(days=1)
    assert f"nobody has agreed yet. Wave 1 begins on {tomorrow}." in measures(http, tmp_path, starts=tomorrow).show()
    assert "Wave 1 begins" not in shown
    assert [*tmp_path.iterdir()] == []
    http.script = [BUSY] * 9
    of.allow()
    of.attempt(SLOW_S)
    kept = (of.folder / "device.db").read_bytes()
    assert of.show() == of.show()
    assert (of.folder / "device.db").read_bytes() == kept
    assert http.posts[0].body.decode().rstrip() in of.show()
    assert "Wave 1: A report was made, and waits. Its receipt, which can erase it, is" in of.show()
    of.off()
    assert "Wave 1: A report was made. It was deleted, as measures were switched off before" in of.show()
    of.allow()
    assert "It was deleted" in of.show()


def test_a_refused_report_is_not_told_as_sent(http: FaultServer, tmp_path: Path) -> None:
    http.script = [Scripted(422, Problem(422, "bad_report", "No.").to_json())] * 9
    of = measures(http, tmp_path)
    of.allow()
    of.attempt(SLOW_S)
    assert "Wave 1: A report was made, and the collector refused it. Its receipt is" in of.show()


MOVED = compile_toml("""
id = "load"
title = "How busy is it?"
waves = 3
[[questions]]
id = "load"
type = "number"
text = "How busy was the server?"
minimum = 0
maximum = 100
unit = "%"
epsilon = 1
epsilon_forever = 2
""")


@pytest.mark.parametrize("survey", [PLUGINS, MOVED, replace(PLUGINS, keep="counts"), replace(PLUGINS, waves=1)])
def test_node_says_what_python_says_before_a_user_agrees(survey: Survey, tmp_path: Path) -> None:
    ids = [question.id for question in survey.questions]
    python = Measures(
        "http://a.example", survey.canonical, dict.fromkeys(ids, bool), program="wikid", starts=TODAY, days=9
    )
    measured = ", ".join(f"{name}: () => 1" for name in ids)
    program = f"""
import {{ Measures }} from {json.dumps(str(JS / "node" / "measures.js"))};
const survey = Buffer.from({json.dumps(survey.canonical.decode())});
const options = {{ program: "wikid", starts: "{TODAY}", days: 9 }};
console.log(await new Measures("http://a.example", survey, {{ {measured} }}, options).optInText());
"""
    (tmp_path / "about.mjs").write_text(program)
    assert run([require_node(), str(tmp_path / "about.mjs")], timeout_s=60).split() == python.opt_in_text().split()


def test_what_fails_says_only_its_kind_and_the_next_run_sends(
    http: FaultServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> bool:
        raise ValueError("kaleidoscope-9317")

    with caplog.at_level(logging.DEBUG, "sottovoce"):
        of = measures(http, tmp_path, {"old": fails})
        of.allow()
        of.attempt(SLOW_S)
        assert "cannot be found out (ValueError)" in of.show()
    assert "kaleidoscope" not in caplog.text + "".join(capsys.readouterr())
    assert "Measures were not sent (ValueError)." in caplog.text
    of = measures(http, tmp_path)
    of.attempt(SLOW_S)
    assert http.posts == [], "the pause after a failure"
    again(of)
    of.attempt(SLOW_S)
    assert len(http.posts) == 1


def test_a_measure_that_hangs_holds_nobody_up(http: FaultServer, tmp_path: Path) -> None:
    ending = threading.Event()
    of = measures(http, tmp_path, {"old": lambda: ending.wait(SLOW_S)})
    of.allow()
    began = time.monotonic()
    of.attempt(0.2)
    assert time.monotonic() - began < SLOW_S / 2
    ending.set()
    of.stop()


@pytest.mark.parametrize(("reply", "waits_s"), [(Scripted(stall=True), 1.5), (BUSY, SLOW_S)], ids=["silent", "busy"])
def test_a_command_line_ends_quietly_whatever_the_collector_does_and_its_next_run_sends(
    http: FaultServer, tmp_path: Path, reply: Scripted, waits_s: float
) -> None:
    program = f"""
from sotto_client.measures import Measures
found = {{"plugins": lambda: ["auth"], "old": lambda: False}}
of = Measures({http.url!r}, {PLUGINS.canonical!r}, found, program="wikid", starts="{TODAY}", days=30, max_delay_s=0,
              folder={str(tmp_path / "wikid")!r})
of.allow()
of.attempt({waits_s})
print("the end")
"""
    http.script = [reply]
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=SLOW_S, check=True)
    assert (done.stdout, done.stderr) == ("the end\n", "")
    http.ending.set()
    http.script.clear()
    of = measures(http, tmp_path)
    with closing(sqlite3.connect(of.folder / "device.db")) as connection, connection:
        connection.execute("UPDATE outbox SET not_before = 0, is_held = 0")
    of.attempt(SLOW_S)
    again(of)  # a slow machine may not have come to the report
    of.attempt(SLOW_S)
    assert len(http.seen) == 1
    assert len({post.body for post in http.posts}) == 1


def test_parts_of_a_program_that_attempt_at_once_make_one_report(http: FaultServer, tmp_path: Path) -> None:
    parts = [measures(http, tmp_path) for _ in range(4)]
    parts[0].allow()
    threads = [threading.Thread(target=part.attempt, args=(SLOW_S,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(http.seen) == 1
    assert len(rows_of(parts[0].folder / "device.db", "ledger")) == 1


def test_in_the_background_it_sends_and_starts_once(http: FaultServer, tmp_path: Path) -> None:
    of = measures(http, tmp_path)
    of.allow()
    of.start()
    of.start()
    named = [thread for thread in threading.enumerate() if thread.name == "sottovoce-measures"]
    assert [thread.daemon for thread in named] == [True]
    deadline = time.monotonic() + SLOW_S
    while not http.seen and time.monotonic() < deadline:
        time.sleep(0.01)
    of.stop()
    named[0].join(SLOW_S)
    assert (len(http.seen), named[0].is_alive()) == (1, False)


def test_stopped_it_can_be_started_again_at_once(http: FaultServer, tmp_path: Path) -> None:
    of = measures(http, tmp_path)
    of.start()
    of.stop()
    of.start()
    assert not of._stopped.is_set()
    of.stop()


def test_what_an_interrupted_off_left_is_deleted_before_they_are_on_again(http: FaultServer, tmp_path: Path) -> None:
    http.script = [BUSY] * 9
    of = measures(http, tmp_path)
    of.allow()
    of.attempt(SLOW_S)
    of._note_consent(agreed=False)  # and then it was killed
    of.allow()
    assert rows_of(of.folder / "device.db", "outbox") == []


def test_values_become_answers() -> None:
    survey = compile_toml("""
id = "fitted"
title = "Fitted"
[[questions]]
id = "users"
type = "number"
text = "How many users?"
minimum = 0
maximum = 100
step = 10
epsilon = 1
[[questions]]
id = "which"
type = "any-of"
text = "Which?"
options = ["a", "b", "c"]
max_selected = 2
epsilon = 1
""")
    users, which = survey.items
    assert [fit(users, value) for value in (0, 14, 15.1, 99, 1e9, -3)] == [0, 10, 20, 100, 100, 0]
    assert fit(which, {"c", "d", "a", "b"}) == ["a", "b"]
    assert fit(which, []) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"program": "My Program"}, "program ('My Program') must be"),
        ({"days": 0}, "days (0) must be an integer in [1, 366]."),
        ({"days": None}, "starts and days must be given: the survey has 3 waves."),
        ({"max_epsilo": 3}, "max_epsilo is no option of measures"),
        ({"survey": b"id = 1"}, "survey must be a published survey"),
        ({"survey": PLUGINS.canonical.replace(b'"id":"plugins","q', b'"id":"plugins","invited":true,"q')}, "invited"),
        ({"measures": {"plugins": list}}, "measures (plugins) must be those of the survey: plugins, old."),
        ({"measures": FOUND | {"old": True}}, "each measure must be a function."),
    ],
)
def test_a_wrong_declaration_is_refused_at_once(change: dict[str, Any], said: str) -> None:
    arguments: dict[str, Any] = {
        "survey": PLUGINS.canonical,
        "measures": FOUND,
        "program": "wikid",
        "starts": TODAY,
        "days": 30,
    }
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # the message is looked at
        Measures("https://collector.example", **(arguments | change))
    assert said in str(refused.value)


def test_questions_that_are_drawn_or_asked_together_need_the_measures_of_their_items(tmp_path: Path) -> None:
    survey = compile_toml("""
id = "several"
title = "Several"
draw = 1
[[together]]
questions = ["old", "kind"]
epsilon = 1
[[questions]]
id = "old"
type = "yes-no"
text = "Is it old?"
[[questions]]
id = "kind"
type = "one-of"
text = "Which kind?"
options = ["a", "b"]
[[questions]]
id = "big"
type = "yes-no"
text = "Is it big?"
epsilon = 1
""")
    taken: list[str] = []

    def found(name: str, value: object) -> Callable[[], object]:
        return lambda: [taken.append(name), value][1]

    values = {"old": True, "kind": "b", "big": False}
    with fault_server(survey) as http:
        of = Measures(
            http.url,
            survey.canonical,
            {name: found(name, value) for name, value in values.items()},
            program="wikid",
            max_delay_s=0,
            folder=tmp_path / "wikid",
        )
        of.allow()
        of.attempt(SLOW_S)
        assert len(http.seen) == 1
    assert taken in (["old", "kind"], ["big"])
