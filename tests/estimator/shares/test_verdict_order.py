"""The order of answers: as fine as their intervals allow, never against them, and jointly right as often as it says."""

from collections.abc import Iterator
from itertools import combinations, pairwise
from math import comb, factorial, prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sotto_estimator import IntervalOptions
from sotto_estimator.shares.of_tally import intervals_together
from sotto_estimator.shares.verdict.order import Order, ShareInterval, order_of
from sotto_protocol import Survey, Tally, compile_toml

LIKED = """
id = "liked"
title = "Liked"
[[questions]]
id = "liked"
type = "{type}"
text = "Which?"
options = ["a", "b", "c"]
mechanism = "{mechanism}"
epsilon = 3
"""

spans = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 6)).map(lambda ends: (ends[0] / 20, (ends[0] + ends[1]) / 20)),
    min_size=1,
    max_size=7,
).map(lambda ends: [ShareInterval(str(place), *one) for place, one in enumerate(ends)])


def are_apart(upper: list[ShareInterval], lower: list[ShareInterval]) -> bool:
    return all(above.low > below.high for above in upper for below in lower)


@given(spans)
def test_groups_are_apart_and_no_group_could_be_cut_in_two(listed: list[ShareInterval]) -> None:
    known = {span.answer: span for span in listed}
    groups = [[known[answer] for answer in group] for group in order_of(listed).groups]
    assert sorted(span.answer for group in groups for span in group) == sorted(known)
    for upper, lower in pairwise(groups):
        assert are_apart(upper, lower)
    for group in groups:
        for n_upper in range(1, len(group)):
            for upper in combinations(group, n_upper):
                assert not are_apart(list(upper), [span for span in group if span not in upper])


@given(spans)
def test_leaders_are_all_that_can_be_the_most_common(listed: list[ShareInterval]) -> None:
    may_lead = {one.answer for one in listed if all(one.high >= other.low for other in listed)}
    assert set(order_of(listed).leaders) == may_lead
    assert may_lead <= set(order_of(listed).groups[0])


def compositions(n: int) -> Iterator[tuple[int, int, int]]:
    """Return all counts of three answers that add up to n."""
    return ((a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a))


def is_false(order: Order, shares: dict[str, float]) -> bool:
    """Whether an answer is said to be more common than one that is as common, or more."""
    is_wrong = any(
        shares[above] <= shares[below]
        for upper, lower in combinations(order.groups, 2)
        for above in upper
        for below in lower
    )
    most = max(shares.values())
    return is_wrong or not any(shares[answer] == most for answer in order.leaders)


def orders(survey: Survey, n: int, options: IntervalOptions) -> dict[tuple[int, int, int], Order]:
    (question,) = survey.questions
    found = {}
    for counts in compositions(n):
        tally = Tally(survey, {1: n}, {"liked": np.array(counts)})
        together = intervals_together(tally, question, options)
        found[counts] = order_of([ShareInterval(answer, *ends) for answer, ends in together.items()])
    return found


TRUTHS = [(1 / 3, 1 / 3, 1 / 3), (0.5, 0.5, 0.0), (0.4, 0.3, 0.3), (0.45, 0.45, 0.1), (1.0, 0.0, 0.0)]
N = 24


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("method", "simultaneous"),
    [
        ("chernoff", True),
        ("clopper-pearson", False),
        pytest.param("chernoff", False, marks=pytest.mark.thorough),
        pytest.param("clopper-pearson", True, marks=pytest.mark.thorough),
    ],
)
def test_the_order_is_false_as_rarely_as_the_level_says_by_enumeration(method: str, simultaneous: bool) -> None:
    """Exact: every tally of 24 k-ary reports, with its probability; at 70 %, so that there is something to be seen."""
    survey = compile_toml(LIKED.format(type="one-of", mechanism="k-ary"))
    (question,) = survey.questions
    true, other = question.mechanism.prob_support_if_true, question.mechanism.prob_support_if_other
    known = orders(survey, N, IntervalOptions(0.7, method, simultaneous=simultaneous))
    assert any(len(order.groups) > 1 for order in known.values())
    by_estimates_alone = []
    for truth in TRUTHS:
        reported = [other + share * (true - other) for share in truth]
        shares, false, naive = dict(zip("abc", truth, strict=True)), 0.0, 0.0
        for counts, order in known.items():
            ways = factorial(N) / prod(map(factorial, counts))
            prob = ways * prod(share**count for share, count in zip(reported, counts, strict=True))
            false += prob * is_false(order, shares)
            of_counts = order_of(
                [ShareInterval(answer, count, count) for answer, count in zip("abc", counts, strict=True)]
            )
            naive += prob * is_false(of_counts, shares)
        assert false <= 0.3
        by_estimates_alone.append(naive)
    assert max(by_estimates_alone) > 0.3, "an order by estimates alone is false more often"
    assert comb(N + 2, 2) == len(known)
