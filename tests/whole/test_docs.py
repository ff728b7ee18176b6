"""The documentation is true: its examples run, its lists are complete."""

import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import cache, reduce
from pathlib import Path

import click
import pytest

from commands import LEAVES, examples_of
from console import DOCUMENTED_URL, Console, blocks
from sotto_client import os_coins
from sotto_client.verdict import _REFUSING, SURVEY_UNKNOWN
from sotto_collector.api.administration import MAX_LABEL, MAX_ORIGINS
from sotto_collector.api.openapi import OPERATIONS
from sotto_collector.settings import SETTINGS
from sotto_collector.store import Store
from sotto_collector.store.retention import erase_due
from sotto_estimator.sources.records import save_records
from sotto_protocol import Survey, Tally, __version__, compile_toml, problem
from sotto_protocol.invitation import MAX_INVITATIONS, MAX_REVOKED
from sotto_protocol.places import PLACES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), ROOT / "client" / "js" / "README.md", *sorted(DOCS.glob("*.md"))]
MAX_CELL, MAX_LINE = 200, 100

LUNCH = """
id = "my-survey"
title = "Lunch"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
[[questions]]
id = "dish"
type = "text"
text = "What was it?"
epsilon = 2
"""


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Console]:
    console = Console(tmp_path)
    try:
        yield console
    finally:
        console.close()


def test_the_readme_works_from_its_first_command_to_its_last(console: Console) -> None:
    console.run_document(ROOT / "README.md")
    assert (console.folder / "lunch.png").read_bytes().startswith(b"\x89PNG")
    (console.folder / "truth.toml").write_text('questions.place.strings = {"The Duck" = 1}')
    commands = re.findall(r"^\| `(sotto \w+ lunch\.toml.*?)` \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        console.run_command(command.replace("simulate", "simulate --runs 1"))


@pytest.mark.rare
@pytest.mark.thorough
def test_the_tutorial_works_from_the_idea_to_the_results(console: Console) -> None:
    console.run_document(DOCS / "tutorial.md", {"--reports 2000": "--reports 200"})


@pytest.mark.thorough
def test_the_page_on_rehearsing_works(console: Console) -> None:
    console.run_document(DOCS / "simulate.md")
    assert (console.folder / "run.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_on_designs_works(console: Console) -> None:
    console.run_document(DOCS / "designs.md")


def test_the_page_on_misfit_works(console: Console) -> None:
    console.run_document(DOCS / "misfit.md")


@pytest.mark.thorough
def test_the_authors_page_works(console: Console) -> None:
    console.run_document(DOCS / "author.md")


def test_the_page_on_languages_works(console: Console) -> None:
    console.run_document(DOCS / "languages.md")


@pytest.mark.thorough
def test_the_page_on_planning_tests_works(console: Console) -> None:
    console.run_document(DOCS / "power.md")
    assert (console.folder / "widths.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_on_forms_of_other_programs_works(console: Console) -> None:
    console.run_document(DOCS / "forms.md")


@pytest.mark.thorough
def test_the_page_on_regression_works(console: Console) -> None:
    console.run_document(DOCS / "regression.md")


@pytest.mark.thorough
@pytest.mark.parametrize("page", ["anytime.md", "scales.md", "test.md"])
def test_the_pages_on_looking_and_testing_work(page: str, console: Console) -> None:
    console.run_document(DOCS / page)


@pytest.mark.thorough
@pytest.mark.slow  # of each command the first example, unless `SOTTO_TEST_FULL` is set
def test_the_examples_in_the_help_of_every_command_run(console: Console) -> None:
    (console.folder / "survey.toml").write_text(LUNCH)
    (console.folder / "copies").mkdir()
    shutil.copy(ROOT / "tests" / "data" / "surveyjs" / "lunch.json", console.folder / "form.json")
    console.run_command("export SOTTO_DB=survey.db")
    admin, analyst = (console.run_command(f"sotto {words}") for words in ("db init", "token create --role analyst"))
    erase_canteen(console.folder / "survey.db")
    console.run_command("sotto serve")
    console.environment["SOTTO_TOKEN"] = admin.strip()
    console.run_command(f"sotto publish survey.toml {DOCUMENTED_URL}")
    for survey_id, member in (("hr", ""), ("clinic", 'strata = ["north", "south"]\n')):
        other = f"invited = true\n{member}{LUNCH.replace('my-survey', survey_id)}"
        (console.folder / f"{survey_id}.toml").write_text(other)
        console.run_command(f"sotto publish {survey_id}.toml {DOCUMENTED_URL}")
    receipt = console.run(["python", "-c", ANSWER.replace(DOCUMENTED_URL, console.url)]).strip()
    simulate(console.folder)
    hashes = [line.split()[0] for line in console.run_command("sotto token list").splitlines()]
    told = dict(zip(DOCUMENTED_PREFIXES, hashes, strict=True)) | {DOCUMENTED_RECEIPT: receipt} | SHORTER
    last = ["close", "erase", "certificate", "token rotate", "token revoke"]  # they take away what the others need
    examples = {" ".join(path): examples_of(command) for path, command in LEAVES if path != OF_A_QUEUE}
    for name in sorted(examples, key=lambda name: (last.index(name) if name in last else -1, name)):
        console.environment["SOTTO_TOKEN"] = (analyst if name in READING else admin).strip()
        for example in examples[name] if "SOTTO_TEST_FULL" in os.environ else examples[name][:1]:
            console.run_command(reduce(lambda line, words: line.replace(*words), told.items(), example))


DOCUMENTED_PREFIXES = ("3f9a1c20b7de", "8d0c47e1")
READING = ("estimate", "decode", "test share", "export")
"""Commands whose examples read what a collector counted."""
OF_A_QUEUE = ("intake",)
"""Its example needs a Redis: tests/collector/test_queue.py runs it."""
DOCUMENTED_RECEIPT = "4be1c9d07a52f3861e90ab47d5c82f36"
SHORTER = {
    "survey.toml --reports 5000": "survey.toml --reports 200 --client js",  # Python's client is another example's
    "--reports 5000": "--reports 200",
    "--seconds 600": "--seconds 1",
    "--port 8123": "--port 0",
    "postgresql://db.example.org/survey": "other.db",
}
"""What examples do at length, or elsewhere, and the test does here."""
ANSWER = f"""
from sotto_client import SurveyClient
with SurveyClient("{DOCUMENTED_URL}", "my-survey", state="device.db") as device:
    print(device.answer({{"paid": True, "dish": "soup"}}).id)
    assert device.flush(10)
"""


def erase_canteen(db: Path) -> None:
    """Add a survey whose reports went on their day, long ago: for the example of `certificate`."""
    with closing(Store(db)) as store:
        store.add_survey(replace(compile_toml(LUNCH), id="canteen", closes="2020-01-01", erase_after=1))
        erase_due(store, lambda *_: None)


def simulate(folder: Path) -> None:
    """Write the files that examples in the help of `decode`, `associate`, `regress` and `simulate` name."""
    (folder / "truth.toml").write_text("[questions.dish]\nstrings = {soup = 0.6, salad = 0.3}\n")
    survey = compile_toml(LUNCH)
    paid = [number % 2 for number in range(400)]
    records = survey.perturb({"paid": paid, "dish": ["salad" if yes else "soup" for yes in paid]}, os_coins())
    save_records(survey, records, folder / "reports.bin")
    (folder / "tally.json").write_bytes(Tally.of(survey, records).to_json())
    rows = [f"{'yes' if number % 3 else 'no'},{20 + number % 50},{'ns'[number % 2]}" for number in range(400)]
    (folder / "data.csv").write_text("\n".join(["paid,age,region", *rows]))
    (folder / "list.txt").write_text("soup\nsalad\n")


def test_the_survey_reference_compiles_to_what_it_says() -> None:
    examples = [text for language, text in blocks(DOCS / "survey-file.md") if language in ("toml", "json")]
    toml, spoken, number, joined, json_text = examples
    assert compile_toml(spoken).languages == ("en", "ar")
    assert compile_toml(number).questions[0].type == "number"
    assert compile_toml(joined).questions[0].labels == ("no, north", "no, south", "yes, north", "yes, south")
    survey = compile_toml(toml)
    assert [question.type for question in survey.questions] == ["yes-no", "one-of", "any-of"]
    compiled = Survey.from_canonical(json_text.strip().encode())
    assert compiled.questions[0].mechanism == survey.questions[0].mechanism


def test_the_survey_reference_lists_every_member_that_has_a_place_and_no_other() -> None:
    page = (DOCS / "survey-file.md").read_text()
    rows = page[page.index("| member | where |") :].split("\n\n")[0].splitlines()[2:]
    assert {name for row in rows for name in re.findall(r"`([a-z_]+)`", row.split("|")[1])} == PLACES.keys()


def test_every_error_code_of_the_collector_is_documented_and_no_other() -> None:
    page = (DOCS / "http.md").read_text()
    documented = set(re.findall(r"`([a-z_]+)`", page[page.index("## Codes") :]))
    assert codes_in_source() == documented


def codes_in_source() -> set[str]:
    """Return the codes that the collector's source gives to statuses: `404: "not_found"` or `422, BAD_REPORT`."""
    text = "\n".join(path.read_text() for path in (ROOT / "collector/sotto_collector").rglob("*.py"))
    literals = re.findall(r'\b[45]\d\d[,:]\s*"([a-z_]+)"', text)
    constants = re.findall(r"\b[45]\d\d[,:]\s*([A-Z][A-Z_]+)", text)
    return {*literals, *(getattr(problem, name) for name in constants)}


def test_a_device_acts_on_codes_that_a_collector_sends_and_in_both_languages_on_the_same() -> None:
    acted_on = {*_REFUSING, *SURVEY_UNKNOWN}
    assert acted_on <= codes_in_source()
    javascript = (ROOT / "client/js/src/verdict.js").read_text()
    assert acted_on - {problem.INVITATION_USED} == {*re.findall(r'"([a-z]+(?:_[a-z]+)+)"', javascript)}
    blind = (ROOT / "client/js/blind/index.js").read_text()  # a browser trades its invitation before it reports
    assert f'"{problem.INVITATION_USED}"' in blind


def test_every_route_is_documented() -> None:
    page = (DOCS / "http.md").read_text()
    for operation in OPERATIONS:
        path = operation.path.replace("{survey_id}", "ID").replace("{prefix}", "PREFIX").replace("{preview}", "PREVIEW")
        assert f"| `{operation.method.upper()} {path}` |" in page, path


def test_every_command_and_setting_is_documented() -> None:
    pages = "\n".join(path.read_text() for path in [ROOT / "README.md", *DOCS.glob("*.md")])
    for path, _ in LEAVES:
        assert f"sotto {' '.join(path)}" in pages, path
    for setting in SETTINGS:
        assert setting.flag in pages, setting.flag
        assert setting.env in pages, setting.env


@pytest.mark.parametrize(
    ("route", "most"),
    [
        ("PATCH /v1/surveys/ID", MAX_ORIGINS),
        ("POST /v1/surveys/ID/invitations", MAX_INVITATIONS),
        ("POST /v1/surveys/ID/invitations/revoke", MAX_REVOKED),
        ("POST /v1/tokens", MAX_LABEL),
    ],
)
def test_a_route_says_how_many_it_takes(route: str, most: int) -> None:
    (row,) = [line for line in (DOCS / "http.md").read_text().splitlines() if line.startswith(f"| `{route}` |")]
    assert f"at most {most:,}" in row


@pytest.mark.parametrize(("path", "command"), LEAVES, ids=[" ".join(path) for path, _ in LEAVES])
def test_every_option_of_a_command_is_documented(path: tuple[str, ...], command: click.Command) -> None:
    options = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    names = [name for option in options for name in (*option.opts, *option.secondary_opts) if name.startswith("--")]
    assert {*names} <= options_in_pages()


@cache
def options_in_pages() -> set[str]:
    """Return all words of the pages that look like an option."""
    pages = "\n".join(page.read_text() for page in [ROOT / "README.md", *DOCS.glob("*.md")])
    return {*re.findall(r"(?<![\w-])--[\w-]*\w", pages)}


def test_the_index_leads_to_every_page() -> None:
    index = (DOCS / "README.md").read_text()
    linked = set(re.findall(r"\]\(([^)#]+)", index))
    assert {page.name for page in DOCS.glob("*.md")} - {"README.md"} <= linked


def test_every_test_that_a_page_names_is_there() -> None:
    there = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    for page in DOCS.glob("*.md"):
        assert set(re.findall(r"`(test_\w+)`", page.read_text())) <= there, page.name


def test_the_citation_is_of_this_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cited = (ROOT / "CITATION.cff").read_text()
    for line in (f"title: {project['name']}", f"version: {__version__}", f"license: {project['license']}"):
        assert f"\n{line}\n" in cited
    assert project["description"] in " ".join(cited.split())
    assert re.findall(r"^  - (?!name)(.*)$", cited, re.MULTILINE) == project["keywords"]


def prose_of(page: Path) -> list[str]:
    """Return a page's lines outside of fenced code."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL).splitlines()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_cell_of_a_table_is_a_paragraph(page: Path) -> None:
    cells = [cell for line in prose_of(page) if line.startswith("|") for cell in re.split(r"(?<!\\)\|", line)]
    assert [cell for cell in cells if len(cell.strip()) > MAX_CELL] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_prose_is_wrapped(page: Path) -> None:
    prose = [line for line in prose_of(page) if not re.match(r"\||#|</?[a-z]", line)]
    assert [line for line in prose if len(line) > MAX_LINE and can_be_broken(line)] == []


def can_be_broken(line: str) -> bool:
    """Whether a line is more than one link, or one piece of code: behind what makes it an item of a list."""
    text = re.sub(r"^ *(?:[-*] |\d+\. )?", "", line)
    return " " in re.sub(r"`[^`]*`", "code", text).strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_headings(page: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!http)([^)#]*)#([^)]+)\)", page.read_text()):
        assert anchor in anchors_of(page.parent / target if target else page), f"{target}#{anchor}"


def anchors_of(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of a page's headings."""
    headings = [line.lstrip("# ") for line in prose_of(page) if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
