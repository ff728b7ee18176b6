"""The tutorials work as they stand: their commands run, and a browser and R find what they need."""

import csv
import json
import math
import re
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha384
from pathlib import Path

import pytest
import requests
from test_newcomer import INSTALL, MOST_COMMANDS

from console import DOCUMENTED_URL, Console, blocks
from r import run_r
from sotto_protocol.survey_source import load_toml

pytestmark = pytest.mark.thorough  # every command of it is a process, and has tests of its own

ROOT = Path(__file__).parents[2]
STAFF, WEB, FROM_R, TWO, FORMS = (
    ROOT / "docs" / f"tutorial-{name}.md" for name in ("staff", "web", "r", "two-operators", "forms")
)
ORIGIN = "http://127.0.0.1:8080"
ACTIVATE = ". .venv/bin/activate"


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Console]:
    terminal = Console(tmp_path)
    yield terminal
    terminal.close()


def typed_in(tutorial: Path) -> list[str]:
    """Return the commands that a reader types: those of the shell, and of the sessions."""
    shell = [line for language, text in blocks(tutorial) if language == "sh" for line in text.splitlines()]
    sessions = "".join(text for language, text in blocks(tutorial) if language == "console")
    return [*shell, *re.findall(r"^\$ (.*)$", sessions, re.MULTILINE)]


@pytest.mark.rare  # a third whole tutorial: `test_docs.py` and `test_install_page.py` type the others
def test_a_staff_survey_takes_twelve_commands_at_most_from_nothing_to_its_results(console: Console) -> None:
    commands = typed_in(STAFF)
    assert commands[: len(INSTALL) + 1] == [*INSTALL, ACTIVATE]
    assert len(commands) == 12 <= MOST_COMMANDS, commands
    assert "Twelve commands lead" in STAFF.read_text()
    assert "from nothing to results, in twelve commands" in (STAFF.parent / "README.md").read_text()
    console.run_document(STAFF)
    written = (console.folder / "draft.toml").read_text()
    first, harassed, _, unpaid = re.split(
        r"(?=\[\[questions\]\])", re.sub(r"^# (?=contr|cont)", "", written, flags=re.MULTILINE)
    )
    by_hand = {"controller": "The works council", "contact": "council@example.org"}
    assert load_toml(first + harassed + unpaid) | by_hand == load_toml((console.folder / "staff.toml").read_text())
    (shuffle,) = re.findall(r"`(tail [^`]*)`", STAFF.read_text())
    subprocess.run(["sh", "-c", shuffle], cwd=console.folder, check=True)
    with (console.folder / "invitations.csv").open(newline="") as file:
        made = [row["page"] for row in csv.DictReader(file)]
    links = (console.folder / "links.txt").read_text().split("\n")
    assert sorted(links) == sorted([*made, ""])
    assert links[:-1] != made


def test_a_form_of_another_program_takes_eight_commands_to_its_results(console: Console) -> None:
    commands = [command for command in typed_in(FORMS) if not command.startswith("cat ")]
    assert re.findall(r"type `(python [^`]*)`", FORMS.read_text()) == ["python answer.py"]
    assert len(commands) + 1 == 8
    assert "Eight\ncommands" in FORMS.read_text()
    console.run_document(FORMS)


def test_the_mail_promises_what_the_survey_holds(console: Console) -> None:
    (toml,) = (text for language, text in blocks(STAFF) if language == "toml")
    (console.folder / "staff.toml").write_text(toml)
    explained = " ".join(console.run_command("sotto explain staff.toml").split())
    mail = re.sub(r"\n> ?", " ", STAFF.read_text())
    for said, promised in [
        ("By chance, 11 of every 100 people who say no also send yes.", "11 of 100 people who answer no send yes too"),
        ("Someone who was 10 % sure can become at most 46 % sure (rounded up).", "at most 46 % sure"),
        ("picked at random. It picks once", "picks one of two questions at random"),
        ("no counts of fewer than 20 reports", "with fewer than 20 answers has none"),
    ]:
        assert (said in explained, promised in mail) == (True, True), said
    checked = console.run_command("sotto check staff.toml").splitlines()
    [shown] = re.findall(
        r"^\$ sotto check staff.toml\n\.\.\n(.+?)\n(?:\.\.|```)$", STAFF.read_text(), re.MULTILINE | re.DOTALL
    )
    assert set(shown.splitlines()) <= set(checked)
    assert any(" 57 reports are enough in 19 of 20 surveys" in line for line in checked)
    assert "57 are enough in 19 of 20 surveys" in " ".join(mail.split())


def test_a_page_that_follows_the_tutorial_may_ask_and_no_other(console: Console) -> None:
    console.run_document(WEB)
    (html,) = (text for language, text in blocks(WEB) if language == "html")
    (source,) = re.findall(r'src="([^"]+)"', html)
    script = requests.get(source.replace(DOCUMENTED_URL, console.url), headers={"Origin": ORIGIN}, timeout=30)
    assert script.headers["Access-Control-Allow-Origin"] == "*"
    hashed = f"sha384-{b64encode(sha384(script.content).digest()).decode()}"
    (program,) = (text for language, text in blocks(WEB) if language == "python" and "sha384" in text)
    assert console.run(["python", "-c", program.replace(DOCUMENTED_URL, console.url)]).strip() == hashed
    (element,) = re.findall(r"<sotto-survey ([^>]*)>", html)
    settings = (ROOT / "client" / "js" / "component" / "settings.js").read_text()
    assert all(f'"{name}"' in settings for name in re.findall(r'([a-z-]+)="', element))
    faults = (ROOT / "client" / "js" / "form" / "faults.js").read_text()
    assert all(f't("{words}")' in faults for words in re.findall(r'^\| "(.+?)" \|', WEB.read_text(), re.MULTILINE))
    asked = f"{console.url}/v1/surveys/page"
    allowed = [
        requests.get(asked, headers={"Origin": origin}, timeout=30).headers.get("Access-Control-Allow-Origin")
        for origin in (ORIGIN, "http://127.0.0.1:8081")
    ]
    assert allowed == [ORIGIN, None]


def test_two_operators_get_a_survey_of_which_neither_can_tell_who_said_what(console: Console) -> None:
    console.run_document(TWO)
    said = console.run_command(f"sotto status {DOCUMENTED_URL} --token sotto_admin_.. --interval-s 0 --json")
    assert json.loads(said)["surveys"][0]["n_reports"] == 40


OF_R = """
design <- sotto_design("reports.sav", "tally.json")
means <- svymean(~paid_yes + dish_salad, design)
cat(toJSON(list(shares = shares$share, tally = sotto_tally("tally.json"), share = (reported - b) / (a - b),
  means = as.vector(coef(means)), errors = as.vector(SE(means)), same = all.equal(
    svymean(~paid_yes, sotto_design("reports.csv", "tally.json")), svymean(~paid_yes, design), tolerance = 1e-12),
  contrast = as.vector(SE(svycontrast(dish, c(salad = 1, canteen = -1)))), reports = nrow(reports),
  together = together$share, dish = levels(haven::as_factor(labelled$reported_dish))),
  digits = NA, auto_unbox = TRUE))
"""
"""What the lines of R have found, as JSON; and by more of sotto.R."""


def test_r_finds_every_column_and_member_that_it_reads_and_our_figures(console: Console) -> None:
    """Without R all but the last part, and it is skipped then."""
    console.run_document(FROM_R)
    code = "".join(text for language, text in blocks(FROM_R) if language == "r")
    printed = console.run_command(f"sotto estimate {DOCUMENTED_URL} lunch --csv")
    shares = [*csv.DictReader(printed.splitlines())]
    columns, *_, of_together = (
        re.findall(r'"([\w.]+)"', named) for named in re.findall(r"\bc\((\"answer.*?)\)\]", code)
    )
    assert {*columns, "question", "level", "method", "target"} <= shares[0].keys()
    with (console.folder / "together.csv").open(newline="") as file:
        assert {*of_together} <= {name.replace(" ", ".") for name in next(csv.reader(file))}  # as R names them
    tally = json.loads((console.folder / "tally.json").read_text())
    paid = tally["survey"]["questions"][0]
    a, b = (paid["mechanism"][name] / 2**32 for name in re.findall(r"paid\$mechanism\$(\w+)", code))
    reported = tally["support_counts"]["paid"][0] / tally["n_reports"]
    assert (reported - b) / (a - b) == pytest.approx(float(shares[0]["share"]), abs=1e-12)
    with (console.folder / "reports.csv").open(newline="") as file:
        reports = [*csv.DictReader(file)]
    assert {*re.findall(r"\breports\$(\w+)", code)} == {*reports[0]} == {"reported_paid", "reported_dish"}
    assert [row["reported_paid"] for row in reports].count("yes") / len(reports) == reported
    assert {row["reported_dish"] for row in reports} <= {"sandwich", "salad", "canteen"}
    shutil.copy(ROOT / "docs" / "examples" / "sotto.R", console.folder)
    found = json.loads(run_r(f"sink('printed.txt')\n{code}\nsink()\n{OF_R}", console.folder))
    of_csv = {row["answer"]: (float(row["share"]), float(row["standard_error"])) for row in shares}
    assert found["shares"] == pytest.approx([share for share, _ in of_csv.values()], abs=1e-12)
    assert [(row["share"], row["standard_error"]) for row in found["tally"]] == [
        pytest.approx(row, abs=1e-12) for row in of_csv.values()
    ]
    assert found["means"] == pytest.approx([of_csv[answer][0] for answer in ("yes", "salad")], abs=1e-12)
    assert found["errors"] == pytest.approx(
        [of_csv[answer][1] * math.sqrt(200 / 199) for answer in ("yes", "salad")], abs=1e-12
    )
    assert (found["same"], found["reports"], found["share"]) == (True, 200, pytest.approx(of_csv["yes"][0], abs=1e-12))
    (covariances,) = json.loads((console.folder / "shares.json").read_text())["covariances"]
    (_, _, _), (_, salad, with_canteen), (_, _, canteen) = covariances["matrix"]
    assert found["contrast"] == pytest.approx(math.sqrt(salad + canteen - 2 * with_canteen), abs=1e-12)
    assert found["dish"] == ["sandwich", "salad", "canteen"]
