"""Shuffled reports: the bound of clones is what enumeration gives, and is never below what shuffling really tells."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import combinations, combinations_with_replacement, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from sotto_estimator.channel.channel import Channel
from sotto_estimator.errors import DomainError
from sotto_protocol import compile_toml
from sotto_protocol.mechanisms.kary import k_ary as k_ary_of
from sotto_protocol.mechanisms.subset import subset
from sotto_rehearsal.comparison.binary import exact_epsilon
from sotto_rehearsal.comparison.clones import Clones, amplified_epsilon, prob_clone_of_one
from sotto_rehearsal.comparison.shuffled import shuffle_survey
from sotto_rehearsal.comparison.third_answer import third_answer_epsilon

Outcome = tuple[int, ...]
ONE_QUESTION = 'id = "s"\ntitle = "S"\n[[questions]]\nid = "q"\ntype = "yes-no"\ntext = "?"\nepsilon = 1\n'
QUESTIONS = [
    'type = "yes-no"',
    'type = "one-of"\noptions = ["a", "b", "c"]\nmechanism = "k-ary"',
    'type = "one-of"\noptions = ["a", "b"]\nmechanism = "oue"',
    'type = "one-of"\noptions = ["a", "b"]\nmechanism = "sue"',
    'type = "number"\nminimum = 0\nmaximum = 3\nmechanism = "window"',
]


def divergence(first: Counter[Outcome], second: Counter[Outcome], epsilon: float) -> float:
    """The hockey-stick divergence, term by term."""
    return sum(max(0.0, first[key] - math.exp(epsilon) * second[key]) for key in first)


def epsilon_of(pairs: Sequence[tuple[Counter[Outcome], Counter[Outcome]]], delta: float) -> float:
    """The least epsilon of all pairs, both ways, by bisection."""
    low, high = 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        worst = max(max(divergence(p, q, middle), divergence(q, p, middle)) for p, q in pairs)
        low, high = (low, middle) if worst <= delta else (middle, high)
    return high


def shuffled(channels: Sequence[Sequence[float]]) -> Counter[Outcome]:
    """The law of how many people report each output, by listing what everybody reports."""
    law: Counter[Outcome] = Counter()
    for reports in product(*(range(len(channel)) for channel in channels)):
        prob = math.prod(channel[report] for channel, report in zip(channels, reports, strict=True))
        law[tuple(np.bincount(reports, minlength=len(channels[0])))] += prob  # type: ignore[assignment]
    return law


def neighbours(channel: Sequence[Sequence[float]], n: int) -> Iterator[tuple[Counter[Outcome], Counter[Outcome]]]:
    """All pairs of crowds of n people that differ in one person's answer; `channel`: a row an answer."""
    for others in combinations_with_replacement(channel, n - 1):
        laws = [shuffled([mine, *others]) for mine in channel]
        yield from permutations(laws, 2)


def k_ary(epsilon: float, k: int) -> list[list[float]]:
    lie = 1 / (math.exp(epsilon) + k - 1)
    return [[math.exp(epsilon) * lie if report == answer else lie for report in range(k)] for answer in range(k)]


@pytest.mark.parametrize(("epsilon", "clone"), [(1.0, 0.5), (0.3, 0.7), (3.0, 0.1), (1.0, 0.1), (2.0, 0.01)])
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_clones_tell_what_listing_them_all_tells(epsilon: float, clone: float, n: int) -> None:
    """Of the two numbers, by listing who is a clone of what: the definition in the paper, not the closed form."""
    truth = math.exp(epsilon) / (math.exp(epsilon) + 1)
    others = [[clone / 2, clone / 2, 1 - clone]] * (n - 1)
    first, second = shuffled([[truth, 1 - truth, 0], *others]), shuffled([[1 - truth, truth, 0], *others])
    clones = Clones(epsilon, n, 1e-9, clone)
    for at in (0.0, 0.1, epsilon / 2, 0.95 * epsilon):
        expected = divergence(first, second, at)
        assert clones.delta_of(at) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.5])
@pytest.mark.parametrize("n", [2, 3, pytest.param(5, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("delta", [1e-9, 1e-4, 1e-2, 0.1])
def test_no_crowd_of_k_ary_reports_tells_more_than_the_bound(epsilon: float, n: int, delta: float) -> None:
    channel = k_ary(epsilon, 3)
    told = epsilon_of([*neighbours(channel, n)], delta)
    own = amplified_epsilon(epsilon, n, delta, prob_clone_of_one(epsilon))
    assert told <= own + 1e-9
    assert own <= amplified_epsilon(epsilon, n, delta)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(2, 8))])
def test_no_crowd_of_any_mechanism_tells_more_than_the_bound(seed: int) -> None:
    """Three answers, four outputs, probabilities at random."""
    channel = np.random.default_rng(seed).dirichlet([3.0] * 4, 3) + 0.02
    channel /= channel.sum(axis=1, keepdims=True)
    epsilon = float(np.log(channel.max(axis=0) / channel.min(axis=0)).max())
    pairs = [*neighbours(channel.tolist(), 4)]
    for delta in (1e-3, 0.03):
        assert epsilon_of(pairs, delta) <= amplified_epsilon(epsilon, 4, delta) + 1e-9


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_a_larger_crowd_hides_more_and_a_report_is_never_more_than_itself(epsilon: float) -> None:
    bounds = [amplified_epsilon(epsilon, n, 1e-6) for n in (1, 2, 30, 300, 3000, 10**5, 10**7)]
    assert all(later <= earlier for earlier, later in pairwise(bounds))
    assert bounds[-1] < bounds[0] / 20
    assert max(bounds) <= epsilon


@pytest.mark.few(3, "rare")
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("n", [10**3, 10**4, pytest.param(10**6, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("delta", [1e-8, 1e-4])
def test_the_bound_lies_between_warner_s_exact_figure_and_the_papers_closed_forms(
    epsilon: float, n: int, delta: float
) -> None:
    bound = amplified_epsilon(epsilon, n, delta, prob_clone_of_one(epsilon))
    assert exact_epsilon(Channel.warner_of_epsilon(epsilon), n, delta) <= bound <= epsilon
    odds = math.exp(epsilon)
    if epsilon <= math.log(n / (8 * math.log(2 / delta)) - 1):  # Feldman, McMillan & Talwar 2022
        root = 4 * math.sqrt(2 * math.log(4 / delta) / ((odds + 1) * n)) + 4 / n
        assert bound <= math.log1p((odds - 1) * root)
    if epsilon <= math.log(n / (16 * math.log(2 / delta))):  # the same 2021, "Hiding among the clones", theorem 3.1
        root = 8 * math.sqrt(odds * math.log(4 / delta) / n) + 8 * odds / n
        of_any = amplified_epsilon(epsilon, n, delta)
        assert bound <= of_any <= math.log1p((odds - 1) / (odds + 1) * root)


def test_the_papers_closed_forms_hold_somewhere() -> None:
    assert math.log(10**4 / (16 * math.log(2e8))) > 2


@pytest.mark.parametrize("truth", [0.6, 0.75, 0.95])
@pytest.mark.parametrize("n", [1, 2, 4, 7])
@pytest.mark.parametrize("delta", [1e-3, 0.05])
def test_of_a_yes_no_question_the_figure_is_that_of_listing_all_reports(truth: float, n: int, delta: float) -> None:
    channel = Channel.warner(truth)
    expected = epsilon_of([*neighbours([[1 - truth, truth], [truth, 1 - truth]], n)], delta)
    assert exact_epsilon(channel, n, delta) == pytest.approx(expected, rel=1e-3, abs=1e-6)
    epsilon = math.log(truth / (1 - truth))
    assert expected <= amplified_epsilon(epsilon, n, delta, prob_clone_of_one(epsilon)) + 1e-9


def test_of_a_forced_response_too() -> None:
    channel = Channel(0.7, 0.2)
    expected = epsilon_of([*neighbours([[0.3, 0.7], [0.8, 0.2]], 5)], 1e-3)
    assert exact_epsilon(channel, 5, 1e-3) == pytest.approx(expected, rel=1e-3)
    of_crowds = [exact_epsilon(channel, 5, 1e-3, n_yes) for n_yes in range(5)]
    assert exact_epsilon(channel, 5, 1e-3) == max(of_crowds) > min(of_crowds)


@pytest.mark.few(3)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("epsilon", [1, 1.5])
def test_what_one_count_tells_is_told_and_no_more_than_the_bound(question: str, epsilon: float) -> None:
    """Of all crowds of 4 people, by listing everything that they can report."""
    head = f'id = "s"\ntitle = "S"\n[[questions]]\nid = "q"\ntext = "?"\nepsilon = {epsilon}\n'
    survey = compile_toml(head + question)
    channel = outputs_of(survey.questions[0].mechanism, max(2, survey.questions[0].kind.n_options))
    told = epsilon_of([*neighbours(channel, 4)], 1e-3)
    of_question, whole = shuffle_survey(survey, 4, 1e-3)
    assert of_question.least is not None
    assert 0.3 < of_question.least <= told * (1 + 1e-6)
    assert told <= of_question.shuffled + 1e-9 <= epsilon + 1e-6
    assert whole.least == of_question.least


def outputs_of(mechanism: Any, n_answers: int) -> list[list[float]]:
    """P(output | answer), a row an answer."""
    if mechanism.name == "window":
        at = np.arange(n_answers) / (n_answers - 1) * (mechanism.levels - 1)
        near = np.maximum(0, 1 - np.abs(np.arange(mechanism.levels)[:, None] - at))
        return (mechanism.channel @ near).T.tolist()  # type: ignore[no-any-return]
    true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
    if mechanism.name == "warner":
        return [[true, 1 - true], [other, 1 - other]]
    if mechanism.name == "k-ary":
        return [[true if report == answer else other for report in range(n_answers)] for answer in range(n_answers)]
    return [
        [math.prod(p if bit else 1 - p for p, bit in zip(row, bits, strict=True)) for bits in product((0, 1), repeat=2)]
        for row in ([true, other], [other, true])
    ]


def set_channel(mechanism: Any) -> list[list[float]]:
    """P(output | answer) of one of k options, a row an answer: outputs are the sets of `weight` options."""
    weight, k = getattr(mechanism, "weight", 1), mechanism.n_values
    sets, true = [*combinations(range(k), weight)], mechanism.prob_support_if_true
    n_with, n_without = math.comb(k - 1, weight - 1), math.comb(k - 1, weight)
    return [[true / n_with if answer in one else (1 - true) / n_without for one in sets] for answer in range(k)]


@pytest.mark.parametrize("mechanism", [k_ary_of(3, Decimal(1)), k_ary_of(4, Decimal(2)), subset(4, Decimal(1), 2)])
@pytest.mark.parametrize("delta", [1e-5, 1e-3, 0.02])
def test_a_crowd_that_gives_a_third_answer_tells_what_listing_its_reports_tells(mechanism: Any, delta: float) -> None:
    """Of 4 people; a report says which of the first two answers alone it supports. With all that it says: no less."""
    n, channel = 4, set_channel(mechanism)
    sets = [*combinations(range(mechanism.n_values), getattr(mechanism, "weight", 1))]
    kinds = [(0 in one) - (1 in one) for one in sets]
    seen = [[sum(p for p, kind in zip(row, kinds, strict=True) if kind == of) for of in (1, -1, 0)] for row in channel]
    told, told_by_all = (
        epsilon_of([(shuffled([of[0], *[of[2]] * (n - 1)]), shuffled([of[1], *[of[2]] * (n - 1)]))], delta)
        for of in (seen, channel)
    )
    found = third_answer_epsilon(mechanism, n, delta)
    assert told * (1 - 2e-3) <= found <= told * (1 + 1e-6) + 1e-9
    assert found <= told_by_all + 1e-6


@pytest.mark.parametrize(
    ("n", "epsilon", "told"), [(100, 1, 0.358), (1000, 1, 0.108), (1000, 2, 0.333), (1000, 4, 1.70)]
)
def test_five_options_by_k_ary_tell_what_another_program_found(n: int, epsilon: int, told: float) -> None:
    """A full multinomial enumeration, written by somebody else."""
    assert third_answer_epsilon(k_ary_of(5, Decimal(epsilon)), n, 1e-6) == pytest.approx(told, abs=0.002)


def test_whole_reports_of_one_question_are_that_question_s() -> None:
    of_question, whole = shuffle_survey(compile_toml(ONE_QUESTION), 100, 1e-6)
    assert replace(whole, question="q") == of_question


def test_with_asked_in_the_bound_allows_for_how_many_report_in_a_wave() -> None:
    """As where a question is drawn, of as many; the bound of all respondents would be too low."""
    asked = ONE_QUESTION.replace("[[", "waves = 4\nasked_in = 1\n[[")
    drawn = ONE_QUESTION.replace("[[", "draw = 1\n[[") + "".join(
        ONE_QUESTION[ONE_QUESTION.index("[[") :].replace('"q"', f'"{name}"') for name in "rst"
    )
    (of_wave, whole), (of_draw, *_) = (shuffle_survey(compile_toml(text), 400, 1e-6) for text in (asked, drawn))
    assert (of_wave.n_reports, whole.n_reports) == (100, 100)
    assert of_wave == of_draw
    assert of_wave.shuffled > amplified_epsilon(1.0, 100, 1e-6, prob_clone_of_one(1.0))


def test_numbers_of_clones_that_are_passed_over_cost_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    some = amplified_epsilon(1.0, 10**6, 1e-6)
    monkeypatch.setattr("sotto_rehearsal.comparison.clones._MOST_SIZES", 10**9)
    assert amplified_epsilon(1.0, 10**6, 1e-6) <= some <= 1.0001 * amplified_epsilon(1.0, 10**6, 1e-6)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1.0, math.nan, 1e-16])
def test_a_delta_that_is_no_probability_is_refused(delta: float) -> None:
    for bad in (lambda: amplified_epsilon(1.0, 10, delta), lambda: exact_epsilon(Channel.warner(0.6), 10, delta)):
        with pytest.raises(DomainError, match=r"^delta \(.*\) must be a probability in \[1e-15, 1\)\.$"):
            bad()


@pytest.mark.parametrize("delta", [1e-3, 0.02, 0.2])
def test_of_drawn_questions_the_bound_allows_for_how_many_others_are_asked(delta: float) -> None:
    """By listing what 7 people report, of whom one is asked and each other one with a probability of a half."""
    head = 'id = "s"\ntitle = "S"\ndraw = 1\n'
    question = '[[questions]]\nid = "{}"\ntype = "yes-no"\ntext = "?"\nepsilon = 1\n'
    first, *_ = shuffle_survey(compile_toml(head + question.format("a") + question.format("b")), 7, delta)
    asked = [[share / 2 for share in row] + [0.5] for row in k_ary(1, 2)]
    mine = [[*row, 0.0] for row in k_ary(1, 2)]
    crowds = combinations_with_replacement(asked, 6)
    told = epsilon_of(
        [pair for others in crowds for pair in permutations([shuffled([me, *others]) for me in mine], 2)], delta
    )
    assert told <= first.shuffled + 1e-9 <= 1 + 1e-6
    assert first.least is None


def test_as_many_as_are_asked_on_average_hide_less_than_the_bound_of_drawn_questions_says() -> None:
    """Of 100 people whose answers are no but for one's, each asked one of four questions: exactly, by how many are."""
    head, n, delta, truth = 'id = "s"\ntitle = "S"\ndraw = 1\n', 100, 1e-6, math.e / (1 + math.e)
    question = '[[questions]]\nid = "{}"\ntype = "yes-no"\ntext = "?"\nepsilon = 1\n'
    first, *_ = shuffle_survey(compile_toml(head + "".join(map(question.format, "abcd"))), n, delta)

    def told(epsilon: float) -> float:
        total = 0.0
        for n_others, prob in enumerate(binom.pmf(range(n), n - 1, 1 / 4)):
            said = binom.pmf(range(-1, n_others + 2), n_others, 1 - truth)
            yes, no = truth * said[:-1] + (1 - truth) * said[1:], (1 - truth) * said[:-1] + truth * said[1:]
            total += prob * np.maximum(no - math.exp(epsilon) * yes, 0).sum()
        return total

    assert told(first.shuffled) <= delta < told(amplified_epsilon(1, 25, delta, prob_clone_of_one(1)))
