"""A question type that somebody adds, by a file and rows of the registries, reaches everything with no other change."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from werkzeug.serving import make_server

from archiving import export_store
from collecting import make_reports
from contract import CHECKS, OF_TYPES, questions_of
from house import House, open_house
from node import require_node, run
from rating import ENTRIES, Rating
from reading_html import read_html
from sotto_client import SurveyClient
from sotto_client.cli import main
from sotto_client.inventory import decode
from sotto_collector.archive.recount import recount
from sotto_protocol import AnswerError, Question, Survey, SurveyError, Tally, compile_toml
from sotto_protocol.mechanisms import registry
from sotto_protocol.mechanisms.registry import Entry
from sotto_protocol.questions.types import TYPES

TOML = """
id = "meals"
title = "Meals"
[[questions]]
id = "soup"
type = "rating"
text = "How was the soup?"
lowest = -1
highest = 3
epsilon = 2
[[questions]]
id = "stairs"
type = "rating"
text = "How were the stairs?"
lowest = 1
highest = 20
mechanism = "basic-rappor"
epsilon = 2
epsilon_forever = 4
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
"""
ANSWERS = {"soup": 2, "stairs": 7, "paid": True}
N_REPORTS = 2000
REFUSED = """
import { readSurvey } from "./src/survey.js";
await readSurvey(new TextEncoder().encode(process.argv[1])).catch((fault) => console.log(fault.name, fault.message));
"""


@pytest.fixture(scope="module", autouse=True)
def added() -> Iterator[None]:
    """The rows of the registries."""
    TYPES[Rating.name] = Rating
    OF_TYPES[Rating.name] = {"lowest": 1, "highest": 3}
    registry.ENTRIES.extend(ENTRIES)
    yield
    del registry.ENTRIES[-len(ENTRIES) :]
    del TYPES[Rating.name], OF_TYPES[Rating.name]


@pytest.fixture(scope="module")
def survey(added: None) -> Survey:
    return compile_toml(TOML)


@pytest.fixture(scope="module")
def house(survey: Survey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("new") / "survey.db", survey) as opened:
        assert opened.send(survey, make_reports(N_REPORTS, survey)).status_code == 200
        yield opened


def sotto(*arguments: object) -> str:
    """Return what a command prints; it must succeed."""
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, marks=[pytest.mark.thorough] * (check.__name__ == "check_likelihood"), id=check.__name__)
        for check in CHECKS
    ],
)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_its_mechanisms_keep_the_contract(entry: Entry, check: Callable[[Question], None]) -> None:
    for question in questions_of(entry):
        check(question)


def test_a_survey_file_says_what_may_be_answered_and_is_read_back(survey: Survey) -> None:
    published = json.loads(survey.canonical)["questions"][0]
    assert {key: published[key] for key in published if key not in ("epsilon", "mechanism", "text")} == {
        "id": "soup",
        "type": "rating",
        "lowest": -1,
        "highest": 3,
    }
    assert Survey.from_canonical(survey.canonical) == survey
    other = compile_toml(TOML.replace("highest = 3", "highest = 4"))
    assert other.fingerprint != survey.fingerprint


@pytest.mark.parametrize(
    ("author", "where"),
    [
        ("lowest = 9\nhighest = 3", r"highest"),
        ("lowest = 1", "highest"),
        ('lowest = 1\nhighest = 3\noptions = ["1"]', "options"),
        ("lowest = 1\nhighest = 3\nskip = 2", "skip"),
    ],
)
def test_a_survey_file_that_says_it_otherwise_is_refused_by_place(author: str, where: str) -> None:
    with pytest.raises(SurveyError, match=where):
        compile_toml(TOML.replace("lowest = -1\nhighest = 3", author))


def test_an_author_and_a_respondent_are_told_of_it(survey: Survey, tmp_path: Path) -> None:
    (tmp_path / "survey.toml").write_text(TOML)
    assert "an integer in [-1, 3]" in sotto("check", tmp_path / "survey.toml")
    said = survey.questions[0].mechanism.what_happens()
    assert said in " ".join(sotto("explain", tmp_path / "survey.toml").split())


@pytest.mark.parametrize("answer", ["2", "2 points", 2.0, True, 4, None, [2]])
def test_a_wrong_answer_is_refused_and_not_quoted(survey: Survey, answer: object) -> None:
    with pytest.raises(AnswerError, match=r"^soup: the answer must be an integer in \[-1, 3\]\.$"):
        survey.questions[0].encode(answer)


def test_a_device_sends_it_and_reads_back_what_it_sent(house: House, survey: Survey, tmp_path: Path) -> None:
    server = make_server("127.0.0.1", 0, house.app)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    before = Tally.from_json(house.read_tally(survey).data).n_reports
    try:
        with SurveyClient(f"http://127.0.0.1:{server.port}", survey.id, state=tmp_path / "state.db") as device:
            device.answer(ANSWERS)
            assert device.flush(60)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert Tally.from_json(house.read_tally(survey).data).n_reports == before + 1
    columns = [question.mechanism.from_wire([2])[0] for question in survey.questions[:1]]
    assert survey.questions[0].decode(columns[0]) == [1]
    [report] = make_reports(1, survey)
    said = decode(survey, report.to_wire(survey))
    assert {*said["stairs"]} <= {*range(1, 21)}
    assert type(said["paid"]) is bool


def test_the_survey_page_asks_by_a_control_that_it_has(house: House, survey: Survey) -> None:
    page = read_html(house.http.get(f"/s/{survey.id}").text)
    soup, stairs, paid = (page.one("fieldset", id="q1"), page.one("div", id="q2"), page.one("fieldset", id="q3"))
    assert [each.attributes["data-field"] for each in (soup, stairs, paid)] == ["radios", "list", "radios"]
    picked = soup.find("input", type_="radio")
    assert [json.loads(field.attributes["value"]) for field in picked] == [-1, 0, 1, 2, 3]
    assert [label.text.strip() for label in soup.find("label")] == [f"{number} points" for number in range(-1, 4)]
    assert "Please choose one." in soup.text
    listed = stairs.one("select").find("option")
    assert [option.attributes["value"] for option in listed] == ["", *map(str, range(1, 21))]


def test_a_browser_whose_client_does_not_know_it_refuses_the_survey_by_name(survey: Survey) -> None:
    said = run([require_node(), "--input-type=module", "--eval", REFUSED, survey.canonical.decode()], timeout_s=60)
    assert said.startswith("SurveyError $.questions[0].type: must be one of yes-no, ")


def test_a_result_is_estimated_shown_and_joined(house: House, survey: Survey, tmp_path: Path) -> None:
    tally = house.read_tally(survey).data
    (tmp_path / "tally.json").write_bytes(tally)
    rows = json.loads(sotto("estimate", tmp_path / "tally.json", "--json", "--consistent"))["estimates"]
    soup = [row for row in rows if row["question"] == "soup"]
    assert [row["answer"] for row in soup] == [f"{number} points" for number in range(-1, 4)]
    assert sum(row["consistent_share"] for row in soup) == pytest.approx(1)
    assert soup[0]["low"] > 0.8  # all answered with the first
    page = house.http.get(f"/s/{survey.id}/results", headers=house.analyst)
    assert page.status_code == 200
    assert "rating, by k-ary" in page.text
    assert "20 points" in page.text
    records = house.http.get(f"/v1/surveys/{survey.id}/records", headers=house.analyst).data
    (tmp_path / "records").write_bytes(records)
    assert "3 points" in sotto("associate", tmp_path / "records", "soup", "paid")


def test_an_archive_of_it_gives_the_same_tally(house: House, survey: Survey, tmp_path: Path) -> None:
    export_store(house.collector.settings.db, survey.id, tmp_path / "archive")
    assert recount(tmp_path / "archive", n_workers=1) == Tally.from_json(house.read_tally(survey).data)


def test_impossible_reports_of_it_are_refused(house: House, survey: Survey) -> None:
    [report] = make_reports(1, survey)
    sent = report.to_wire(survey)
    sent["answers"]["soup"] = 5
    body = {"fingerprint": survey.fingerprint, "reports": [sent]}
    refused = house.http.post(f"/v1/surveys/{survey.id}/reports", json=body)
    assert (refused.status_code, refused.json["code"]) == (422, "bad_report")
    assert "an integer in [0, 4]" in refused.json["detail"]
