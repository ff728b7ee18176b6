"""The false discovery rate of several tests: R's figures, which method is used when, and what is said of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator import (
    Channel,
    DomainError,
    Group,
    IntervalOptions,
    compare_groups,
    read_data,
    share_test,
    trend_test,
)
from sotto_estimator.comparing.adjusted import adjusted, hochberg, yekutieli
from sotto_estimator.comparing.compare import CompareOptions
from sotto_estimator.comparing.group_estimates import side_of_group
from sotto_estimator.comparing.tested_shares import ShareTestOptions, shares_tested

P_VALUES = [0.2, 0.001, 0.012, 0.9, 0.014, 0.03, 0.04]
WARNER = Channel.warner(0.75)
GROUPS = {name: Group(count, 400, WARNER) for name, count in zip("abcd", (200, 160, 165, 195), strict=True)}


def test_p_values_are_those_of_r() -> None:
    """p.adjust(c(.2, .001, .012, .9, .014, .03, .04), "BH"), and "BY", with R 4.2.2."""
    of_r = [0.2333333333333334, 0.007, 0.0326666666666667, 0.9, 0.0326666666666667, 0.0525, 0.056]
    assert hochberg(P_VALUES) == pytest.approx(of_r)
    assert yekutieli(P_VALUES) == pytest.approx([0.605, 0.01815, 0.0847, 1, 0.0847, 0.136125, 0.1452])
    assert hochberg([]) == []


def test_counts_that_find_nothing_are_no_finds() -> None:
    """Were the second a find, the third would be one too."""
    void = [False, True, False]
    options = CompareOptions(fdr=True)
    assert adjusted([0.04, 1e-9, 0.03], options, void=void, independent=True) == pytest.approx([0.06, 1, 0.06])


def p_values(tested: Any) -> list[float]:
    return [row.p_value for row in tested.rows]


def test_comparisons_with_one_group_hold_the_rate_however_they_depend() -> None:
    alone, found = compare_groups(GROUPS), compare_groups(GROUPS, fdr=True)
    assert p_values(found) == pytest.approx(yekutieli(p_values(alone)))
    assert [row.difference_low for row in found.rows] == [row.difference_low for row in alone.rows]
    assert "each valid on its own" in found.lines[0]
    said = "on average at most 5 % of the rows that find something are wrong (P-values by Benjamini & Yekutieli"
    assert said in found.lines[-1]
    assert p_values(compare_groups(GROUPS, within=40, fdr=True)) == pytest.approx(
        yekutieli(p_values(compare_groups(GROUPS, within=40)))
    )


def test_shares_of_other_people_hold_the_rate_as_independent_tests() -> None:
    alone, found = share_test(GROUPS, null=0.5), share_test(GROUPS, null=0.5, fdr=True)
    assert p_values(found) == pytest.approx(hochberg(p_values(alone)))
    assert "Benjamini & Hochberg, for independent tests: each group is other people" in found.lines[0]
    assert [row.group for row in found.rows] == [*"abcd"]
    same = share_test(GROUPS, null=0.5, people="same", fdr=True)
    assert p_values(same) == pytest.approx(yekutieli(p_values(alone)))


def test_several_answers_of_one_group_are_of_the_same_people() -> None:
    sides = [side_of_group(GROUPS[name], 1, "population", answer=name) for name in "ab"]
    found = [shares_tested("t", {"": sides}, ShareTestOptions(0.5, fdr=of)) for of in (False, True)]
    assert p_values(found[1]) == pytest.approx(yekutieli(p_values(found[0])))


def test_trends_of_several_answers_hold_the_rate() -> None:
    """Of one answer there is one test, of which nothing changes."""
    assert p_values(trend_test(GROUPS, fdr=True)) == p_values(trend_test(GROUPS))


def test_the_rate_and_all_together_are_two_things() -> None:
    with pytest.raises(DomainError, match="simultaneous and fdr do not go together"):
        compare_groups(GROUPS, fdr=True, options=IntervalOptions(simultaneous=True))


def test_the_command_tests_the_share_of_each_group(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = [f"{place},{('same', 'different')[at % 3 > (place == 'n')]}" for place in "nsw" for at in range(120)]
    path.write_text("\n".join(["region,said", *rows]) + "\n")
    design = ("--column", "said", "--design", "crosswise(prob=1/6)", "--by", "region", "--null", ".2", "--fdr")
    result = CliRunner().invoke(main, ["test", "share", str(path), *design, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["fdr"], [row["group"] for row in found["rows"]]) == (True, ["n", "s", "w"])
    data = read_data(path, "said", "crosswise(prob=1/6)", by="region")
    assert json.loads(share_test(data, null=0.2, fdr=True).as_style("json")) == found
    text = CliRunner().invoke(main, ["test", "share", str(path), *design]).stdout
    assert text.startswith("n, said, yes: the share")
    assert "group  question  answer" in text
