"""The table of `sotto plan`: the best mechanism by the method that was asked for comes first, and auto's is marked."""

import json
from decimal import Decimal
from typing import Any

import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.table import QuestionShape, plan_rows
from sotto_protocol import compile_survey


def plan(*arguments: object) -> str:
    result = CliRunner().invoke(main, ["plan", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def taken_by_auto(**question: Any) -> str:
    """Return what an author's question without a mechanism compiles to."""
    asked = {"id": "q", "text": "?", **question}
    return compile_survey({"id": "s", "title": "S", "questions": [asked]}).questions[0].mechanism.name


@pytest.mark.few(2)
@pytest.mark.parametrize("method", ["hoeffding", "clopper-pearson"])
@pytest.mark.parametrize("design", [QuestionShape(5), QuestionShape(40), QuestionShape(8, 3)])
def test_the_best_by_the_method_comes_first_and_what_is_no_local_mechanism_last(
    design: QuestionShape, method: str
) -> None:
    epsilons = [Decimal("0.5"), Decimal(4)]
    for n, wanted in ((2000, None), (None, 0.03)):
        rows = plan_rows(design, epsilons, n, wanted, options=PlanOptions(method=method, share=0.1))
        assert rows[-1].epsilon is None
        for epsilon in epsilons:
            *local, curator = [row for row in rows if row.epsilon == epsilon]
            assert curator.mechanism == "trusted curator, Laplace"
            figures = [row.half_width if n else row.n_reports for row in local]
            assert figures == sorted(figures)


def test_the_order_is_by_the_method_where_hoeffdings_is_another() -> None:
    rows = {
        method: [
            row.mechanism
            for row in plan_rows(
                QuestionShape(3), [Decimal(2)], 5000, None, options=PlanOptions(method=method, share=0.02)
            )
        ]
        for method in ("hoeffding", "clopper-pearson")
    }
    assert rows["hoeffding"] != rows["clopper-pearson"]


@pytest.mark.few(5)
@pytest.mark.parametrize("epsilon", ["0.5", "1", "4"])
@pytest.mark.parametrize(("n_options", "max_selected"), [(3, 0), (20, 0), (300, 0), (8, 3), (8, 1)])
def test_the_row_that_auto_takes_is_marked_in_all_three(n_options: int, max_selected: int, epsilon: str) -> None:
    options = [str(number) for number in range(n_options)]
    kind = {"type": "any-of", "max_selected": max_selected} if max_selected else {"type": "one-of"}
    auto = taken_by_auto(options=options, epsilon=Decimal(epsilon), **kind)
    asked = ["--epsilon", epsilon, "--options", n_options, "--n", 5000]
    asked += ["--max-selected", max_selected] if max_selected else []
    lines = plan(*asked).splitlines()
    assert lines[0].endswith("  taken")
    assert [line.split()[1] for line in lines if line.endswith("  by auto")] == [auto]
    assert [row["mechanism"] for row in json.loads(plan(*asked, "--json"))["plan"] if row["is_auto"]] == [auto]
    marked = [line for line in plan(*asked, "--csv").splitlines() if ",True," in line]
    assert [line.split(",")[1] for line in marked] == [auto]


def test_a_yes_no_question_has_no_auto() -> None:
    table = plan("--epsilon", 1, "--n", 100)
    assert "taken" not in table.splitlines()[0]
    assert "auto" not in table
