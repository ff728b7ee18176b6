"""Every command that prints a result has a Python function that returns it: equal output in every form."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import sotto_estimator as s
from autofill import payloads
from beacons import beacons, write_lines
from commands import LEAVES
from newtab import MODEL, clicks, interests
from sotto_client.cli import main
from sotto_estimator import IntervalOptions, arm
from sotto_estimator.commands.options import FORMS
from sotto_estimator.designs.design import Arm
from sotto_estimator.microdata.microdata import Data
from sotto_estimator.results.result import Result
from sotto_estimator.sources.records import save_records
from sotto_protocol import Coins, Survey, Tally, compile_survey, compile_toml
from sotto_protocol.record import STRATUM, WAVE

LUNCH = """
id = "lunch"
title = "Lunch | 50 %"
invited = true
strata = ["north", "south"]
[[questions]]
id = "paid"
type = "yes-no"
text = "Paid?"
epsilon = 2
[[questions]]
id = "ate"
type = "one-of"
text = "What?"
options = ["bread", "soup", "<none>"]
epsilon = 2
[[questions]]
id = "hours"
type = "number"
text = "How long?"
minimum = 0
maximum = 10
unit = "h"
epsilon = 2
[[questions]]
id = "home"
type = "text"
text = "Where?"
mechanism = "rappor"
n_bits = 16
n_hashes = 2
n_cohorts = 4
epsilon = 6
"""
PLANNED = 'id = "plan"\ntitle = "Plan"\n[[questions]]\nid = "paid"\ntype = "yes-no"\ntext = "?"\nepsilon = 2\n'
WORD = {"id": "word", "type": "text", "text": "Which?", "unknown": True}
SKETCH = {"epsilon": Decimal(8), "mechanism": "sketch", "prefix_lengths": [1], "n_cohorts": 4}
GRAMS = {"epsilon": Decimal(20), "mechanism": "rappor", "n_bits": 32, "n_cohorts": 4, "max_length": 4, "gram_length": 2}
N = 300
CROSSWISE = "crosswise(prob_innocuous=1/6)"
OTHER_WAY = "crosswise(prob_innocuous=5/6)"
ARMS = ["--design", CROSSWISE, "--counts", "120,80", "--design", OTHER_WAY, "--counts", "90,130"]
TOWNS = ["berlin", "bonn", "ulm"]


def samples() -> list[Arm]:
    return [arm(CROSSWISE, [120, 80]), arm(OTHER_WAY, [90, 130])]


def of_arms() -> Data:
    return s.read_data("people.csv", "paid", {"a_b": CROSSWISE, "c|d": OTHER_WAY}, arm="region")


def forced(n_yes: int, n: int) -> Arm:
    """Return what --yes and --n say of a design of --truth 1/2."""
    return arm("forced(prob_forced_yes=1/4, prob_forced_no=1/4)", {"yes": n_yes, "no": n - n_yes})


def column(**given: str) -> dict[str, str]:
    return {"column": "paid", "design": CROSSWISE, **given}


@dataclass(frozen=True)
class Twin:
    """What is typed, and what returns the same in Python."""

    typed: str | list[str]
    found: Callable[[], Result]


OF_TABLE = ["people.csv", "--column", "paid", "--design", CROSSWISE]
OF_ARMS = ["people.csv", "--column", "paid", "--arm", "region"]
OF_ARMS += ["--design", f"a_b={CROSSWISE}", "--design", f"c|d={OTHER_WAY}"]
BY_WEIGHT = ["--post-stratify", "weight", "--margins", "1=.3,2=.3,3=.4"]
STRICT = IntervalOptions(0.9, simultaneous=True)


def groups(*names: str) -> dict[str, str]:
    return {name: name for name in names}


def arms(*yes: int) -> Mapping[str, Arm]:
    return {f"group {at}": forced(n_yes, 400) for at, n_yes in enumerate(yes, 1)}


TWINS: dict[str, Twin] = {
    "estimate TALLY": Twin("estimate lunch.json", lambda: s.estimate("lunch.json")),
    "estimate several tallies": Twin(
        "estimate a.json b.json --level .9 --method hoeffding --target respondents",
        lambda: s.estimate(["a.json", "b.json"], options=IntervalOptions(0.9, "hoeffding", "respondents")),
    ),
    "estimate RECORDS --stratum": Twin(
        "estimate lunch.records --stratum north", lambda: s.estimate("lunch.records", stratum="north")
    ),
    "estimate --by-stratum": Twin(
        "estimate lunch.records --by-stratum", lambda: s.estimate("lunch.records", by="stratum")
    ),
    "estimate --by-stratum --pooled": Twin(
        "estimate lunch.records --by-stratum --pooled",
        lambda: s.estimate("lunch.records", by="stratum", pooled=True),
    ),
    "estimate --covariances": Twin(
        "estimate lunch.json --covariances", lambda: s.estimate("lunch.json", covariances=True)
    ),
    "estimate --likelihood": Twin(
        "estimate lunch.records --likelihood", lambda: s.estimate("lunch.records", likelihood=True)
    ),
    "estimate counts": Twin("estimate --yes 150 --n 400 --truth 1/2", lambda: s.estimate_arms([forced(150, 400)])),
    "estimate counts of two samples": Twin(["estimate", *ARMS], lambda: s.estimate_arms(samples())),
    "estimate --column": Twin(["estimate", *OF_TABLE], lambda: s.estimate("people.csv", **column())),
    "estimate --column --by": Twin(
        ["estimate", *OF_TABLE, "--by", "region"], lambda: s.estimate("people.csv", **column(), by="region")
    ),
    "estimate --weights": Twin(
        ["estimate", *OF_TABLE, "--weights", "weight"],
        lambda: s.estimate("people.csv", **column(), sampling=s.SamplingColumns(weights="weight")),
    ),
    "estimate --margins": Twin(
        ["estimate", *OF_TABLE, "--post-stratify", "region", "--margins", "a_b=1,c|d=2", *BY_WEIGHT],
        lambda: s.estimate(
            "people.csv",
            **column(),
            sampling=s.SamplingColumns(
                post_stratify=["region", "weight"],
                margins=[{"a_b": 1, "c|d": 2}, {"1": 0.3, "2": 0.3, "3": 0.4}],
            ),
        ),
    ),
    "estimate --model": Twin(
        ["estimate", "--model", "one-sayers", *ARMS, "--level", ".9"],
        lambda: s.estimate_model("one-sayers", samples(), options=IntervalOptions(0.9)),
    ),
    "estimate --what-if": Twin(
        ["estimate", "--what-if", "random=0,.1", *ARMS], lambda: s.what_if("random", [0, 0.1], samples())
    ),
    "estimate --column --model": Twin(
        ["estimate", *OF_ARMS, "--model", "one-sayers"],
        lambda: s.estimate_model("one-sayers", of_arms()),
    ),
    "estimate --column --what-if": Twin(
        ["estimate", *OF_TABLE, "--what-if", "random=0,.1"],
        lambda: s.what_if("random", [0, 0.1], s.read_data("people.csv", "paid", CROSSWISE)),
    ),
    "estimate --format navigation-timing": Twin(
        "estimate --format navigation-timing loads.ndjson --by country",
        lambda: s.read_format("navigation-timing", ["loads.ndjson"], by="country"),
    ),
    "estimate --format scrambled": Twin(
        ["estimate", "--format", "scrambled(mean=1)", "hours.csv"],
        lambda: s.read_format("scrambled(mean=1)", ["hours.csv"]),
    ),
    "estimate --format firefox-newtab": Twin(
        ["estimate", "--format", "firefox-newtab(model=model.json)", "interests.ndjson"],
        lambda: s.read_format("firefox-newtab(model=model.json)", ["interests.ndjson"]),
    ),
    "estimate --format firefox-clicks": Twin(
        ["estimate", "--format", "firefox-clicks(items=10, epsilon=1)", "clicks.ndjson", "--level", ".9"],
        lambda: s.read_format("firefox-clicks(items=10, epsilon=1)", ["clicks.ndjson"], options=IntervalOptions(0.9)),
    ),
    "estimate --format android-autofill": Twin(
        "estimate --format android-autofill texts.ndjson",
        lambda: s.read_format("android-autofill", ["texts.ndjson"]),
    ),
    "decode": Twin(
        "decode lunch.json home --candidates towns.txt",
        lambda: s.decode("lunch.json", question="home", candidates=TOWNS),
    ),
    "decode --all --limit": Twin(
        "decode lunch.records home --stratum south --candidates towns.txt --all --limit 1 --level .9",
        lambda: s.decode(
            "lunch.records",
            question="home",
            candidates=TOWNS,
            stratum="south",
            keep_all=True,
            limit=1,
            options=s.DecodeOptions(0.9),
        ),
    ),
    "decode --unknown TALLY": Twin(
        "decode sketch.json word --unknown --alphabet abct",
        lambda: s.decode_unknown("sketch.json", question="word", alphabet="abct"),
    ),
    "decode --unknown RECORDS": Twin(
        "decode grams.records word --unknown --alphabet abc",
        lambda: s.decode_unknown("grams.records", question="word", alphabet="abc"),
    ),
    "decode --params --map": Twin(
        "decode --params params.csv --counts counts.csv --map map.csv",
        lambda: s.decode_rappor("params.csv", "counts.csv", "map.csv"),
    ),
    "decode --params --candidates": Twin(
        "decode --params params.csv --counts counts.csv --candidates towns.txt --all",
        lambda: s.decode_rappor("params.csv", "counts.csv", TOWNS, keep_all=True),
    ),
    "associate": Twin(
        "associate lunch.records paid ate --level .9",
        lambda: s.associate("lunch.records", questions=["paid", "ate"], options=IntervalOptions(0.9)),
    ),
    "associate --candidates": Twin(
        "associate lunch.records paid home --candidates home=towns.txt",
        lambda: s.associate("lunch.records", questions=["paid", "home"], candidates={"home": TOWNS}),
    ),
    "regress TABLE": Twin(
        ["regress", "people.csv", "paid ~ age", "--design", CROSSWISE, "--predict", "age=3"],
        lambda: s.regress("people.csv", "paid ~ age", design=CROSSWISE, predict=[{"age": 3}]),
    ),
    "regress RECORDS": Twin(
        ["regress", "lunch.records", "paid ~ ate", "--level", ".9"],
        lambda: s.regress("lunch.records", "paid ~ ate", options=IntervalOptions(0.9)),
    ),
    "test share of counts": Twin(
        "test share --null .3 --yes 150 --n 400 --truth 1/2", lambda: s.share_test(forced(150, 400), null=0.3)
    ),
    "test share TALLY": Twin(
        "test share lunch.json --null .3 --question ate --alternative greater --simultaneous --level .9",
        lambda: s.share_test("lunch.json", null=0.3, question="ate", alternative="greater", options=STRICT),
    ),
    "test share RECORDS --stratum": Twin(
        "test share lunch.records --stratum north --null .3 --method blaker",
        lambda: s.share_test("lunch.records", stratum="north", null=0.3, method="blaker"),
    ),
    "test share --column": Twin(
        ["test", "share", *OF_TABLE, "--null", ".3"],
        lambda: s.share_test(s.read_data("people.csv", "paid", CROSSWISE), null=0.3),
    ),
    "test share --column --by": Twin(
        ["test", "share", *OF_TABLE, "--null", ".3", "--by", "region", "--fdr"],
        lambda: s.share_test(s.read_data("people.csv", "paid", CROSSWISE, by="region"), null=0.3, fdr=True),
    ),
    "test groups --within": Twin(
        "test groups --yes 150 --n 400 --other-yes 160 --other-n 400 --truth 1/2 --within 30",
        lambda: s.compare_groups(arms(150, 160), within=30),
    ),
    "test groups of counts": Twin(
        "test groups --yes 150 --n 400 --other-yes 190 --other-n 400 --truth 1/2",
        lambda: s.compare_groups(arms(150, 190)),
    ),
    "test groups of void counts": Twin(
        "test groups --yes 2 --n 400 --other-yes 190 --other-n 400 --truth 1/2",
        lambda: s.compare_groups(arms(2, 190)),
    ),
    "test groups TALLY TALLY": Twin(
        "test groups a.json b.json --question ate --answer soup --people same --simultaneous --level .9",
        lambda: s.compare_groups(
            groups("a.json", "b.json"), question="ate", answer="soup", people="same", options=STRICT
        ),
    ),
    "test groups --anytime": Twin(
        "test groups a.json b.json --question paid --anytime",
        lambda: s.compare_groups(
            groups("a.json", "b.json"), question="paid", options=IntervalOptions(method="anytime")
        ),
    ),
    "test groups --stratum": Twin(
        "test groups lunch.records --stratum north --stratum south --question paid",
        lambda: s.compare_groups(
            {name: s.read_tallies([Path(f"{name}.json")]) for name in STRATA}, by="stratum", question="paid"
        ),
    ),
    "test groups --column": Twin(
        ["test", "groups", *OF_TABLE, "--by", "region"],
        lambda: s.compare_groups(s.read_data("people.csv", "paid", CROSSWISE, by="region")),
    ),
    "test trend of counts": Twin(
        "test trend --counts 150,250 --counts 190,210 --counts 220,180 --truth 1/2 --scores 1,2,4",
        lambda: s.trend_test(
            {
                f"group {at}": arm("forced(prob_forced_yes=1/4, prob_forced_no=1/4)", of)
                for at, of in enumerate([(150, 250), (190, 210), (220, 180)], 1)
            },
            scores=[1, 2, 4],
        ),
    ),
    "test trend of files": Twin(
        "test trend a.json b.json c.json --target respondents",
        lambda: s.trend_test(groups("a.json", "b.json", "c.json"), options=IntervalOptions(target="respondents")),
    ),
    "test trend --column": Twin(
        ["test", "trend", *OF_TABLE, "--by", "age", "--simultaneous"],
        lambda: s.trend_test(
            s.read_data("people.csv", "paid", CROSSWISE, by="age"), options=IntervalOptions(simultaneous=True)
        ),
    ),
    "plan FILE --n": Twin("plan plan.toml --n 300 --half-width .1", lambda: s.plan("plan.toml", 300, half_width=0.1)),
    "plan FILE": Twin("plan plan.toml --half-width .1", lambda: s.plan_respondents("plan.toml", half_width=0.1)),
    "plan --n": Twin(
        "plan --epsilon 1 --epsilon 2 --options 4 --n 300 --level .9",
        lambda: s.plan_shares([1, 2], n=300, n_options=4, options=s.PlanOptions(0.9)),
    ),
    "plan --half-width": Twin("plan --epsilon 1 --half-width .05", lambda: s.plan_shares([1], half_width=0.05)),
    "plan --questions": Twin(
        "plan --epsilon 1 --n 300 --questions 5", lambda: s.plan_shares([1], n=300, n_questions=5)
    ),
    "plan --plot": Twin("plan --epsilon 1 --n 300 --plot plan.svg", lambda: s.plan_shares([1], n=300).curves("n")),
    "plan --minimum": Twin(
        "plan --epsilon 1 --n 300 --minimum 0 --maximum 80", lambda: s.plan_numbers([1], 0, 80, n=300)
    ),
    "plan --text": Twin(
        "plan --text --epsilon 2 --n 30000 --candidates-n 100 --bits 16 --hashes 2 --cohorts 4",
        lambda: s.plan_texts([2], 30_000, 100, n_bits=16, n_hashes=2, n_cohorts=4),
    ),
    "power share": Twin(
        "power share --epsilon 1 --null .1 --share .15 --n 900 --one-sided",
        lambda: s.power("share", [1], n=900, one_sided=True, null=0.1, share=0.15),
    ),
    "power groups": Twin(
        "power groups --epsilon 1 --share .3 --other-share .2 --n 900",
        lambda: s.power("groups", [1], n=900, share=0.3, other_share=0.2),
    ),
    "power change": Twin(
        "power change --epsilon 1 --share .3 --later-share .2 --n 900 --people same",
        lambda: s.power("change", [1], n=900, share=0.3, later_share=0.2, people="same"),
    ),
    "power trend": Twin(
        "power trend --epsilon 1 --waves 4 --share .3 --last-share .2 --power .7",
        lambda: s.power("trend", [1], power=0.7, n_waves=4, share=0.3, last_share=0.2),
    ),
    "power association": Twin(
        "power association --epsilon 2 --if-yes .4 --if-no .2 --n 900",
        lambda: s.power("association", [2], n=900, share=0.5, share_if_yes=0.4, share_if_no=0.2),
    ),
    "power regression": Twin(
        "power regression --epsilon 1 --share .23 --slope 1 --n 900",
        lambda: s.power("regression", [1], n=900, share=0.23, slope=1),
    ),
}
"""By what is typed: its first words are the command's."""
ELSEWHERE = {"simulate", "compare", "audit"}
"""Held to the same by tests/rehearsal/test_rehearsal_results.py."""
STRATA = ("north", "south")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all files that the rows name."""
    made = tmp_path_factory.mktemp("twins")
    draw, people = np.random.default_rng(3), np.arange(N)
    coins = Coins(draw.bytes)
    lunch = compile_toml(LUNCH)
    answers = {
        "paid": people % 3 // 2,
        "ate": people % 3,
        "hours": np.full(N, 5),
        "home": ["berlin", "bonn"] * (N // 2),
    }
    columns = [part for _, part in lunch.layout.cut(lunch.perturb(answers, coins))]
    records = lunch.layout.join(columns, {WAVE: [1] * N, STRATUM: (people % 2 + 1).tolist()})
    save_records(lunch, records, made / "lunch.records")
    parts = {"lunch": records, "north": records[::2], "south": records[1::2]}
    parts |= {"a": records[:100], "b": records[100:200], "c": records[200:]}
    for name, of in parts.items():
        (made / f"{name}.json").write_bytes(Tally.of(lunch, of).to_json())
    for name, survey in {"sketch": unlisted(SKETCH), "grams": unlisted(GRAMS)}.items():
        words = survey.perturb({"word": 600 * ["abba"] + 400 * ["cab"]}, coins)
        save_records(survey, words, made / f"{name}.records")
        (made / f"{name}.json").write_bytes(Tally.of(survey, words).to_json())
    (made / "plan.toml").write_text(PLANNED)
    (made / "towns.txt").write_text("\n".join(TOWNS))
    rows = [f"{'a_b' if at % 2 else 'c|d'},{int(at % 5 < 2)},{at % 4},{1 + at % 3}" for at in range(N)]
    (made / "people.csv").write_text("\n".join(["region,paid,age,weight", *rows, ""]))
    write_lines(made / "loads.ndjson", beacons(N))
    write_lines(made / "interests.ndjson", interests(N))
    write_lines(made / "model.json", [MODEL])
    write_lines(made / "clicks.ndjson", clicks(N, 10, 0.5))
    (made / "hours.csv").write_text("value\n3\n4.5\n0\n12\n")
    write_lines(made / "texts.ndjson", payloads(["DE"] * 12))
    (made / "params.csv").write_text("k,h,m,p,q,f\n8,1,2,0.25,0.75,0\n")
    with (made / "counts.csv").open("w", newline="") as file:
        csv.writer(file).writerows([[1000, *[300] * 4, *[400] * 4], [1000, *[450] * 3, *[260] * 5]])
    (made / "map.csv").write_text("berlin,1,9\nbonn,6,12\n")
    return made


def unlisted(how: Mapping[str, object]) -> Survey:
    return compile_survey({"id": "words", "title": "Words", "questions": [WORD | how]})


def commands_with_results() -> Iterator[str]:
    """Return every command that has an option for a form of a result."""
    for path, command in LEAVES:
        typed = {word for option in command.params for word in option.opts}
        if typed & {"--csv", "--markdown", "--latex"}:
            yield " ".join(path)


def test_every_command_that_prints_a_result_has_a_row() -> None:
    without = {name for name in commands_with_results() if not any(f"{row} ".startswith(f"{name} ") for row in TWINS)}
    assert without == ELSEWHERE


def printed(typed: list[str], forms: Sequence[str]) -> dict[str, str]:
    """Return what is printed in these forms, and the report, which has all strings whatever the limit.

    Covariances go with JSON alone, and pictures take long to draw.
    """
    told = {}
    for form in ["json"] if {"--covariances", "--plot"} & {*typed} else ["", *forms]:
        done = CliRunner().invoke(main, [*typed, *([f"--{form}"] if form else ["--report", "report.html"])])
        assert done.exit_code == 0, done.output
        told[form] = done.stdout
    return told | ({"report": Path("report.html").read_text()} if "" in told and "--limit" not in typed else {})


def forms_in_turn() -> Iterator[Any]:
    """Yield every row with one form beside the table and the report, and with all others where that is rare."""
    for row, form in zip(TWINS, cycle(FORMS), strict=False):
        yield pytest.param(row, [form], id=row)
        yield pytest.param(row, [of for of in FORMS if of != form], id=f"{row}, other forms", marks=pytest.mark.rare)


@pytest.mark.parametrize(("row", "forms"), [*forms_in_turn()])
def test_python_returns_what_the_command_prints(
    folder: Path, row: str, forms: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All kinds of results have all forms in Python (test_results.py), and one function prints them."""
    monkeypatch.chdir(folder)
    typed = TWINS[row].typed
    told = printed(typed.split() if isinstance(typed, str) else typed, forms)
    found = TWINS[row].found()
    report = {"report": found.to_html()} if "report" in told else {}
    assert {form: f"{found.as_style(form)}\n" for form in told if form != "report"} | report == told
