"""Sums of epsilons: the rules of a course, and the least sum that holds, by enumeration."""

import math
from itertools import product

import pytest

from sotto_estimator.errors import DomainError
from sotto_rehearsal.comparison.composition import MAX_UNEQUAL, advanced, by_zcdp, compose, optimal

DELTA = 1e-6


def theorem_3_3(n: int, epsilon: float, delta: float) -> float:
    """Kairouz, Oh & Viswanath 2015, theorem 3.3: the least (n - 2 i) epsilon whose delta_i is small enough."""
    for i in range(n // 2, -1, -1):
        terms = (
            math.comb(n, j) * (math.exp((n - j) * epsilon) - math.exp((n - 2 * i + j) * epsilon)) for j in range(i)
        )
        if sum(terms) / (1 + math.exp(epsilon)) ** n <= delta:
            return (n - 2 * i) * epsilon
    raise AssertionError("i = 0 has a delta of 0")


@pytest.mark.parametrize(("n", "epsilon"), [(1, 0.5), (10, 0.1), (40, 0.1), (100, 0.05), (30, 0.3)])
@pytest.mark.parametrize("delta", [1e-6, 1e-3, 0.2])
def test_the_optimal_sum_is_between_two_steps_of_the_published_theorem(n: int, epsilon: float, delta: float) -> None:
    """The theorem lists every second multiple of epsilon; between them delta is as exact here."""
    published = theorem_3_3(n, epsilon, delta)
    found = optimal([epsilon] * n, delta)
    assert found is not None
    assert published - 2 * epsilon - 1e-9 <= found <= published + 1e-9


@pytest.mark.parametrize("epsilons", [[0.5, 0.5, 0.5], [1.0, 0.2, 0.7, 0.7], [0.1 * i for i in range(1, 11)], [3, 1]])
@pytest.mark.parametrize("delta", [1e-6, 0.01, 0.3])
def test_the_optimal_sum_is_that_of_randomized_responses_listed_one_by_one(epsilons: list[float], delta: float) -> None:
    """Never below it, and at most a part in 200 above where epsilons differ."""

    def delta_of(total: float) -> float:
        found = 0.0
        for lies in product((0, 1), repeat=len(epsilons)):
            probs = [1 / (1 + math.exp(e if lie else -e)) for e, lie in zip(epsilons, lies, strict=True)]
            loss = sum(-e if lie else e for e, lie in zip(epsilons, lies, strict=True))
            found += math.prod(probs) * max(0.0, -math.expm1(total - loss))
        return found

    found = optimal(epsilons, delta)
    assert found is not None
    assert delta_of(found) <= delta * (1 + 1e-9)
    assert found == 0 or delta_of(found * 0.99 - 1e-6) > delta


def test_published_rules_give_what_a_course_computes() -> None:
    """A hundred reports of epsilon .1 at delta 10^-6, by hand."""
    root = 0.1 * math.sqrt(2 * 100 * math.log(1e6))
    assert advanced([0.1] * 100, DELTA) == pytest.approx(root + 100 * 0.1 * (math.exp(0.1) - 1))
    assert by_zcdp([0.1] * 100, DELTA) == pytest.approx(0.5 + 2 * math.sqrt(0.5 * math.log(1e6)))
    assert advanced([0.1, 0.3], DELTA) == pytest.approx(advanced([0.3, 0.1], DELTA))


@pytest.mark.parametrize(("n", "epsilon", "is_better"), [(3, 0.1, False), (1000, 0.1, True), (30, 2.0, False)])
def test_advanced_composition_is_no_better_for_few_reports_or_large_epsilons(
    n: int, epsilon: float, is_better: bool
) -> None:
    of = compose([epsilon] * n, DELTA)
    assert of.basic == pytest.approx(n * epsilon)
    assert (of.advanced < of.basic) is (of.zcdp < of.basic) is is_better
    assert of.optimal is not None
    assert of.optimal <= min(of.basic, of.advanced, of.zcdp)


def test_too_many_unequal_ones_have_no_optimal_sum_and_equal_ones_always_have() -> None:
    unequal = [0.01, 0.02] * MAX_UNEQUAL
    assert compose(unequal, DELTA).optimal is None
    assert optimal([0.01] * 100_000, DELTA) is not None


@pytest.mark.parametrize(("epsilons", "delta"), [([0.0], 0.1), ([1.0, math.nan], 0.1), ([1.0], 0.0), ([1.0], 1.5)])
def test_what_cannot_be_added_up_is_refused(epsilons: list[float], delta: float) -> None:
    with pytest.raises(DomainError, match=r"^(epsilon|delta) \("):
        compose(epsilons, delta)
