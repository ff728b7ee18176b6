"""Results of questions that were asked together: the table of both, and each by itself, wherever they stand."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from collecting import count_here
from house import House, open_house
from page_reading import password, read_page
from sotto_client import os_coins
from sotto_client.cli import main
from sotto_estimator import estimate
from sotto_protocol import Report, Survey, Tally, compile_toml

ASKED = """
[[questions]]
id = "smokes"
type = "yes-no"
text.en = "Do you smoke?"
text.de = "Rauchen Sie?"
[[questions]]
id = "region"
type = "one-of"
text.en = "Where do you live?"
text.de = "Wo wohnen Sie?"
options.en = ["north", "south"]
options.de = ["Norden", "Süden"]
"""
HEAD = 'id = "health"\ntitle.en = "Health"\ntitle.de = "Gesundheit"\n'
SURVEY = compile_toml(f'{HEAD}[[together]]\nquestions = ["smokes", "region"]\nepsilon = 3\n{ASKED}')
SHARES = (0.56, 0.14, 0.12, 0.18)
N = 2000


def records_of(survey: Survey, n: int) -> np.ndarray:
    """Return packed reports of n people, as many of each combination as its share."""
    cells = np.repeat(np.arange(4), np.rint(np.array(SHARES) * n).astype(int))
    return survey.perturb({"smokes-region": cells}, os_coins())


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("joint") / "survey.db", SURVEY) as opened:
        records = records_of(SURVEY, N)
        reports = [Report(place.to_bytes(16, "big"), record.tobytes()) for place, record in enumerate(records)]
        count_here(opened.collector.store, opened.stored(SURVEY), reports)
        yield opened


def tally(house: House) -> Tally:
    return Tally.from_json(house.read_tally(SURVEY).data)


def test_each_question_has_its_part_of_the_page_beside_the_table_of_both(house: House) -> None:
    for lang, texts in {
        "en": ("Do you smoke? Where do you live?", "Do you smoke?", "Where do you live?"),
        "de": ("Rauchen Sie? Wo wohnen Sie?", "Rauchen Sie?", "Wo wohnen Sie?"),
    }.items():
        page = read_page(house.http.get(f"/s/health/results?lang={lang}", headers=password(house.analyst))).root
        assert [heading.text for heading in page.find("h2")[:3]] == [*texts]
        said = page.text
        assert ("Ja, Norden" if lang == "de" else "Yes, north") in said


def test_all_forms_have_the_figures_of_the_estimate(house: House, tmp_path: Path) -> None:
    found, path = estimate(tally(house)), tmp_path / "health.json"
    path.write_bytes(tally(house).to_json())
    assert [*found] == ["smokes-region", "smokes", "region"]
    for words in (["--csv"], ["--json"], ["--markdown"], ["--report", str(tmp_path / "r.html"), "--report-lang", "de"]):
        shown = CliRunner().invoke(main, ["estimate", str(path), *words])
        assert shown.exit_code == 0, shown.output
        assert "smokes-region" in shown.output
    members = json.loads(CliRunner().invoke(main, ["estimate", str(path), "--json"]).output)["estimates"]
    assert [one["answer"] for one in members if one["question"] == "smokes"] == ["yes"]
    report = (tmp_path / "r.html").read_text()
    assert "Rauchen Sie?" in report
    assert "Ja, Norden" in report


def test_shares_and_intervals_of_an_item_are_those_of_its_combinations(house: House) -> None:
    found = estimate(tally(house))
    cells = {row.answer: row for row in found["smokes-region"]}
    (yes,), (north, south) = found["smokes"], found["region"]
    assert yes.share == pytest.approx(cells["yes, north"].share + cells["yes, south"].share)
    assert north.share + south.share == pytest.approx(1)
    assert yes.low < 0.3 < yes.high
    assert north.support_count == cells["no, north"].support_count + cells["yes, north"].support_count


def test_counts_that_contradict_the_design_void_the_items_too() -> None:
    counts = np.array([N, 0, 0, 0])
    found = estimate(Tally(SURVEY, {1: N}, {"smokes-region": counts}))
    assert found.contradictions
    assert {row.question for row in found.rows if row.is_told} == set()
    assert {one.question for one in found.verdicts if one.is_void} == {"smokes-region", "smokes", "region"}
