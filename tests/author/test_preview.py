"""`sotto preview` shows a survey file as a page and its results as they will be, and leaves nothing behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner

import starting
from collecting import STRINGS, SURVEY, TIMEOUT_S
from devices import HABITS, LUNCH, PAIRS, PULSE
from sotto_author.made_up import made_up_records
from sotto_client.cli import main
from sotto_protocol import Survey, Tally, compile_toml

STAFF = """
id = "staff"
title = "How we work"
invited = true
people = 40
[[questions]]
id = "harassed"
type = "yes-no"
text = "Have you been harassed?"
epsilon = 2
"""
EVERYTHING = """
id = "everything"
title = "Everything"
draw = 3
[[questions]]
id = "often"
type = "one-of"
text = "How often?"
options = ["never", "once", "often"]
epsilon = 1
[[questions]]
id = "which"
type = "any-of"
text = "Which?"
options = ["a", "b", "c"]
max_selected = 2
epsilon = 1
[[questions]]
id = "hours"
type = "number"
text = "How long?"
minimum = -0.5
maximum = 2
step = 0.5
epsilon = 1
[[questions]]
id = "what"
type = "text"
text = "What?"
epsilon = 1
"""


@contextmanager
def previewing(path: Path, *options: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Yield where a real `sotto preview` serves a file, and its process, whose temporary files are in path's folder."""
    (path.parent / "tmp").mkdir(exist_ok=True)
    environment = os.environ | {"TMPDIR": str(path.parent / "tmp")}
    command = [starting.SOTTO, "preview", path, *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with starting.Popen(command, **pipes, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(3)]
            assert lines[0].startswith("survey   http://127.0.0.1:"), process.communicate()
            yield lines[0].split()[1].rstrip("/"), process
        finally:
            process.kill()


def get(url: str) -> requests.Response:
    return requests.get(url, timeout=TIMEOUT_S, headers={"Accept": "text/html"})


@pytest.fixture
def staff(tmp_path: Path) -> Path:
    path = tmp_path / "staff.toml"
    path.write_text(STAFF)
    return path


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP], ids=str)
def test_nothing_is_left_however_it_is_ended(staff: Path, end: signal.Signals) -> None:
    with previewing(staff) as (url, process):
        assert get(url + "/").status_code == 200
        process.send_signal(end)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")
    assert sorted(path.name for path in staff.parent.rglob("*")) == ["staff.toml", "tmp"]


def test_the_page_is_that_of_a_draft_and_results_are_of_made_up_people(staff: Path) -> None:
    with previewing(staff) as (url, process):
        page = get(url + "/")
        assert page.status_code == 200
        assert "Have you been harassed?" in page.text
        assert "This is a draft for you to try. Nothing that you answer is sent or kept." in page.text
        results = get(url + "/results")
        assert results.status_code == 200
        assert "Made-up reports: How we work" in results.text
        assert "harassed" in results.text
        answer = {"id": "0" * 32, "answers": {"harassed": True}}
        sent = requests.post(f"{url}/v1/surveys/staff/reports", json={"reports": [answer]}, timeout=TIMEOUT_S)
        assert sent.status_code in (404, 405)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")
    assert sorted(path.name for path in staff.parent.rglob("*")) == ["staff.toml", "tmp"]


def test_a_file_that_is_changed_is_read_again_and_a_fault_is_said_in_its_place(staff: Path) -> None:
    with previewing(staff) as (url, _):
        old = get(url + "/").url
        for text, said in (
            (STAFF.replace("How we work", "How you work"), "How you work"),
            (STAFF.replace('"yes-no"', '"maybe"'), "Mend the file, and load the page again."),
            (STAFF.replace("How we work", "At work"), "At work"),
        ):
            rewrite(staff, text)
            assert said in get(url + "/").text
        assert "At work" in get(old).text
        assert "Made-up reports: At work" in get(url + "/results").text


def test_the_language_that_is_asked_for_is_that_of_the_page_and_of_the_results(tmp_path: Path) -> None:
    path = tmp_path / "two.toml"
    two = STAFF.replace('title = "How we work"', 'title.en = "How we work"\ntitle.ar = "كيف نعمل"')
    path.write_text(two.replace('text = "Have', 'text.ar = "هل تعرضت للتحرش؟"\ntext.en = "Have'))
    with previewing(path) as (url, _):
        for place in ("/", "/results"):
            page = get(f"{url}{place}?lang=ar")
            assert '<html lang="ar" dir="rtl"' in page.text
            assert "كيف نعمل" in page.text
            assert "هل تعرضت للتحرش؟" in page.text
            assert "How we work" not in page.text
            assert '<html lang="en"' in get(url + place).text
        assert get(f"{url}/?lang=ar").text.count("?lang=en&amp;preview=") == 1


def rewrite(path: Path, text: str) -> None:
    """Write a file so that its time differs, however coarse the clock of the file system is."""
    before = path.stat().st_mtime_ns
    path.write_text(text)
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_so_many_seconds_are_enough_for_a_script(staff: Path) -> None:
    began = time.monotonic()
    with previewing(staff, "--seconds", "1") as (_, process):
        assert process.wait(timeout=60) == 0
    assert time.monotonic() - began >= 1
    assert list((staff.parent / "tmp").iterdir()) == []


@pytest.mark.parametrize(
    "survey",
    [SURVEY, STRINGS, LUNCH, PULSE, HABITS, PAIRS, compile_toml(EVERYTHING)],
    ids=lambda one: f"{one.id}-{len(one.questions)}",
)
def test_people_are_made_up_for_every_type_of_question(survey: Survey) -> None:
    records = made_up_records(survey, 50)
    assert Tally.of(survey, records).n_reports == 50


def test_likely_answers_come_first() -> None:
    """Among 2,000 without noise to speak of: the first of three options has 6/11 of them, +- 6 deviations (2e-9)."""
    survey = compile_toml(EVERYTHING.replace("draw = 3\n", "").replace("epsilon = 1\n", "epsilon = 20\n"))
    records = made_up_records(survey, 2000)
    first = Tally.of(survey, records).support_counts["often"].reshape(-1)[0]
    assert abs(int(first) - 2000 * 6 / 11) < 6 * (2000 * 6 / 11 * 5 / 11) ** 0.5


def test_a_port_that_is_taken_is_said_in_one_line(staff: Path) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = CliRunner().invoke(main, ["preview", str(staff), "--port", str(port)])
    assert result.exit_code == 1
    assert re.fullmatch(r"Error: cannot listen on 127\.0\.0\.1:\d+: Address already in use\.\n", result.stderr)


@pytest.mark.parametrize(
    ("text", "said"), [(None, "No such file"), ("id = ", "must be TOML"), ("", "$.id: is missing")]
)
def test_a_file_that_is_no_survey_is_named(tmp_path: Path, text: str | None, said: str) -> None:
    path = tmp_path / "none.toml"
    if text is not None:
        path.write_text(text)
    result = CliRunner().invoke(main, ["preview", str(path)])
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr


def test_without_the_collector_it_says_what_to_install(staff: Path) -> None:
    script = "import sys; sys.modules['flask'] = None; from sotto_client.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", script, "preview", str(staff)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "Error: sotto preview needs: pip install 'sottovoce[collector]'\n"
