"""Plans of questions that are asked together: of all combinations, and of each question by itself."""

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator.errors import DomainError
from sotto_estimator.inference.registry import share_channel
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.survey import plan_survey
from sotto_estimator.planning.survey_plan import plan_draft
from sotto_estimator.planning.together_plan import plan_together
from sotto_estimator.planning.widths import half_width
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.views.plan_together_words import together_lines
from sotto_protocol import Tally, compile_toml
from sotto_protocol.definition import compile_source
from sotto_protocol.survey_source import SurveySource

HEAD = 'id = "health"\ntitle = "Health"\n'
SMOKES = '[[questions]]\nid = "smokes"\ntype = "yes-no"\ntext = "Do you smoke?"\n'
REGION = '[[questions]]\nid = "region"\ntype = "one-of"\ntext = "Where?"\noptions = ["north", "south"]\n'
ALONE = '[[questions]]\nid = "age"\ntype = "yes-no"\ntext = "Are you old?"\nepsilon = 1\n'


def group(mechanism: str = "auto", epsilon: str = "1") -> str:
    """Return the lines that ask both questions together."""
    return f'[[together]]\nquestions = ["smokes", "region"]\nepsilon = {epsilon}\nmechanism = "{mechanism}"\n'


@pytest.mark.parametrize("mechanism", ["k-ary", "subset", "oue"])
def test_a_planned_width_is_that_of_the_estimate_of_expected_counts(mechanism: str) -> None:
    """Half of the people in every cell's share: reports as on average, rounded, have the planned interval."""
    survey = compile_toml(HEAD + group(mechanism, "2") + SMOKES + REGION)
    n, (joint,) = 4000, survey.questions
    plan = plan_survey(survey, n, PlanOptions())
    assert [one.question.id for _, one in plan.rows] == ["smokes-region", "smokes", "region"]
    counts = joint.mechanism.telling_count()
    expected = round(n * (0.25 * counts[0] + 0.75 * counts[1]))
    told = [expected, expected, expected, 0]
    whole = {"k-ary": n, "subset": getattr(joint.mechanism, "weight", 1) * n}.get(mechanism, 4 * expected)
    told[3] = whole - 3 * expected
    tally = Tally(survey, {1: n}, {joint.id: np.array(told)})
    for place, item in enumerate(plan.items):
        row = estimate_tally(tally)[item.question.id][0]
        assert item.width == pytest.approx((row.high - row.low) / 2, rel=0.01), (mechanism, place)


def test_a_wish_of_one_item_sets_the_epsilon_of_the_group(tmp_path: Path) -> None:
    path = tmp_path / "health.toml"
    path.write_text(HEAD + "# kept\n" + group() + SMOKES + "want = 0.1\n" + REGION + ALONE)
    plan = plan_draft(Draft.read(path), 1000, PlanOptions(), total=Decimal(4))
    (wish,) = plan.wishes
    assert wish.question.id == "smokes"
    taken = plan.verdict.as_asked.epsilons[0]
    asked = compile_toml(HEAD + group(epsilon=str(taken)) + SMOKES + REGION)
    assert plan_survey(asked, 1000, PlanOptions()).items[0].width <= 0.1
    written = CliRunner().invoke(main, ["plan", str(path), "--n", "1000", "--total-epsilon", "4", "--write"])
    assert written.exit_code == 0, written.output
    assert "# kept" in path.read_text()
    assert str(plan.verdict.split.epsilons[0]) in path.read_text().partition("[[questions]]")[0]
    assert compile_toml(path.read_text()).questions[0].epsilon == plan.verdict.split.epsilons[0]


def test_check_and_plan_name_each_item_and_members_have_them(tmp_path: Path) -> None:
    path = tmp_path / "health.json"
    path.write_text(
        json.dumps(
            {
                "id": "health",
                "title": "Health",
                "people": 1000,
                "questions": [
                    {"id": "smokes", "type": "yes-no", "text": "Do you smoke?"},
                    {"id": "region", "type": "one-of", "text": "Where?", "options": ["n", "s"], "want": 0.2},
                ],
                "together": [{"questions": ["smokes", "region"], "epsilon": 1}],
            }
        )
    )
    checked = CliRunner().invoke(main, ["check", str(path)])
    assert checked.exit_code == 0, checked.output
    for name in ("smokes-region", "smokes", "region"):
        assert f"\n{name} " in checked.output
    planned = CliRunner().invoke(main, ["plan", str(path), "--n", "1000", "--json"])
    assert [one["question"] for one in json.loads(planned.output)["questions"]] == ["smokes-region", "smokes", "region"]


def test_a_lone_margin_is_known_less_well_than_asked_alone_beside_a_large_question() -> None:
    alone = compile_toml(HEAD + SMOKES + "epsilon = 1\n").questions[0].mechanism
    large = REGION.replace('["north", "south"]', str([f"r{i}" for i in range(20)]).replace("'", '"'))
    plan = plan_survey(compile_toml(HEAD + group() + SMOKES + large), 1000, PlanOptions())
    assert plan.items[0].width > 1.5 * half_width(1000, share_channel(alone), PlanOptions())


def compared(large: bool, epsilon: str = "1", more: str = "") -> Draft:
    """Return a survey that asks two questions separately, of which the second has many options or two."""
    options = str([f"r{i}" for i in range(20)]).replace("'", '"') if large else '["north", "south"]'
    region = REGION.replace('["north", "south"]', options)
    source = SurveySource.of(f"{HEAD}{more}{SMOKES}epsilon = {epsilon}\n{region}epsilon = {epsilon}\n", is_json=False)
    return Draft(source.document, compile_source(source))


def test_two_small_questions_gain_by_being_asked_together() -> None:
    found = plan_together(compared(large=False), ["smokes", "region"], 1000, PlanOptions())
    assert found.epsilon == 2
    assert found.wider == []
    assert found.noise_ratio == pytest.approx(5.74, rel=0.01)
    asked = compile_toml(HEAD + group(epsilon="2") + SMOKES + REGION)
    items = {one.question.id: one.width for one in plan_survey(asked, 1000, PlanOptions()).items}
    assert {one.question.id: one.width for one in found.together} == items


def test_a_small_question_loses_beside_a_large_one_and_is_named() -> None:
    found = plan_together(compared(large=True), ["region", "smokes"], 1000, PlanOptions())
    assert found.wider == ["smokes"]
    assert "Otherwise ask separately: smokes gets less precise." in together_lines(found)[-1]


@pytest.mark.parametrize(
    ("ids", "more", "problem"),
    [
        (["smokes", "regio"], "", "together (regio) must name yes-no and one-of questions"),
        (["smokes"], "", "a list of 2 to 3 different ids"),
        (["smokes", "region"], "draw = 1\n", "does not go with `draw`"),
    ],
)
def test_questions_that_cannot_be_asked_together_are_refused(ids: list[str], more: str, problem: str) -> None:
    with pytest.raises(DomainError) as fault:
        plan_together(compared(large=False, more=more), ids, 1000, PlanOptions())
    assert problem in str(fault.value)


def test_plan_compares_questions_that_would_be_asked_together(tmp_path: Path) -> None:
    path = tmp_path / "health.toml"
    path.write_text(HEAD + SMOKES + "epsilon = 1\n" + REGION + "epsilon = 1\n")
    said = CliRunner().invoke(main, ["plan", str(path), "--n", "1000", "--together", "smokes,region"]).output
    assert "  - smokes: +- 6.97 points, now +- 9.27 points\n" in said
    assert "Ask them together: every question gets more precise" in said
    options = ["plan", str(path), "--n", "1000", "--together", "smokes,region", "--json"]
    assert json.loads(CliRunner().invoke(main, options).output)["together"]["wider"] == []
    refused = CliRunner().invoke(main, ["plan", str(path), "--n", "1000", "--together", "smokes,age"])
    assert refused.exit_code == 2
    assert "--together (age) must name" in refused.output


def test_a_plan_mentions_two_questions_that_could_be_asked_together(tmp_path: Path) -> None:
    path = tmp_path / "health.toml"
    hint = "What if smokes and region were asked together? --together smokes,region"
    smokes, region = (lines + "epsilon = 1\n" for lines in (SMOKES, REGION))
    for text, more, is_hinted in (
        (smokes + region, [], True),
        (smokes + region, ["--together", "smokes,region"], False),
        (group() + SMOKES + REGION, [], False),
        ("draw = 1\n" + smokes + region, [], False),
        (smokes, [], False),
    ):
        path.write_text(HEAD + text)
        planned = CliRunner().invoke(main, ["plan", str(path), "--n", "1000", *more])
        assert planned.exit_code == 0, planned.output
        assert (hint in planned.output) == is_hinted, (text, more)
