"""A report on estimates: one HTML file with the numbers of --json, that asks for nothing else."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator import Channel, DomainError, estimate, estimate_counts, read_data
from sotto_protocol import Coins, Tally, compile_toml

SURVEY = compile_toml("""
id = "staff"
title = "How we </script><b>work</b>"
[[questions]]
id = "stay"
type = "one-of"
text = "What keeps you?"
options = ["pay", "<i>colleagues</i>", "nothing"]
epsilon = 2
[[questions]]
id = "unpaid"
type = "number"
text = "How many hours?"
minimum = 0
maximum = 20
unit = "hours"
epsilon = 2
distribution = true
""")
N = 2000


@pytest.fixture(scope="module")
def tally() -> Tally:
    people = np.arange(N)
    answers = {"stay": people % 3, "unpaid": people % 20}
    return Tally.of(SURVEY, SURVEY.perturb(answers, Coins(np.random.default_rng(5).bytes)))


class Page(HTMLParser):
    """A page's tags with their attributes, the texts of its cells, and what its script holds."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.script = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script":
            self.script += data
        elif data.strip():
            self.texts.append(data.strip())


def test_a_report_holds_the_numbers_of_json(tally: Tally) -> None:
    found = estimate(tally)
    page = Page(found.to_html())
    assert json.loads(page.script) == json.loads(found.as_json())
    assert found.to_dict()["estimates"][0]["share"] == found.rows[0].share
    shown = " ".join(page.texts)
    for row in found.rows:
        assert f"{100 * row.share:.2f} %" in shown
        assert f"{100 * row.low:.2f} %" in shown
    assert "(method: by Gaffke's bound" in shown
    assert "Median" in shown
    assert "95 % confidence in each range, for the population (method: chernoff)" in shown
    assert f"{N:,} reports." in shown


def test_a_report_asks_for_no_other_file_and_takes_no_text_for_a_tag(tally: Tally) -> None:
    html = estimate(tally).to_html()
    page = Page(html)
    names = [tag for tag, _ in page.tags]
    assert (names.count("script"), names.count("svg")) == (1, 2)
    assert {"b", "i", "img", "iframe", "object"}.isdisjoint(names)
    asked = [attrs[name] for _, attrs in page.tags for name in ("src", "href", "xlink:href") if attrs.get(name)]
    assert [address for address in asked if not str(address).startswith(("#", "data:,"))] == []
    assert not re.search(r"@import|url\((?!#)", html)
    assert "<i>colleagues</i>" in page.texts  # as text
    assert estimate(tally).to_html() == html  # no clock, no chance


def test_what_is_wrong_with_the_counts_stands_first() -> None:
    found = estimate_counts(1999, 2000, Channel.warner(0.6))
    [warning] = found.alarms()
    page = Page(found.to_html())
    assert page.texts.index(warning) < page.texts.index("All numbers")
    assert page.texts.count("-") == 6  # no number


def test_the_command_writes_it_and_prints_all_the_same(tmp_path: Path) -> None:
    counts = ["estimate", "--yes", "831", "--n", "2435", "--truth", "2/3"]
    plain = CliRunner().invoke(main, counts)
    written = CliRunner().invoke(main, [*counts, "--report", str(tmp_path / "out.html")])
    assert (written.exit_code, written.stdout) == (0, plain.stdout)
    as_members = CliRunner().invoke(main, [*counts, "--json"])
    assert json.loads(Page((tmp_path / "out.html").read_text()).script) == json.loads(as_members.stdout)


@pytest.mark.parametrize(
    ("path", "problem"),
    [("out.pdf", r"report \(out.pdf\) must end in .html"), ("none/out.html", "cannot be written: No such file")],
)
def test_a_report_that_cannot_be_written_is_refused(path: str, problem: str, tmp_path: Path) -> None:
    counts = ["estimate", "--yes", "831", "--n", "2435", "--truth", "2/3"]
    refused = CliRunner().invoke(main, [*counts, "--report", str(tmp_path / path)])
    assert refused.exit_code == 1
    assert re.search(problem, refused.stderr)


CSV = [
    f"{'ab'[place % 2]},{'xy'[place % 4 // 2]},{place % 5 < 3 - place % 4 // 2:d},{place % 7}" for place in range(800)
]
COLUMN, SAMPLES = ["--column", "cheated"], ["--design", "x=crosswise(prob=1/5)", "--design", "y=crosswise(prob=4/5)"]
REPORTED = {
    "groups": ["estimate", "people.csv", *COLUMN, "--by", "region", "--design", "crosswise(prob=1/6)"],
    "test": ["test", "groups", "people.csv", *COLUMN, "--by", "region", "--design", "crosswise(prob=1/6)"],
    "share": ["test", "share", "--yes", "400", "--n", "1000", "--truth", "1/2", "--null", "0.25"],
    "regress": ["regress", "people.csv", "cheated ~ age", "--design", "crosswise(prob=1/6)"],
    "model": ["estimate", "people.csv", *COLUMN, "--arm", "half", *SAMPLES, "--model", "one-sayers"],
    "what-if": ["estimate", "people.csv", *COLUMN, "--arm", "half", *SAMPLES, "--what-if", "random=0,.1"],
}


@pytest.mark.few(2)
@pytest.mark.parametrize("command", REPORTED.values(), ids=REPORTED)
def test_whatever_is_found_is_written_with_its_json_and_drawn(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("\n".join(["region,half,cheated,age", *CSV, ""]))
    plain = CliRunner().invoke(main, command)
    files = ["--report", "out.html", "--plot", "out.svg"]
    written = CliRunner().invoke(main, [*command, *files])
    assert (written.exit_code, written.stdout, written.stderr) == (0, plain.stdout, plain.stderr)
    page = Page(Path("out.html").read_text())
    assert json.loads(page.script) == json.loads(CliRunner().invoke(main, [*command, "--json"]).stdout)
    assert [tag for tag, _ in page.tags].count("svg") == 1
    assert "<svg" in Path("out.svg").read_text()
    assert ("people.csv" in page.texts[0]) == ("people.csv" in command)  # the page's title
    named = CliRunner().invoke(main, [*command, *files, "--title", "Exam <of> 2026"])
    assert named.exit_code == 0
    assert Page(Path("out.html").read_text()).texts[0].startswith("Exam <of> 2026")


def test_a_model_of_a_files_column_says_of_which_and_how_people_were_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("\n".join(["region,half,cheated,age", *CSV, ""]))
    for name in ("model", "what-if"):
        printed = CliRunner().invoke(main, REPORTED[name]).stdout
        assert "people.csv, cheated: n = 800 reports" in printed
        assert "design crosswise(prob_innocuous=0.2): 400 reports" in printed
        assert "counts as given" not in printed


def test_what_is_wrong_with_a_group_stands_first_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("\n".join(["of,paid", *["a,1"] * 300, *["b,1", "b,0"] * 150, ""]))
    found = read_data(tmp_path / "p.csv", "paid", "warner(prob=.6)", by="of").estimate_groups()
    [alarm] = found.alarms()
    assert alarm.startswith("of a: ")
    page = Page(found.to_html())
    assert page.texts.index(alarm) < page.texts.index("What is known")


def test_estimates_draw_themselves(tally: Tally, tmp_path: Path) -> None:
    found = estimate(tally)
    assert len(found.plot(tmp_path / "staff.svg").axes) >= 2
    assert (tmp_path / "staff.svg").exists()


def test_questions_and_answers_are_read_as_they_were_asked_with_their_ids_beside_them(tmp_path: Path) -> None:
    survey = compile_toml("""
id = "t"
title.en = "T"
title.ar = "ع"
[[questions]]
id = "stay"
type = "one-of"
mechanism = "k-ary"
epsilon = 4
text.en = "What <keeps> you?"
text.ar = "ما الذي يبقيك؟"
options.en = ["pay", "people"]
options.ar = ["الأجر", "الزملاء"]
""")
    found_tally = Tally(survey, {1: 2000}, {"stay": np.array([1500, 500])})
    found = estimate(found_tally)
    english, arabic = found.to_html(), found.to_html("ar")
    for html, asked, answer in (
        (english, "What &lt;keeps&gt; you?", "pay"),
        (found._repr_html_(), "What &lt;keeps&gt; you?", "pay"),
        (arabic, "ما الذي يبقيك؟", "الأجر"),
    ):
        assert f"{asked} <small><code>stay</code></small>" in html
        assert f"<li><bdi>{answer}</bdi>: <strong>" in html
    assert ">الأجر</text>" in arabic  # in the picture
    for form in ("", "csv", "json", "markdown"):
        assert "keeps" not in found.as_style(form)  # programs and analysts have the ids
    with pytest.raises(ValueError, match=r"lang \(sw\) must be one of en, ar"):
        found.to_html("sw")
    without = estimate_counts(400, 1000, Channel(0.75, 0.25))
    tally, report = tmp_path / "tally.json", tmp_path / "report.html"
    tally.write_bytes(found_tally.to_json())
    typed = ["estimate", str(tally), "--report", str(report), "--report-lang"]
    assert CliRunner().invoke(main, [*typed, "ar"]).exit_code == 0
    assert "ما الذي يبقيك؟" in report.read_text(encoding="utf-8")
    for lang, said in (("sw", "must be one of en, ar"), ("x" * 9, "must be one of")):
        refused = CliRunner().invoke(main, [*typed, lang])
        assert (refused.exit_code, said in refused.stderr) == (2, True)
    assert (
        "--report-lang goes with --report"
        in CliRunner().invoke(main, ["estimate", str(tally), *typed[-1:], "ar"]).stderr
    )
    with pytest.raises(DomainError, match="have ids alone"):
        without.to_html("ar")
