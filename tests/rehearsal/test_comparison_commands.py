"""`sotto compare` as it is typed."""

import csv
import io
import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import starting
from console import Console
from sotto_client.cli import main
from sotto_estimator.channel.channel import Channel
from sotto_estimator.inference.marginal import marginals_of
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import outlook_of
from sotto_estimator.planning.widths import curator_half_width, half_width
from sotto_protocol import compile_toml
from sotto_protocol.words import epsilon_above
from sotto_rehearsal.comparison.clones import amplified_epsilon

HEAD = 'id = "s"\ntitle = "Lunch"\n'
YES_NO = '[[questions]]\nid = "paid"\ntype = "yes-no"\ntext = "?"\nprob_truth = "3/5"\n'
ONE_OF = '[[questions]]\nid = "where"\ntype = "one-of"\ntext = "?"\noptions = ["a", "b", "c"]\nepsilon = 2\n'
ANY_OF = '[[questions]]\nid = "what"\ntype = "any-of"\ntext = "?"\noptions = ["a", "b", "c"]\nepsilon = 2\n'
NUMBER = (
    '[[questions]]\nid = "age"\ntype = "number"\ntext = "?"\nminimum = 0\nmaximum = 50\nunit = "years"\nepsilon = 2\n'
)
TEXT = '[[questions]]\nid = "dish"\ntype = "text"\ntext = "?"\nepsilon = 2\n'
EVERY = HEAD + YES_NO + ONE_OF + ANY_OF + NUMBER + TEXT


def compare(folder: Path, survey: str, *arguments: Any) -> Result:
    path = folder / "survey.toml"
    path.write_text(survey)
    return CliRunner().invoke(main, ["compare", str(path), *map(str, arguments)])


def document(folder: Path, survey: str, *arguments: Any) -> dict[str, Any]:
    result = compare(folder, survey, *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    loaded: dict[str, Any] = json.loads(result.stdout)
    return loaded


def rows_of(compared: dict[str, Any], question: str) -> dict[str, dict[str, Any]]:
    return {row["by"]: row for row in compared["questions"] if row["question"] == question}


@pytest.mark.parametrize(
    ("n", "local", "population", "curator"), [(100, 0.245, 0.25, 0.035), (435, 0.117, 0.120, 0.008)]
)
def test_senators_and_representatives(tmp_path: Path, n: int, local: float, population: float, curator: float) -> None:
    rows = rows_of(document(tmp_path, HEAD + YES_NO, "--n", n, "--runs", 0), "paid")
    assert rows["devices, warner"]["epsilon"] == pytest.approx(math.log(1.5), abs=1e-8)
    assert round(rows["devices, warner"]["noise"], 3) == local
    assert round(rows["devices, warner"]["deviation"], 3) == population
    assert round(rows["curator, Laplace"]["noise"], 3) == curator


@pytest.mark.rare
@pytest.mark.rare
@pytest.mark.parametrize("target", ["population", "respondents"])
def test_theory_is_what_simulation_finds(target: str, tmp_path: Path) -> None:
    """2,000 runs: a root mean square of errors within 15 %, nine standard errors of one."""
    compared = document(tmp_path, EVERY, "--n", 60, "--runs", 2000, "--target", target, "--share", 0.3)
    checked = [row for row in compared["questions"] if row["simulated"] is not None]
    assert len(checked) == 16 - (target == "respondents")  # asked-option asks others
    for row in checked:
        assert row["deviation"] / 1.15 < row["simulated"] < 1.15 * row["deviation"], row
        assert row["n_runs"] == 2000


@pytest.mark.thorough
def test_the_right_option_is_named_as_often_as_theory_says(tmp_path: Path) -> None:
    """3,000 runs, by seven standard deviations; the first of three options of 50, 33 and 17 % is the right one."""
    rows = rows_of(document(tmp_path, HEAD + ONE_OF, "--n", 20, "--runs", 3000), "where")
    for name in ("curator, exponential mechanism", "curator, permute and flip"):
        theory = rows[name]["named"]
        assert rows[name]["simulated_named"] == pytest.approx(theory, abs=7 * math.sqrt(theory * (1 - theory) / 3000))
    assert rows["curator, permute and flip"]["named"] > rows["curator, exponential mechanism"]["named"]
    assert rows["devices, k-ary"]["simulated_named"] < rows["curator, exponential mechanism"]["named"]
    assert rows["in the clear"]["named"] > rows["curator, permute and flip"]["named"]


def test_noise_names_the_right_option_no_more_often_than_none_and_it_is_the_same_at_every_time(tmp_path: Path) -> None:
    """Of 200 crowds drawn anew the curator's noise was ahead now and then."""
    for share in ("a = 0.4, b = 0.35, c = 0.25", "a = 0.34, b = 0.33, c = 0.33"):
        (tmp_path / "truth.toml").write_text(f"[questions.where]\nshares = {{{share}}}")
        arguments = ("--n", 120, "--truth", tmp_path / "truth.toml")
        first, again = (document(tmp_path, HEAD + ONE_OF, *arguments, "--runs", runs) for runs in (0, 3))
        rows, others = rows_of(first, "where"), rows_of(again, "where")
        by = ["curator, exponential mechanism", "curator, permute and flip", "in the clear"]
        noisy, flipped, clear = (rows[name]["named"] for name in by)
        assert noisy < flipped < clear
        assert [others[name]["named"] for name in by] == [noisy, flipped, clear]


def test_the_error_of_an_expected_name_is_said_where_there_is_one(tmp_path: Path) -> None:
    """By the exact law of 30 answers, two options: five standard errors; of respondents there is no error."""
    pair = ONE_OF.replace(', "c"', "")
    (tmp_path / "truth.toml").write_text("[questions.where]\nshares = {a = 0.6, b = 0.4}")
    arguments = ("--n", 30, "--runs", 0, "--truth", tmp_path / "truth.toml")
    clear = rows_of(document(tmp_path, HEAD + pair, *arguments), "where")["in the clear"]
    exact = sum(math.comb(30, n) * 0.6**n * 0.4 ** (30 - n) * (1 if n > 15 else 0.5) for n in range(15, 31))
    assert 0 < clear["named_error"] < 0.002
    assert clear["named"] == pytest.approx(exact, abs=5 * clear["named_error"])
    said = "the average over made-up crowds, which are always the same; +- "
    assert said in compare(tmp_path, HEAD + pair, *arguments).stdout
    assert said not in compare(tmp_path, HEAD + pair, *arguments, "--target", "respondents").stdout


def test_widths_are_those_that_a_plan_has(tmp_path: Path) -> None:
    question = compile_toml(HEAD + YES_NO).questions[0]
    for target in ("population", "respondents"):
        compared = document(tmp_path, HEAD + YES_NO, "--n", 500, "--runs", 0, "--target", target, "--level", 0.9)
        rows, options = rows_of(compared, "paid"), {"level": 0.9, "target": target, "method": "chernoff"}
        expected = curator_half_width(500, float(question.epsilon), options=PlanOptions(**options), sensitivity=1)  # type: ignore[arg-type]
        assert rows["curator, Laplace"]["half_width"] == pytest.approx(expected)
        assert rows["devices, warner"]["half_width"] > rows["curator, Laplace"]["half_width"]
    assert rows["in the clear"]["half_width"] == 0


def test_a_mean_is_in_its_unit(tmp_path: Path) -> None:
    rows = rows_of(document(tmp_path, HEAD + NUMBER, "--n", 300, "--runs", 0), "age")
    assert rows["curator, Laplace"]["noise"] == pytest.approx(math.sqrt(2) * 50 / (2 * 300))
    of_people = math.sqrt((51**2 - 1) / 12 / 300)
    assert rows["in the clear"]["deviation"] == pytest.approx(of_people)
    assert rows["curator, Laplace"]["deviation"] == pytest.approx(math.hypot(of_people, math.sqrt(2) * 50 / 600))
    assert "years. That is the price of trusting nobody" in " ".join(
        compare(tmp_path, HEAD + NUMBER, "--n", 300, "--runs", 0).stdout.split()
    )


def test_table_csv_and_json_have_the_same_numbers(tmp_path: Path) -> None:
    arguments = ("--n", 300, "--runs", 0, "--target", "respondents")
    table = compare(tmp_path, EVERY, *arguments).stdout
    compared = document(tmp_path, EVERY, *arguments)
    listed = [*csv.DictReader(io.StringIO(compare(tmp_path, EVERY, *arguments, "--csv").stdout))]
    assert [row["table"] for row in listed] == (
        ["questions"] * len(compared["questions"]) + ["totals"] * len(compared["totals"]) + ["shuffled"] * 6
    )
    for row, of in zip(listed, compared["questions"] + compared["totals"] + compared["shuffled"], strict=True):
        flat = of | of.get("composed", {})
        flat.pop("composed", None)
        assert {key: row[key] for key in flat} == {k: "" if v is None else str(v) for k, v in flat.items()}
    shuffled = table[table.index("shuffled: at most") :]
    for row in compared["shuffled"]:
        what = row["question"] or "whole reports"
        (line,) = [line for line in shuffled.splitlines() if line.startswith(f"{what} ")]
        assert line.split()[-2] == epsilon_above(row["shuffled"])
    assert "not compared: dish (text)" in table
    assert "price of trusting nobody" in " ".join(table.split())


def test_a_whole_report_is_shuffled_by_the_epsilon_of_all_its_answers(tmp_path: Path) -> None:
    compared = document(tmp_path, EVERY, "--n", 5000, "--runs", 0, "--delta", 1e-5)
    by_question = {row["question"]: row for row in compared["shuffled"]}
    whole = by_question[None]
    assert whole["epsilon"] == pytest.approx(math.log(1.5) + 8, abs=1e-6)
    assert whole["shuffled"] == pytest.approx(amplified_epsilon(whole["epsilon"], 5000, 1e-5))
    assert by_question["paid"]["least"] <= by_question["paid"]["shuffled"] < 0.1 * by_question["paid"]["epsilon"]
    assert all(row["shuffled"] <= row["epsilon"] for row in compared["shuffled"])


def test_waves_and_draws_count_as_the_ledger_does(tmp_path: Path) -> None:
    waved = "waves = 4\n" + HEAD + YES_NO.replace('prob_truth = "3/5"', "epsilon = 1\nepsilon_forever = 2")
    waved = waved.replace('type = "yes-no"', 'type = "yes-no"\nmechanism = "basic-rappor"')
    survey = compile_toml(waved)
    totals = document(tmp_path, waved, "--n", 300, "--runs", 0)["totals"]
    assert totals[1]["ledger"] == float(survey.epsilon_forever) <= 2.000001
    assert totals[1]["composed"]["basic"] == pytest.approx(4 * float(survey.epsilon))
    drawn = document(tmp_path, "draw = 1\n" + HEAD + YES_NO + ONE_OF, "--n", 300, "--runs", 0)
    assert drawn["totals"][0]["composed"]["n_reports"] == 1
    assert drawn["totals"][0]["ledger"] == pytest.approx(2, abs=1e-6)
    assert {row["n_reports"] for row in drawn["questions"]} == {150}


def test_with_asked_in_n_is_that_of_one_wave_and_it_is_said(tmp_path: Path) -> None:
    asked = "waves = 6\nasked_in = 2\n" + HEAD + YES_NO.replace('prob_truth = "3/5"', "epsilon = 1")
    compared = document(tmp_path, asked, "--n", 3000, "--runs", 0)
    assert {row["n_reports"] for row in compared["questions"] + compared["shuffled"]} == {1000}
    assert [of["composed"]["n_reports"] for of in compared["totals"][:2]] == [1, 2]
    alone = document(tmp_path, asked.replace("waves = 6\nasked_in = 2\n", ""), "--n", 1000, "--runs", 0)
    devices, of_alone = (rows_of(one, "paid")["devices, warner"] for one in (compared, alone))
    assert devices["half_width"] == of_alone["half_width"]
    assert devices["n_needed"] == pytest.approx(3 * of_alone["n_needed"], abs=2)
    said = compare(tmp_path, asked, "--n", 3000, "--runs", 0).stdout
    assert "3,000 respondents, each asked in 2 of the 6 waves" in said
    assert "n is of one wave, about 1,000 of these respondents" in said
    assert "the 2 waves that ask a device, answers unchanged" in said


TOGETHER = HEAD + YES_NO.replace('prob_truth = "3/5"\n', "") + ONE_OF.replace("epsilon = 2\n", "")
TOGETHER += '[[together]]\nquestions = ["paid", "where"]\nepsilon = 1\n'
PAIRS = 'together = "pairs"\n' + HEAD + (YES_NO + ONE_OF).replace('prob_truth = "3/5"', "epsilon = 2")
PAIRS += YES_NO.replace("paid", "late").replace('prob_truth = "3/5"', "epsilon = 2")


@pytest.mark.parametrize(("text", "n"), [(TOGETHER, 900), pytest.param(PAIRS, 600, marks=pytest.mark.thorough)])
def test_questions_asked_together_stand_by_themselves_too(tmp_path: Path, text: str, n: int) -> None:
    """Each with the widths of its plan, and with what its simulated devices' reports of combinations show."""
    compared = document(tmp_path, text, "--n", 900, "--runs", 60, "--share", 0.3)
    survey = compile_toml(text)
    for item in marginals_of(survey):
        devices = rows_of(compared, item.id)[f"devices, {item.mechanism.name}"]
        share = 0.3 if item.type == "yes-no" else 0.5
        assert devices["n_reports"] == n
        assert devices["half_width"] == outlook_of(item).width(n, PlanOptions(share=share), "population")
        assert devices["simulated"] == pytest.approx(devices["deviation"], rel=0.5)  # 5 standard errors of 60 runs
    said = compare(tmp_path, text, "--n", 20, "--runs", 0, "--share", 0.3).stdout
    assert "paid (yes-no, asked together with others): the share of yes, expected 30.00 %" in said


@pytest.mark.thorough
def test_without_opendp_theory_stands_alone_and_it_is_said_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "survey.toml").write_text(HEAD + YES_NO + ONE_OF)
    script = (
        "import sys; sys.modules['opendp'] = None; from sotto_client.cli import main;"
        f"main(['compare', {str(tmp_path / 'survey.toml')!r}, '--n', '50', '--runs', '20', '--json'])"
    )
    done = starting.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "Warning: curators are not simulated: that needs OpenDP (pip install 'sottovoce[compare]')\n"
    rows = rows_of(json.loads(done.stdout), "paid")
    assert rows["devices, warner"]["simulated"] is not None
    assert rows["curator, Laplace"]["simulated"] is None
    assert rows["curator, Laplace"]["deviation"] > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--n", 1), "--n"),
        (("--n", 0), "--n"),
        (("--n", "many"), "--n"),
        ((), "--n"),
        (("--n", 10, "--delta", 0), "--delta"),
        (("--n", 10, "--delta", 1), "--delta"),
        (("--n", 10, "--delta", "nan"), "--delta"),
        (("--n", 10, "--share", 1.5), "--share"),
        (("--n", 10, "--runs", -1), "--runs"),
        (("--n", 10, "--share", 0.5, "--truth", "truth.toml"), "--share does not go with --truth"),
        (("--n", 10, "--level", 1), "--level"),
        (("--n", 10, "--json", "--csv"), "--json or --csv"),
    ],
)
def test_what_cannot_be_compared_is_a_usage_error_that_names_it(
    tmp_path: Path, arguments: tuple[Any, ...], said: str
) -> None:
    result = compare(tmp_path, HEAD + YES_NO, *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize("content", ["", "id = 3", "no survey at all", HEAD + YES_NO.replace("3/5", "1/3")])
def test_a_file_that_is_no_survey_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    result = compare(tmp_path, content, "--n", 10)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert "survey.toml" in result.stderr


def test_texts_alone_leave_nothing_to_compare_but_the_sums(tmp_path: Path) -> None:
    compared = document(tmp_path, HEAD + TEXT, "--n", 100, "--runs", 0)
    assert compared["questions"] == []
    assert compared["left_out"] == ["dish"]
    assert [row["question"] for row in compared["shuffled"]] == ["dish", None]


@pytest.mark.parametrize("n", [2, 3, pytest.param(1_000_000, marks=pytest.mark.thorough)])
def test_small_and_large_crowds_are_compared(tmp_path: Path, n: int) -> None:
    result = compare(tmp_path, EVERY, "--n", n, "--runs", 2)
    assert result.exit_code == 0, result.output


def test_the_page_on_comparing_works(tmp_path: Path) -> None:
    Console(tmp_path).run_document(Path(__file__).parents[2] / "docs" / "compare.md")


TRUTH = """
[questions.paid]
share = 0.1
[questions.where]
shares = {a = 0.2, b = 0.3, c = 0.5}
[questions.what]
shares = {a = 0.5, b = 0.7, c = 0.7}
[questions.age]
shares = {10 = 0.25, 20 = 0.75}
[questions.dish]
strings = {soup = 0.5}
"""


def test_people_are_those_of_a_truth_file(tmp_path: Path) -> None:
    (tmp_path / "truth.toml").write_text(TRUTH)
    arguments = ("--n", 400, "--runs", 0, "--truth", tmp_path / "truth.toml")
    compared = document(tmp_path, EVERY, *arguments)
    for question, share in (("paid", 0.1), ("where", 0.5), ("what", 0.7)):
        clear = rows_of(compared, question)["in the clear"]
        assert clear["deviation"] == pytest.approx(math.sqrt(share * (1 - share) / 400))
    assert rows_of(compared, "age")["in the clear"]["deviation"] == pytest.approx(10 * math.sqrt(0.1875 / 400))
    table = compare(tmp_path, EVERY, *arguments).stdout
    assert "“c”, the most common, expected 50.00 %" in table
    assert "“b”, the most common, expected 70.00 %" in table
    assert rows_of(compared, "what")["in the clear"]["named"] == 1  # b and c are as common


@pytest.mark.rare  # the simulation is the one above, of other people
def test_simulation_of_those_people_finds_what_theory_says(tmp_path: Path) -> None:
    """1,500 runs, within 18 %: more than nine standard errors."""
    (tmp_path / "truth.toml").write_text(TRUTH)
    compared = document(tmp_path, EVERY, "--n", 90, "--runs", 1500, "--truth", tmp_path / "truth.toml")
    checked = [row for row in compared["questions"] if row["simulated"] is not None]
    assert len(checked) == 16
    for row in checked:
        assert row["deviation"] / 1.18 < row["simulated"] < 1.18 * row["deviation"], row


@pytest.mark.parametrize("content", [None, "[questions.other]\nshare = 0.5", "[questions.paid]\nshare = 2"])
def test_a_truth_that_is_none_is_refused_in_one_line(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "truth.toml").write_text(content)
    result = compare(tmp_path, HEAD + YES_NO, "--n", 10, "--truth", tmp_path / "truth.toml")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert "truth.toml" in result.stderr


@pytest.mark.rare
@pytest.mark.parametrize("target", ["population", pytest.param("respondents", marks=pytest.mark.rare)])
def test_so_many_respondents_as_are_named_know_what_the_curator_knows(tmp_path: Path, target: str) -> None:
    survey = HEAD + YES_NO + ANY_OF
    compared = document(tmp_path, survey, "--n", 300, "--runs", 0, "--target", target)
    for question in ("paid", "what"):
        rows = rows_of(compared, question)
        (needed,) = [row["n_needed"] for row in rows.values() if row["n_needed"]]
        wanted = rows["curator, Laplace"]["half_width"]
        widths = [
            rows_of(document(tmp_path, survey, "--n", n, "--runs", 0, "--target", target), question)
            for n in (needed, int(0.98 * needed))
        ]
        enough, fewer = (next(iter(of.values()))["half_width"] for of in widths)
        assert enough <= wanted * (1 + 1e-9) < fewer * (1 + 1e-9)


def test_a_curator_who_learns_nothing_either_is_no_price(tmp_path: Path) -> None:
    said = " ".join(compare(tmp_path, HEAD + YES_NO, "--n", 2, "--runs", 0).stdout.split())
    assert "too few even for a curator" in said
    assert "price of trusting nobody" not in said


@pytest.mark.parametrize("name", ["window", "segments"])
def test_a_mean_says_how_many_know_what_the_curator_knows(tmp_path: Path, name: str) -> None:
    arguments, survey = ("--runs", 0), f'{HEAD}{NUMBER}mechanism = "{name}"\n'
    rows = rows_of(document(tmp_path, survey, "--n", 100, *arguments), "age")
    needed, wanted = rows[f"devices, {name}"]["n_needed"], rows["curator, Laplace"]["half_width"]
    of = [rows_of(document(tmp_path, survey, "--n", n, *arguments), "age") for n in (needed, needed - 1)]
    enough, fewer = (each[f"devices, {name}"]["half_width"] for each in of)
    assert enough <= wanted < fewer
    assert f"you would need {needed:,} respondents" in " ".join(
        compare(tmp_path, survey, "--n", 100, *arguments).stdout.split()
    )


@pytest.mark.thorough
def test_a_crowd_that_is_too_large_to_be_simulated_so_often_is_simulated_less_often(tmp_path: Path) -> None:
    table = compare(tmp_path, HEAD + YES_NO, "--n", 20_000_000, "--runs", 20).stdout
    assert "For this many people, devices are simulated in 5 runs, not in 20." in table


def test_local_widths_are_the_estimators_own(tmp_path: Path) -> None:
    survey = compile_toml(HEAD + ONE_OF)
    mechanism: Any = survey.questions[0].mechanism
    row = rows_of(document(tmp_path, HEAD + ONE_OF, "--n", 400, "--runs", 0), "where")["devices, k-ary"]
    channel = Channel(mechanism.prob_support_if_true, mechanism.prob_support_if_other)
    assert row["half_width"] == half_width(400, channel, options=PlanOptions(method="chernoff", share=0.5))


RELAYED = HEAD + "delivery = 'oblivious'\nrelay = 'https://relay.example'\n" + YES_NO + ONE_OF


def test_a_batch_of_a_relay_hides_what_so_many_reports_hide(tmp_path: Path) -> None:
    usual = ("--runs", 0, "--delta", 1e-6)
    batch, crowd = (
        document(tmp_path, RELAYED, *words, *usual)["shuffled"]
        for words in (("--n", 3000, "--batch", 300), ("--n", 300))
    )
    assert batch == crowd
    said = [
        " ".join(compare(tmp_path, RELAYED, "--n", 300, *words, *usual).output.split())
        for words in (("--batch", 300), ())
    ]
    assert "Each batch of the relay must have 300 honest reports, and its operator must not work with" in said[0]
    assert "only within a batch: see --batch" in said[1]


DELIVERED = {"direct": "", "oblivious": "delivery = 'oblivious'\nrelay = 'https://relay.example'\n"}
INVITED = {"none": "", "plain": "invited = true\n", "blind": "invited = true\ninvitations = 'blind'\n"}
FROM_WHERE, WHEN, INVITATION = "from which address each report comes", "when it came", "with which invitation"
HOLDS, VOID = "holds against the collector on two conditions", "does not hold against the collector of this survey"
HONEST = "Each batch of the relay must have 20 honest reports"
SEEN = {
    ("direct", "none", None): [FROM_WHERE, "and when"],
    ("direct", "plain", None): [INVITATION, "from where, and when"],
    ("direct", "blind", None): [FROM_WHERE, "and when", "Blind invitations do not hide that"],
    ("oblivious", "none", None): [WHEN, "see --batch"],
    ("oblivious", "plain", None): [INVITATION, "No relay hides the invitation"],
    ("oblivious", "blind", None): [WHEN, "blind invitations cannot be joined to it", "see --batch"],
    ("oblivious", "none", 20): [HOLDS, HONEST],
    ("oblivious", "plain", 20): [VOID, "comes with its invitation", 'With invitations = "blind" it would hold'],
    ("oblivious", "blind", 20): [HOLDS, HONEST, "cannot be joined to reports", "fetch tokens through the relay too"],
}
EVERY_PHRASE = {phrase for phrases in SEEN.values() for phrase in phrases} - {"and when"}


@pytest.mark.parametrize("strata", [False, True])
@pytest.mark.parametrize(("delivery", "invitations", "batch"), SEEN)
def test_the_shuffled_epsilon_says_against_whom_it_holds(
    tmp_path: Path, delivery: str, invitations: str, batch: int | None, strata: bool
) -> None:
    """A plain invitation names whose report it came with, so no relay's mixing makes up for it."""
    is_stratified = strata and invitations != "none"
    survey = DELIVERED[delivery] + INVITED[invitations] + "strata = ['north', 'south']\n" * is_stratified
    arguments = ("--n", 300, "--runs", 0, *([] if batch is None else ["--batch", batch]))
    said = " ".join(compare(tmp_path, survey + HEAD + YES_NO, *arguments).stdout.split())
    expected = SEEN[delivery, invitations, batch]
    assert {phrase for phrase in EVERY_PHRASE if phrase in said} == {*expected} - {"and when"}
    assert all(phrase in said for phrase in expected)
    assert ("only people of the same stratum count for" in said) == is_stratified
    assert said.endswith("So a survey promises respondents only the epsilon of a report.")
    members = document(tmp_path, survey + HEAD + YES_NO, *arguments)
    assert members["holds_against_collector"] == (batch is not None and invitations != "plain") == (HOLDS in said)


@pytest.mark.parametrize("invitations", INVITED)
def test_a_batch_is_refused_where_a_survey_is_delivered_directly_whatever_its_invitations(
    tmp_path: Path, invitations: str
) -> None:
    result = compare(tmp_path, INVITED[invitations] + HEAD + YES_NO, "--n", 300, "--batch", 20)
    assert (result.exit_code, "it goes with delivery" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("survey", "batch", "expected"),
    [
        (HEAD + YES_NO, 20, '--batch is of a relay: it goes with delivery = "oblivious" alone.'),
        (RELAYED, 301, "--batch must be at most --n (300)."),
    ],
)
def test_a_batch_without_a_relay_or_of_more_than_all_is_refused(
    tmp_path: Path, survey: str, batch: int, expected: str
) -> None:
    result = compare(tmp_path, survey, "--n", 300, "--batch", batch)
    assert (result.exit_code, expected in " ".join(result.stderr.split())) == (2, True)
