"""The estimator for programs: estimates in notebooks and data frames, pictures, and one call for each command."""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import sotto_estimator
from fault_server import Scripted, fault_server
from sotto_estimator import (
    Channel,
    DomainError,
    Estimates,
    Group,
    IntervalOptions,
    SourceError,
    associate,
    compare_groups,
    confidence_interval,
    decode,
    decode_rappor,
    decode_unknown,
    estimate,
    estimate_counts,
    estimate_tally,
    plan,
    power,
    share_test,
    trend_test,
)
from sotto_estimator.sources.records import save_records
from sotto_protocol import Coins, Survey, Tally, compile_toml
from sotto_protocol.extras import MissingExtra

STAFF = """
id = "staff"
title = "How we <work>"
[[questions]]
id = "harassed"
type = "yes-no"
text = "Harassed?"
epsilon = 2
[[questions]]
id = "stay"
type = "one-of"
text = "What keeps you?"
options = ["pay", "<b>colleagues</b>", "nothing"]
epsilon = 2
[[questions]]
id = "unpaid"
type = "number"
text = "How many hours?"
minimum = 0
maximum = 20
unit = "hours"
mechanism = "window"
epsilon = 2
[[questions]]
id = "home"
type = "text"
text = "Where?"
epsilon = 4
"""
N = 2000


@pytest.fixture(scope="module")
def survey() -> Survey:
    return compile_toml(STAFF)


@pytest.fixture(scope="module")
def records(survey: Survey) -> np.ndarray:
    """Return packed reports: 30 % yes, a third each, 10 steps of 0 to 20, and one town."""
    people = np.arange(N)
    answers = {
        "harassed": (people % 10 < 3).astype(int),
        "stay": people % 3,
        "unpaid": np.full(N, 10),
        "home": ["berlin"] * N,
    }
    return survey.perturb(answers, Coins(np.random.default_rng(7).bytes))


@pytest.fixture(scope="module")
def tally(survey: Survey, records: np.ndarray) -> Tally:
    return Tally.of(survey, records)


@pytest.fixture(scope="module")
def estimates(tally: Tally) -> Estimates:
    return estimate(tally)


def test_estimates_are_asked_by_question(estimates: Estimates) -> None:
    assert [*estimates] == ["harassed", "stay", "unpaid"]
    assert len(estimates) == 3
    assert "stay" in estimates
    assert "home" not in estimates
    assert estimates["stay"] == estimates.rows[1:]
    assert estimates["unpaid"] == estimates.means
    assert [row.answer for question in estimates for row in estimates[question] if row in estimates.rows] == [
        row.answer for row in estimates.rows
    ]


def test_a_question_that_is_not_there_is_a_key_error_with_those_that_are(estimates: Estimates) -> None:
    with pytest.raises(KeyError, match="'harrased': the questions with estimates are harassed, stay, unpaid"):
        _ = estimates["harrased"]
    with pytest.raises(KeyError, match="'home' is a text question, which is decoded"):
        _ = estimates["home"]


def test_estimates_in_short_are_one_line(estimates: Estimates) -> None:
    assert str(estimates).startswith("How we <work>: 3 questions, n = 2,000 reports, epsilon ")
    assert "\n" not in str(estimates)


def test_a_frame_has_the_rows_of_csv_with_types(estimates: Estimates) -> None:
    frame = estimates.to_frame()
    shares = frame[frame["share"].notna()].reset_index(drop=True)
    assert [*shares["question"]] == [row.question for row in estimates.rows]
    assert [*shares["share"]] == [row.share for row in estimates.rows]
    assert [*frame[frame["question"] == "unpaid"]["mean"].dropna()] == [estimates.means[0].mean]
    assert str(frame["support_count"].dtype) == "Int64"  # a mean has none
    assert str(frame["n_reports"].dtype) == "int64"
    assert {str(frame[name].dtype) for name in ("share", "low", "high", "level", "mean")} == {"float64"}
    assert str(frame["simultaneous"].dtype) == "bool"
    assert pd.api.types.is_string_dtype(frame["question"])
    assert [*estimate_counts(3, 10, Channel(0.75, 0.25)).to_frame()["n_reports"]] == [10]


def test_without_pandas_it_is_said_which_extra_brings_it(estimates: Estimates, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "meta_path", [])
    with pytest.raises(
        MissingExtra, match=r"^to_frame needs: pip install 'sottovoce\[frames\]' \(pandas is not there\)"
    ):
        estimates.to_frame()


class Cells(HTMLParser):
    """The texts of table's cells, of what is known, and all tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        if tag in ("td", "th", "bdi", "strong"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] in (["td"], ["th"], ["data"], ["bdi"], ["strong"]) and self.cells:
            self.cells[-1] += data


def test_a_notebook_shows_what_is_known_and_every_text_escaped(estimates: Estimates) -> None:
    html = estimates._repr_html_()
    shown = Cells(html)
    assert "How we &lt;work&gt;" in html
    assert shown.cells.count("<b>colleagues</b>") == 2  # as text, not as a tag, in both tables
    assert shown.tags.count("b") == 1
    assert shown.tags.count("td") == 2 * 3 * 4 + 2 * 3  # shares and their errors; the mean
    assert re.match("between .*, best estimate ", shown.cells[1])
    assert "95 % confidence in each range" in html
    assert "Estimates of the mean (<bdi>hours</bdi>)" in html


def test_a_picture_is_returned_and_a_file_is_possible(estimates: Estimates, tmp_path: Path) -> None:
    figure = estimates.plot(tmp_path / "staff.svg")
    assert len(figure.axes) >= 2
    assert (tmp_path / "staff.svg").read_text().startswith("<?xml")
    assert len(estimates.plot().axes) == len(figure.axes)
    with pytest.raises(SourceError, match=r"must end in \.png"):
        estimates.plot(tmp_path / "staff.gif")


def test_shares_are_drawn_into_axes_that_are_given(estimates: Estimates) -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert estimates.plot(ax=left) is figure
    assert left.get_yticklabels()[0].get_text() == "harassed: yes"
    assert len(left.patches) == 4
    assert estimates.with_figures("share").plot(ax=right) is figure
    assert "hours" in right.get_xlabel()
    with pytest.raises(SourceError, match="no share and no mean"):
        replace(estimates, figures=()).plot(ax=right)


def test_counts_of_a_data_frame_are_counts() -> None:
    channel, given = Channel(0.75, 0.25), pd.Series([40.0, 50.0], index=["north", "south"])
    found = confidence_interval(given, 100, channel)
    assert np.array_equal(found.low, confidence_interval([40, 50], 100, channel).low)
    assert estimate_counts(np.float64(40), np.float64(100), channel) == estimate_counts(40, 100, channel)
    assert type(estimate_counts(40.0, 100.0, channel).n_reports) is int  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("n_yes", "n", "problem"),
    [
        (40.5, 100, r"support_counts \(40.5\) must be integers"),
        (float("nan"), 100, r"support_counts \(nan\) must be integers, and none missing"),
        (float("inf"), 100, r"support_counts \(inf\) must be integers"),
        (1e300, 100, r"support_counts \(1e\+300\) must be in \[0, n\]"),
        (-1.0, 100, r"support_counts \(-1.0\) must be in \[0, n\]"),
        (40, 100.5, r"n \(100.5\) must be an integer"),
        (40, float("nan"), r"n \(nan\) must be an integer"),
        (40, float("inf"), r"n \(inf\) must be an integer"),
    ],
)
def test_counts_that_are_none_are_refused_by_name(n_yes: Any, n: Any, problem: str) -> None:
    with pytest.raises(DomainError, match=problem):
        estimate_counts(n_yes, n, Channel(0.75, 0.25))


def test_estimates_come_from_a_tally_and_from_files(tally: Tally, estimates: Estimates, tmp_path: Path) -> None:
    path = tmp_path / "tally.json"
    path.write_bytes(tally.to_json())
    assert estimate(path) == estimate(str(path)) == estimate([path]) == estimates
    assert [verdict.question for verdict in estimates.verdicts] == ["harassed", "stay", "unpaid", "home"]
    wider = estimate(tally, options=IntervalOptions(level=0.99))
    assert wider.rows[0].low < estimates.rows[0].low
    assert wider.rows == estimate_tally(tally, IntervalOptions(level=0.99)).rows


def test_strings_joint_tables_and_plans_come_by_one_call(
    survey: Survey, records: np.ndarray, tally: Tally, tmp_path: Path
) -> None:
    assert [row.string for row in decode(tally, question="home", candidates=["berlin", "bonn"]).rows] == ["berlin"]
    save_records(survey, records, tmp_path / "reports.bin")
    table = associate(tmp_path / "reports.bin", questions=["harassed", "stay"])
    assert len(table.cells) == 6
    assert table == associate((survey, records), questions=["harassed", "stay"])
    (tmp_path / "survey.toml").write_text(STAFF)
    planned = plan(tmp_path / "survey.toml", 300)
    assert [one.question.id for one in planned.questions] == ["harassed", "stay", "unpaid", "home"]
    assert planned.questions[0].width == plan(survey, 300).questions[0].width


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (lambda path: estimate("https://x.example"), "goes with a survey's id"),
        (lambda path: estimate("https://x.example", "staff"), "set SOTTO_TOKEN in the environment"),
        (lambda path: estimate(path / "none.json"), "cannot be read"),
        (lambda path: estimate(path / "none.json", "staff"), "go with a collector's URL"),
        (lambda path: estimate(path / "none.json", wave=1), "go with a collector's URL"),
        (lambda path: estimate([]), "give at least one tally file"),
        (lambda path: associate(path / "none.bin", "staff", questions=["a", "b"]), "go with a collector's URL"),
        (lambda path: associate(path / "none.bin", questions=["a", "b"]), "cannot be read"),
        (lambda path: plan(path / "none.toml", 300), "No such file"),
    ],
)
def test_a_source_that_is_none_is_said(
    ask: Callable[[Path], object], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOTTO_TOKEN", raising=False)
    with pytest.raises(SourceError, match=problem):
        ask(tmp_path)


HALVES = {"a": Group(180, 400, Channel(0.75, 0.25)), "b": Group(115, 380, Channel(0.75, 0.25))}


@pytest.mark.parametrize(
    ("ask", "fault", "problem"),
    [
        (lambda of: share_test(of, null=1.5), DomainError, r"null \(1.5\) must be in \[0, 1\]"),
        (lambda of: share_test(of, null=0.5, method="blakr"), DomainError, r"method \('blakr'\) .*blaker"),
        (lambda of: share_test(of, null=0.5, alternative="more"), DomainError, r"alternative \('more'\)"),
        (
            lambda of: share_test(of, null=0.5, question="stya"),
            DomainError,
            "must be among those with reports: harassed",
        ),
        (lambda of: share_test(of, null=0.5, wave=1), SourceError, "go with a collector's URL"),
        (lambda of: share_test(HALVES["a"], null=0.5, wave=1), SourceError, "go with a collector's URL"),
        (
            lambda of: share_test(of, null=0.5, options=IntervalOptions(method="wilson")),
            DomainError,
            r"method \('wilson'\) is not an option of a test of a share",
        ),
        (lambda of: trend_test(HALVES), DomainError, "must be 3 or more. Compare two groups"),
        (lambda of: trend_test(HALVES | {"c": of}), DomainError, "no question with reports in common"),
        (
            lambda of: trend_test(HALVES | {"c": HALVES["a"]}, scores=[1, 2]),
            DomainError,
            r"scores \(1, 2\) must be 3 numbers",
        ),
        (lambda of: compare_groups(HALVES, people="others"), DomainError, r"people \('others'\) .*other"),
        (
            lambda of: estimate(of, by="stratum", covariances=True),
            SourceError,
            "covariances go with one survey's tally",
        ),
        (
            lambda of: estimate(of, by="stratum", likelihood=True),
            SourceError,
            "likelihood goes with one survey's reports",
        ),
        (lambda of: decode(of, question="home", candidates=["bonn"], limit=0), DomainError, r"limit \(0\) must be 1"),
        (lambda of: decode_unknown(of, question="home"), DomainError, "has no `unknown = true`"),
        (lambda of: decode_rappor("none.csv", "none.csv", ["bonn"]), SourceError, "none.csv"),
        (lambda of: power("share", [1], null="x", share=0.1), DomainError, r"null \('x'\) must be a number"),
    ],
)
def test_what_a_test_or_a_decode_cannot_take_is_refused_by_name(
    tally: Tally, ask: Callable[[Tally], object], fault: type[Exception], problem: str
) -> None:
    with pytest.raises(fault, match=problem):
        ask(tally)


def test_unknown_strings_are_those_of_one_wave() -> None:
    asked = 'id = "a"\ntitle = "A"\nwaves = 2\n[[questions]]\nid = "word"\ntype = "text"\ntext = "?"\nepsilon = 9\n'
    survey = compile_toml(f'{asked}epsilon_forever = 12\nmechanism = "rappor"\nunknown = true\n')
    records = survey.perturb({"word": ["abba"]}, Coins(np.random.default_rng(1).bytes))
    with pytest.raises(SourceError, match="of one wave: give wave, from 1 to 2"):
        decode_unknown((survey, records), question="word")


def test_a_collector_is_asked_with_the_token_of_the_environment(
    survey: Survey, tally: Tally, estimates: Estimates, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fault_server(None) as server:
        server.survey_reply = Scripted(200, tally.to_json())
        monkeypatch.setenv("SOTTO_TOKEN", "sotto_analyst_x")
        assert estimate(server.url, "staff") == estimates
        [request] = server.gets
    assert request.path == "/v1/surveys/staff/tally"
    assert request.headers["Authorization"] == "Bearer sotto_analyst_x"


def test_names_of_the_package_are_functions_whatever_was_loaded_before() -> None:
    """A module of the package's own with such a name would hide the function once it is loaded."""
    for name in sotto_estimator.__all__:
        assert not isinstance(getattr(sotto_estimator, name), type(sys)), name
    folder = Path(sotto_estimator.__file__).parent
    assert not {path.stem for path in folder.iterdir()} & {*sotto_estimator.__all__}
