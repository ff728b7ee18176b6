"""Every mechanism exactly: whole output distributions, epsilon, test vectors, and what an answer may be."""

import json
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from hashlib import shake_256
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import reference
import reference_vectors
from published import CHOICES, NAMES, answers_to, build, mechanisms
from reference import Answer, Published, kind_of
from sotto_protocol import Coins, Mechanism, given_bytes, hmac_bytes

VECTORS_FILE = Path(__file__).parents[1] / "vectors" / "perturb.json"
VECTORS = json.loads(VECTORS_FILE.read_text())["vectors"]
SCALE = 2**32


def endless() -> Coins:
    return Coins(hmac_bytes(bytes(32), b"tests"))


def bits(name: str, true: int, other: int, **more: int) -> Published:
    return {"name": name, "threshold_if_true": true, "threshold_if_other": other} | more


def every_stream(n_coins: int, resolution: int) -> np.ndarray[Any, Any]:
    """All combinations of first bytes of n coins, one of every `256 / resolution`: shape (combinations, n_coins)."""
    representatives = np.arange(0, 256, 256 // resolution, dtype=np.uint8)
    grids = np.meshgrid(*[representatives] * n_coins, indexing="ij")
    return np.stack([grid.ravel() for grid in grids], axis=1)


def enumerated(mechanism: Mechanism, answer: Answer, streams: Iterator[tuple[int, bytes]]) -> dict[bytes, Fraction]:
    """Count the reports over batches of equally likely streams, all of one answer."""
    counts = Counter[bytes]()
    for n, stream in streams:
        answers = np.repeat(np.array([answer]), n, axis=0)
        take = given_bytes(stream + b"?")
        reports = mechanism.perturb(answers.tolist() if isinstance(answer, str) else answers, Coins(take))
        assert take(1) == b"?"
        different, n_each = np.unique(reports, axis=0, return_counts=True)
        counts.update(dict(zip(map(bytes, different), n_each.tolist(), strict=True)))
    return {report: Fraction(n, counts.total()) for report, n in counts.items()}


def bit_streams(published: Published, n_values: int, resolution: int) -> Iterator[tuple[int, bytes]]:
    """All coins of both stages; of a text in the one cohort that there is, whose number is drawn with two bytes."""
    kind = kind_of(published, n_values)
    n_true_coins = {"one-of": 1, "text": published.get("n_hashes", 0)}.get(kind, n_values)
    widths = [n_values, n_true_coins] + [n_values] * (2 if "report_if_one" in published else 0)
    combinations = every_stream(sum(widths), resolution)
    cohorts = bytes(2 * len(combinations)) if kind == "text" else b""
    parts = np.split(combinations, np.cumsum(widths)[:-1], axis=1)
    yield len(combinations), cohorts + b"".join(part.tobytes() for part in parts)


def k_ary_streams(n_values: int, resolution: int) -> Iterator[tuple[int, bytes]]:
    draws = np.arange(65536, dtype=np.uint32)
    accepted = draws[(draws * (n_values - 1)) % 65536 >= 65536 % (n_values - 1)].astype(">u2")
    for coin in every_stream(1, resolution)[:, 0].tolist():
        yield len(accepted), bytes([coin]) * len(accepted) + accepted.tobytes()


Q, E = 2**30, 2**28  # a quarter and a sixteenth of the scale: then four or sixteen first bytes stand for all
COARSE: list[tuple[Published, int, int]] = [
    (bits("warner", 0xC1000000, 0x3F000000), 1, 256),
    (bits("forced-response", 0xFF000000, 0x01000000), 1, 256),
    (bits("forced-response", 0x55000000, 0x13000000), 1, 256),
    *[(bits("sue", 11 * E, 5 * E), k, 16) for k in (2, 3)],
    *[(bits("oue", 8 * E, 3 * E), k, 16) for k in (2, 3)],
    (bits("oue", 2 * Q, Q), 4, 4),
    *[(bits("bit-flips", 3 * Q, Q, max_selected=m), k, 4) for k in (1, 2, 3, 4) for m in range(1, k + 1)],
    *[(bits("bit-flips", 15 * E, 2 * E, max_selected=m), 2, 16) for m in (1, 2)],  # not symmetric
    ({"name": "k-ary", "threshold_if_true": 9 * E}, 2, 16),
    *[({"name": "k-ary", "threshold_if_true": 3 * Q}, k, 4) for k in (3, 4, 5)],
    (bits("basic-rappor", 13 * E, 3 * E), 1, 16),
    (bits("basic-rappor", 13 * E, 3 * E, report_if_one=11 * E, report_if_zero=2 * E), 1, 16),
    (bits("basic-rappor", 11 * E, 5 * E), 3, 16),
    (bits("basic-rappor", 3 * Q, Q, report_if_one=3 * Q, report_if_zero=Q), 2, 4),
    *[
        (bits("basic-rappor", 3 * Q, Q, report_if_one=3 * Q, report_if_zero=2 * Q, max_selected=m), 2, 4)
        for m in (1, 2)
    ],
    (bits("basic-rappor", 13 * E, 3 * E, max_selected=2), 2, 16),
]
TEXTS: list[tuple[Published, int, int]] = [
    (bits("rappor", 13 * E, 3 * E, n_bits=2, n_hashes=1, n_cohorts=1), 2, 16),
    (bits("rappor", 13 * E, 3 * E, n_bits=3, n_hashes=1, n_cohorts=1), 3, 16),
    (bits("rappor", 13 * E, 3 * E, n_bits=2, n_hashes=2, n_cohorts=1), 2, 16),
    (bits("rappor", 3 * Q, Q, n_bits=3, n_hashes=2, n_cohorts=1), 3, 4),
    (bits("rappor", 3 * Q, Q, n_bits=4, n_hashes=3, n_cohorts=1), 4, 4),
    (bits("rappor", 3 * Q, Q, n_bits=5, n_hashes=2, n_cohorts=1), 5, 4),
    (bits("rappor", 3 * Q, Q, report_if_one=3 * Q, report_if_zero=Q, n_bits=2, n_hashes=1, n_cohorts=1), 2, 4),
    (bits("rappor", 3 * Q, Q, report_if_one=3 * Q, report_if_zero=2 * Q, n_bits=2, n_hashes=2, n_cohorts=1), 2, 4),
]
WORDS = [chr(97 + first) + chr(97 + second) for first in range(26) for second in range(26)]


def different_texts(published: Published, n_values: int) -> list[str]:
    """Return a text for each set of bits that texts can set where cohort and pair are numbers 0."""
    group = [(0, 2), (0, 1)]
    found = {frozenset(reference.bits_set(published, n_values, word, group)): word for word in WORDS}
    return list(found.values())


@pytest.mark.few(8)
@pytest.mark.parametrize(("published", "n_values", "resolution"), COARSE)
def test_the_enumerated_channel_is_the_published_one_and_epsilon_is_exact(
    published: Published, n_values: int, resolution: int
) -> None:
    mechanism = build(published, n_values)
    channel = []
    for answer in reference.every_answer(published, n_values):
        is_k_ary = published["name"] == "k-ary"
        streams = k_ary_streams(n_values, resolution) if is_k_ary else bit_streams(published, n_values, resolution)
        channel.append(enumerated(mechanism, answer, streams))
        assert channel[-1] == reference.distribution(published, n_values, answer)
    assert_tight(mechanism.epsilon, reference.epsilon(channel))


def assert_tight(bound: Decimal, exact: Decimal) -> None:
    assert exact <= bound
    assert bound - exact < Decimal("1e-12")


@pytest.mark.few(2)
@pytest.mark.parametrize(("published", "n_values", "resolution"), TEXTS)
def test_the_enumerated_channel_of_strings_is_the_published_one(
    published: Published, n_values: int, resolution: int
) -> None:
    """For a string of every set of bits that its hashes can set; where they collide there are fewer than hashes."""
    texts = different_texts(published, n_values)
    n_hashes = published["n_hashes"]
    assert len(texts) == sum(comb(n_values, n_set) for n_set in range(1, n_hashes + 1))
    for text in texts:
        channel = enumerated(build(published, n_values), text, bit_streams(published, n_values, resolution))
        assert channel == reference.distribution(published, n_values, text)


@pytest.mark.few(12)
@pytest.mark.parametrize("stages", [{}, {"report_if_one": 0xB3A29180, "report_if_zero": 0x00FF1234}])
@pytest.mark.parametrize(
    ("n_values", "n_hashes", "grams"),
    [*[(n, h, {}) for n in (2, 3, 4, 5) for h in (1, 2, 3) if h <= n], (2, 1, {"max_length": 2, "gram_length": 1})],
)
@pytest.mark.parametrize(("true", "other"), [(0xC0000000, 0x40000000), (0xF0000001, 0x80000000), (0x80000000, 1)])
def test_both_epsilons_of_strings_are_the_largest_log_ratios(
    n_values: int, n_hashes: int, grams: dict[str, int], stages: dict[str, int], true: int, other: int
) -> None:
    """Also where two strings' bits cannot all differ, for n_bits is below twice n_hashes, and where hashes collide."""
    more = stages | {"n_bits": n_values, "n_hashes": n_hashes, "n_cohorts": 1} | grams
    published = bits("rappor", true, other, **more)
    texts = different_texts(published, n_values)
    for is_permanent in (False, True):
        channel = [reference.distribution(published, n_values, text, is_permanent=is_permanent) for text in texts]
        bound = build(published, n_values).epsilon_forever if is_permanent else build(published, n_values).epsilon
        assert_tight(bound, reference.epsilon(channel))


@settings(max_examples=150)
@given(mechanisms(max_values=4, names=CHOICES))
def test_epsilon_is_the_largest_log_ratio_at_any_thresholds(drawn: tuple[Published, int]) -> None:
    published, n_values = drawn
    answers = list(reference.every_answer(published, n_values))
    mechanism = build(published, n_values)
    reports = [reference.distribution(published, n_values, answer) for answer in answers]
    assert_tight(mechanism.epsilon, reference.epsilon(reports))
    responses = [reference.distribution(published, n_values, answer, is_permanent=True) for answer in answers]
    assert_tight(mechanism.epsilon_forever, reference.epsilon(responses))


@pytest.mark.parametrize("n_values", [1, 2, 3, 4])
def test_epsilon_of_bit_flips_that_are_not_symmetric_holds_for_every_limit(n_values: int) -> None:
    for max_selected in range(1, n_values + 1):
        for true, other in ((0xF0000001, 0x80000000), (0x80000000, 0x00000001), (0xFFFFFFFF, 0xFFFFFFFE)):
            published = bits("bit-flips", true, other, max_selected=max_selected)
            answers = reference.every_answer(published, n_values)
            channel = [reference.distribution(published, n_values, answer) for answer in answers]
            assert_tight(build(published, n_values).epsilon, reference.epsilon(channel))


@given(mechanisms(max_values=5, names=CHOICES))
def test_the_two_probabilities_and_debiasing_invert_the_channel_in_expectation(drawn: tuple[Published, int]) -> None:
    published, n_values = drawn
    mechanism = build(published, n_values)
    exact: dict[int, Fraction] = {}
    for answer in reference.every_answer(published, n_values):
        row = reference.bits_of(published, n_values, answer)
        supports = [Fraction(0)] * n_values
        for report, prob in reference.distribution(published, n_values, answer).items():
            for value in mechanism.supported(np.frombuffer(report, np.uint8)):
                supports[value] += prob
        for value, bit in enumerate(row):
            exact.setdefault(bit, supports[value])
            assert exact[bit] == supports[value], "the support does not depend on the other answers"
    assert float(exact[1]) == pytest.approx(mechanism.prob_support_if_true, rel=1e-15)
    assert float(exact[0]) == pytest.approx(mechanism.prob_support_if_other, rel=1e-15)
    share = Fraction(3, 7)
    expected_support = share * exact[1] + (1 - share) * exact[0]
    assert (expected_support - exact[0]) / (exact[1] - exact[0]) == share


@pytest.mark.rare
@pytest.mark.thorough
def test_the_vectors_are_what_the_reference_writes() -> None:
    assert VECTORS_FILE.read_text() == reference_vectors.vectors_text()
    assert {vector["mechanism"]["name"] for vector in VECTORS} == set(NAMES)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: f"{v['mechanism']['name']}-{v['n_values']}-{v['coins'][:4]}")
def test_the_package_makes_the_vectors_reports(vector: dict[str, Any]) -> None:
    mechanism = build(vector["mechanism"], vector["n_values"])
    take = given_bytes(bytes.fromhex(vector["coins"]) + b"?")
    reports = mechanism.perturb(vector["answers"], Coins(take))
    assert [report.tobytes().hex() for report in reports] == vector["reports"]
    assert take(1) == b"?", "all the coins are used, and no more"
    assert [mechanism.to_wire(report) for report in reports] == vector["wire"]
    assert mechanism.from_wire(vector["wire"]).tolist() == reports.tolist()


@pytest.mark.thorough
@settings(max_examples=300)
@given(
    st.data(),
    st.one_of(mechanisms(), mechanisms(max_values=400, names=("k-ary",)), mechanisms(names=("basic-rappor", "rappor"))),
)
def test_the_package_agrees_with_the_reference(data: st.DataObject, drawn: tuple[Published, int]) -> None:
    published, n_values = drawn
    answers = data.draw(answers_to(published, n_values))
    ties = [byte for key in published if isinstance(published[key], int) for byte in published[key].to_bytes(4, "big")]
    often_tied = data.draw(st.lists(st.one_of(st.sampled_from(ties), st.integers(0, 255)), max_size=300))
    stream = bytes(often_tied) + shake_256(bytes(often_tied)).digest(15_000)
    expected_from = reference.Stream(stream)
    expected = reference.perturb(published, n_values, answers, expected_from)
    take = given_bytes(stream)
    reports = build(published, n_values).perturb(answers, Coins(take))
    assert [report.tobytes() for report in reports] == expected
    assert take(3) == stream[expected_from.used : expected_from.used + 3]
