"""Strings join a model by a test that few cells can pass, and that finds hardly anything where nothing is."""

from itertools import product

import numpy as np
import pytest

from rappor_cases import collect
from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.counts import BitRates
from sotto_estimator.strings.decode import decode
from sotto_estimator.strings.screening import is_few, levels_of, tail_of_draws, winsor_limit
from sotto_protocol.mechanisms.bloom.hash import BloomDesign

IN_TWO_COHORTS = BloomDesign(512, 1, 2)
RATES = BitRates(0.982, 0.018)  # of epsilon 8, which two bits share
N, N_CANDIDATES, N_OTHERS = 300, 40, 4


@pytest.mark.parametrize("n_hashes", [1, 2])
def test_a_sum_of_few_draws_has_the_tail_of_all_draws(n_hashes: int) -> None:
    levels = np.array([[3, 0, -1, 0], [-2, 5, 5, 1]])
    sums = [sum(drawn) for drawn in product(*np.repeat(levels, n_hashes, axis=0))]
    asked = np.arange(-9, 20)
    expected = [np.mean(np.array(sums) >= value) for value in asked]
    assert tail_of_draws(levels, n_hashes, asked) == pytest.approx(expected, abs=1e-15)


def test_levels_are_in_the_proportions_of_residuals_and_none_where_they_are_equal() -> None:
    weighted = np.array([[0.0, 4.0], [1.0, 1.0]])
    assert levels_of(weighted).tolist() == [[-128, 128], [0, 0]]
    assert not levels_of(np.ones((2, 3))).any()


def test_only_where_draws_are_too_few_for_a_normal_sum_do_residuals_count_more() -> None:
    limits = [winsor_limit(n_draws, 0.0005) for n_draws in (1, 2, 4, 8, 11, 64)]
    assert limits == sorted(limits, reverse=True)
    assert [is_few(limit) for limit in limits] == [True, True, True, True, False, False]
    assert limits[-1] == 2


def found(share: float, n_runs: int, of_another: float) -> tuple[float, float]:
    """Return in which part of crowds a string is found, and the mean of the false part of what is.

    Of the others so many answer one string on no list; a few more, equally common, are the rest.
    """
    generator, n_found, false_parts = np.random.default_rng(31), 0, 0.0
    others = (1 - share) * np.append(of_another, np.full(N_OTHERS, (1 - of_another) / N_OTHERS))
    for run in range(n_runs):
        names = [f"{run} {number}" for number in range(N_OTHERS + 2)]
        counts = collect(CandidateMap.of(names, IN_TWO_COHORTS), np.append(share, others), N, RATES, generator)
        listed = [names[0], *(f"{run} absent {number}" for number in range(N_CANDIDATES - 1))]
        rows = {row.string for row in decode(counts, RATES, CandidateMap.of(listed, IN_TWO_COHORTS)).rows}
        n_found += names[0] in rows
        false_parts += len(rows - {names[0]}) / max(len(rows), 1)
    return n_found / n_runs, false_parts / n_runs


@pytest.mark.parametrize("of_another", [0.12, 0.5])
def test_a_common_string_is_found_in_two_cohorts_beside_others_on_no_list(of_another: float) -> None:
    """Two cells that are brought back to two robust deviations prove nothing."""
    power, false_part = found(0.15, 10, of_another)
    assert power >= 0.8
    assert false_part < 0.1


@pytest.mark.rare
@pytest.mark.thorough
def test_where_nothing_listed_is_there_hardly_anything_is_found_in_two_cohorts() -> None:
    """Any discovery is false: of 60 crowds at most 5 %, and 3.5 standard deviations of chance."""
    assert found(0.0, 60, 0.5)[1] < 0.15
