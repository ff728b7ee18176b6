"""Reports that share what was drawn once, exactly: all sequences, for all pairs of answers, and what is charged.

Sequences are weighed one by one: over every option that may have been drawn once, or over every bit. No formula of the
packages is used.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from test_mechanisms import assert_tight, bits, different_texts, k_ary_streams

import reference
from published import build
from reference import SCALE, Published
from sotto_protocol import Coins, Mechanism, compile_toml, given_bytes
from sotto_protocol.bounds import declare
from sotto_protocol.mechanisms.kary import k_ary_in_waves
from sotto_protocol.mechanisms.unary import basic_in_waves, optimised_unary_in_waves

Q, E = 2**30, 2**28
DOCS = Path(__file__).parents[2] / "docs"
MATHS, CLIENT_PAGE = ((DOCS / page).read_text(encoding="utf-8") for page in ("maths-privacy.md", "client.md"))


def k_ary_twice(true: int, kept: int) -> Published:
    return {"name": "k-ary", "threshold_if_true": true, "report_if_true": kept}


def oue_twice(other: int, one: int, zero: int) -> Published:
    return bits("oue", 2 * Q, other, report_if_one=one, report_if_zero=zero)


def twice(true: int, one: int, zero: int, **more: int) -> Published:
    return bits("basic-rappor", true, SCALE - true, report_if_one=one, report_if_zero=zero) | more


def _rappor(epsilon: float, forever: float) -> str:
    return f'mechanism = "basic-rappor"\nepsilon = {epsilon}\nepsilon_forever = {forever}'


def string_twice(true: int, one: int, zero: int, n_bits: int, n_hashes: int) -> Published:
    shape = {"name": "rappor", "n_bits": n_bits, "n_hashes": n_hashes, "n_cohorts": 1}
    return twice(true, one, zero) | shape


def window_twice(true: int, kept: int) -> Published:
    return {"name": "window", "levels": 2, "width": 1, "threshold_if_true": true, "report_if_true": kept}


KEPT: list[tuple[Published, int, int]] = [
    *[(k_ary_twice(13 * E, 11 * E), k, m) for k, m in ((2, 2), (2, 8), (3, 5), (4, 4), (8, 3))],
    *[(k_ary_twice(SCALE // k + 2**27, SCALE // k + 2**26), k, m) for k, m in ((3, 6), (5, 4), (8, 3))],
    (k_ary_twice(SCALE - 1, SCALE // 3 + 1), 3, 5),
    (k_ary_twice(SCALE // 3 + 1, SCALE - 1), 3, 5),
    *[(oue_twice(E, 11 * E, 5 * E), k, m) for k, m in ((2, 4), (3, 3), (4, 2))],
    (oue_twice(1, 15 * E, 1), 2, 3),
    (oue_twice(2 * Q - 1, 2 * Q, 2 * Q - 1), 2, 3),
    (oue_twice(3 * E, 14 * E, 7 * E), 2, 3),
    *[(twice(13 * E, 11 * E, 5 * E), k, m) for k, m in ((1, 2), (1, 4), (2, 4), (3, 2))],
    (twice(13 * E, 11 * E, 2 * E), 1, 6),
    (twice(9 * E, 15 * E, E), 1, 4),
    (twice(11 * E, 14 * E, E), 2, 3),
    (twice(15 * E, 9 * E, 7 * E), 3, 2),
    (twice(13 * E, 11 * E, 5 * E, max_selected=1), 2, 4),
    (twice(13 * E, 11 * E, 2 * E, max_selected=2), 3, 2),
    (twice(11 * E, 14 * E, 2 * E, max_selected=3), 3, 2),
    *[(string_twice(13 * E, 11 * E, 5 * E, k, n_hashes), k, m) for k, n_hashes, m in ((2, 1, 4), (3, 1, 2), (2, 2, 3))],
    (string_twice(11 * E, 14 * E, 2 * E, 3, 2), 3, 2),
    *[(window_twice(13 * E, 11 * E), span, m) for span, m in ((2, 4), (3, 3), (11, 2))],
    (window_twice(2 * Q + 1, 15 * E), 4, 4),
]
"""Published mechanisms of two stages; options, and how many reports."""


_FOUR = 'options = ["a", "b", "c", "d"]'
TAKEN = {
    "any-of": (f'type = "any-of"\n{_FOUR}\nmax_selected = 2\nepsilon = 0.5\nepsilon_forever = 2', 4, 1.545, "2"),
    "one-of": (f'type = "one-of"\n{_FOUR}\n{_rappor(1, 3)}', 3, 2.379, "3"),
    "text": ('type = "text"\nepsilon = 1\nepsilon_forever = 3', 3, 2.379, "3"),
    "number": ('type = "number"\nminimum = 0\nmaximum = 9\nepsilon = 0.5\nepsilon_forever = 2', 4, 1.595, "2"),
    "yes-no": (f'type = "yes-no"\n{_rappor(0.5, 2)}', 4, 1.595, "2"),
    "yes-no, two waves": (f'type = "yes-no"\n{_rappor(1, 2)}', 2, 1.642, "2"),
    "yes-no, more for ever": (f'type = "yes-no"\n{_rappor(1, 3)}', 3, 2.481, "3"),
}
"""A question, its waves, what they take together, and what n epsilon and epsilon_forever would have said."""


def second_stage(published: Published, n_values: int) -> dict[bytes, dict[bytes, Fraction]]:
    """Return the probabilities of every report under every packed permanent response."""
    if published["name"] in ("k-ary", "window"):
        again = {"name": "k-ary", "threshold_if_true": published["report_if_true"]}
        n_values = n_values if published["name"] == "k-ary" else 2
        return {bytes([kept]): reference.distribution(again, n_values, kept) for kept in range(n_values)}
    one, zero = (Fraction(published[key], SCALE) for key in ("report_if_one", "report_if_zero"))
    chances = {}
    cohort = bytes(2) if "n_cohorts" in published else b""
    for kept in itertools.product((0, 1), repeat=n_values):
        row = [one if bit else zero for bit in kept]
        chances[cohort + reference.pack(kept, n_values)] = {
            cohort + reference.pack(report, n_values): math.prod(
                p if bit else 1 - p for p, bit in zip(row, report, strict=True)
            )
            for report in itertools.product((0, 1), repeat=n_values)
        }
    return chances


def sequences(published: Published, n_values: int, n_reports: int) -> list[dict[tuple[bytes, ...], Fraction]]:
    """Return for every answer the probability of each sequence of its reports."""
    stages = second_stage(published, n_values)
    reports = [*next(iter(stages.values()))]
    channel = []
    is_text = "n_cohorts" in published
    for answer in different_texts(published, n_values) if is_text else reference.every_answer(published, n_values):
        kept = reference.distribution(published, n_values, answer, is_permanent=True)
        channel.append(
            {
                sequence: sum(
                    (prob * math.prod(stages[memo][report] for report in sequence) for memo, prob in kept.items()),
                    Fraction(0),
                )
                for sequence in itertools.product(reports, repeat=n_reports)
            }
        )
    return channel


def loss(channel: Sequence[dict[tuple[bytes, ...], Fraction]]) -> Decimal:
    """Return the largest log-ratio over all pairs of answers and all sequences."""
    return reference.epsilon(channel)  # type: ignore[arg-type]  # of any keys


@pytest.mark.few(8)
@pytest.mark.parametrize(("published", "n_values", "n_reports"), KEPT)
def test_what_is_charged_for_reports_of_one_answer_is_what_all_their_sequences_say(
    published: Published, n_values: int, n_reports: int
) -> None:
    mechanism = build(published, n_values)
    enumerated = loss(sequences(published, n_values, n_reports))
    charged = mechanism.epsilon_of(n_reports, declare(mechanism.epsilon))
    assert_tight(min(charged, mechanism.epsilon_forever), enumerated)
    assert enumerated <= mechanism.epsilon_forever
    assert mechanism.epsilon_of(n_reports, Decimal(50)) == 50, "never less than is declared for one"
    assert [mechanism.epsilon_of(n, Decimal(50)) for n in (0, 1)] == [0, 50]


@pytest.mark.parametrize("question", TAKEN)
def test_waves_take_what_is_stated_in_place_of_a_sum(question: str) -> None:
    asked, waves, taken, added_up = TAKEN[question]
    survey = compile_toml(f'id = "s"\ntitle = "S"\nwaves = {waves}\n[[questions]]\nid = "q"\ntext = "Q?"\n{asked}')
    assert float(survey.epsilon_forever) == pytest.approx(taken, abs=5e-4)
    assert min(waves * survey.epsilon, survey.questions[0].epsilon_forever) == Decimal(added_up)
    assert f"| {waves} | {added_up} | {taken} |" in MATHS
    assert question != "text" or f"three reports of a text take {taken}." in CLIENT_PAGE


def test_epsilons_may_take_more_than_their_sum() -> None:
    """Sums would be too low: by these, which `docs/maths-privacy.md` rounds up to a digit or two."""
    worst = ((3, 4, "0.1", "1.3", 0.0056), (8, 8, "0.1", "1.45", 0.181), (64, 8, "0.14", "2.62", 1.176))
    row = next(line for line in MATHS.splitlines() if line.startswith("| loss above n ε |"))
    stated = map(float, row.split("|")[2:-1])
    for (k, n, epsilon, forever, too_low), most in zip(worst, stated, strict=True):
        mechanism = k_ary_in_waves(k, Decimal(epsilon), Decimal(forever))
        assert too_low < float(mechanism.epsilon_of(n, mechanism.epsilon) - n * mechanism.epsilon) < most
    pair = oue_twice(SCALE // 1000, SCALE // 5, SCALE * 3 // 100)
    assert loss(sequences(pair, 2, 3)) > 3 * build(pair, 2).epsilon + Decimal("0.7")


@pytest.mark.parametrize("epsilons", [("0.1", "0.15"), ("0.5", "1"), ("1", "8"), ("3", "4")])
@pytest.mark.parametrize("design", [optimised_unary_in_waves, basic_in_waves])
def test_bits_never_take_more_than_their_sum(design: Callable[..., Mechanism], epsilons: tuple[str, str]) -> None:
    """The odds of both bits of `oue` together are those of one symmetric bit."""
    mechanism = design(4, *map(Decimal, epsilons))
    for n in range(1, 40):
        assert mechanism.epsilon_of(n, mechanism.epsilon) <= n * mechanism.epsilon + Decimal("1e-12")


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(2, 4), st.data())
def test_k_ary_responses_charge_what_all_sequences_say_at_any_thresholds(
    k: int, n_reports: int, data: st.DataObject
) -> None:
    thresholds = [data.draw(st.integers(SCALE // k + 1, SCALE - 1)) for _ in range(2)]
    published = k_ary_twice(*thresholds)
    mechanism = build(published, k)
    exact = loss(sequences(published, k, n_reports))
    assert_tight(min(mechanism.epsilon_of(n_reports, declare(mechanism.epsilon)), mechanism.epsilon_forever), exact)


@pytest.mark.parametrize(
    "published", [k_ary_twice(9 * E, 11 * E), oue_twice(2 * E, 12 * E, 4 * E), twice(13 * E, 11 * E, 2 * E)]
)
def test_waves_of_changed_answers_take_what_the_pots_say_and_that_they_changed_is_bounded_by_nothing(
    published: Published,
) -> None:
    """Answers that change in the same waves are told apart by no more than is charged; when they change is another."""
    k = 3 if published["name"] == "k-ary" else 2
    mechanism = build(published, k)
    by_length = {n: sequences(published, k, n) for n in (1, 2, 3)}
    charges = {
        n: min(mechanism.epsilon_of(n, declare(mechanism.epsilon)), mechanism.epsilon_forever) for n in (1, 2, 3)
    }
    n_waves, reports = 3, [*{report for sequence in by_length[1][0] for report in sequence}]

    def chance(answers: tuple[int, ...], sent: tuple[bytes, ...]) -> Fraction:
        given_each = {a: tuple(r for r, b in zip(sent, answers, strict=True) if a == b) for a in answers}
        return math.prod((by_length[len(part)][a][part] for a, part in given_each.items()), start=Fraction(1))

    def waves_of(answers: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(answers.index(answer) for answer in answers)

    most_if_alike, largest = dict.fromkeys(itertools.product(range(3), repeat=3), Decimal(0)), Decimal(0)
    histories = list(itertools.product(range(k), repeat=n_waves))
    channel = {a: {sent: chance(a, sent) for sent in itertools.product(reports, repeat=n_waves)} for a in histories}
    for one, other in itertools.permutations(histories, 2):
        exact = loss([channel[one], channel[other]])
        if waves_of(one) == waves_of(other):
            pattern = waves_of(one)
            most_if_alike[pattern] = max(most_if_alike[pattern], exact)
        else:
            charge = sum(charges[n] for n in Counter(one).values())
            largest = max(largest, exact - charge)
    for one in histories:
        assert most_if_alike[waves_of(one)] <= sum(charges[n] for n in Counter(one).values())
    assert published["name"] != "k-ary" or largest > 0


def test_the_second_stage_of_k_ary_response_is_drawn_as_published() -> None:
    """All coins, one first byte for every 64, and all uniform integers: of each stage, and so of both."""
    published = k_ary_twice(9 * E, 3 * Q)
    for k in (2, 3):
        mechanism, stages = build(published, k), second_stage(published, k)
        assert mechanism.has_two_stages
        for kept, expected in stages.items():
            counts: Counter[bytes] = Counter()
            for n, stream in k_ary_streams(k, 4):
                take = given_bytes(stream + b"?")
                reports = mechanism.report(np.full((n, 1), kept[0], np.uint8), Coins(take))
                assert take(1) == b"?"
                counts.update(map(bytes, reports))
            assert {report: Fraction(n, counts.total()) for report, n in counts.items()} == expected
        channel = [reference.distribution(published, k, answer) for answer in range(k)]
        assert_tight(mechanism.epsilon, reference.epsilon(channel))
        once = [reference.distribution(published, k, answer, is_permanent=True) for answer in range(k)]
        assert_tight(mechanism.epsilon_forever, reference.epsilon(once))
        assert {*channel[0].values()} == {mechanism.truth, (1 - mechanism.truth) / (k - 1)}
