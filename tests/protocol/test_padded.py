"""Any-of by padded sets, and by some options that are asked: whole channels, epsilon, the best of each."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from test_sets import given_draw

import reference
from published import build, survey_of
from reference import Answer, Published
from reference_padded import padded_distribution
from sotto_protocol import COIN_SCALE, Coins, ReportError, SurveyError, given_bytes, hmac_bytes
from sotto_protocol.coins import Edges
from sotto_protocol.mechanisms.asked_option import AskedOption, asked_option, best_asked
from sotto_protocol.mechanisms.bit_flips import bit_flips
from sotto_protocol.mechanisms.checks import BadValueError
from sotto_protocol.mechanisms.padded_subset import PaddedSubset, best_members, most_members, padded_subset
from sotto_protocol.mechanisms.registry import best_of
from sotto_protocol.minimum import needs_of

Q = 2**30
PADDED = [(1, 1, 1), (3, 1, 1), (3, 1, 2), (3, 2, 1), (4, 4, 1), (7, 2, 2), (8, 3, 1), (8, 2, 2)]
"""Options, most of them selected, and the size of a set."""


def padded(n_values: int, most: int, weight: int, threshold: int = 3 * Q) -> Published:
    return {"name": "subset", "threshold_if_true": threshold, "max_selected": most, "weight": weight}


def answers_of(n_values: int, most: int) -> list[tuple[int, ...]]:
    return [row for row in product((0, 1), repeat=n_values) if sum(row) <= most]


class Pieces(Coins):
    """Coins that know what was asked for last: an integer in [0, n), or a place between edges."""

    asked: Any = 0

    def uniform(self, n_values: int, n_draws: int) -> NDArray[np.uint32]:
        self.asked = n_values
        return super().uniform(n_values, n_draws)

    def uniform_one(self, n_values: int) -> int:
        self.asked = n_values
        return super().uniform_one(n_values)

    def uniform_few(self, n_values: int, n_draws: int) -> list[int]:
        self.asked = n_values
        return super().uniform_few(n_values, n_draws)

    def place_one(self, edges: Edges) -> int:
        self.asked = edges
        return super().place_one(edges)

    def ways(self) -> list[tuple[bytes, Fraction]]:
        """Return bytes that lead to each thing that can be drawn, and its probability."""
        if not isinstance(self.asked, Edges):
            return [(given_draw(self.asked, u), Fraction(1, self.asked)) for u in range(self.asked)]
        ends = [Fraction(cut, self.asked.whole) for cut in [0, *self.asked.numerators, self.asked.whole]]
        return [(int((low + high) / 2 * COIN_SCALE).to_bytes(4, "big"), high - low) for low, high in pairwise(ends)]


def enumerate_draws(mechanism: Any, answer: Answer, most: int) -> tuple[Counter[bytes], Fraction]:
    """Return the probability of every report by at most so many draws, and that more are needed."""
    found: Counter[bytes] = Counter()
    left = Fraction(0)
    open_ends = [(b"", Fraction(1), 0)]
    while open_ends:
        stream, prob, n_drawn = open_ends.pop()
        coins = Pieces(given_bytes(stream))
        try:
            [report] = mechanism.perturb([answer], coins)
            found[report.tobytes()] += prob  # type: ignore[assignment]  # a fraction, not a number of times
        except ValueError:
            if n_drawn == most:
                left += prob
            else:
                open_ends += [(stream + drawn, prob * chance, n_drawn + 1) for drawn, chance in coins.ways()]
    return found, left


@pytest.mark.parametrize(
    ("n_values", "most", "weight", "n_draws"), [(*shape, 8) for shape in PADDED[:5]] + [(7, 2, 2, 9)]
)
def test_the_enumerated_channel_is_uniform_of_the_sets_with_any_of_the_answer_and_of_those_with_none(
    n_values: int, most: int, weight: int, n_draws: int
) -> None:
    published = padded(n_values, most, weight)
    answers = answers_of(n_values, most)
    for answer in [answers[0], answers[-1], answers[len(answers) // 2]]:
        found, left = enumerate_draws(build(published, n_values), answer, n_draws)
        expected = padded_distribution(published, n_values, answer)
        assert sum(found.values()) + left == 1
        assert left < Fraction(1, 50)
        assert found.keys() == expected.keys()
        assert all(found[report] <= prob <= found[report] + left for report, prob in expected.items())


@pytest.mark.few(3)
@pytest.mark.parametrize(("n_values", "most", "weight"), PADDED)
def test_epsilon_is_that_of_all_pairs_of_answers_and_what_is_said_of_support_is_so_for_every_answer(
    n_values: int, most: int, weight: int
) -> None:
    published = padded(n_values, most, weight)
    mechanism = build(published, n_values)
    assert isinstance(mechanism, PaddedSubset)
    channel = {answer: padded_distribution(published, n_values, answer) for answer in answers_of(n_values, most)}
    exact = reference.epsilon([*channel.values()])
    assert exact <= mechanism.epsilon < exact + Decimal("1e-12")
    for answer, probs in channel.items():
        reports = mechanism.supports(np.array([[*report] for report in probs], np.uint8))
        for some in combinations(range(n_values), min(2, n_values)):
            seen: Counter[tuple[bool, ...]] = Counter()
            for supports, prob in zip(reports[:, some].tolist(), probs.values(), strict=True):
                seen[tuple(supports)] += prob  # type: ignore[assignment]  # a fraction
            for supports in product((False, True), repeat=len(some)):
                pairs = [(answer[option], is_in) for option, is_in in zip(some, supports, strict=True)]
                is_shared, n_selected = (1, True) in pairs, sum(bit for bit, _ in pairs)
                stated = mechanism.prob_of(len(some), n_selected, sum(supports), is_shared=is_shared)
                assert stated == seen[supports]
    told = mechanism.told_apart()
    assert sum(outcome.if_one for outcome in told) == sum(outcome.if_other for outcome in told) == 1
    one, other = channel[answers_of(n_values, most)[0]], channel[(1,) * most + (0,) * (n_values - most)]
    apart = sum(prob - other[report] for report, prob in one.items() if prob > other[report])
    assert apart == sum(each.if_one - each.if_other for each in told if each.if_one > each.if_other)


@pytest.mark.parametrize(
    ("published", "n_values"),
    [
        *[
            (padded(k, most, weight), k)
            for k, most, weight in ((1, 1, 1), (7, 2, 2), (8, 8, 1), (16, 3, 3), (60, 2, 17))
        ],
        *[
            (
                {
                    "name": "asked-option",
                    "threshold_if_true": 3 * Q,
                    "threshold_if_other": Q,
                    "max_selected": 4,
                    "asked": n,
                },
                9,
            )
            for n in (1, 2, 9)
        ],
    ],
)
def test_how_much_is_drawn_says_nothing_of_how_much_of_the_answer_is_reported_nor_of_the_answer(
    published: Published, n_values: int
) -> None:
    mechanism, most = build(published, n_values), published["max_selected"]
    answers = [(0,) * n_values, (1,) * most + (0,) * (n_values - most), (0,) * (n_values - 1) + (1,)]
    for seed in range(60):
        stream = hmac_bytes(seed.to_bytes(32, "big"), b"how much")(8_000)
        left = set()
        for word in (0, 2**29, 2**31, 3 * Q - 1, 2**32 - 1) if published["name"] == "subset" else (0,):
            for answer in answers:
                take = given_bytes((word.to_bytes(4, "big") if word or published["name"] == "subset" else b"") + stream)
                mechanism.perturb([answer], Coins(take))
                left.add(take(8))
        assert len(left) == 1


def test_places_between_edges_are_exact_and_tied_numbers_are_drawn_further() -> None:
    """Of 2^32 first words as many lead below a third as can, and the tied one is split by a third again."""
    edges = Edges((1, 2), 3)
    assert (edges.firsts, edges.settled) == ([0x55555555, 0xAAAAAAAA], [0x55555556, 0xAAAAAAAB])
    tied = [bytes.fromhex(word) for word in ("5555555555555554", "5555555555555556", "555555555555555555555556")]
    assert [Coins(given_bytes(drawn)).place_one(edges) for drawn in tied] == [0, 1, 1]
    batch = bytes.fromhex("55555555 00000000 aaaaaaaa ffffffff 55555554 aaaaaaab")
    assert Coins(given_bytes(batch)).place(edges, 4).tolist() == [0, 0, 2, 2]
    exact = Edges((1, 2), 2)
    assert [Coins(given_bytes(bytes.fromhex(word))).place_one(exact) for word in ("7fffffff", "80000000")] == [0, 1]


@pytest.mark.parametrize("epsilon", [Decimal("0.1"), Decimal(1), Decimal(3), Decimal(8)])
def test_the_weight_is_the_best_of_all_that_are_taken(epsilon: Decimal) -> None:
    for n_values, most in ((1, 1), (4, 1), (9, 2), (16, 3), (16, 16), (40, 6)):
        made = [padded_subset(n_values, epsilon, most, weight) for weight in range(1, most_members(n_values, most) + 1)]
        best = min(made, key=lambda mechanism: mechanism.report_variance)
        assert padded_subset(n_values, epsilon, most).report_variance == pytest.approx(best.report_variance, rel=1e-6)
        assert epsilon - Decimal("1e-6") < best.epsilon <= epsilon


def test_a_mechanism_that_auto_leaves_out_is_never_more_than_3_percent_better() -> None:
    """Against every size of a set, and every number of options that are asked, by formulas of this test's own."""
    worst = 1.0
    for n_values in (4, 7, 16, 50, 256):
        for most in sorted({1, 2, 3, n_values // 4, n_values // 2, n_values - 1, n_values} & {*range(1, n_values + 1)}):
            for epsilon in ("0.5", "1", "2", "4", "8"):
                chosen = best_of("any-of", n_values, Decimal(epsilon), None, most)
                worst = max(worst, chosen.report_variance / least_variance(n_values, most, float(epsilon)))
    assert worst <= 1.03


@pytest.mark.rare
def test_a_mechanism_that_auto_leaves_out_is_never_better_on_a_dense_grid() -> None:
    worst = 1.0
    for n_values in [*range(4, 33), 48, 64, 100, 128, 200, 256]:
        for most in range(1, n_values + 1):
            for epsilon in ("0.5", "0.75", "1", "1.5", "2", "3", "4", "5", "6", "7", "8"):
                chosen = best_of("any-of", n_values, Decimal(epsilon), None, most)
                worst = max(worst, chosen.report_variance / least_variance(n_values, most, float(epsilon)))
    assert worst <= 1.03


def least_variance(n_values: int, most: int, epsilon: float) -> float:
    """Return the least of all, at shares of most / 2k: noise, and who is asked."""
    share = most / (2 * n_values)
    asked = np.arange(1, n_values + 1)
    odds = np.exp(epsilon / np.minimum(2 * most, asked))
    of_asked = n_values / asked * (odds / (odds - 1) ** 2 + share * (1 - share)) - share * (1 - share)
    weights = np.arange(1, n_values + 1)
    steps = np.arange(n_values)
    none = np.cumprod((n_values - steps) / (n_values + most - steps))  # of all sets of so many members
    truth = np.exp(epsilon) * (1 - none) / (np.exp(epsilon) * (1 - none) + none)
    in_any, in_none = weights / (n_values + most), weights / n_values
    true = truth * in_any / (1 - none)
    other = truth * (in_any - none * in_none) / (1 - none) + (1 - truth) * in_none
    with np.errstate(all="ignore"):
        of_sets = (share * true * (1 - true) + (1 - share) * other * (1 - other)) / (true - other) ** 2
    return float(min(of_asked.min(), np.nanmin(of_sets)))


@pytest.mark.parametrize(
    ("k", "most", "epsilon", "ratio"), [(8, 1, 2, 2.19), (8, 2, 2, 2.72), (16, 3, 1, 1.80), (16, 3, 4, 5.65)]
)
def test_a_padded_set_has_so_many_times_less_noise_than_what_was_there(
    k: int, most: int, epsilon: int, ratio: float
) -> None:
    """By the review of mechanisms: the better of flips of all and of one option that is asked, against a padded set."""
    before = [bit_flips(k, Decimal(epsilon), most), asked_option(k, Decimal(epsilon), most, 1)]
    best = padded_subset(k, Decimal(epsilon), most)
    assert min(one.report_variance for one in before) / best.report_variance == pytest.approx(ratio, rel=0.01)
    assert best_of("any-of", k, Decimal(epsilon), None, most) == best


@pytest.mark.parametrize(("k", "most"), [(2, 2), (4, 4), (8, 4), (16, 16), (16, 2)])
def test_as_many_options_are_asked_as_are_best_and_epsilon_is_shared_by_the_coins_that_two_answers_can_move(
    k: int, most: int
) -> None:
    for epsilon in (Decimal(1), Decimal(4), Decimal(8)):
        made = [asked_option(k, epsilon, most, n_asked) for n_asked in range(1, k + 1)]
        for n_asked, mechanism in enumerate(made, 1):
            assert mechanism.epsilon <= epsilon < mechanism.epsilon + Decimal("1e-6")
            coin = np.exp(float(epsilon) / min(2 * most, n_asked))
            assert mechanism.prob_support_if_true == pytest.approx(coin / (coin + 1))
        best = min(made[: max(1, k - 1)], key=lambda mechanism: mechanism.report_variance)
        assert asked_option(k, epsilon, most) == best
        assert best_asked(k, epsilon, most) == best.asked


@pytest.mark.thorough
def test_the_channel_of_options_that_are_asked_is_the_published_one() -> None:
    published = {
        "name": "asked-option",
        "threshold_if_true": 3 * Q,
        "threshold_if_other": Q,
        "max_selected": 2,
        "asked": 2,
    }
    mechanism = build(published, 3)
    assert isinstance(mechanism, AskedOption)
    channel = []
    for answer in answers_of(3, 2):
        found: Counter[bytes] = Counter()
        for first, second in product(range(3), range(2)):
            for firsts in product((0, 0x40, 0x80, 0xC0), repeat=4):
                drawn = given_draw(3, first) + given_draw(2, second) + bytes(firsts)
                [report] = mechanism.perturb([answer], Coins(given_bytes(drawn)))
                found[report.tobytes()] += 1
        probs = {report: Fraction(n, found.total()) for report, n in found.items()}
        assert probs == reference.distribution(published, 3, answer)
        channel.append(probs)
    exact = reference.epsilon(channel)
    assert exact <= mechanism.epsilon < exact + Decimal("1e-12")


PADDED_SET = padded_subset(8, Decimal(1), 2, 2)
SOME = asked_option(9, Decimal(4), 9, 2)


@pytest.mark.parametrize("value", ["AQA=", "BwA=", "AAA=", "AwA", "AwAA", "AwQ=", True, 3, [3], None])
def test_a_set_of_another_size_is_refused(value: Any) -> None:
    assert PADDED_SET.from_wire(["AwA=", "AAM="]).tolist() == [[3, 0], [0, 3]]
    with pytest.raises(BadValueError, match="canonical base64 of 10 bits, exactly 2 of them set"):
        PADDED_SET.from_wire(["AwA=", value])


@pytest.mark.parametrize(
    "value",
    [
        [1, True],
        [1, True, 1, False],
        [2, True, 1, True],
        [1, True, 9, True],
        [-1, True, 2, True],
        [1, 1, 2, 1],
        [[1, True], [2, True]],
    ],
)
def test_a_report_of_other_options_is_refused(value: Any) -> None:
    assert SOME.from_wire([[1, True, 8, False]]).tolist() == [[1, 8, 1]]
    with pytest.raises(BadValueError, match=r"a list of 2 ascending options in \[0, 8\], true or false behind each"):
        SOME.from_wire([value])


@pytest.mark.parametrize("packed", [[1, 9, 0], [2, 1, 0], [1, 1, 0], [1, 2, 4]])
def test_a_packed_report_of_other_options_is_refused(packed: list[int]) -> None:
    with pytest.raises(ReportError, match="must"):
        SOME.count_support(np.array([packed], np.uint8))


def test_counts_that_no_sets_have_are_refused() -> None:
    mechanism = padded_subset(8, Decimal("0.2"), 1, 3)
    for counts, holds in (
        ([2] * 4 + [0] * 4, True),
        ([3] * 4 + [0] * 4, True),
        ([1] + [0] * 7, False),
        ([4] * 4 + [0] * 4, False),
    ):
        if holds:
            mechanism.check_counts(np.array(counts), 4)
        else:
            with pytest.raises(ValueError, match="must add up to 2 to 3 times n_reports"):
                mechanism.check_counts(np.array(counts), 4)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"weight": 4, "max_selected": 2}, r"weight \(4\).*\[1, 2\]|must be an integer in \[1, 2\]"),
        ({"asked": 3}, 'belongs to mechanism = "asked-option"'),
        ({"epsilon_forever": 3}, "so rare that they tell devices apart; take basic-rappor"),
    ],
)
def test_what_an_author_cannot_ask_of_a_padded_set_is_refused(more: dict[str, Any], message: str) -> None:
    question = {"type": "any-of", "options": [*"abcdefgh"], "epsilon": Decimal(1), "mechanism": "subset"}
    with pytest.raises(SurveyError, match=message):
        survey_of(question | more)


def test_what_an_author_asks_for_is_what_is_published() -> None:
    question = {"type": "any-of", "options": [*"abcdefgh"], "epsilon": Decimal(2)}
    some = survey_of(
        question | {"max_selected": 2},
        question | {"max_selected": 3, "mechanism": "subset", "weight": 2},
        question | {"mechanism": "asked-option", "asked": 3},
        question | {"mechanism": "asked-option", "asked": 1},
    )
    made = [of.mechanism for of in some.questions]
    assert made[0] == padded_subset(8, Decimal(2), 2)
    assert made[1] == padded_subset(8, Decimal(2), 3, 2)
    assert made[2] == asked_option(8, Decimal(2), 8, 3)
    assert made[3].parameters().keys() == {"threshold_if_true", "threshold_if_other", "max_selected"}
    assert best_members(8, Decimal(2), 2) == made[0].parameters()["weight"]


def test_a_least_number_of_reports_counts_what_every_report_is_asked() -> None:
    """Of 4 options two are asked of each: so half as many reports are enough for each of them."""
    question = {"type": "any-of", "options": [*"abcd"], "epsilon": Decimal(4), "mechanism": "asked-option"}
    for n_asked, least in ((1, 200), (2, 100), (4, 50)):
        survey = replace(survey_of(question | {"asked": n_asked}), min_reports=50)
        need = needs_of(survey)["q0"]
        assert need.least == least
        assert need.likely == least if n_asked == 4 else need.likely > least
    assert needs_of(survey_of(question | {"asked": 3}))["q0"].likely == 1
