"""A mechanism that somebody adds, by a file and a row of the registry, reaches everything with no other change."""

import ast
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from werkzeug.serving import make_server

from archiving import export_store
from collecting import make_reports
from contract import CHECKS, questions_of
from house import House, open_house
from pairs import ENTRY, WEIGHT
from sotto_client import SurveyClient
from sotto_client.cli import main
from sotto_client.inventory import decode
from sotto_collector.archive.recount import recount
from sotto_protocol import Question, Survey, Tally, compile_toml
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms import registry
from sotto_protocol.mechanisms.bits import BitMechanism
from sotto_protocol.mechanisms.mechanism import Bytes, Mechanism
from sotto_protocol.mechanisms.registry import Entry
from sotto_protocol.mechanisms.warner import BinaryResponse

TOML = """
id = "colours"
title = "Colours"
[[questions]]
id = "colour"
type = "one-of"
text = "Which colour?"
options = ["red", "green", "blue", "grey"]
mechanism = "pairs"
epsilon = 1.5
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
"""

N_REPORTS = 4000
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def added() -> Iterator[None]:
    """The row of the registry."""
    registry.ENTRIES.append(ENTRY)
    yield
    registry.ENTRIES.remove(ENTRY)


@pytest.fixture(scope="module")
def survey(added: None) -> Survey:
    return compile_toml(TOML)


@pytest.fixture(scope="module")
def house(survey: Survey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("new") / "survey.db", survey) as opened:
        assert opened.send(survey, make_reports(N_REPORTS, survey)).status_code == 200
        yield opened


def run(*arguments: object) -> str:
    """Return what a command prints; it must succeed."""
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, marks=[pytest.mark.rare] * (check.__name__ == "check_likelihood"), id=check.__name__)
        for check in CHECKS
    ],
)
def test_it_keeps_the_contract(check: Callable[[Question], None]) -> None:
    [question] = questions_of(ENTRY)
    check(question)


def test_an_author_and_a_respondent_are_told_of_it(survey: Survey, tmp_path: Path) -> None:
    (tmp_path / "survey.toml").write_text(TOML)
    assert "pairs" in run("check", tmp_path / "survey.toml")
    said = survey.questions[0].mechanism.what_happens()
    assert said in " ".join(run("explain", tmp_path / "survey.toml").split())
    assert Survey.from_canonical(survey.canonical) == survey


def test_a_plan_and_auto_compare_it() -> None:
    assert "pairs" in run("plan", "--n", 1000, "--options", 4, "--epsilon", 1)
    assert "pairs" in registry.names_of("one-of")


def test_a_device_sends_it_and_reads_back_what_it_sent(house: House, survey: Survey, tmp_path: Path) -> None:
    server = make_server("127.0.0.1", 0, house.app)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with SurveyClient(f"http://127.0.0.1:{server.port}", survey.id, state=tmp_path / "state.db") as device:
            device.answer({"colour": "green", "paid": True})
            assert device.flush(60)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    [report] = make_reports(1, survey)
    said = decode(survey, report.to_wire(survey))
    assert len(said["colour"]) == WEIGHT


def test_the_survey_page_says_what_it_does(house: House, survey: Survey) -> None:
    page = house.http.get(f"/s/{survey.id}").text
    assert survey.questions[0].in_short in page
    assert "may change each at random" not in page


def test_a_result_is_estimated_shown_and_joined(house: House, survey: Survey, tmp_path: Path) -> None:
    tally = house.read_tally(survey).data
    (tmp_path / "tally.json").write_bytes(tally)
    assert "blue" in run("estimate", tmp_path / "tally.json")
    page = house.http.get(f"/s/{survey.id}/results", headers=house.analyst)
    assert page.status_code == 200
    assert "by pairs" in page.text
    records = house.http.get(f"/v1/surveys/{survey.id}/records", headers=house.analyst).data
    (tmp_path / "records").write_bytes(records)
    assert "grey" in run("associate", tmp_path / "records", "colour", "paid")


def test_an_archive_of_it_gives_the_same_tally(house: House, survey: Survey, tmp_path: Path) -> None:
    export_store(house.collector.settings.db, survey.id, tmp_path / "archive")
    assert recount(tmp_path / "archive", n_workers=1) == Tally.from_json(house.read_tally(survey).data)


class Sealed(BitMechanism):
    """A yes-no mechanism that is not pure, as far as it says."""

    _max_differences = BinaryResponse._max_differences
    n_true = BinaryResponse.n_true
    _check_answers = BinaryResponse._check_answers
    _respond_rows = BinaryResponse._respond_rows

    def decode(self, report: Bytes, labels: Sequence[str]) -> list[str]:
        return []

    def what_happens(self, language: Language = ENGLISH) -> str:
        return "Your device says nothing."

    in_short = what_happens


def test_one_that_no_estimate_is_known_for_is_refused_by_name(tmp_path: Path) -> None:
    sealed = Entry("sealed", "yes-no", Sealed, lambda asked: Sealed("sealed", 1, 3 << 30, 1 << 30))
    registry.ENTRIES.append(sealed)
    try:
        survey = compile_toml(TOML.replace('"yes-no"', '"yes-no"\nmechanism = "sealed"').replace("epsilon = 1\n", ""))
        with open_house(tmp_path / "survey.db", survey) as house:
            house.collect(survey, 40)
            tally = house.read_tally(survey).data
            (tmp_path / "tally.json").write_bytes(tally)
            page = house.http.get(f"/s/{survey.id}/results", headers=house.analyst)
            records = house.http.get(f"/v1/surveys/{survey.id}/records", headers=house.analyst).data
            (tmp_path / "records").write_bytes(records)
            estimated = CliRunner().invoke(main, ["estimate", str(tmp_path / "tally.json")])
            joined = CliRunner().invoke(main, ["associate", str(tmp_path / "records"), "colour", "paid"])
    finally:
        registry.ENTRIES.remove(sealed)
    assert (page.status_code, estimated.exit_code, joined.exit_code) == (404, 1, 1)
    assert "Question paid cannot be estimated alone: sealed is not pure." in page.text
    assert estimated.output == "Error: question paid cannot be estimated alone: sealed is not pure.\n"
    assert "mechanism ('sealed') must be one whose likelihood is known" in joined.output


def test_impossible_reports_and_counts_of_it_are_refused(house: House, survey: Survey) -> None:
    body = {"fingerprint": survey.fingerprint, "reports": [{"id": "0" * 32, "answers": {"colour": [1], "paid": True}}]}
    refused = house.http.post(f"/v1/surveys/{survey.id}/reports", json=body)
    assert (refused.status_code, refused.json["code"]) == (422, "bad_report")
    assert "2 different integers" in refused.json["detail"]


def kinds_of(mechanism: type[Mechanism]) -> Iterator[str]:
    yield mechanism.__name__
    for kind in mechanism.__subclasses__():
        yield from kinds_of(kind)


def asked_classes(source: str) -> Iterator[str]:
    """Yield the name of every class that a value is tested to be of, by `isinstance` or by a `case`."""
    if not any(word in source for word in ("isinstance", "issubclass", "case ")):
        return  # as in most files, which need not be parsed
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
            yield from (name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name))
        if isinstance(node, ast.MatchClass):
            yield ast.unparse(node.cls).rpartition(".")[2]


def test_no_code_outside_their_room_asks_of_which_class_a_mechanism_is() -> None:
    """What differs is a member of the mechanism, or in the estimator's registry. The audit's proof is a second one."""
    mechanisms, proof = "protocol/sotto_protocol/mechanisms", "rehearsal/sotto_rehearsal/audit/proof.py"
    kinds = {*kinds_of(Mechanism)}
    asking = {
        str(path.relative_to(ROOT))
        for path in ROOT.glob("*/sotto_*/**/*.py")
        if kinds & {*asked_classes(path.read_text())}
    }
    assert {path for path in asking if not path.startswith(mechanisms)} == {proof}
