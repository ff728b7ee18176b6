"""Every mechanism exactly: whole output distributions, epsilon, test vectors, and what an answer may be."""

import json
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from published import NAMES, answers_to, build, mechanisms
from reference import Answer, Published
from sotto_protocol import Coins, Mechanism, given_bytes, hmac_bytes

VECTORS_FILE = Path(__file__).parent / "vectors" / "perturb.json"
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
    """Count the reports, of one byte, over batches of equally likely streams, all of one answer."""
    counts = np.zeros(256, np.int64)
    for n, stream in streams:
        answers = np.repeat(np.array([answer]), n, axis=0)
        reports = mechanism.perturb(answers, Coins(given_bytes(stream)))
        counts += np.bincount(reports.reshape(n), minlength=256)
    return {bytes([report]): Fraction(int(counts[report]), int(counts.sum())) for report in counts.nonzero()[0]}


def bit_streams(published: Published, n_values: int, resolution: int) -> Iterator[tuple[int, bytes]]:
    n_true_coins = 1 if published["name"] in ("sue", "oue") else n_values
    combinations = every_stream(n_values + n_true_coins, resolution)
    yield len(combinations), combinations[:, :n_values].tobytes() + combinations[:, n_values:].tobytes()


def k_ary_streams(n_values: int) -> Iterator[tuple[int, bytes]]:
    draws = np.arange(65536, dtype=np.uint32)
    accepted = draws[(draws * (n_values - 1)) % 65536 >= 65536 % (n_values - 1)].astype(">u2")
    for coin in every_stream(1, 16)[:, 0].tolist():
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
    *[({"name": "k-ary", "threshold_if_true": 9 * E}, k, 16) for k in (2, 3, 4, 5)],
]


@pytest.mark.parametrize(("published", "n_values", "resolution"), COARSE)
def test_the_enumerated_channel_is_the_published_one_and_epsilon_is_exact(
    published: Published, n_values: int, resolution: int
) -> None:
    mechanism = build(published, n_values)
    channel = []
    for answer in reference.every_answer(published, n_values):
        is_k_ary = published["name"] == "k-ary"
        streams = k_ary_streams(n_values) if is_k_ary else bit_streams(published, n_values, resolution)
        channel.append(enumerated(mechanism, answer, streams))
        assert channel[-1] == reference.distribution(published, n_values, answer)
    assert_tight(mechanism.epsilon, reference.epsilon(channel))


def assert_tight(bound: Decimal, exact: Decimal) -> None:
    assert exact <= bound
    assert bound - exact < Decimal("1e-12")


@settings(max_examples=150)
@given(mechanisms(max_values=4))
def test_epsilon_is_the_largest_log_ratio_at_any_thresholds(drawn: tuple[Published, int]) -> None:
    published, n_values = drawn
    answers = reference.every_answer(published, n_values)
    channel = [reference.distribution(published, n_values, answer) for answer in answers]
    assert_tight(build(published, n_values).epsilon, reference.epsilon(channel))


@pytest.mark.parametrize("n_values", [1, 2, 3, 4])
def test_epsilon_of_bit_flips_that_are_not_symmetric_holds_for_every_limit(n_values: int) -> None:
    for max_selected in range(1, n_values + 1):
        for true, other in ((0xF0000001, 0x80000000), (0x80000000, 0x00000001), (0xFFFFFFFF, 0xFFFFFFFE)):
            published = bits("bit-flips", true, other, max_selected=max_selected)
            answers = reference.every_answer(published, n_values)
            channel = [reference.distribution(published, n_values, answer) for answer in answers]
            assert_tight(build(published, n_values).epsilon, reference.epsilon(channel))


@given(mechanisms(max_values=5))
def test_the_two_probabilities_and_debiasing_invert_the_channel_in_expectation(drawn: tuple[Published, int]) -> None:
    published, n_values = drawn
    mechanism = build(published, n_values)
    exact: dict[int, Fraction] = {}
    for answer in reference.every_answer(published, n_values):
        row = reference.bits_of(published["name"] if n_values == 1 else "sue", n_values, answer)
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


def test_the_vectors_are_what_the_reference_writes() -> None:
    assert VECTORS_FILE.read_text() == reference.vectors_text()
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


@settings(max_examples=300)
@given(st.data(), st.one_of(mechanisms(), mechanisms(max_values=400, names=("k-ary",))))
def test_the_package_agrees_with_the_reference(data: st.DataObject, drawn: tuple[Published, int]) -> None:
    published, n_values = drawn
    answers = data.draw(answers_to(published, n_values))
    ties = [byte for key in published if key != "name" for byte in published[key].to_bytes(4, "big")]
    often_tied = data.draw(st.lists(st.one_of(st.sampled_from(ties), st.integers(0, 255)), max_size=300))
    stream = bytes(often_tied) + b"\x55\xa5\x5a" * 500
    expected_from = reference.Stream(stream)
    expected = reference.perturb(published, n_values, answers, expected_from)
    take = given_bytes(stream)
    reports = build(published, n_values).perturb(answers, Coins(take))
    assert [report.tobytes() for report in reports] == expected
    assert take(3) == stream[expected_from.used : expected_from.used + 3]
