"""Segments: the channel of every table is what is published, takes its epsilon, and its mean is the number."""

import importlib.util
import math
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, eye_array, hstack, kron, vstack

from reference import distribution
from segment_tables import FOUR, MANY, OF_MEANS, TABLES
from sotto_protocol import Coins, SurveyError, compile_survey, given_bytes
from sotto_protocol.mechanisms.levels import LevelResponse, mean_variance
from sotto_protocol.mechanisms.registry import mechanism_document, read_mechanism
from sotto_protocol.mechanisms.segment_design import best_segments, squares_of
from sotto_protocol.mechanisms.segments import SegmentsResponse
from sotto_protocol.mechanisms.window_design import window
from sotto_protocol.told_apart import Outcome, powers

ROOT = Path(__file__).parents[2]
EPSILONS = ["0.25", "0.5", "0.75", "1", "1.1", "1.2", "1.5", "2", "3", "4", "6", "8"]
LEAST = [16.0, 4.0005, 1.7792, 0.9976, 0.8205, 0.6846, 0.4228, 0.2163, 0.0759, 0.0317, 0.00667, 0.00151]
"""The least worst variance of 21 numbers from 0 to 1, by a linear program."""


def read(table: dict[str, Any], n_numbers: int = 3) -> SegmentsResponse:
    mechanism = read_mechanism(table, "$", "number", n_numbers)
    assert isinstance(mechanism, SegmentsResponse)
    return mechanism


def ask(waves: int = 1, **members: Any) -> Any:
    question = {"id": "q", "type": "number", "text": "?", "minimum": 0, "maximum": 120, "epsilon": 1} | members
    return (
        compile_survey({"id": "s", "title": "S", "questions": [question]} | ({"waves": waves} if waves > 1 else {}))
        .questions[0]
        .mechanism
    )


@pytest.mark.parametrize(
    "table", [*TABLES, *(mechanism_document(best_segments(20, Decimal(e))) for e in ("0.01", "3"))]
)
def test_the_enumerated_channel_takes_its_epsilon_and_its_mean_is_the_number(table: dict[str, Any]) -> None:
    mechanism, n_numbers = read(table, 9), 9
    least, most = [math.inf] * mechanism.n_outputs, [0.0] * mechanism.n_outputs
    for number in range(n_numbers):
        probs = [*distribution(table, n_numbers, number).values()]
        assert sum(probs) == 1
        mean = sum(prob * worth for prob, worth in zip(probs, mechanism.scores, strict=True)) / 2**32
        assert abs(mean - Fraction(number, n_numbers - 1)) <= mechanism.bias < 1e-7
        least, most = [*map(min, least, probs)], [*map(max, most, probs)]
    taken = math.log(max(high / low for low, high in zip(least, most, strict=True)))
    assert taken == pytest.approx(float(mechanism.epsilon), rel=1e-12)


@pytest.mark.parametrize("epsilon", ["0.001", "0.3", "1", "2.7", "5.5", "8", "20"])
def test_a_design_takes_the_epsilon_that_is_asked_for_and_hardly_less(epsilon: str) -> None:
    taken = best_segments(120, Decimal(epsilon)).epsilon
    assert taken <= Decimal(epsilon)
    assert epsilon == "20" or taken > Decimal(epsilon) - Decimal("2e-6")


@pytest.mark.few(4)
@pytest.mark.parametrize(("epsilon", "least"), [*zip(EPSILONS, LEAST, strict=True)])
def test_no_number_has_much_more_variance_than_it_must(epsilon: str, least: float) -> None:
    chosen = ask(maximum=20, epsilon=Decimal(epsilon))
    assert chosen.worst_variance <= 1.05 * least
    for span in (20, 10**6):
        usual, best = (mean_variance(squares_of(of), span) for of in (window(span, Decimal(epsilon)), chosen))
        assert span > 20 or best <= 1.01 * usual


@pytest.mark.parametrize("epsilon", [0.7, 1.6, 4.7])
def test_the_least_worst_variance_is_that_of_a_program_over_all_channels(epsilon: str) -> None:
    found = best_segments(10, Decimal(str(epsilon))).worst_variance
    assert found <= 1.06 * least_worst_variance(11, float(epsilon), 61)


def least_worst_variance(n: int, epsilon: float, n_worths: int) -> float:
    """Return the least worst variance over all channels from n numbers to outputs that are worth points of a grid."""
    numbers, worths = np.linspace(0, 1, n), 0.5 + np.linspace(-1, 1, n_worths) * 1.6 / np.tanh(epsilon / 2)
    one = csr_matrix(np.ones(n_worths))
    rows = [kron(eye_array(n), csr_matrix(row)) for row in (one, worths[None], worths[None] ** 2)]
    every, least = eye_array(n * n_worths), vstack([eye_array(n_worths)] * n)
    none = csr_matrix((n, n_worths))
    above = vstack(
        [
            hstack([every, -math.exp(epsilon) * least, csr_matrix((n * n_worths, 1))]),
            hstack([-every, least, csr_matrix((n * n_worths, 1))]),
            hstack([rows[2], none, -np.ones((n, 1))]),
        ]
    )
    equal = vstack([hstack([row, none, csr_matrix((n, 1))]) for row in rows[:2]])
    limits = np.concatenate([np.zeros(2 * n * n_worths), numbers**2])
    cost = np.zeros(above.shape[1])
    cost[-1] = 1
    return float(linprog(cost, above, limits, equal, np.concatenate([np.ones(n), numbers])).fun)


def test_auto_takes_segments_for_means_and_windows_for_the_rest() -> None:
    assert ask().name == "segments"
    assert ask(mechanism="auto").name == "segments"
    assert ask(mechanism="window").name == ask(distribution=True).name == ask(levels=5).name == "window"
    assert ask(epsilon_forever=2).name == "window"
    assert ask(waves=2).name == "window"  # fewer levels, each of which takes its epsilon
    assert ask(waves=2, mechanism="segments").name == "segments"
    assert ask(epsilon=Decimal("0.1")).name == ask(maximum=1).name == "window"  # it is as good, and shorter


def test_segments_have_one_stage() -> None:
    with pytest.raises(SurveyError, match=r'epsilon_forever: does not go with segments: .* take "window"'):
        ask(mechanism="segments", epsilon_forever=2)


def changed(row: int, place: int, by: int, table: dict[str, Any] = FOUR) -> dict[str, Any]:
    rows = [[*each] for each in table["outputs"]]
    rows[row][place] += by
    return table | {"outputs": rows}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (changed(0, 2, 1), "outputs at level 0 .* must add up to 4294967296"),
        (changed(3, 3, 1), "outputs at level 0 .* must add up to 4294967296"),
        (changed(1, 1, 1), "must not be for all levels"),
        (changed(2, 0, 2), "must be an integer in"),
        (changed(2, 1, 1), "must be an integer in"),
        (changed(3, 4, 2**16), "worth each level on average"),
        (changed(0, 3, 2**31), "outside"),
        (FOUR | {"levels": 1}, "levels"),
        (FOUR | {"levels": 4}, "outputs at level 3 .* must add up"),
        (FOUR | {"outputs": FOUR["outputs"][:1]}, "a list of 2 to 1024 lists of 5 integers"),
        (FOUR | {"outputs": [row[:4] for row in FOUR["outputs"]]}, "a list of 2 to 1024 lists of 5 integers"),
        (FOUR | {"outputs": [[0.0, *row[1:]] for row in FOUR["outputs"]]}, "a list of 2 to 1024 lists of 5 integers"),
    ],
)
def test_a_table_that_is_no_unbiased_channel_is_refused(table: dict[str, Any], message: str) -> None:
    with pytest.raises(SurveyError, match=message):
        read(table)


def test_what_a_change_tells_grows_with_it_to_epsilon() -> None:
    mechanism = read(OF_MEANS, 121)  # a level is 6 steps
    told = [mechanism.epsilon_within(steps) for steps in (1, 3, 6, 120)]
    assert told[0] == mechanism.epsilon_of_neighbours
    assert float(told[0]) == pytest.approx(math.log(1 + (math.e - 1) / 6))
    assert told[0] < told[1] < told[2] == told[3] == mechanism.epsilon
    for start, steps in ((0, 1), (57, 3), (10, 5)):
        one, other = (distribution(OF_MEANS, 121, number) for number in (start, start + steps))
        ratios = [one[report] / other[report] for report in one]
        assert math.log(max(*ratios, *(1 / ratio for ratio in ratios))) <= mechanism.epsilon_within(steps)


class Rounding(Coins):
    """Draws one rounding integer, always the same."""

    def __init__(self, drawn: int) -> None:
        super().__init__(lambda n_bytes: bytes(n_bytes))
        self.drawn = drawn

    def uniform(self, n_values: int, n_draws: int) -> NDArray[np.int64]:
        assert 0 <= self.drawn < n_values
        return np.full(n_draws, self.drawn)


@pytest.mark.parametrize(
    "mechanism", [read(FOUR, 8), read(OF_MEANS, 121), window(40, Decimal(3)), window(5, Decimal(1), 6)]
)
def test_numbers_near_each_other_share_a_level_but_for_as_often_as_is_said(mechanism: LevelResponse) -> None:
    """Of all rounding integers, one of which a device draws for all its numbers, in all waves."""
    span, numbers = mechanism.span, np.arange(mechanism.span + 1)
    levels = np.array([mechanism.settle(numbers, Rounding(drawn)) for drawn in range(span)])
    for steps in range(1, span + 1):
        moved = [float((levels[:, at] != levels[:, at + steps]).mean()) for at in range(span + 1 - steps)]
        assert moved == pytest.approx([float(mechanism.prob_moved(steps))] * len(moved))
    if mechanism.shown_change is None:
        assert mechanism.prob_moved(1) == 1
    else:
        assert mechanism.shown_change[1] == mechanism.prob_moved(mechanism.shown_change[0])


UNEVEN = {
    "name": "segments",
    "levels": 3,
    "outputs": [
        [0, 0, 5 * 2**28, 2**28, 2**31 - 2**33],
        [1, 1, 14 * 2**28, 10 * 2**28, 2**31],
        [2, 2, 5 * 2**28, 2**28, 2**31 + 2**33],
    ],
}
"""The middle level is reported seven times in eight, more often than odds of five alone allow."""


@pytest.mark.parametrize("table", [*TABLES, UNEVEN])
def test_a_report_tells_no_two_levels_apart_better_than_is_said(table: dict[str, Any]) -> None:
    """By the best test of any two levels (Neyman & Pearson), at all levels of false accusations."""
    mechanism = read(table, table["levels"])
    said = mechanism.told_apart()
    assert sum(outcome.if_one for outcome in said) == sum(outcome.if_other for outcome in said) == 1
    at_levels = [*(Fraction(at, 20) for at in range(21))]
    most = powers(said, at_levels)
    channel = [[*distribution(table, table["levels"], level).values()] for level in range(table["levels"])]
    for one, other in combinations(channel, 2):
        each = powers([Outcome(*probs) for probs in zip(one, other, strict=True)], at_levels)
        assert all(found <= bound for found, bound in zip(each, most, strict=True))


@pytest.mark.parametrize("table", [FOUR, MANY])
def test_how_many_coins_are_taken_depends_on_nothing_true(table: dict[str, Any]) -> None:
    mechanism, taken = read(table, 8), list[int]()
    for number in range(8):
        stream = given_bytes(bytes(range(7, 255, 7)))
        sizes = list[int]()

        def take(n_bytes: int, stream: Any = stream, sizes: list[int] = sizes) -> bytes:
            sizes.append(n_bytes)
            return bytes(stream(n_bytes))

        mechanism.perturb([number], Coins(take))
        taken.append(sum(sizes))
    assert set(taken) == {6}


def test_all_draws_of_a_batch_are_those_of_each_alone() -> None:
    mechanism, rows = read(OF_MEANS, 121), np.arange(21)
    coins = np.random.default_rng(5).bytes(4 * 21)
    together = mechanism.respond_permanently(rows, empty(21), Coins(given_bytes(coins)))
    alone = [
        mechanism.respond_permanently(rows[[at]], empty(1), Coins(given_bytes(coins[4 * at : 4 * at + 4])))[0]
        for at in rows
    ]
    assert together.tolist() == np.array(alone).tolist()


def empty(n: int) -> NDArray[np.uint8]:
    return np.empty((n, 0), np.uint8)


def test_the_table_of_designs_is_what_the_script_makes() -> None:
    """One of it: another version of the solver may choose other segments, of the same variance."""
    spec = importlib.util.spec_from_file_location("segments", ROOT / "scripts" / "segments.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    sys.modules["segments"] = script  # its dataclasses look for it
    spec.loader.exec_module(script)
    made = script.design(script.Numbers(21, True), 1.2)
    assert best_segments(script.Numbers(21, True).span, Decimal("1.2")).worst_variance == pytest.approx(
        made.worst / 4, rel=2e-3
    )
