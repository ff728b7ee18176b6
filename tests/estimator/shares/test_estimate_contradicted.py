"""Of counts that contradict the design no form of an estimate shows a share, a mean, an interval or a bar."""

import csv
import io
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from sotto_client.cli import main
from sotto_estimator import Estimates, estimate_tally, read_data
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.page.choices import Choices
from sotto_estimator.page.release import Release
from sotto_estimator.page.results import find_results
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.covariance import covariances_of
from sotto_estimator.shares.estimates import VoidedShare
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_protocol import Coins, Survey, Tally, compile_toml
from sotto_protocol.words import epsilon_above

SAID = "The reports contradict the survey's design, so they say nothing about this question."
CROSSWISE = ("--design", "crosswise(prob=1/6)")
OTHER_EPSILONS = ("1.6095", "4.1589")
NUMBERS = ("share", "standard_error", "low", "high", "shift_up", "shift_down")
SURVEY = compile_toml("""
id = "three"
title = "Three"
waves = 2
[[questions]]
id = "paid"
type = "yes-no"
text = "Is it paid?"
epsilon = 1
[[questions]]
id = "dish"
type = "one-of"
text = "Which?"
options = ["fish", "stew", "soup"]
epsilon = 2
[[questions]]
id = "hours"
type = "number"
text = "How many?"
minimum = 0
maximum = 99
epsilon = 4
distribution = true
""")


def sotto(*words: object) -> Result:
    return CliRunner().invoke(main, ["estimate", *map(str, words)])


def tally(survey: Survey = SURVEY, wave: int = 1, n: int = 3_000) -> Tally:
    rng = np.random.default_rng(wave)
    answers = {"paid": rng.integers(0, 2, n), "dish": rng.integers(0, 3, n), "hours": rng.integers(0, 100, n)}
    return Tally.of(survey, survey.perturb(answers, Coins(rng.bytes), wave=wave))


def contradicted(of: Tally, *questions: str) -> Tally:
    """Return a tally all of whose reports to some questions are one and the same, which no design gives."""
    counts = {key: np.array(value) for key, value in of.support_counts.items()}
    for question in questions:
        counts[question][:] = 0
        counts[question].flat[0] = of.n_reports
    return replace(of, support_counts=counts)


VOID = contradicted(tally(), "dish", "hours")
"""Of it only what was paid can be said."""


class Cells(HTMLParser):
    """The rows of all tables, as texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.is_cell = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.is_cell = True

    def handle_endtag(self, tag: str) -> None:
        self.is_cell &= tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.is_cell:
            self.rows[-1][-1] += data


def found(options: IntervalOptions | None = None) -> Estimates:
    of = estimate_tally(VOID, options)
    return with_verdicts(of.with_figures("covariance", covariances_of(VOID, "population")), VOID)


def is_told(cells: list[str]) -> bool:
    """Whether a row of a table has a number with a fraction, or in per cent, that is not an epsilon."""
    epsilons = [*(epsilon_above(float(question.epsilon)) for question in SURVEY.questions), *OTHER_EPSILONS]
    return any(re.search(r"\d\.\d|\d %", cell) for cell in cells if cell not in epsilons)


@pytest.mark.parametrize("options", [IntervalOptions(), IntervalOptions(consistent=True, simultaneous=True)])
def test_python_json_csv_and_frame_have_null_for_every_number_but_what_was_counted(options: IntervalOptions) -> None:
    of = found(options)
    assert [row.question for row in of.told_rows] == ["paid"]
    for row in of["dish"]:
        assert isinstance(row, VoidedShare)
        assert [getattr(row, name) for name in NUMBERS] == [None] * 6
        assert row.n_reports == 3_000
    document, sound = (
        json.loads(of.as_json()),
        json.loads(with_verdicts(estimate_tally(tally(), options), tally()).as_json()),
    )
    assert {found["question"] for found in document["contradictions"]} == {"dish", "hours"}
    assert [row.keys() for row in document["estimates"]] == [row.keys() for row in sound["estimates"]]
    assert [row.keys() for row in document["means"]] == [row.keys() for row in sound["means"]]
    assert [row.keys() for row in document["distributions"]] == [row.keys() for row in sound["distributions"]]
    kept = {"question", "answer", "n_reports", "support_count", "epsilon", "unit", "minimum", "maximum", "interval"}
    for row in [*document["estimates"], *document["means"], *document["distributions"]]:
        is_void = row["question"] != "paid"
        assert all(value is None for name, value in row.items() if name not in kept) == is_void, row
    assert [row["support_count"] for row in document["estimates"]] == [
        *VOID.support_counts["paid"].tolist(),
        *VOID.support_counts["dish"].tolist(),
    ]
    assert [one["matrix"] is None for one in document["covariances"]] == [
        one["question"] == "dish" for one in document["covariances"]
    ]
    rows = list(csv.DictReader(io.StringIO(of.as_csv())))
    frame = of.to_frame()
    for at, row in enumerate(rows):
        is_void = row["question"] != "paid"
        assert [row[name] == "" for name in (*NUMBERS, "mean") if row["question"] != "paid" or name != "mean"].count(
            True
        ) == (7 if is_void else 0)
        assert bool(row["contradiction_p_value"]) == is_void
        assert math.isnan(frame.iloc[at]["low"]) == is_void
    assert {row["question"] for row in rows} == {"paid", "dish", "hours"}
    assert "quantile" not in rows[0]


def test_table_notebook_report_and_picture_show_no_number_of_them() -> None:
    of = found()
    lines = [re.split(r" {2,}", line) for line in of.as_table().splitlines()]
    void = [row for row in lines if row[0].endswith(("dish", "hours"))]
    assert len(void) >= 4  # three dishes, and a mean
    assert not any(map(is_told, void))
    assert all(row.count("-") >= 3 for row in void if len(row) > 4)
    assert any(is_told(row) for row in lines if row[0].endswith("paid"))
    for html in (of._repr_html_(), of.to_html()):
        rows = Cells(html).rows
        assert [row[0] for row in rows] == ["Answer", "Yes"] * (len(rows) // 2)  # of the one that is told
        assert any(map(is_told, rows))
    for text, n_said in ((of.as_table(), 2), (of._repr_html_(), 4), (of.to_html(), 4)):  # in HTML above all, too
        assert text.partition("<script")[0].replace("&#x27;", "'").count(SAID) == n_said
        assert "dish: the counts contradict the design (P " in text or " of 3,000 reports point to" in text
        assert "the interval of the mean of hours" not in text
    title, (bars,) = of.panels()
    assert "dish: the counts contradict the design" in title
    assert [label.get_text() for label in of.plot().axes[0].get_yticklabels()] == ["paid: yes"]
    assert bars.inches < 1.1


def test_results_page_has_no_chart_no_table_and_no_wave_of_them() -> None:
    """Neither where all is pooled, nor of another wave beside the one that is chosen."""
    fine = tally(wave=2)
    for choices, expected in (
        (Choices(), {"paid"}),
        (Choices(wave=1), {"paid"}),
        (Choices(wave=2), {"paid", "dish", "hours"}),
    ):
        results = find_results(Release(SURVEY, True, {1: VOID, 2: fine}), choices)
        shown = {of.question.id: of for of in results.questions if of.charts or of.table or of.last_table}
        assert set(shown) == expected
        for section in results.questions:
            waves = [point.wave for one in section.series for point in one.points]
            assert set(waves) == ({1, 2} if section.question.id == "paid" else {2} if choices.wave == 2 else set())
        for section in results.questions:
            if section.question.id not in expected:
                assert section.sentences == [SAID]
                assert any(",000 reports point to" in line for line in section.technical)
        rows = list(csv.DictReader(io.StringIO(results.require_estimates().as_csv())))
        assert {row["question"] for row in rows if row["low"]} == expected


@pytest.mark.parametrize(
    "words",
    [
        ("--counts", "10,490", *CROSSWISE),
        ("--yes", "10", "--n", "500", *CROSSWISE, "--consistent", "--method", "clopper-pearson"),
        ("--counts", "10,490", *CROSSWISE, "--counts", "300,200", *CROSSWISE),
        ("--counts", "5,5,490,5", "--design", "kuk(prob_red_if_yes=.8, prob_red_if_no=.2, n_draws=3)"),
    ],
    ids=["one", "yes", "two", "kuk"],
)
def test_counts_on_paper_say_nothing_in_any_form(words: tuple[str, ...], tmp_path: Path) -> None:
    page, picture = tmp_path / "report.html", tmp_path / "picture.svg"
    printed = sotto(*words, "--report", page, "--plot", picture)
    assert printed.exit_code == 0, printed.output
    assert printed.stdout.startswith(SAID)
    assert "shares and intervals mean nothing" in printed.stderr
    line = printed.stdout.partition("std. error")[2].splitlines()[1]
    assert not is_told(re.split(r" {2,}", line)[2:]), line
    assert set(re.split(r" {2,}", line.strip())[2:]) <= {"-", ""}
    assert "<!-- yes -->" not in picture.read_text()
    assert "In a picture" not in page.read_text()
    (row,) = json.loads(sotto(*words, "--json").stdout)["estimates"]
    assert [row[name] for name in NUMBERS] == [None] * 6
    assert row["support_count"] >= 0
    (row,) = csv.DictReader(io.StringIO(sotto(*words, "--csv").stdout))
    assert [row[name] for name in NUMBERS] == [""] * 6
    assert float(row["contradiction_p_value"]) <= 1e-3


def test_groups_of_a_file_say_nothing_of_the_one_that_contradicts(tmp_path: Path) -> None:
    rows = [("north", "yes")] * 10 + [("north", "no")] * 490
    rows += [("south", "yes")] * 250 + [("south", "no")] * 250 + [("west", "yes")] * 200 + [("west", "no")] * 300
    file = tmp_path / "people.csv"
    file.write_text("\n".join(["region,said", *(",".join(row) for row in rows)]) + "\n")
    of = read_data(str(file), "said", "crosswise(prob=1/6)", by="region").estimate_groups()
    assert isinstance(of, SideBySide)
    for table in ([re.split(r" {2,}", line) for line in of.as_table().splitlines()],):
        told = {
            row[2]: is_told([cell for cell in row[5:] if cell]) for row in table if len(row) > 6 and row[0] == "said"
        }
        assert told == {"north": False, "south": True, "west": True}
    document = json.loads(of.as_json())
    assert [group["estimates"][0]["share"] is None for group in document["groups"]] == [True, False, False]
    assert [row["share"] == "" for row in csv.DictReader(io.StringIO(of.as_csv()))] == [True, False, False]
    assert "north" not in [label.get_text() for axes in of.plot().axes for label in axes.get_yticklabels()]
    assert of.as_table().count(SAID) == 1
    weighted = sotto(file, "--column", "said", *CROSSWISE, "--by", "region", "--simultaneous", "--json")
    groups = json.loads(weighted.stdout)["groups"]
    assert [group["estimates"][0]["share"] is None for group in groups] == [True, False, False]


def test_share_that_is_outside_by_chance_is_told() -> None:
    """Of 2,000 reports 760 where at least 800 are expected: marked, and not voided."""
    printed = sotto("--yes", "760", "--n", "2000", "--warner", ".6")
    assert "*-10.00 %" in printed.stdout
    assert SAID not in printed.stdout
    assert printed.stderr == ""
