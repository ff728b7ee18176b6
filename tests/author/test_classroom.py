"""`sotto classroom`: a room's reports move a range that is valid at every look; only the teacher sees the board."""

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import starting
from collecting import make_reports
from node import require_node, run
from sotto_author.classroom.lesson import MAX_LOOKS, check_lesson, thinned
from sotto_author.classroom.network import is_everywhere, needs_help
from sotto_author.classroom.question import lesson_toml
from sotto_author.classroom.serving import make_app
from sotto_author.errors import AuthorError
from sotto_client.cli import main
from sotto_collector.pages.release import STATIC
from sotto_collector.settings import Settings
from sotto_estimator import IntervalOptions, estimate
from sotto_protocol import Survey, compile_toml
from sotto_protocol.language import LANGUAGES
from sotto_protocol.report import batch_body

LESSON = compile_toml(lesson_toml())
KINDS = """
id = "kinds"
title = "Kinds"
[[questions]]
id = "so"
type = "yes-no"
text = "So?"
epsilon = 1
[[questions]]
id = "tea"
type = "one-of"
text = "Tea?"
options = ["green", "black", "none"]
epsilon = 3
[[questions]]
id = "name"
type = "text"
text = "Whose?"
epsilon = 2
"""


class Room:
    """A lesson without sockets: its board, as its teacher sees it, and phones."""

    def __init__(self, folder: Path, survey: Survey, reached: str = "http://127.0.0.1:8000") -> None:
        self.ended: list[bool] = []
        self.survey = survey
        settings = Settings(db=str(folder / "collector.db"))
        self.app, board = make_app(survey, settings, reached, lambda: self.ended.append(True))
        self.stranger, self.teacher = self.app.test_client(), self.app.test_client()
        self.opened = self.teacher.get(f"/classroom?key={board.key}")

    def send(self, n_reports: int) -> None:
        body = batch_body(self.survey, make_reports(n_reports, self.survey))
        sent = self.stranger.post(f"/v1/surveys/{self.survey.id}/reports", data=body, content_type="application/json")
        assert sent.status_code == 200

    def see(self, query: str = "", **headers: str) -> str:
        page = self.teacher.get(f"/classroom{query}", headers=headers)
        assert page.status_code == 200
        return page.get_data(as_text=True)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Callable[..., Room]]:
    rooms: list[Room] = []

    def make(*given: object) -> Room:
        rooms.append(Room(tmp_path, *given))  # type: ignore[arg-type]
        return rooms[-1]

    yield make
    for one in rooms:
        one.app.extensions["collector"].close()


def test_the_range_moves_in_steps_and_is_the_one_that_is_valid_at_every_look(
    room: Callable[..., Room], tmp_path: Path
) -> None:
    lesson = room(LESSON)
    step = LESSON.min_reports
    lesson.send(step - 1)
    page = lesson.see()
    assert f"{step - 1} reports." in page
    assert f"The first range needs at least this many reports: {step}." in page
    assert '<svg class="chart"' not in page
    lesson.send(1)
    first = lesson.see()
    assert first.count('class="whisker"') == 1
    lesson.send(step - 1)
    assert re.sub(r"\d+ reports\.</p>", "", lesson.see()) == re.sub(r"\d+ reports\.</p>", "", first)
    lesson.send(1)
    page = lesson.see()
    assert page.count('class="whisker"') == 2
    assert f"Reports in this range: {2 * step}." in page
    tally = lesson.app.extensions["collector"].store.read_tally(
        lesson.app.extensions["collector"].require_survey(LESSON.id)
    )
    (tmp_path / "tally.json").write_bytes(tally.to_json())
    [row] = estimate(tmp_path / "tally.json", options=IntervalOptions(method="anytime")).rows
    once = estimate(tmp_path / "tally.json").rows[0]
    assert row.high - row.low > once.high - once.low
    described = re.search(r'<desc id="looks-desc">10: ([\d.]+) % – ([\d.]+) %</desc>', page)
    assert described
    assert [float(end) for end in described.groups()] == pytest.approx([100 * row.low, 100 * row.high], abs=0.005)


def test_only_the_address_that_was_printed_opens_the_board_and_ends_the_lesson(room: Callable[..., Room]) -> None:
    lesson = room(LESSON)
    assert (lesson.opened.status_code, lesson.opened.location) == (303, "/classroom")
    assert re.search("HttpOnly.*SameSite=Strict", lesson.opened.headers["Set-Cookie"])
    for ask in (lesson.stranger.get, lesson.stranger.post):
        for path in ("/classroom", "/classroom/end", "/classroom?key=", "/classroom?key=é"):
            assert ask(path).status_code in (403, 405)
    lesson.stranger.set_cookie("sotto-classroom", "guess", path="/classroom")
    assert lesson.stranger.post("/classroom/end").status_code == 403
    assert not lesson.ended
    lesson.send(5)
    assert '<form method="post"' in lesson.see()
    with lesson.teacher.post("/classroom/end") as ended:
        said = ended.get_data(as_text=True)
    assert "The survey is closed." in said
    assert "<form" not in said
    assert lesson.ended == [True]
    with pytest.raises(AssertionError, match=r"40[39]|410"):
        lesson.send(1)


def test_the_board_loads_nothing_from_elsewhere_and_says_all_in_the_readers_language(room: Callable[..., Room]) -> None:
    lesson = room(LESSON)
    lesson.send(5)
    page = lesson.teacher.get("/classroom", headers={"Accept-Language": "ar"})
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    said = page.get_data(as_text=True)
    assert '<html lang="ar" dir="rtl">' in said
    assert LANGUAGES["ar"].gettext("A question for this room") in said
    assert not re.search(">[^<]*(phone|report|range|survey)[^<]*<", re.sub("http://[^<]*", "", said))
    assert not re.search(r'(?:src|href|action)="(?!\./|\?)', said)
    for name in re.findall(r'(?:src|href)="\./(static/[^"]+)"', said):
        assert lesson.stranger.get(f"/{name}").status_code == 200


def test_a_survey_of_a_teachers_own_shows_one_question_at_a_time(room: Callable[..., Room]) -> None:
    lesson = room(compile_toml(KINDS))
    lesson.send(3)
    assert lesson.see().count('<svg class="chart"') == 1
    tea = lesson.see("?question=tea")
    assert '<h2 id="asked" dir="auto">Tea?</h2>' in tea
    assert "green" in tea
    assert "Whose?" not in tea
    assert "It moves in steps" not in tea
    assert '<h2 id="asked" dir="auto">So?</h2>' in lesson.see("?question=nobody")


@pytest.mark.parametrize(
    ("reached", "is_said"),
    [("http://192.168.1.7:8000", True), ("http://127.0.0.1:8000", False), ("https://lecture.example", False)],
)
def test_the_survey_page_says_where_it_came_unencrypted_and_brings_its_own_hmac_only_there(
    reached: str, is_said: bool, room: Callable[..., Room]
) -> None:
    lesson = room(LESSON, reached)
    page = lesson.stranger.get(f"/s/{LESSON.id}").get_data(as_text=True)
    assert ("isn't encrypted on its way" in page) == is_said == needs_help(reached)
    assert ("static/unencrypted.js" in page) == is_said
    if is_said:
        assert page.index("unencrypted.js") < page.index('type="module"')


def test_what_browsers_do_not_lend_over_http_is_the_same_as_everybodys(tmp_path: Path) -> None:
    """SHA-256 and HMAC of lengths about a block's, held against Python's."""
    script = """
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
const crypto = {};
runInNewContext(readFileSync(process.argv[1], "utf8"), { crypto });
const hex = (buffer) => Buffer.from(new Uint8Array(buffer)).toString("hex");
const found = [];
for (const n of [0, 1, 55, 56, 63, 64, 65, 119, 120, 300]) {
  const message = Uint8Array.from({ length: n }, (_, at) => (7 * at + n) % 256);
  found.push(hex(await crypto.subtle.digest("SHA-256", message)));
  const key = await crypto.subtle.importKey("raw", message);
  found.push(hex(await crypto.subtle.sign("HMAC", key, message)));
}
console.log(JSON.stringify(found));
"""
    command = [require_node(), "--input-type=module", "-e", script, str(STATIC / "unencrypted.js")]
    expected = []
    for n in (0, 1, 55, 56, 63, 64, 65, 119, 120, 300):
        message = bytes((7 * at + n) % 256 for at in range(n))
        expected += [hashlib.sha256(message).hexdigest(), hmac.new(message, message, "sha256").hexdigest()]
    assert json.loads(run(command, timeout_s=60)) == expected


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"invited": True}, "asks for invitations"),
        ({"invited": True, "strata": ("a", "b")}, "asks for invitations"),
        ({"questions": compile_toml(KINDS).questions[2:]}, "has text questions only"),
    ],
)
def test_a_survey_that_no_room_can_answer_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(AuthorError, match=said):
        check_lesson(replace(LESSON, **change))  # type: ignore[arg-type]


def test_the_question_is_in_every_language_of_the_product_and_complete() -> None:
    assert set(LESSON.languages) == set(LANGUAGES)
    assert len({LESSON.words(tag).questions["answer"].text for tag in LANGUAGES}) == len(LANGUAGES)


def test_of_many_looks_the_first_and_the_last_stay() -> None:
    looks: list[int] = []
    for look in range(1000):
        looks = [*thinned(looks), look]  # type: ignore[arg-type, list-item]
        assert len(looks) <= MAX_LOOKS
        assert (looks[0], looks[-1]) == (0, look)
        assert looks == sorted(set(looks))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--lan", "--host", "10.0.0.1"], "--lan and --host cannot be used together"),
        (["--host", "0.0.0.0"], "is no address that a phone can open"),  # noqa: S104  # refused
        (["--folder", "."], "must be new"),
        (["--host", "no.such.host.example"], "no.such.host.example"),
        (["missing.toml"], "missing.toml: No such file"),
    ],
)
def test_a_wrong_start_is_refused_in_a_line(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = CliRunner().invoke(main, ["classroom", "--port", "0", *options])
    assert ended.exit_code == 1
    assert said in ended.output
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(("host", "expected"), [("0.0.0.0", True), ("::", True), ("10.0.0.1", False), ("here", False)])  # noqa: S104  # told apart
def test_an_address_that_means_all_addresses_is_known(host: str, expected: bool) -> None:
    assert is_everywhere(host) == expected


def test_a_lesson_of_too_few_reports_ends_without_a_result(tmp_path: Path) -> None:
    command = [starting.SOTTO, "classroom", "--port", "0", "--folder", tmp_path / "kept", "--seconds", "1"]
    ended = starting.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert lines[0].startswith("survey  http://127.0.0.1:")
    assert "Only this machine can open these pages. With --lan phones can, too." in lines
    assert lines[-1].startswith("Too few reports came for a result.")
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {"collector.db", "survey.toml"}
