"""Exact tests of a share: their level by enumeration, and that they are the inversion of the intervals."""

import numpy as np
import pytest
from scipy import stats

from sotto_estimator.channel.channel import Channel
from sotto_estimator.comparing.exact_tests import Alternative, Method, share_test
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import confidence_interval

METHODS: tuple[Method, ...] = ("clopper-pearson", "blaker")
CHANNELS = (Channel(0.75, 0.25), Channel(0.5, 0.1), Channel(1, 0))
LEVELS = (0.4, 0.8, 0.95, 0.99)


@pytest.mark.few(4)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("n", [1, 6, pytest.param(25, marks=pytest.mark.thorough)])
def test_a_share_is_refuted_where_the_interval_leaves_it_out(n: int, channel: Channel, method: Method) -> None:
    """By enumeration of all counts, on a grid of shares."""
    shares = np.linspace(0, 1, 38) ** 1.1
    p_values = np.array([[share_test(s, n, channel, x, method=method).p_value for x in shares] for s in range(n + 1)])
    for level in LEVELS:
        low, high = confidence_interval(np.arange(n + 1), n, channel, level=level, method=method)
        is_left_out = (shares < low[:, None]) | (shares > high[:, None])
        # The interval of a count that contradicts the design is cut to a point: its own P-values are of the counts.
        is_whole = (low < high)[:, None] | np.zeros_like(is_left_out)
        np.testing.assert_array_equal((p_values <= 1 - level)[is_whole], is_left_out[is_whole])


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("channel", CHANNELS)
def test_a_true_hypothesis_is_refuted_with_at_most_alpha(
    channel: Channel, method: Method, alternative: Alternative
) -> None:
    for n in (3, 20, 41):
        for null in (0.0, 0.07, 0.5, 1.0):
            pmf = stats.binom.pmf(np.arange(n + 1), n, channel.reported_share(null))
            tests = [share_test(s, n, channel, null, alternative=alternative, method=method) for s in range(n + 1)]
            p_values = np.array([test.p_value for test in tests])
            for alpha in p_values:
                assert pmf[p_values <= alpha].sum() <= alpha + 1e-12


def test_one_sided_p_values_are_the_tails() -> None:
    channel, n, s = Channel(0.75, 0.25), 50, 31
    reported = stats.binom(n, channel.reported_share(0.4))
    assert share_test(s, n, channel, 0.4, alternative="greater").p_value == pytest.approx(reported.sf(s - 1))
    assert share_test(s, n, channel, 0.4, alternative="less").p_value == pytest.approx(reported.cdf(s))
    assert share_test(s, n, channel, 0.4).p_value == pytest.approx(2 * reported.sf(s - 1))
    blaker = share_test(s, n, channel, 0.4, method="blaker").p_value
    assert blaker == pytest.approx(stats.binomtest(s, n, channel.reported_share(0.4)).pvalue, rel=0.2)
    assert blaker <= share_test(s, n, channel, 0.4).p_value


def test_large_counts_keep_their_digits() -> None:
    n = 10**9
    s = n // 2 + 110_000
    result = share_test(s, n, Channel(0.75, 0.25), 0.5)
    assert result.p_value == pytest.approx(2 * stats.norm.sf((s - 0.5 - n / 2) / (n / 4) ** 0.5), rel=1e-3)
    assert share_test(s, n, Channel(0.75, 0.25), 0.5, method="blaker").p_value == pytest.approx(
        result.p_value, rel=1e-3
    )


def test_the_result_says_what_it_is() -> None:
    result = share_test(40, 100, Channel(0.75, 0.25), 0.1, alternative="greater", method="blaker")
    assert str(result).startswith("share = 10 % against a greater: P = 0.02")
    assert str(result).endswith("(exact, blaker, n = 100)")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"null": 1.2}, r"null \(1.2\) must be in \[0, 1\]"),
        ({"null": float("nan")}, r"null \(nan\) must be in \[0, 1\]"),
        ({"method": "wilson"}, r"method \('wilson'\) must be one of clopper-pearson, blaker"),
        ({"alternative": "up"}, r"alternative \('up'\) must be one of two-sided, greater, less"),
        ({"support_count": 11}, r"support_counts \(11\) must be in \[0, n\]"),
        ({"n": 0}, r"n \(0\) must be an integer"),
    ],
)
def test_what_cannot_be_tested_is_refused(given: dict[str, object], problem: str) -> None:
    asked = {"support_count": 3, "n": 10, "channel": Channel(0.75, 0.25), "null": 0.5} | given
    with pytest.raises(DomainError, match=problem):
        share_test(**asked)  # type: ignore[arg-type]
