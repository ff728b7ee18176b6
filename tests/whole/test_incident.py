"""The incident page: its commands, in its order, do what it says, on both databases; and what it says is so."""

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import requests

from collecting import make_reports
from console import Console
from sotto_collector.store import Store
from sotto_protocol import Report, batch_body, compile_toml

of_both_databases = pytest.mark.parametrize(
    "db", ["sqlite", pytest.param("postgres", marks=pytest.mark.rare)], indirect=True
)
"""The store's own tests have both before `--full`."""
pytestmark = pytest.mark.thorough  # each of some seventy commands is a process of its own
PAGE = Path(__file__).parents[2] / "docs" / "incident.md"
QUESTIONS = """
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 2.0
"""
CANTEEN = f'id = "canteen"\ntitle = "Canteen"\ninvited = true\n{QUESTIONS}'
OPEN = CANTEEN.replace("invited = true\n", "")
RIGHT = CANTEEN.replace("canteen", "right").replace("Canteen", "Right")


class Incident:
    """A collector with the survey of the page, some reports, and the sections' commands."""

    def __init__(self, folder: Path, db: str, file: str) -> None:
        self.console, self.db = Console(folder), db
        self.words: dict[str, str] = {}
        (folder / "canteen.toml").write_text(file)
        (folder / "right.toml").write_text(RIGHT)
        self.survey = compile_toml(file)
        self.admin = self.run("sotto token create --db survey.db --role admin").strip()
        self.console.environment["SOTTO_TOKEN"] = self.admin
        self.run("sotto serve --db survey.db --port 8000")
        self.run("sotto publish canteen.toml http://127.0.0.1:8000 --yes")

    def run(self, command: str) -> str:
        """Run a command of the page, with this test's own database and words in their places."""
        for name, word in {"survey.db": self.db, **self.words}.items():
            command = re.sub(rf"\b{re.escape(name)}\b", word, command)
        return self.console.run_command(command)

    def follow(self, title: str) -> list[str]:
        """Run the commands of a section; return what each printed."""
        section = PAGE.read_text().split(f"\n## {title}\n")[1].split("\n## ")[0]
        printed = []
        for block in re.findall(r"^```console\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
            printed += [self.run(command) for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE)]
        assert printed
        return printed

    def send(self, n_reports: int) -> requests.Response:
        return self.post(make_reports(n_reports, self.survey))

    def post(self, reports: list[Report]) -> requests.Response:
        url = f"{self.console.url}/v1/surveys/canteen/reports"
        body = batch_body(self.survey, reports)
        return requests.post(url, data=body, headers={"Content-Type": "application/json"}, timeout=60)

    def listed(self) -> dict[str, dict[str, object]]:
        headers = {"Authorization": f"Bearer {self.admin}"}
        surveys = requests.get(f"{self.console.url}/v1/surveys", headers=headers, timeout=60).json()["surveys"]
        return {survey["id"]: survey for survey in surveys}


@pytest.fixture
def incident(db: str, tmp_path: Path) -> Iterator[Incident]:
    happened = Incident(tmp_path, db, OPEN)
    yield happened
    happened.console.close()


@pytest.fixture
def small_incident(file_made: Path, tmp_path: Path) -> Iterator[Incident]:
    """On SQLite alone: its commands ask the collector, whatever is behind it."""
    happened = Incident(tmp_path, str(shutil.copy(file_made, tmp_path / "survey.db")), OPEN)
    yield happened
    happened.console.close()


@of_both_databases
def test_a_leaked_token_is_refused_at_once(incident: Incident) -> None:
    leaked = incident.run("sotto token create --db survey.db --role analyst --label leaked").strip()
    ask = f"{incident.console.url}/v1/surveys/canteen/records"
    assert requests.get(ask, headers={"Authorization": f"Bearer {leaked}"}, timeout=60).status_code == 200
    (row,) = [line for line in incident.run("sotto token list --db survey.db").splitlines() if "leaked" in line]
    incident.words["PREFIX"] = row.split()[0]
    before, _, _ = incident.follow("A token leaked")
    assert "leaked" in before
    assert "leaked" not in incident.run("sotto token list --db survey.db")
    assert requests.get(ask, headers={"Authorization": f"Bearer {leaked}"}, timeout=60).status_code == 401


def test_a_copied_database_is_answered_by_closing_and_by_what_epsilon_says(small_incident: Incident) -> None:
    assert small_incident.send(5).status_code == 200
    explained, tokens, _ = small_incident.follow("The database was copied")
    assert "Someone who was 10 % sure can become at most" in explained
    assert small_incident.admin not in tokens
    assert small_incident.send(1).json()["code"] == "survey_closed"


def test_a_stolen_devices_report_and_invitation_are_taken_back(file_made: Path, tmp_path: Path) -> None:
    happened = Incident(tmp_path, str(shutil.copy(file_made, tmp_path / "survey.db")), CANTEEN)
    try:
        happened.run("sotto invite create http://127.0.0.1:8000 canteen --count 2 --to all.csv --yes")
        codes = (tmp_path / "all.csv").read_text().split()[1:]
        (tmp_path / "unused.csv").write_text(f"invitation\n{codes[1]}\n")
        (sent,) = make_reports(1, happened.survey)
        assert happened.post([replace(sent, invitation=codes[0])]).status_code == 200
        happened.words["RECEIPT"] = sent.receipt
        _, certificate, revoked = happened.follow("A device was stolen")
        assert json.loads(certificate)["receipt"] == sent.receipt
        assert revoked.startswith("1 ")
        assert happened.listed()["canteen"]["n_reports"] == 0
    finally:
        happened.console.close()


def test_the_wrong_survey_goes_and_the_right_one_comes(small_incident: Incident) -> None:
    assert small_incident.send(5).status_code == 200
    small_incident.follow("The wrong survey was published")
    assert small_incident.listed().keys() == {"right"}
    gone = json.loads((small_incident.console.folder / "gone.json").read_text())
    assert (gone["erased"]["reports"], gone["left"]["reports"]) == (5, 0)


@of_both_databases
def test_a_flood_is_seen_slowed_stopped_and_kept_out(incident: Incident) -> None:
    """The limit refuses what is over it, from whomever; metrics and status show both; invitations keep fakers out."""
    monitor = incident.run("sotto token create --db survey.db --role monitor").strip()

    def read_metrics() -> str:
        headers = {"Authorization": f"Bearer {monitor}"}
        return requests.get(f"{incident.console.url}/metrics", headers=headers, timeout=60).text

    assert incident.send(200).status_code == 200
    assert 'sotto_reports_total{outcome="counted"} 200.0' in read_metrics()
    assert "200" in incident.run("sotto status http://127.0.0.1:8000 --interval-s 0")
    incident.run("sotto configure http://127.0.0.1:8000 canteen --reports-per-minute 60")
    answers = [incident.send(20).status_code for _ in range(12)]  # 60 a minute: the test takes less than two
    assert {*answers} == {200, 429}
    assert 'sotto_refusals_total{code="too_many_reports"}' in read_metrics()
    incident.words["ANALYST"] = incident.run("sotto token create --db survey.db --role analyst").strip()
    status, _, estimated, *_ = incident.follow("A flood of fakes")
    assert "canteen" in status
    assert "fakes for" in estimated
    tally = json.loads((incident.console.folder / "flooded.json").read_text())
    assert tally["n_reports"] >= 200
    listed = incident.listed()
    assert (listed["canteen"]["open"], listed["right"]["open"], listed["right"]["invited"]) == (False, True, True)
    assert len((incident.console.folder / "new.csv").read_text().splitlines()) == 51


@of_both_databases
def test_another_backup_is_made_and_seen(incident: Incident) -> None:
    assert incident.send(3).status_code == 200
    copied, said = incident.follow("A backup was lost")
    assert "rows copied" in copied
    assert "canteen" in said
    with closing(Store(incident.console.folder / "another.db", create=False)) as store:
        assert store.count_all() == 3
