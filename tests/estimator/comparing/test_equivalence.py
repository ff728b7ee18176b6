"""Equivalence and non-inferiority: how seldom they err, by enumeration; what their intervals say; and their words."""

import json
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner, Result
from test_difference import CHANNELS, pmf, shares

from sotto_client.cli import main
from sotto_estimator import Channel, DomainError, Group, IntervalOptions, compare_groups, share_test
from sotto_estimator.channel.channel import Target
from sotto_estimator.comparing.compare import CompareOptions
from sotto_estimator.comparing.equivalence import MarginTested, margin_tests
from sotto_estimator.comparing.group_estimates import People, side_of_group
from sotto_estimator.intervals.difference import p_above
from sotto_estimator.intervals.margin import Kind, Margin

WARNER = Channel.warner(0.75)
KINDS: dict[Kind, tuple[bool, bool]] = {
    "within": (True, True),
    "not_lower_by": (True, False),
    "not_higher_by": (False, True),
}
"""Whether shares that are lower by the margin, and higher, are not what is to be shown."""


def held(first: Group, second: Group, margin: Margin, **how: object) -> MarginTested:
    groups = {name: [side_of_group(of, 1, "population")] for name, of in (("a", first), ("b", second))}
    return margin_tests("t", groups, CompareOptions(**how), margin).rows[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("target", ["population", pytest.param("respondents", marks=pytest.mark.thorough)])
def test_a_margin_is_shown_as_seldom_as_p_says_where_it_does_not_hold(target: Target) -> None:
    """All counts of 6 and 8 people; the true difference is the margin of 25 points, or more."""
    one, other, n, m = CHANNELS[0]
    groups = [[(Group(i, n, one), Group(j, m, other)) for j in range(m + 1)] for i in range(n + 1)]
    of_lower = np.array([[p_above(*of, target=target, difference=-0.25) for of in row] for row in groups])
    of_higher = np.array([[p_above(*of[::-1], target=target, difference=-0.25) for of in row] for row in groups])
    for kind, (is_lower_wrong, is_higher_wrong) in KINDS.items():
        pairs = zip(of_lower.ravel(), of_higher.ravel(), strict=True)
        p_values = np.array([Margin(kind, 25).larger(*of) for of in pairs]).reshape(of_lower.shape)
        n_wrong = 0
        for f, g in product(shares(n, target), shares(m, target)):
            if (is_lower_wrong and g - f <= -0.25) or (is_higher_wrong and g - f >= 0.25):
                probs, n_wrong = np.outer(pmf(n, one, f, target), pmf(m, other, g, target)), n_wrong + 1
                for alpha in np.unique(p_values[p_values < 1]):
                    assert probs[p_values <= alpha].sum() <= alpha * (1 + 1e-9)
        assert n_wrong > 10


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("how", "level"),
    [({}, 0.9), ({"people": "same"}, 0.95), pytest.param({"target": "respondents"}, 0.9, marks=pytest.mark.thorough)],
)
def test_a_margin_is_shown_just_where_the_interval_is_inside(
    kind: Kind, how: dict[str, People | Target | bool], level: float
) -> None:
    margin, verdicts = Margin(kind, 10), set()
    for count in (2_000, 2_120, 2_180):
        row = held(Group(2_000, 5_000, WARNER), Group(count, 5_000, WARNER), margin, **how)
        assert row.interval_level == level
        assert row.difference_low is not None
        assert row.difference_high is not None
        assert row.is_found == margin.holds(row.difference_low, row.difference_high)
        assert row.is_found == ((row.p_value or 0) <= 0.05)
        verdicts.add(row.verdict)
    assert len(verdicts) == 1 + (kind != "not_lower_by")


def test_a_margin_at_every_look_is_shown_by_its_own_interval() -> None:
    for count, is_found in ((2_000, True), (2_180, False)):
        row = held(Group(2_000, 5_000, WARNER), Group(count, 5_000, WARNER), Margin("within", 12), anytime=True)
        assert (row.interval, row.interval_level, row.is_found) == ("anytime", 0.9, is_found)
        assert is_found == Margin("within", 12).holds(row.difference_low or 0, row.difference_high or 0)
        assert is_found == ((row.p_value or 0) <= 0.05)


def test_margins_that_hold_together_have_wider_intervals_and_larger_p_values() -> None:
    groups = {name: Group(count, 5_000, WARNER) for name, count in (("a", 2_000), ("b", 2_000), ("c", 2_050))}
    alone, together = (
        compare_groups(groups, within=10, options=IntervalOptions(simultaneous=of)).rows for of in (False, True)
    )
    for one, other in zip(alone, together, strict=True):
        assert (one.p_value or 0) <= (other.p_value or 0)
        assert (one.difference_high or 0) < (other.difference_high or 0)
    assert together[1].p_value == pytest.approx(max(alone[1].p_value, 2 * alone[0].p_value))  # type: ignore[operator, arg-type]


def test_share_margins_are_two_exact_tests_as_those_of_r() -> None:
    """binom.test(150, 400, .325, "greater")$p.value, and (.., .425, "less"): the reported shares of 15 and 35 %."""
    [row] = share_test(Group(150, 400, WARNER), null=0.25, within=10).rows
    assert row.p_value == pytest.approx(0.0237975198481589, rel=1e-8)
    assert row.verdict == "within"
    assert row.low is not None
    assert row.high is not None
    assert 0.15 < row.low < row.high < 0.35
    [row] = share_test(Group(150, 400, WARNER), null=0.3, within=10).rows
    assert row.verdict == "not shown"
    [row] = share_test(Group(150, 400, WARNER), null=0.05, within=40).rows
    assert row.verdict == "within", "no share is below 0"


def test_a_share_is_shown_to_be_near_as_seldom_as_p_says_where_it_is_not() -> None:
    """Of 20 people: the null is 30 %, the margin 20 points."""
    counts = range(21)
    p_values = np.array([share_test(Group(s, 20, WARNER), null=0.3, within=20).rows[0].p_value for s in counts])
    for share in (0, 0.05, 0.1, 0.5, 0.55, 0.8, 1):
        probs = pmf(20, WARNER, share, "population")
        for alpha in p_values:
            assert probs[p_values <= alpha].sum() <= alpha * (1 + 1e-9)


COUNTS = ("--counts", "2000,3000", "--counts", "2010,2990", "--counts", "2600,2400", "--warner", "3/4")


def sotto(*words: str) -> Result:
    return CliRunner().invoke(main, ["test", *words])


def test_verdicts_are_words() -> None:
    said = sotto("groups", *COUNTS, "--within", "12").stdout.splitlines()
    assert said[0] == "yes: group 2 and group 1 differ by less than 12 points."
    assert said[1] == "yes: it is not shown that group 3 and group 1 differ by less than 12 points."
    text = "\n".join(said)
    assert "intervals: 90 %, by the Chernoff bound" in text
    assert "P of a difference of 12 points or more either way: by two one-sided tests at 5 %" in text
    assert "equivalent" in text
    assert "ratio" not in text
    found = json.loads(sotto("groups", *COUNTS, "--not-lower-by", "1", "--json").stdout)
    assert (found["test"], found["not_lower_by"]) == ("groups", 1)
    assert [row["verdict"] for row in found["rows"]] == ["not shown", "not lower"]
    said = sotto("groups", *COUNTS, "--not-higher-by", "12").stdout
    assert "yes: group 2 is not higher than group 1 by 12 points or more." in said
    said = sotto("share", "--yes", "150", "--n", "400", "--warner", "3/4", "--null", ".25", "--within", "10").stdout
    assert said.startswith("yes: the share is within 10 points of 25 %.")
    assert "P of a share that is 10 points or more from 25 %: exact, by two one-sided tests at 5 %" in said


def test_counts_that_contradict_the_design_show_nothing() -> None:
    found = sotto("groups", "--counts", "2,398", "--counts", "150,250", "--warner", "3/4", "--within", "50", "--json")
    [row] = json.loads(found.stdout)["rows"]
    assert (row["verdict"], row["p_value"], row["difference"]) == (None, None, None)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"within": 5, "not_lower_by": 5}, "within and not_lower_by do not go together"),
        ({"within": 0}, r"within \(0\) must be above 0 and below 100, in points"),
        ({"not_higher_by": 100}, r"not_higher_by \(100\) must be above 0"),
        ({"within": 5, "options": IntervalOptions(0.4)}, r"level \(0.4\) must be above 0.5"),
    ],
)
def test_margins_that_cannot_be_are_refused(given: dict[str, object], words: str) -> None:
    groups = {"a": Group(150, 400, WARNER), "b": Group(150, 400, WARNER)}
    with pytest.raises(DomainError, match=words):
        compare_groups(groups, **given)  # type: ignore[arg-type]


def test_a_share_takes_one_kind_of_test() -> None:
    with pytest.raises(DomainError, match="within is by two one-sided tests"):
        share_test(Group(150, 400, WARNER), null=0.3, within=5, alternative="less")
    with pytest.raises(DomainError, match=r"within \(100\) must be above 0"):
        share_test(Group(150, 400, WARNER), null=0.3, within=100)
    with pytest.raises(DomainError, match=r"within \(70\) must be below 70 points: no share is farther"):
        share_test(Group(150, 400, WARNER), null=0.3, within=70)
