"""A curator's figures are OpenDP's: its accuracies, its privacy maps and its own draws."""

import math
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import opendp.prelude as dp
import pytest
from scipy import integrate, stats

from sotto_estimator.errors import DomainError
from sotto_protocol import compile_toml
from sotto_rehearsal.comparison.draws import (
    EXPONENTIAL,
    PERMUTE_AND_FLIP,
    add_noise,
    name_options,
    naming_measurement,
    noise_measurement,
)
from sotto_rehearsal.comparison.naming import exponential_mechanism, permute_and_flip
from sotto_rehearsal.comparison.noise import Noise, Sensitivity, calibrated, gaussian_scale

FALSE_ALARM = 1e-9
ONE_OF = Sensitivity(2, math.sqrt(2))


def by_name(epsilon: float, delta: float = 1e-6, sensitivity: Sensitivity = ONE_OF) -> dict[str, Noise]:
    return {noise.name: noise for noise in calibrated(epsilon, delta, sensitivity)}


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 8.0])
def test_opendp_s_privacy_maps_give_the_epsilon_that_noise_is_calibrated_to(epsilon: float) -> None:
    noises = by_name(epsilon)
    assert noise_measurement(noises["Laplace"]).map(2.0) == pytest.approx(epsilon, rel=1e-12)
    assert noise_measurement(noises["geometric"]).map(2) == pytest.approx(epsilon, rel=1e-12)
    rho = noise_measurement(noises["Gaussian"]).map(math.sqrt(2))
    assert rho == pytest.approx((math.sqrt(2) / noises["Gaussian"].scale) ** 2 / 2, rel=1e-12)
    assert naming_measurement(PERMUTE_AND_FLIP, epsilon).map(1) == pytest.approx(epsilon, rel=1e-12)
    assert naming_measurement(EXPONENTIAL, epsilon).map(1) == pytest.approx(epsilon**2 / 8, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("beta", [0.05, 0.01, 1e-6])
def test_widths_are_opendp_s_accuracies(epsilon: float, beta: float) -> None:
    noises = by_name(epsilon)
    laplace, geometric, gaussian = (noises[name] for name in ("Laplace", "geometric", "Gaussian"))
    assert laplace.half_width(beta) == pytest.approx(dp.laplacian_scale_to_accuracy(laplace.scale, beta), rel=1e-12)
    assert gaussian.half_width(beta) == pytest.approx(dp.gaussian_scale_to_accuracy(gaussian.scale, beta), rel=1e-6)
    at_least = dp.discrete_laplacian_scale_to_accuracy(geometric.scale, beta)  # P(|noise| >= it) <= beta
    assert geometric.half_width(beta) == math.ceil(at_least) - 1


@pytest.mark.parametrize("name", ["Laplace", "geometric", "Gaussian"])
@pytest.mark.parametrize("epsilon", [pytest.param(0.3, marks=pytest.mark.thorough), 2.0])
def test_theory_is_the_law_of_opendp_s_draws_and_not_that_of_a_quarter_more_noise(name: str, epsilon: float) -> None:
    """20,000 draws, Kolmogorov and Smirnov's test; false alarms 1e-9. Whole numbers are spread over the next unit."""
    noise = by_name(epsilon)[name]
    drawn = add_noise(noise, np.full(20_000, 7.0)) - 7
    spread = drawn + np.random.default_rng(1).random(len(drawn)) * (name == "geometric")
    assert stats.kstest(spread, law(noise)).pvalue > FALSE_ALARM
    assert stats.kstest(spread, law(Noise(noise.name, 1.25 * noise.scale, noise.delta))).pvalue < FALSE_ALARM
    fourth = float(np.mean((drawn / noise.deviation) ** 4))
    assert np.mean(drawn**2) == pytest.approx(noise.deviation**2, rel=7 * math.sqrt(fourth / len(drawn)))


def law(noise: Noise) -> Callable[[Any], Any]:
    if noise.name == "geometric":
        whole = stats.dlaplace(1 / noise.scale)
        return lambda at: whole.cdf(np.floor(at) - 1) + (at - np.floor(at)) * whole.pmf(np.floor(at))
    return (stats.laplace if noise.name == "Laplace" else stats.norm)(scale=noise.scale).cdf  # type: ignore[no-any-return]


@pytest.mark.parametrize("beta", [0.3, 0.05, 1e-4])
@pytest.mark.parametrize("epsilon", [0.1, 0.7, 5.0, 19.0])
def test_a_geometric_width_is_the_least_whole_number_that_is_exceeded_rarely_enough(
    epsilon: float, beta: float
) -> None:
    noise = by_name(epsilon)["geometric"]
    law = stats.dlaplace(1 / noise.scale)
    width = noise.half_width(beta)
    assert 2 * law.sf(width) <= beta * (1 + 1e-9)
    assert width == 0 or 2 * law.sf(width - 1) > beta
    assert noise.deviation == pytest.approx(law.std())


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-5, 0.1])
def test_gaussian_noise_takes_its_epsilon_at_delta_and_less_of_it_does_not(epsilon: float, delta: float) -> None:
    """By integrating what one density exceeds e^epsilon times the other by."""

    def delta_of(scale: float) -> float:
        crossing = epsilon * scale**2 - 0.5
        first, second = stats.norm(0, scale), stats.norm(-1, scale)

        def excess(at: float) -> float:
            return float(first.pdf(at) - math.exp(epsilon) * second.pdf(at))

        end = crossing + 12 * scale
        return float(integrate.quad(excess, crossing, end, epsabs=0, epsrel=1e-9, limit=200)[0])

    scale = gaussian_scale(epsilon, delta, 1.0)
    assert delta_of(scale) == pytest.approx(delta, rel=1e-5)
    assert delta_of(0.99 * scale) > delta * 1.001


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_opendp_s_own_way_to_delta_asks_for_a_little_more_noise(epsilon: float) -> None:
    """It goes through zCDP, which is not tight; ours is Balle and Wang's, which is."""
    noise = by_name(epsilon)["Gaussian"]
    profile = dp.c.make_zCDP_to_approxDP(noise_measurement(noise)).map(math.sqrt(2))
    assert epsilon < profile.epsilon(1e-6) < 1.2 * epsilon


def test_known_figures_of_senators_and_representatives() -> None:
    """Warner's .25 beside Laplace's .035 for 100 senators, .117 to .120 beside .008 for 435 representatives."""
    deviation = by_name(math.log(1.5), sensitivity=Sensitivity(1, 1))["Laplace"].deviation
    assert round(deviation / 100, 3) == 0.035
    assert round(deviation / 435, 3) == 0.008


@pytest.mark.thorough
def test_naming_is_opendp_s_and_not_the_other_mechanism_s() -> None:
    """6,000 draws each, chi-squared tests with 3 degrees of freedom; false alarms 1e-9."""
    counts = np.array([6, 5, 3, 0])
    laws = {EXPONENTIAL: exponential_mechanism, PERMUTE_AND_FLIP: permute_and_flip}
    for name, other in ((EXPONENTIAL, PERMUTE_AND_FLIP), (PERMUTE_AND_FLIP, EXPONENTIAL)):
        drawn = np.bincount(name_options(name, 1.0, np.tile(counts, (6000, 1))), minlength=4)
        of = {key: law(counts.astype(float), 1.0) * 6000 for key, law in laws.items()}
        assert stats.chisquare(drawn, of[name]).pvalue > FALSE_ALARM
        assert stats.chisquare(drawn, of[other]).pvalue < FALSE_ALARM


@pytest.mark.parametrize("counts", [[3, 2, 0], [5, 5, 1, 1], [4], [10, 9, 8, 2, 1]])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_permute_and_flip_is_what_its_authors_say(counts: list[int], epsilon: float) -> None:
    """In random order each option is taken with exp(epsilon (count - the most) / 2): over all orders."""
    coins = [math.exp(epsilon * (count - max(counts)) / 2) for count in counts]
    probs: Counter[int] = Counter()
    for order in permutations(range(len(counts))):
        reached = 1.0
        for option in order:
            probs[option] += reached * coins[option] / math.factorial(len(counts))  # type: ignore[assignment]
            reached *= 1 - coins[option]
    expected = [probs[option] for option in range(len(counts))]
    assert permute_and_flip(np.array(counts, float), epsilon) == pytest.approx(np.array(expected), rel=1e-9)


@pytest.mark.parametrize("mechanism", [exponential_mechanism, permute_and_flip])
def test_no_changed_answer_changes_a_name_s_probability_by_more_than_epsilon(mechanism: Callable[..., Any]) -> None:
    epsilon = 1.3
    of = {
        counts: mechanism(np.array(counts, float), epsilon) for counts in [(4, 3, 1), (3, 4, 1), (3, 3, 2), (4, 4, 0)]
    }
    base = of.pop((4, 3, 1))
    worst = max(float(np.abs(np.log(probs / base)).max()) for probs in of.values())
    assert 0.5 * epsilon < worst <= epsilon


def test_many_options_are_named_with_probabilities_that_add_up() -> None:
    counts = np.random.default_rng(1).integers(0, 50, (2, 3000)).astype(float)
    for mechanism in (exponential_mechanism, permute_and_flip):
        assert mechanism(counts, 0.5).sum(axis=-1) == pytest.approx(np.ones(2))


def test_sensitivities_are_of_one_changed_answer() -> None:
    survey = compile_toml(
        """
        id = "s"
        title = "S"
        [[questions]]
        id = "yes"
        type = "yes-no"
        text = "?"
        epsilon = 1
        [[questions]]
        id = "one"
        type = "one-of"
        text = "?"
        options = ["a", "b", "c"]
        epsilon = 1
        [[questions]]
        id = "few"
        type = "any-of"
        text = "?"
        options = ["a", "b", "c", "d", "e"]
        max_selected = 2
        epsilon = 1
        [[questions]]
        id = "many"
        type = "any-of"
        text = "?"
        options = ["a", "b", "c"]
        mechanism = "bit-flips"
        epsilon = 1
        [[questions]]
        id = "age"
        type = "number"
        text = "?"
        minimum = 0
        maximum = 5
        step = 0.5
        epsilon = 1
        """
    )
    moved = [Sensitivity.of(question) for question in survey.questions]
    assert [of.l1 for of in moved] == [1, 2, 4, 3, 10]
    assert [of.l2**2 for of in moved] == pytest.approx([1, 2, 4, 3, 100])


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.1), (math.inf, 0.1), (1.0, 0.0), (1.0, 1.0)])
def test_noise_of_no_epsilon_or_no_delta_is_refused(epsilon: float, delta: float) -> None:
    with pytest.raises(DomainError, match=r"^(epsilon|delta) \("):
        calibrated(epsilon, delta, ONE_OF)
