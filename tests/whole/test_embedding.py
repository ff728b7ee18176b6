"""docs/embedding.md shows its examples as they are; those in Python do what it says, against a real collector."""

import gc
import importlib
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser.asked import wait_for_reports

import starting
from collecting import TIMEOUT_S, Served, serve
from console import blocks
from embedded import CANARY, CHOSEN, EXAMPLES, LUNCH, assert_is_noise, forms_in
from sotto_protocol.explain import explain
from wire import Wire, wire_to

Load = Callable[[str], Any]
ANSWERS = {"expensed": True, "cuisine": CHOSEN, "place": CANARY}
CLIENT_JS = EXAMPLES.parents[1] / "client" / "js"
DOCUMENT = EXAMPLES.parent / "embedding.md"
LANGUAGES = {".toml": "toml", ".py": "python", ".js": "js", ".html": "html", ".tsx": "tsx", ".vue": "vue"}


def test_document_shows_examples_as_they_are_and_leads_to_the_others() -> None:
    paths = [path for path in EXAMPLES.rglob("*") if path.suffix in LANGUAGES and ".min." not in path.name]
    there = {(LANGUAGES[path.suffix], path.read_text()): path for path in paths}
    shown = [block for block in blocks(DOCUMENT) if block[0] in LANGUAGES.values()]
    assert [block for block in shown if block not in there] == []
    hidden = set(paths) - {there[block] for block in shown}
    linked = {DOCUMENT.parent / target for target in re.findall(r"\]\((examples/[^)]+)\)", DOCUMENT.read_text())}
    assert hidden == linked


def test_examples_pin_the_fingerprint_of_their_survey() -> None:
    texts = [
        path.read_text() for path in EXAMPLES.rglob("*.*") if path.suffix in LANGUAGES and ".min." not in path.name
    ]
    pinned = {fingerprint for text in texts for fingerprint in re.findall(r"\b[0-9a-f]{64}\b", text)}
    assert pinned == {LUNCH.fingerprint}


def test_document_has_the_policy_of_the_flask_app(load: Load) -> None:
    app = load("flask_app").create_app("https://collector.example")
    header = app.test_client().get("/").headers["Content-Security-Policy"]
    assert f"Content-Security-Policy: {header}\n" in DOCUMENT.read_text()


def test_reference_of_the_javascript_client_names_all_that_there_is() -> None:
    names = ("src/client.js", "src/options.js", "sottovoce.js")
    source, chosen, exported = ((CLIENT_JS / name).read_text() for name in names)
    options = re.findall(r"@property \{[^}]+\} \[(\w+)\]", chosen)
    members = set(re.findall(r"^  (?:async )?([a-z]\w+)\(", source, re.MULTILINE)) - {"constructor"}
    errors = re.findall(r"^  ([A-Z]\w+),$", exported, re.MULTILINE)
    assert min(len(options), len(members), len(errors)) > 8
    reference = (DOCUMENT.parent / "client-js.md").read_text()
    missing = [name for name in [*options, *members, *errors] if not re.search(rf"^\|.*`{name}[`(]", reference, re.M)]
    assert missing == []


@pytest.fixture
def collector(tmp_path: Path) -> Iterator[Served]:
    with serve(tmp_path / "collector.db", survey=LUNCH) as served:
        yield served


@pytest.fixture
def wire(collector: Served) -> Iterator[Wire]:
    with wire_to(collector.port) as laid:
        yield laid


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Import an example, as the others do."""
    monkeypatch.syspath_prepend(EXAMPLES)
    yield importlib.import_module
    for path in EXAMPLES.glob("*.py"):
        sys.modules.pop(path.stem, None)


def receipt_in(said: str) -> str:
    found = re.search(r"Your receipt: ([0-9a-f]{32})$", said)
    assert found, said
    return found[1]


def assert_only_noise_is_in(wire: Wire, folder: Path) -> None:
    """Hold that reports were sent, and that no answer is in what was sent, nor in any file of a folder."""
    assert wire.posts()
    for post in wire.posts():
        assert_is_noise(json.loads(post.body))
    kept = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert any(LUNCH.fingerprint.encode() in content for content in kept)  # it was looked where something is
    for written in [*wire.received(), *kept]:
        assert forms_in(written, CANARY) == []
    for written in wire.received():
        assert forms_in(written, CHOSEN) == []


def test_own_machine_remembers_that_it_has_answered(collector: Served, wire: Wire, load: Load, tmp_path: Path) -> None:
    asking = load("asking")
    said = []
    for answers in (ANSWERS, ANSWERS | {"expensed": False}):
        machine = asking.OwnMachine(wire.url, tmp_path / "lunch.db")
        said.append(asking.answer(machine.next_device(), answers))
        assert machine.close() == 0
    assert said[1].startswith("This device has answered before.")
    assert receipt_in(said[0]) == receipt_in(said[1])
    wait_for_reports(collector, LUNCH, receipt_in(said[0]))
    assert_only_noise_is_in(wire, tmp_path)


def test_kiosk_gives_everybody_a_device_of_their_own_and_keeps_nothing(
    collector: Served, wire: Wire, load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name in ("HOME", "XDG_STATE_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.chdir(home)
    asking = load("asking")
    kiosk = asking.Kiosk(wire.url)
    receipts = [receipt_in(asking.answer(kiosk.next_device(), ANSWERS)) for _ in range(3)]
    assert kiosk.close() == 0
    wait_for_reports(collector, LUNCH, *receipts)
    assert list(home.iterdir()) == []
    assert_only_noise_is_in(wire, tmp_path)


def test_kiosk_holds_what_waits_and_says_how_many_reports_end_with_it(wire: Wire, load: Load) -> None:
    asking = load("asking")
    kiosk = asking.Kiosk(wire.url)
    for _ in range(2):
        device = kiosk.next_device()
        assert device.survey == LUNCH
        wire.cut()
        asking.answer(device, ANSWERS)
        wire.mend()
    assert kiosk.close() == 0
    kiosk = asking.Kiosk(wire.url)
    device = kiosk.next_device()
    assert device.survey == LUNCH
    wire.cut()
    asking.answer(device, ANSWERS)
    assert kiosk.close() == 1


def test_interviews_need_no_network_and_are_forgotten_once_all_are_delivered(
    collector: Served, wire: Wire, load: Load, tmp_path: Path
) -> None:
    asking, interviews = load("asking"), load("interviews")
    places = tmp_path / "places"
    interviews.make_ready(wire.url, places, 4)
    wire.cut()
    receipts = []
    for number in (1, 3):
        machine = asking.OwnMachine(wire.url, places / f"{number:03}.db")
        receipts.append(receipt_in(asking.answer(machine.next_device(), ANSWERS)))
        machine.close()
    assert interviews.deliver(wire.url, places) == [places / "001.db", places / "003.db"]
    assert len(list(places.glob("*.db"))) == 4
    assert_only_noise_is_in_files(places)
    wire.mend()
    assert interviews.deliver(wire.url, places) == []
    assert list(places.iterdir()) == []
    wait_for_reports(collector, LUNCH, *receipts)
    assert_only_noise_is_in(wire, tmp_path)


def assert_only_noise_is_in_files(folder: Path) -> None:
    for path in folder.iterdir():
        assert forms_in(path.read_bytes(), CANARY) == []


def test_interviews_are_made_ready_and_delivered_from_the_command_line(collector: Served, tmp_path: Path) -> None:
    def run(*words: str) -> str:
        command = [sys.executable, str(EXAMPLES / "interviews.py"), *words]
        return starting.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT_S).stdout

    places = str(tmp_path / "places")
    assert run("ready", collector.url, places, "2") == "1 Lunch at work\n2 Lunch at work\n"
    assert run("deliver", collector.url, places) == ""
    assert list((tmp_path / "places").iterdir()) == []


@contextmanager
def screen() -> Iterator[str]:
    """Start a screen that nobody sees; yield its name."""
    path = shutil.which("Xvfb") or pytest.skip("no Xvfb (Debian: apt-get install xvfb)")
    words = [path, "-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"]
    process = starting.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        yield f":{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.communicate(timeout=TIMEOUT_S)


@pytest.mark.thorough
def test_window_of_the_kiosk_asks_one_respondent_after_the_other(collector: Served, wire: Wire, load: Load) -> None:
    tk = pytest.importorskip("tkinter", reason="no tkinter (Debian: apt-get install python3-tk)", exc_type=ImportError)
    kiosk = load("asking").Kiosk(wire.url)
    with screen() as name, collected_here():
        receipts = ask_two(tk.Tk(screenName=name), kiosk, load("window").Window)
    assert kiosk.close() == 0
    wait_for_reports(collector, LUNCH, *receipts)


@contextmanager
def collected_here() -> Iterator[None]:
    """Let what the block leaves be collected in this thread: Tk ends the process if its own is in another."""
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.enable()


def ask_two(root: Any, kiosk: Any, open_window: Callable[[Any, Any], Any]) -> list[str]:
    """Let two respondents answer in the window; return their receipts."""
    try:
        open_window(root, kiosk)
        receipts = [ask_in(root) for _ in range(2)]
        assert_begins_anew(root, kiosk)
        return receipts
    finally:
        root.destroy()


def ask_in(root: Any) -> str:
    """Answer in the window, as a respondent does; go on, and return the receipt."""
    root.update()
    (entry,) = widgets(root, "TEntry")
    assert entry.get() == ""
    assert next(label["text"] for label in widgets(root, "TLabel")) == explain(LUNCH).protected_little != ""
    for button in widgets(root, "TRadiobutton"):
        assert not button.instate(["selected"])
        if button["text"] in ("yes", CHOSEN):
            button.invoke()
    press(root, "Send")  # nothing in the text field: it may be left out
    said = " ".join(label["text"] for label in widgets(root, "TLabel"))
    assert widgets(root, "TEntry") == []
    press(root, "Go on")
    return receipt_in(said)


def assert_begins_anew(root: Any, kiosk: Any) -> None:
    """Hold that what was typed goes where nobody touches the machine any more."""
    kiosk.idle_s = 1
    (entry,) = widgets(root, "TEntry")
    entry.insert(0, CANARY)
    entry.event_generate("<Button>")
    deadline = time.monotonic() + TIMEOUT_S
    while any(entry.get() for entry in widgets(root, "TEntry")):
        assert time.monotonic() < deadline
        root.update()


def press(root: Any, text: str) -> None:
    (button,) = (button for button in widgets(root, "TButton") if button["text"] == text)
    button.invoke()
    root.update()


def widgets(parent: Any, kind: str) -> list[Any]:
    """Return all widgets of a kind that a window holds."""
    children = parent.winfo_children()
    return [child for child in children if child.winfo_class() == kind] + [
        found for child in children for found in widgets(child, kind)
    ]
