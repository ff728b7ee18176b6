"""A kind of figure that somebody adds, by its own file and a row of the registry, reaches every form and the page.

And it is simulated, and compared where a curator's is known.
"""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from collecting import count_here, make_reports, tally_of
from house import House, open_house
from median_figure import HALF, KIND, NOTE, Median
from page_reading import Page, password, read_page
from sotto_collector.invitations import make_invitations
from sotto_estimator import IntervalOptions, compare_groups, estimate_tally, plan
from sotto_estimator.inference.registry import FIGURES, INFERENCE
from sotto_estimator.numbers.counts import NumberCounts
from sotto_estimator.numbers.distribution import estimate_distribution
from sotto_estimator.shares.by_group import SideBySide, estimate_strata
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_protocol import Survey, Tally, compile_toml
from sotto_rehearsal import compare, simulate
from sotto_rehearsal.simulation.truth import Truth, read_truth

TOML = """
id = "people"
title = "People"
waves = 2
invited = true
strata = ["north", "south"]
[[questions]]
id = "age"
type = "number"
text = "How old are you?"
minimum = 0
maximum = 50
step = 1
unit = "years"
distribution = true
epsilon = 6
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
"""
N_OF = {1: 150, 2: 120}
"""Reports of each wave, by stratum."""


@pytest.fixture(scope="module", autouse=True)
def added() -> Iterator[None]:
    """The rows of the registry: numbers have a median, and no mean."""
    rows = cast(dict[type, Any], INFERENCE)
    [(kind, known)] = [(kind, row) for kind, row in rows.items() if row.figure == "mean"]
    rows[kind], FIGURES["median"] = replace(known, figure="median"), KIND
    yield
    rows[kind] = known
    del FIGURES["median"]


@pytest.fixture(scope="module")
def survey(added: None) -> Survey:
    return compile_toml(TOML)


@pytest.fixture(scope="module")
def house(survey: Survey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("new") / "survey.db", survey) as opened:
        for wave in (1, 2):
            for stratum, n_reports in N_OF.items():
                codes = make_invitations(opened.collector.store, opened.stored(survey), n_reports, stratum)
                reports = make_reports(n_reports, survey, wave)
                invited = [replace(report, invitation=code) for report, code in zip(reports, codes, strict=True)]
                count_here(opened.collector.store, opened.stored(survey), invited)
        yield opened


def tally(house: House, survey: Survey, stratum: str = "") -> Tally:
    query = f"?wave=1{'&stratum=' * bool(stratum)}{stratum}"
    return Tally.from_json(house.read_tally(survey, query).data)


@pytest.fixture
def found(house: House, survey: Survey) -> Estimates:
    counts = tally(house, survey)
    return with_verdicts(estimate_tally(counts), counts)


@pytest.fixture
def groups(house: House, survey: Survey) -> SideBySide:
    side = estimate_strata({name: tally(house, survey, name) for name in survey.strata}, IntervalOptions(), 2)
    assert side is not None
    return side


def see(house: House, survey: Survey, query: str = "") -> Page:
    return read_page(house.http.get(f"/s/{survey.id}/results{query}", headers=password(house.analyst)))


def test_it_is_estimated_of_its_question_alone(house: House, survey: Survey, found: Estimates) -> None:
    [median] = found["age"]
    quantile = estimate_distribution(NumberCounts.of(tally(house, survey), survey.questions[0]), 0.95).quantiles[HALF]
    assert (median.value, median.low, median.high) == (quantile.value, quantile.low, quantile.high)
    assert ([*found], found.means, len(found.rows)) == (["paid", "age"], (), 1)


def test_it_is_in_text_json_csv_frame_and_report(found: Estimates) -> None:
    [median] = found["age"]
    for text in (found.as_table(), found.as_markdown(), found.as_latex()):
        assert f"{median.value:g}" in text
        assert NOTE in text
    for html in (found._repr_html_(), found.to_html()):
        assert f'<data value="{median.value}">' in html
        assert "age: median." in html
    assert NOTE in found.to_html()  # what its chart is, for who cannot see it
    [member] = json.loads(found.as_json())["medians"]
    assert (member["question"], member["value"], member["low"]) == ("age", median.value, median.low)
    [row] = [row for row in csv.DictReader(io.StringIO(found.as_csv())) if row["question"] == "age"]
    assert float(row["value"]) == median.value
    frame = found.to_frame()
    assert frame.loc[frame["question"] == "age", "value"].tolist() == [median.value]


def test_its_verdict_is_in_words_and_it_has_a_panel_of_the_picture(found: Estimates) -> None:
    known = {verdict.question: verdict for verdict in found.verdicts}["age"]
    assert [(finding.answer, finding.unit) for finding in known.findings] == [("median", "years")]
    title, panels = found.panels()
    assert (len(panels), NOTE in title) == (2, True)
    assert len(found.plot().axes) == 2


def test_groups_have_theirs_beside_one_another(house: House, survey: Survey, groups: SideBySide) -> None:
    medians = [one["age"][0] for one in groups.estimates]
    assert [one.answer for one in groups.comparisons if one.question == "age"] == ["median"]
    text = groups.as_table()
    for median, name in zip(medians, survey.strata, strict=True):
        assert any(
            line.split()[:3] == ["age", "median", name] and f"{median.value:g}" in line for line in text.splitlines()
        )
    assert len(groups.panels()[1]) == 2
    tallies = {name: tally(house, survey, name) for name in survey.strata}
    [tested] = [row for row in compare_groups(tallies).rows if row.question == "age"]
    assert tested.difference == pytest.approx(medians[1].value - medians[0].value)


def test_the_results_page_has_its_words_chart_tables_and_waves(house: House, survey: Survey) -> None:
    counts = Tally.from_json(house.read_tally(survey).data)
    [median] = estimate_tally(counts)["age"]
    page = see(house, survey)
    assert page.table("Medians (years) age")[0][1] == median.value
    assert "method: a bootstrap" in page.words
    assert len(page.table("Wave by wave: Median age")) == 2
    assert "age: median." in page.words
    for chart in ("median", "waves"):
        path = f"/s/{survey.id}/results/age/{chart}.svg"
        assert house.http.get(path, headers=password(house.analyst)).status_code == 200


def test_the_results_page_has_it_beside_other_groups(house: House, survey: Survey, groups: SideBySide) -> None:
    page = see(house, survey, "?stratum=each&wave=1")
    rows = page.table("Estimates by group (years) age")
    assert [row[2] for row in rows] == [one["age"][0].value for one in groups.estimates]


def test_nothing_is_said_of_it_where_counts_contradict_the_design(survey: Survey) -> None:
    counts = dict(tally_of(survey, make_reports(300, survey)).support_counts)
    counts["age"] = np.zeros_like(counts["age"])
    counts["age"][-1] = 300
    found = estimate_tally(Tally(survey, {1: 300}, counts))
    [median] = found["age"]
    assert isinstance(median, Median)
    assert (median.is_told, found.told("median"), median.n_reports) == (False, (), 300)
    assert json.loads(found.as_json())["medians"][0]["value"] is None


def test_a_plan_names_it(tmp_path: Path) -> None:
    (tmp_path / "survey.toml").write_text(TOML)
    planned = plan(tmp_path / "survey.toml", 300)
    assert "the median will be known to +-" in " ".join(planned.as_table().split())
    assert "years to both sides of the estimated median" in repr(planned.panels())


@pytest.fixture
def skewed(survey: Survey) -> Truth:
    """Of the people most are 10, some 40: the mean is 19, the median 10."""
    return read_truth("[questions.age]\nshares = {10 = 0.7, 40 = 0.3}\n", survey)


def test_it_is_simulated_beside_its_truth(survey: Survey, skewed: Truth) -> None:
    simulation = simulate(survey, 2000, truth=skewed, runs=3, waves=1, seed=1)
    [row] = [row for row in simulation.rows if row.question == "age"]
    assert (row.answer, row.kind, row.unit, row.truth, row.planned_half_width) == (
        "median",
        "median",
        "years",
        10,
        None,
    )
    assert row.estimate == pytest.approx(10, abs=6)
    table = simulation.as_table()
    assert "the interval of the median of age: a bootstrap" in table
    assert "10 years" in next(line for line in table.splitlines() if line.startswith("age"))
    assert "median (years)" in repr(simulation.panels())


def test_it_is_that_of_the_people_who_sent_a_report(survey: Survey, skewed: Truth) -> None:
    about = IntervalOptions(target="respondents")
    simulation = simulate(survey, 300, truth=skewed, runs=1, waves=1, seed=1, options=about)
    assert [row.truth for row in simulation.rows if row.question == "age"] == [10]


def test_a_comparison_says_that_no_curator_of_it_is_known(survey: Survey) -> None:
    compared = compare(survey, 300, runs=0)
    assert "not compared: age (number)" in compared.as_table()
    assert ([subject.question.id for subject in compared.subjects], compared.left_out) == (["paid"], ("age",))


def test_every_kind_that_stands_by_itself_can_be_rehearsed() -> None:
    assert all(kind.rehearsal for kind in FIGURES.values() if kind.of is None)
