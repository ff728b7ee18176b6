"""What is wished of a survey: respondents, epsilons, draws and splits that reach it, and no more than that."""

import csv
import json
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from planned import LUNCH, plan_file
from sotto_client.cli import main
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.needed import EPSILON_STEP, least_epsilon, respondents_for
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import width_of
from sotto_estimator.planning.split import draws_of, judge_wishes, split_of, sum_of_most
from sotto_estimator.planning.survey import answers_of, part_drawn, plan_survey
from sotto_protocol import compile_toml

FORMS = {
    "yes-no": 'type = "yes-no"',
    "one-of": 'type = "one-of"\noptions = ["a", "b", "c", "d", "e"]',
    "any-of": 'type = "any-of"\noptions = ["a", "b", "c", "d"]',
    "number": 'type = "number"\nminimum = 0\nmaximum = 16',
    "text": 'type = "text"',
    "waves": 'type = "one-of"\noptions = ["a", "b", "c", "d", "e"]\nepsilon_forever = 6',
}


def question(name: str, form: str, epsilon: str, want: str = "") -> str:
    wish = f"want = {want}\n" if want else ""
    return f'[[questions]]\nid = "{name}"\ntext = "?"\n{FORMS[form]}\nepsilon = {epsilon}\n{wish}'


def survey_text(*questions: str, head: str = "") -> str:
    return f'id = "s"\ntitle = "S"\n{head}\n' + "\n".join(questions)


def draft_of(text: str, tmp_path: Path) -> Draft:
    path = tmp_path / "survey.toml"
    path.write_text(text)
    return Draft.read(path)


ALL = [("yes-no", 0.1), ("one-of", 0.08), ("any-of", 0.15), ("number", 1.5), ("text", 0.1), ("waves", 0.08)]


@pytest.mark.few(3, "rare")
@pytest.mark.parametrize(("form", "want"), ALL)
@pytest.mark.parametrize("draw", [0, 1])
def test_respondents_are_enough_and_one_fewer_is_not(form: str, want: float, draw: int, tmp_path: Path) -> None:
    head = f"draw = {draw}" if draw else ""
    draft = draft_of(survey_text(question("q", form, "2"), question("other", "yes-no", "1"), head=head), tmp_path)
    asked, part, reach = draft.survey.questions[0], part_drawn(draft.survey), PlanOptions()
    n = respondents_for(asked, want, reach, part)
    assert n is not None
    assert width_of(asked, answers_of(asked, n, part), reach) <= want
    assert width_of(asked, answers_of(asked, n - 1, part), reach) > want


@pytest.mark.parametrize(("form", "want"), ALL)
def test_the_least_epsilon_is_enough_and_a_step_less_is_not(form: str, want: float, tmp_path: Path) -> None:
    draft = draft_of(survey_text(question("q", form, "1")), tmp_path)
    part, reach, n = part_drawn(draft.survey), PlanOptions(), 2000
    epsilon = least_epsilon(draft, 0, want, n, reach, part)
    assert epsilon is not None
    assert epsilon % EPSILON_STEP == 0
    for tried, is_enough in ((epsilon, True), (epsilon - EPSILON_STEP, False)):
        asked = draft.ask(0, tried)
        assert asked is not None
        assert (width_of(asked, answers_of(asked, n, part), reach) <= want) is is_enough


@pytest.mark.thorough
def test_more_epsilon_is_hardly_ever_worse_so_that_the_least_is_the_least(tmp_path: Path) -> None:
    draft = draft_of(survey_text(question("q", "one-of", "1")), tmp_path)
    part, reach, n = part_drawn(draft.survey), PlanOptions(), 2000
    least = least_epsilon(draft, 0, 0.08, n, reach, part)
    assert least is not None
    for steps in range(1, int(least / EPSILON_STEP), 7):
        asked = draft.ask(0, steps * EPSILON_STEP)
        assert asked is not None
        assert width_of(asked, n, reach) > 0.08


def test_what_no_epsilon_reaches_has_none(tmp_path: Path) -> None:
    draft = draft_of(survey_text(question("q", "yes-no", "1")), tmp_path)
    assert least_epsilon(draft, 0, 0.01, 100, PlanOptions(), part_drawn(draft.survey)) is None


def test_respondents_whose_noise_is_gone_are_known_and_less_epsilon_is_looked_for(tmp_path: Path) -> None:
    draft = draft_of(survey_text(question("q", "yes-no", "1")), tmp_path)
    reach, part = PlanOptions(target="respondents"), part_drawn(draft.survey)
    at_most = draft.ask(0, Decimal(20))
    assert at_most is not None
    assert width_of(at_most, 300, reach) == 0
    least = least_epsilon(draft, 0, 0.05, 300, reach, part)
    assert least is not None
    for tried, is_enough in ((least, True), (least - EPSILON_STEP, False)):
        asked = draft.ask(0, tried)
        assert asked is not None
        assert (width_of(asked, 300, reach) <= 0.05) is is_enough


def test_probabilities_are_never_changed(tmp_path: Path) -> None:
    text = survey_text('[[questions]]\nid = "q"\ntext = "?"\ntype = "yes-no"\nprob_truth = "3/4"\n')
    draft = draft_of(text, tmp_path)
    part = part_drawn(draft.survey)
    assert least_epsilon(draft, 0, 0.1, 3000, PlanOptions(), part) == draft.survey.questions[0].epsilon
    assert least_epsilon(draft, 0, 0.01, 3000, PlanOptions(), part) is None


def test_a_split_is_of_the_least_epsilons_and_its_total_that_of_the_survey_it_makes(tmp_path: Path) -> None:
    text = survey_text(
        question("a", "yes-no", "1", "0.1"), question("b", "one-of", "2", "0.08"), question("c", "number", "3")
    )
    draft = draft_of(text, tmp_path)
    plan = plan_survey(draft.survey, 2000, PlanOptions())
    for n_drawn in (1, 2, 3):
        split = split_of(draft, plan, n_drawn)
        assert split.epsilons[2] == 3  # nothing is wished of it
        assert split.total is not None
        made = compile_toml(
            text.replace("epsilon = 1", f"epsilon = {split.epsilons[0]}")
            .replace("epsilon = 2", f"epsilon = {split.epsilons[1]}")
            .replace('title = "S"', 'title = "S"' + (f"\ndraw = {n_drawn}" if n_drawn < 3 else ""))
        )
        assert made.epsilon == split.total
        again = plan_survey(made, 2000, PlanOptions())
        assert all(one.want is None or one.width <= one.want for one in again.questions)


@pytest.mark.thorough
def test_a_draw_is_taken_where_all_questions_would_take_too_much(tmp_path: Path) -> None:
    six = [question(f"q{number}", "yes-no", "0.5", "0.2") for number in range(6)]
    draft = draft_of(survey_text(*six), tmp_path)
    plan = plan_survey(draft.survey, 800, PlanOptions())
    enough = judge_wishes(draft, plan, Decimal(20))
    assert enough.is_reachable
    assert enough.split is enough.as_asked
    assert enough.as_asked.total is not None
    drawn = judge_wishes(draft, plan, enough.as_asked.total - EPSILON_STEP)
    assert drawn.is_reachable
    assert drawn.split is not None
    assert drawn.split.n_drawn < 6
    totals = [split_of(draft, plan, n_drawn).total for n_drawn in range(1, 7)]
    assert drawn.split.total == min(total for total in totals if total is not None)


@pytest.mark.thorough
def test_a_total_that_is_too_small_says_what_it_gives_and_of_how_many_it_would_do(tmp_path: Path) -> None:
    six = [question(f"q{number}", "yes-no", "0.5", "0.1") for number in range(6)]
    draft = draft_of(survey_text(*six), tmp_path)
    plan = plan_survey(draft.survey, 1500, PlanOptions())
    verdict = judge_wishes(draft, plan, Decimal("0.5"))
    assert not verdict.is_reachable
    assert verdict.split is not None
    assert verdict.shortfall is not None
    assert sum_of_most(verdict.shortfall.epsilons, verdict.split.n_drawn) <= Decimal("0.5")
    assert min(verdict.shortfall.widths) > 0.1
    assert verdict.shortfall.n is not None
    assert verdict.shortfall.n_drawn == verdict.split.n_drawn
    head = f"draw = {verdict.split.n_drawn}"
    less = [question(f"q{number}", "yes-no", str(verdict.shortfall.epsilons[number]), "0.1") for number in range(6)]
    for n, is_enough in ((verdict.shortfall.n, True), (verdict.shortfall.n - 1, False)):
        again = plan_survey(compile_toml(survey_text(*less, head=head)), n, PlanOptions())
        assert all(one.want is not None and one.width <= one.want for one in again.questions) is is_enough


@pytest.mark.thorough
def test_what_a_total_gives_is_never_worse_than_what_the_file_has(tmp_path: Path) -> None:
    head = "options = " + json.dumps([f"o{number}" for number in range(5)])
    any_of = (
        f'[[questions]]\nid = "b"\ntext = "?"\ntype = "any-of"\n{head}\nmax_selected = 2\nepsilon = 1.5\nwant = 0.05\n'
    )
    text = survey_text(question("a", "yes-no", "1", "0.05"), any_of, question("c", "number", "1"))
    draft = draft_of(text, tmp_path)
    own = [respondents_for(one, 0.05, PlanOptions(), part_drawn(draft.survey)) for one in draft.survey.questions[:2]]
    shortfall = judge_wishes(draft, plan_survey(draft.survey, 2000, PlanOptions()), draft.survey.epsilon).shortfall
    assert shortfall is not None
    assert shortfall.n == max(n for n in own if n is not None)
    assert shortfall.epsilons == (Decimal(1), Decimal("1.5"), Decimal(1))
    shown = " ".join(plan_file(tmp_path, text, "--n", "2000").output.split())
    assert "An epsilon of 3.5 gives: a +- 6.56 points (epsilon 1), b +- " in shown
    assert "; with no precision wanted, at the epsilon of the file: c 1." in shown


def test_numbers_of_drawn_questions_that_are_tried() -> None:
    assert list(draws_of(5)) == [1, 2, 3, 4, 5]
    assert list(draws_of(30)) == [1, 2, 4, 8, 16, 30]


def test_without_a_number_of_respondents_the_command_says_how_many_it_takes(tmp_path: Path) -> None:
    text = survey_text(question("a", "yes-no", "1", "0.05"), question("b", "number", "1"))
    shown = plan_file(tmp_path, text)
    assert shown.exit_code == 0, shown.output
    document = json.loads(plan_file(tmp_path, text, "--json").output)
    (wish,) = document["wishes"]
    assert f"{wish['respondents_needed']:,} respondents are enough for all of it at these epsilons." in shown.output
    (row,) = csv.DictReader(plan_file(tmp_path, text, "--csv").output.splitlines())
    assert row["respondents_needed"] == str(wish["respondents_needed"])


def test_write_puts_into_the_file_what_reaches_all_that_is_wanted(tmp_path: Path) -> None:
    text = survey_text(
        "# of all\n" + question("a", "yes-no", "1 # dear", "0.1"), question("b", "one-of", "2"), head="# head"
    )
    written = plan_file(tmp_path, text, "--n", "2000", "--half-width", "0.08", "--total-epsilon", "3", "--write")
    assert written.exit_code == 0, written.output
    assert "survey.toml was changed: epsilon of a 1 -> " in " ".join(written.stderr.split())
    after = (tmp_path / "survey.toml").read_text()
    assert [line for line in after.splitlines() if not line.startswith("epsilon")] == [
        line for line in text.splitlines() if not line.startswith("epsilon")
    ]
    assert "# dear" in after
    document = json.loads(plan_file(tmp_path, after, "--n", "2000", "--half-width", "0.08", "--json").output)
    assert document["verdict"]["is_reachable"]
    assert [wish["least_epsilon"] for wish in document["wishes"]] == [one["epsilon"] for one in document["questions"]]


def test_write_sets_draw_where_that_reaches_it(tmp_path: Path) -> None:
    text = survey_text(*(question(f"q{number}", "yes-no", "0.5", "0.2") for number in range(6)))
    written = plan_file(tmp_path, text, "--n", "800", "--total-epsilon", "2", "--write")
    assert written.exit_code == 0, written.output
    survey = compile_toml((tmp_path / "survey.toml").read_text())
    assert 1 <= survey.draw < 6
    assert survey.epsilon <= 2
    assert f"draw = {survey.draw} of the 6 questions" in " ".join(written.output.split())
    assert f"questions drawn 6 -> {survey.draw}" in " ".join(written.stderr.split())
    assert all(one.width <= 0.2 for one in plan_survey(survey, 800, PlanOptions()).questions)


def test_what_is_not_reached_is_not_written(tmp_path: Path) -> None:
    text = survey_text(question("a", "yes-no", "1", "0.01"))
    refused = plan_file(tmp_path, text, "--n", "300", "--write")
    assert refused.exit_code == 1
    assert "was not changed: no plan reaches the targets" in refused.stderr
    assert "a: with 300 answers the share will be known to" in refused.stdout  # and what shows why
    assert (tmp_path / "survey.toml").read_text() == text
    shown = " ".join(plan_file(tmp_path, text, "--n", "300").output.split())
    assert "300 respondents are too few at any epsilon" in shown


def test_a_file_that_has_all_of_it_already_is_not_written(tmp_path: Path) -> None:
    text = survey_text(question("a", "yes-no", "1", "0.1"))
    words = ("--n", "2000", "--total-epsilon", "3", "--write")
    plan_file(tmp_path, text, *words)
    before = (tmp_path / "survey.toml").read_text()
    again = plan_file(tmp_path, before, *words)
    said = " ".join(again.stderr.split())
    assert said.endswith("survey.toml was not changed: it has these epsilons already.")
    assert (tmp_path / "survey.toml").read_text() == before != text


def test_what_epsilon_forever_holds_back_is_said_so(tmp_path: Path) -> None:
    text = survey_text(question("a", "waves", "1", "0.1")).replace("forever = 6", "forever = 2")
    shown = " ".join(plan_file(tmp_path, text, "--n", "500").output.split())
    assert "500 respondents are too few at any epsilon below epsilon_forever, however" in shown
    assert "epsilon_forever stays as in the file: 2 for a." in shown
    assert "more epsilon: none is enough below epsilon_forever, which stays 2 here" in shown
    more = text.replace("epsilon = 1", "epsilon = 4").replace("forever = 2", "forever = 8")
    assert json.loads(plan_file(tmp_path, more, "--n", "500", "--json").output)["verdict"]["is_reachable"]


def test_a_published_survey_is_never_written(tmp_path: Path) -> None:
    canonical = compile_toml(LUNCH).canonical.decode()
    words = ("--n", "3000", "--half-width", "0.4", "--write")
    refused = plan_file(tmp_path, canonical, *words, name="survey.json")
    assert refused.exit_code == 1
    assert "is a published survey, which never changes" in refused.output
    assert (tmp_path / "survey.json").read_text() == canonical


WISHED = survey_text(question("a", "yes-no", "1", "0.1"), question("b", "yes-no", "1"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--n", "300", "--total-epsilon", "0"], "must be a number in [0.001, 4000]"),
        (["--n", "300", "--total-epsilon", "4001"], "must be a number in [0.001, 4000]"),
        (["--n", "300", "--total-epsilon", "x"], "must be a number in [0.001, 4000]"),
        (["--n", "300", "--total-epsilon", "0.001"], "must be at least 0.002"),
        (["--total-epsilon", "1"], "need --n"),
        (["--write"], "need --n"),
        (["--n", "300", "--half-width", "0.6"], "must be at most 0.5"),
        (["--n", "300", "--half-width", "0"], "--half-width"),
        (["--n", "1"], "n (1) must be in [2, 10^12]"),
    ],
)
def test_bad_usage_is_refused_in_a_line(tmp_path: Path, words: list[str], said: str) -> None:
    refused = plan_file(tmp_path, WISHED, *words)
    assert refused.exit_code == 2
    assert said in refused.output


@pytest.mark.parametrize("words", [["--n", "300", "--total-epsilon", "1"], ["--n", "300", "--write"], []])
def test_what_needs_a_wish_says_so_where_there_is_none(tmp_path: Path, words: list[str]) -> None:
    refused = plan_file(tmp_path, LUNCH, *words)
    assert refused.exit_code == 2
    assert "needs a target" in refused.output


def test_options_of_a_file_need_one() -> None:
    refused = CliRunner().invoke(main, ["plan", "--epsilon", "1", "--n", "300", "--write"])
    assert (refused.exit_code, "--write goes with a survey file" in refused.output) == (2, True)


def test_a_wish_of_nothing_is_refused_with_its_place(tmp_path: Path) -> None:
    refused = plan_file(tmp_path, survey_text(question("a", "yes-no", "1", "0")), "--n", "300")
    assert refused.exit_code == 1
    assert "$.questions[0].want: must be a number above 0, at most 0.5" in refused.output
