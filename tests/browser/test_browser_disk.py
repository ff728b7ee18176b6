"""What every engine writes to the disk of answers: nothing, before they are sent, after, and once it was quit."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from asked import HABITS
from asking_pages import AskingPage, serve_pages
from chromium import TIMEOUT_MS
from collecting import serve
from engines import ENGINES, Tab, engines
from kept import form_states, read_folder
from own_site import site_of

FIELDS = """
<input type="radio" name="control-{0}-radio" id="control-{0}-radio" value="r" {1}>
<input type="checkbox" name="control-{0}-box" id="control-{0}-box" {1}>
<input name="control-{0}-text" id="control-{0}-text" {1}>
<textarea name="control-{0}-area" id="control-{0}-area" {1}></textarea>
<select name="control-{0}-list" id="control-{0}-list" {1}><option>one<option value="two">two</select>"""
CONTROL = f"""<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Unguarded</title>
{FIELDS.format("plain", "")} {FIELDS.format("field", "autocomplete=off")}
<form method="dialog" autocomplete="off">{FIELDS.format("form", "")}</form>"""
"""A page whose fields say nothing, or they alone do, or their form alone does: what is written of these."""
KINDS = ("radio", "box", "text", "area", "list")
WRITTEN = {
    "firefox": {"field": {"radio", "box"}, "form": {"area", "list"}},
    "chromium": {"field": set(), "form": set()},
    "webkit": {"field": {"area", "list"}, "form": set()},
}
"""As docs/client-js.md has it: what is written of a field that says autocomplete="off", and of one whose form does."""
WRITES_WHEN_QUIT = "webkit"
"""The engine that writes a session when it is quit, and until then nothing of any field."""
CLOCK_S = 1.0
"""So far behind may the clock of files be."""
_HEAD_CHARS = 150
"""A form's state names its first field within so many."""


@dataclass
class Disk:
    """What was found on the disk of one browser that answered on every page, by moment."""

    engine: str
    pages: list[AskingPage]
    states: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def look(self, moment: str, folder: Path) -> None:
        self.files[moment] = read_folder(folder)
        self.states[moment] = form_states(self.files[moment])


def leave_control(tab: Tab, url: str) -> None:
    """Answer on the page that is not guarded, as on all others."""
    tab.goto(f"{url}/control.html")
    for guard in ("plain", "field", "form"):
        for kind in ("radio", "box"):
            tab.click(f"#control-{guard}-{kind}")
        tab.choose(f"#control-{guard}-list", "two")
        for kind in ("text", "area"):
            tab.type(f"#control-{guard}-{kind}", f"{kind} in the control")
    tab.run("() => { location.hash = 'below'; }")


def settle(control: Tab, folder: Path, word: str) -> None:
    """Wait until what was done in pages is on the disk: until a word is that stands in the control's page after it."""
    before_s = time.time() - CLOCK_S
    control.type("#control-plain-text", word)
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while not any(word in state for state in form_states(read_folder(folder, since_s=before_s))):
        assert time.monotonic() < deadline, f"{word} is not written"
        time.sleep(0.2)


def go_through(first: Tab, control_url: str, disk: Disk, folder: Path) -> None:
    """Answer on every page and send, and look at the disk between."""
    leave_control(first, control_url)
    tabs = [first.beside() for _ in disk.pages]
    for moment, step in (("answered", AskingPage.answer), ("sent", AskingPage.send)):
        for page, tab in zip(disk.pages, tabs, strict=True):
            step(page, tab)
        settle(first, folder, moment)
        disk.look(moment, folder)


def go_page_by_page(tab: Tab, control_url: str, disk: Disk, folder: Path, *, is_sending: bool) -> None:
    """Answer on every page, and send or not, in the one tab there is; look at the disk before it is quit."""
    leave_control(tab, control_url)
    for page in disk.pages:
        page.answer(tab)
        if is_sending:
            page.send(tab)
    disk.look("sent" if is_sending else "answered", folder)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[AskingPage]]:
    """Pages that ask, and a collector of their own."""
    folder = tmp_path_factory.mktemp("pages")
    with serve(folder / "survey.db", survey=HABITS) as collector, serve_pages(collector, folder) as served:
        yield served


@pytest.fixture(scope="module", params=engines("firefox"))
def disk(request: pytest.FixtureRequest, pages: list[AskingPage], tmp_path_factory: pytest.TempPathFactory) -> Disk:
    """The disk of an engine in which somebody answered on every page."""
    folder, disk = tmp_path_factory.mktemp(request.param) / "profile", Disk(request.param, pages)
    with site_of({"/control.html": CONTROL.encode()}) as control_url:
        if request.param != WRITES_WHEN_QUIT:
            with ENGINES[request.param](folder) as first:
                go_through(first, control_url, disk, folder)
            disk.look("sent, and quit", folder)
            return disk
        for moment in ("answered", "sent"):
            folder = tmp_path_factory.mktemp(moment) / "profile"
            with ENGINES[request.param](folder) as tab:
                go_page_by_page(tab, control_url, disk, folder, is_sending=moment == "sent")
            disk.look(f"{moment}, and quit", folder)
    return disk


@pytest.mark.rare
def test_fields_are_found_on_the_disk_where_they_say_too_little(disk: Disk) -> None:
    """Of every kind, at every moment at which an engine writes: so it is looked where answers would be."""
    expected = {f"control-plain-{kind}" for kind in KINDS}
    expected |= {f"control-{guard}-{kind}" for guard, kinds in WRITTEN[disk.engine].items() for kind in kinds}
    for moment, states in disk.states.items():
        is_written = disk.engine != WRITES_WHEN_QUIT or moment.endswith("quit")
        found = {name for state in states for name in re.findall(r"control-[a-z]+-[a-z]+", state)}
        assert found == (expected if is_written else set()), moment


def test_no_answer_is_in_what_an_engine_restores(disk: Disk) -> None:
    for moment, states in disk.states.items():
        assert [state for state in states if "control-" not in state[:_HEAD_CHARS]] == [], moment


def test_no_word_that_was_typed_is_in_any_file(disk: Disk) -> None:
    for moment, files in disk.files.items():
        for word in [word for page in disk.pages for word in page.words()]:
            forms = (word.encode(), word.encode("utf-16-le"))
            assert [name for name, content in files.items() if any(form in content for form in forms)] == [], moment
