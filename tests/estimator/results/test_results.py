"""What every result can do: all kinds in all forms, where there is much to show and where there is nothing."""

from dataclasses import replace

import numpy as np
import pytest

from autofill import payloads
from beacons import beacons, write_lines
from decoded_strings import ROWS, decoded
from newtab import clicks
from result_contract import CONTRACT, NASTY, kinds_of
from sotto_estimator import (
    Channel,
    Group,
    IntervalOptions,
    arm,
    associate,
    compare_groups,
    decode,
    estimate,
    estimate_counts,
    estimate_model,
    plan,
    plan_numbers,
    plan_respondents,
    plan_shares,
    plan_texts,
    power,
    read_data,
    read_format,
    regress,
    share_test,
    trend_test,
    what_if,
)
from sotto_estimator.results.document import Column, Document, Part, Table
from sotto_estimator.results.forms.html import notebook_html
from sotto_estimator.results.forms.latex import latex_of
from sotto_estimator.results.forms.markdown import markdown_of
from sotto_estimator.results.forms.text import text_of
from sotto_estimator.results.result import Result
from sotto_estimator.shares.by_group import estimate_strata
from sotto_protocol import Coins, Survey, Tally, compile_survey
from sotto_protocol.tables import width
from written_forms import MOST_ROWS, read_latex, read_markdown

N = 400
TOWNS = ["berlin", "bonn"]


@pytest.fixture(scope="module")
def survey() -> Survey:
    asked = [
        {"id": "paid", "type": "yes-no", "text": "?", "epsilon": 2},
        {"id": "ate", "type": "one-of", "text": "?", "options": ["米饭和蔬菜", "bread", "😂", "ليس"], "epsilon": 2},
        {"id": "hours", "type": "number", "text": "?", "minimum": 0, "maximum": 20, "unit": "h", "epsilon": 2},
        {"id": "home", "type": "text", "text": "?", "epsilon": 6},
    ]
    return compile_survey({"id": "lunch", "title": "Lunch", "questions": asked})


@pytest.fixture(scope="module")
def records(survey: Survey) -> np.ndarray:
    people = np.arange(N)
    answers = {"paid": people % 2, "ate": people % 4, "hours": np.full(N, 5), "home": ["berlin"] * N}
    return survey.perturb(answers, Coins(np.random.default_rng(7).bytes))


@pytest.fixture(scope="module")
def results(survey: Survey, records: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """Return a result of every kind, and some that are empty, or void; by the kind's name and what is special."""
    folder = tmp_path_factory.mktemp("results")
    tally = Tally.of(survey, records)
    few = Tally.of(survey, records[:20])
    rows = [f"{['north', NASTY][at % 2]},{int(at % 5 < 2 + at % 2)},{at % 7}" for at in range(N)]
    (folder / "people.csv").write_text("\n".join(["of,paid,age", *rows, ""]))
    (folder / "void.csv").write_text("\n".join(["of,paid,age", *["a,1,1"] * N, *["b,1,1", "b,0,2"] * N, ""]))
    (folder / "apart.csv").write_text("\n".join(["paid,age", *["0,1"] * N, *["1,2"] * N, ""]))
    design = "crosswise(prob_innocuous=1/6)"
    arms = [arm("crosswise(prob_innocuous=1/6)", [150, 250]), arm("crosswise(prob_innocuous=5/6)", [260, 140])]
    forced = [
        arm("forced(prob_forced_yes=1/4, prob_forced_no=0)", [210, 390]),
        arm("forced(prob_forced_yes=3/4, prob_forced_no=0)", [390, 210]),
    ]
    void_arms = [arm("warner(prob_statement=.6)", [399, 1])]
    void_model = [arm("crosswise(prob_innocuous=1/6)", [390, 10]), arm("crosswise(prob_innocuous=5/6)", [390, 10])]
    found = estimate(tally)
    timing = read_format("navigation-timing", [write_lines(folder / "b.ndjson", beacons(2000))])
    every = [record | {"country": NASTY} for record in beacons(400, share_high=1.0)]
    high = [record for record in every if record["confidence"]["value"] == "high"][:8]
    without_end = read_format("navigation-timing", [write_lines(folder / "h.ndjson", high)], by="country")
    shares = read_format(
        "firefox-clicks(items=10, epsilon=1)", [write_lines(folder / "c.ndjson", clicks(300, 10, 0.5))]
    )
    texts = read_format("android-autofill", [write_lines(folder / "p.ndjson", payloads(["Country"] * 30))])
    people, void = (read_data(folder / name, "paid", design, by="of") for name in ("people.csv", "void.csv"))
    return {
        "Estimates": found,
        "Estimates of void counts": estimate_counts(399, 400, Channel(0.6, 0.4)),
        "SideBySide": people.estimate_groups(),
        "SideBySide with a void group": void.estimate_groups(),
        "SideBySide, pooled": _pooled({"a": few, NASTY: tally, "c": tally}),
        "Association": associate((survey, records), questions=["paid", "ate"]),
        "Decoded": decode(tally, question="home", candidates=TOWNS),
        "Decoded of nothing that is found": decode(few, question="home", candidates=["bonn", "ulm"]),
        "Regression": regress(folder / "people.csv", "paid ~ age", design=design),
        "Regression of void counts": regress(folder / "void.csv", "paid ~ age", design="warner(prob_statement=.6)"),
        "ModelEstimate": estimate_model("cheating-detection", forced),
        "WhatIf": what_if("random", [0, 0.1], arms),
        "WhatIf of void counts": what_if("random", [0, 0.1], void_arms),
        "Tested": compare_groups(
            {"a": Group(100, 200, Channel(0.75, 0.25)), NASTY: Group(60, 200, Channel(0.75, 0.25))}
        ),
        "Tested with a void group": compare_groups(
            {"a": Group(199, 200, Channel(0.6, 0.4)), "b": Group(90, 200, Channel(0.6, 0.4))}
        ),
        "Tested of a file": compare_groups(people),
        "SurveyPlan": plan(survey, 300),
        "RespondentsPlan": plan_respondents(survey, half_width=0.1),
        "SharePlan": plan_shares([1, 2], n=300, n_options=4),
        "SharePlan of a half-width": plan_shares([1], half_width=0.05),
        "SharePlan of a survey that draws": plan_shares([1], n=300, n_questions=5),
        "WidthCurves": plan_shares([1, 2], n=300).curves("epsilon"),
        "NumberPlan": plan_numbers([1], 0, 80, n=300),
        "NumberPlan of a half-width": plan_numbers([1], 0, 80, half_width=2),
        "TextPlan": plan_texts([2], 30_000, 100),
        "PowerPlan": power("groups", [1], share=0.3, other_share=0.2),
        "PowerPlan of too few": power("trend", [1], n=3, n_waves=4, share=0.3, last_share=0.2),
        "SurveyPlan with a wish": plan(survey, 300, half_width=0.05),
        "FormatShares": shares,
        "Figures": timing,
        "AutofillTexts": texts,
        "Regression of a separated column": regress(folder / "apart.csv", "paid ~ age", design="direct"),
        "Figures of a group without an end": without_end,
        "Association of void counts": associate((survey, records[:1].repeat(N, axis=0)), questions=["paid", "ate"]),
        "ModelEstimate of void counts": estimate_model("one-sayers", void_model),
        "Tested shares of void counts": share_test(void_arms, null=0.3),
        "Tested trend with a void group": trend_test(
            {NASTY: Group(199, 200, Channel(0.6, 0.4))} | {at: Group(90, 200, Channel(0.6, 0.4)) for at in "bc"}
        ),
        "Estimates of 400 answers": replace(
            found, figures=tuple(replace(found.rows[0], answer=f"* [{at}]") for at in range(400))
        ),
        "Decoded of 400 strings": decoded(rows=tuple(replace(ROWS[0], string=f"{at} {NASTY}") for at in range(400))),
    }


def _pooled(tallies: dict[str, Tally]) -> Result:
    found = estimate_strata(tallies, IntervalOptions(), len(tallies), pooled=True)
    assert found is not None
    return found


KINDS = [
    *("Estimates", "Estimates of void counts", "SideBySide", "SideBySide with a void group"),
    "SideBySide, pooled",
    *("Association", "Decoded", "Decoded of nothing that is found", "Regression", "Regression of void counts"),
    *("ModelEstimate", "WhatIf", "WhatIf of void counts", "Tested", "Tested with a void group", "Tested of a file"),
    *("SurveyPlan", "RespondentsPlan", "SharePlan", "SharePlan of a half-width", "SharePlan of a survey that draws"),
    *("WidthCurves", "NumberPlan", "NumberPlan of a half-width", "TextPlan", "PowerPlan", "PowerPlan of too few"),
    *("SurveyPlan with a wish", "FormatShares", "Figures", "AutofillTexts"),
    *("Regression of a separated column", "Figures of a group without an end"),
    *("Association of void counts", "ModelEstimate of void counts", "Tested shares of void counts"),
    *("Tested trend with a void group", "Estimates of 400 answers", "Decoded of 400 strings"),
]


@pytest.mark.rare
@pytest.mark.thorough
def test_every_kind_of_result_is_held_to_what_follows(results: dict[str, Result]) -> None:
    assert [*results] == KINDS
    assert {type(found).__name__ for found in results.values()} == kinds_of("sotto_estimator")


@pytest.mark.parametrize("check", CONTRACT)
@pytest.mark.parametrize("kind", KINDS)
def test_every_result_keeps_the_contract(results: dict[str, Result], kind: str, check: str) -> None:
    CONTRACT[check](results[kind])


def test_long_tables_are_whole_in_every_form_and_break_over_pages_in_latex() -> None:
    rows = [(f"* [{at}]", at) for at in range(4000)]
    document = Document("T", "", (), [Part("All", [Table([Column("[a"), Column("n", "count")], rows)])])
    cells = [[text, f"{at:,}"] for text, at in rows]
    assert read_markdown(markdown_of(document)) == [[["[a", "n"], *cells]]
    assert read_latex(latex_of(document)) == [[["[a", "n"], *cells]]
    assert latex_of(document).count("{tabular}{lr}") == 4000 / MOST_ROWS
    assert text_of(document.parts).count("\n") == 4000
    assert notebook_html(document).count("<tr>") == 4001


def test_columns_of_wide_letters_are_in_line(results: dict[str, Result]) -> None:
    lines = results["Estimates"].as_table().split("\n")
    rows = [line for line in lines if line.startswith("ate ") and line.endswith("%") and line.count("%") > 3]
    assert len(rows) == 4
    assert len({width(row) for row in rows}) == 1


def test_a_plan_in_python_says_what_would_help_and_whether_a_wish_is_reached(results: dict[str, Result]) -> None:
    document = results["SurveyPlan with a wish"].to_dict()
    assert document["helps"]
    assert {wish["question"] for wish in document["wishes"]} >= {"paid"}
    assert document["verdict"]
    assert "What would help" in results["SurveyPlan"].as_table() or "would" in results["SurveyPlan"].as_table()
