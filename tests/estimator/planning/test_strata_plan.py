"""What a plan says of the smallest stratum: by itself as of so many people, and pooled as estimates then are."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator import plan
from sotto_estimator.errors import DomainError
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.strata_plan import BETWEEN, pooled_width
from sotto_protocol import Survey, compile_toml
from strata_surveys import strata_toml

HOME = """[[questions]]
id = "home"
type = "text"
text = "Where do you live?"
epsilon = 1
"""
TOML = strata_toml("teams", "abcd", HOME, settings='controller = "Us"\ncontact = "us@example.org"')
TEAMS = compile_toml(TOML)


def of_strata(survey: Survey, n: int, smallest: int | None = None) -> list[tuple[str, int, float | None, float | None]]:
    return [(one.question, one.n, one.alone, one.pooled) for one in plan(survey, n, smallest=smallest).strata]


def test_the_smallest_stratum_alone_is_planned_as_a_survey_of_so_many_people() -> None:
    (_, n, alone, pooled), (_, _, text, nothing) = of_strata(TEAMS, 120, 15)
    small = plan(TEAMS, 15)
    assert (n, alone, text) == (15, small.questions[0].width, small.questions[1].width)
    assert nothing is None
    assert alone is not None
    assert pooled is not None
    assert pooled < 0.7 * alone


def test_all_strata_are_as_large_where_nothing_is_said() -> None:
    assert of_strata(TEAMS, 122) == of_strata(TEAMS, 122, 30)


def test_of_many_large_strata_the_pooled_width_is_that_of_a_known_spread() -> None:
    """Then the mean and the spread are known: the variance is that of the normal posterior, A D / (A + D)."""
    error = 0.05
    width = pooled_width([error] * 64, PlanOptions())
    assert width == pytest.approx(1.96 * np.sqrt(BETWEEN**2 * error**2 / (BETWEEN**2 + error**2)), rel=0.06)


def test_a_survey_of_two_strata_or_none_has_no_pooled_width() -> None:
    two, none = (compile_toml(TOML.replace('["a", "b", "c", "d"]', of)) for of in ('["a", "b"]', '["a", "b", "c"]'))
    assert [pooled for *_, pooled in of_strata(two, 60)] == [None, None]
    assert of_strata(none, 60)[0][3] is not None
    alone = compile_toml(TOML.replace('strata = ["a", "b", "c", "d"]\n', ""))
    assert plan(alone, 60).strata == ()
    with pytest.raises(DomainError, match="smallest goes with a survey that has strata"):
        plan(alone, 60, smallest=3)
    with pytest.raises(DomainError, match=r"smallest \(31\) must be in \[1, 30\]: 120 people are in 4 strata\."):
        plan(TEAMS, 120, smallest=31)


def test_plan_and_check_print_the_smallest_stratum_alike(tmp_path: Path) -> None:
    file = tmp_path / "teams.toml"
    file.write_text(TOML)
    known = []
    for command in ("plan", "check"):
        asked = [command, str(file), "--n", "120", "--smallest", "15"]
        said = CliRunner().invoke(main, asked).stdout
        known.append(said[said.index("The smallest of 4 strata") :].split("\n\n")[:2])
        document = json.loads(CliRunner().invoke(main, [*asked, "--json"]).stdout)
        assert [(one["question"], one["n"], one["alone"], one["pooled"]) for one in document["strata"]] == of_strata(
            TEAMS, 120, 15
        )
        result = CliRunner().invoke(main, [*asked[:-1], "31"])
        assert "--smallest (31) must be " in result.stderr
    assert known[0] == known[1]
    assert known[0][0] == "The smallest of 4 strata has 15 people. The others have 35 each."
    of_few = CliRunner().invoke(main, [*asked[:-1], "2"]).stdout
    assert "tells nothing: with so few people any result stays possible" in of_few
    assert not re.search(r"± [5-9][0-9](\.[0-9])? points", of_few)


def test_a_stratum_below_min_reports_is_said_to_be_hidden(tmp_path: Path) -> None:
    file = tmp_path / "teams.toml"
    file.write_text(TOML.replace("[[questions]]", "min_reports = 15\n[[questions]]", 1))
    for command in ("plan", "check"):
        said = CliRunner().invoke(main, [command, str(file), "--n", "120", "--smallest", "14"]).stdout
        assert re.search(r"\n\w+ +14 +hidden +- +hidden\n", said)
        assert "hidden: nothing is shown of a stratum from which too few reports come (min_reports 15)" in said
        said = CliRunner().invoke(main, [command, str(file), "--n", "120", "--smallest", "15"]).stdout
        assert re.search(r"\n\w+ +15 +[^-]* ± \S+ points +too imprecise to use\n", said)


def test_check_and_plan_round_alike(tmp_path: Path) -> None:
    file = tmp_path / "teams.toml"
    file.write_text(TOML)
    checked, planned = (CliRunner().invoke(main, [of, str(file), "--n", "333"]).stdout for of in ("check", "plan"))
    width = re.search(r"the share will be known to (\+- \S+ points)", planned)
    assert width
    assert width[1] in checked
