"""Planned tests of margins have the power of the tests that `sotto test` runs, count by count."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from scipy import stats

from sotto_client.cli import main
from sotto_estimator import Channel, DomainError, Group, power
from sotto_estimator.comparing.exact_tests import share_test
from sotto_estimator.intervals.difference import p_above
from sotto_estimator.intervals.margin import MARGINS, Kind, Margin
from sotto_estimator.planning.power import Errors, PlannedTest, respondents_for_power
from sotto_estimator.planning.power_margin import MOST_ENUMERATED, GroupsMarginTest, ShareWithinTest

WARNER, UNEVEN, CLEAR = Channel.warner_of_epsilon(3), Channel(0.6, 0.1), Channel(1, 0)
ONE = Errors(0.05, 1)


def power_at(test: PlannedTest, n: float) -> float:
    return float(test.powers(np.array([n], np.float64))[0])


@pytest.mark.parametrize("channel", [WARNER, UNEVEN])
@pytest.mark.parametrize(("null", "share", "within"), [(0.3, 0.35, 25), (0.05, 0.02, 20), (0.95, 0.95, 20)])
def test_the_power_to_show_that_a_share_is_near_is_that_of_all_counts(
    channel: Channel, null: float, share: float, within: float
) -> None:
    """By P-values of each count; of 5 % and 20 points there is no lower edge."""
    low, high, found = null - within / 100, null + within / 100, []
    for n in (2, 41, 90):
        probs = stats.binom.pmf(np.arange(n + 1), n, channel.reported_share(share))
        shown = [
            (low < 0 or share_test(count, n, channel, low, alternative="greater").p_value <= 0.05)
            and (high > 1 or share_test(count, n, channel, high, alternative="less").p_value <= 0.05)
            for count in range(n + 1)
        ]
        found.append(power_at(ShareWithinTest(channel, null, share, within, ONE), n))
        assert found[-1] == pytest.approx(probs[shown].sum(), abs=1e-12)
    assert found[0] < 0.2 < 0.4 < found[2]


@cache
def p_values_of_pairs(n: int) -> NDArray[np.float64]:
    """Return P of shares of n people that are 60 points lower, and 60 points higher, for all pairs of counts."""
    pairs = [(Group(one, n, WARNER), Group(other, n, WARNER)) for one, other in product(range(n + 1), repeat=2)]
    found = [[p_above(*of, difference=-0.6), p_above(*of[::-1], difference=-0.6)] for of in pairs]
    return np.array(found).reshape(n + 1, n + 1, 2)


@pytest.mark.parametrize("kind", MARGINS)
@pytest.mark.parametrize(("share", "other"), [(0.3, 0.3), (0.2, 0.5)])
def test_the_power_to_show_that_groups_are_alike_is_that_of_all_pairs_of_counts(
    kind: Kind, share: float, other: float
) -> None:
    n, margin = 18, Margin(kind, 60)
    first, second = (stats.binom.pmf(np.arange(n + 1), n, WARNER.reported_share(of)) for of in (share, other))
    shown = np.array([[margin.larger(*of) <= 0.05 for of in row] for row in p_values_of_pairs(n)])
    expected = first @ shown @ second
    assert power_at(GroupsMarginTest(WARNER, share, other, margin, ONE), n) == pytest.approx(expected, abs=1e-11)
    assert expected > 0.1


@pytest.mark.parametrize(
    "planned",
    [
        GroupsMarginTest(WARNER, 0.3, 0.3, Margin("within", 12), ONE),
        GroupsMarginTest(CLEAR, 0.1, 0.2, Margin("not_higher_by", 30), ONE),
        ShareWithinTest(WARNER, 0.3, 0.32, 12, ONE),
        ShareWithinTest(CLEAR, 0.05, 0.05, 3, ONE),
    ],
    ids=str,
)
def test_the_n_of_a_margin_is_that_of_a_scan_over_every_n(planned: PlannedTest) -> None:
    found = respondents_for_power(planned, 0.8)
    sizes = np.arange(2, 2 * found, dtype=np.float64)
    assert found == 1 + max(sizes[planned.powers(sizes) < 0.8])


@pytest.mark.parametrize(
    ("share", "other", "kind", "excess"), [(0.3, 0.3, "within", 0.5), (0.1, 0.2, "not_higher_by", 0.1)]
)
def test_beyond_what_is_enumerated_the_power_of_a_margin_is_nearly_the_same(
    share: float, other: float, kind: Kind, excess: float
) -> None:
    middle = (share + other) / 2
    n = MOST_ENUMERATED / (middle * (1 - middle)) // 1
    margin = Margin(kind, 100 * (other - share + (1 + excess) * (np.log(20) / n) ** 0.5))
    exact, normal = GroupsMarginTest(CLEAR, share, other, margin, ONE).powers(np.array([n, n + 1]))
    assert 0.2 < exact < 0.9
    assert normal == pytest.approx(exact, abs=1e-3)
    assert normal != exact


def test_a_margin_is_planned_in_words_and_refused_where_it_does_not_hold() -> None:
    asked = ["power", "groups", "--epsilon", "3", "--share", ".3", "--other-share", ".3"]
    shown = CliRunner().invoke(main, [*asked, "--within", "10"]).stdout
    assert shown == f"{power('groups', [3], share=0.3, other_share=0.3, within=10).as_table()}\n"
    assert "differ by less than 10 points, where they are 0.3 and 0.3? Two one-sided tests, alpha 0.05" in shown
    shown = CliRunner().invoke(main, [*asked, "--not-lower-by", "10", "--n", "500"]).stdout
    assert "not lower than 0.3 by 10 points or more? One-sided" in shown
    share = ["power", "share", "--epsilon", "3", "--null", ".3", "--share", ".3", "--within", "10"]
    assert "Is the share within 10 points of 0.3" in CliRunner().invoke(main, share).stdout
    with pytest.raises(DomainError, match=r"is -10 points from share \(0.3\): not_lower_by 9 is not true"):
        power("groups", [3], share=0.3, other_share=0.2, not_lower_by=9)
    with pytest.raises(DomainError, match="one_sided does not go with a margin"):
        power("groups", [3], share=0.3, other_share=0.3, within=9, one_sided=True)
    with pytest.raises(DomainError, match=r"share \(0.5\) must be within 9 points of null \(0.3\)"):
        power("share", [3], null=0.3, share=0.5, within=9)
    with pytest.raises(DomainError, match=r"within \(70\) must be below 70 points"):
        power("share", [3], null=0.3, share=0.5, within=70)
