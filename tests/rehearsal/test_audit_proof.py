"""Exact proofs: equal to a naive listing of the channel, and refused for mechanisms that are not what they publish."""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import reference
from audited import YES_NO, one_of
from published import build
from sotto_protocol import COIN_SCALE, Coins, Question, compile_toml, given_bytes
from sotto_protocol.mechanisms.kary import KaryResponse
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.mechanisms.unary import UnaryEncoding
from sotto_rehearsal.audit.branching import Outcomes, TooManyError
from sotto_rehearsal.audit.bytewise import falls_exactly, flips_exactly, is_uniform
from sotto_rehearsal.audit.proof import Proof, prove

YES = compile_toml(YES_NO).questions[0]


def of(mechanism: Any) -> Question:
    """Return a question that declares what this mechanism says that it takes."""
    return replace(YES, mechanism=mechanism, epsilon=mechanism.epsilon, epsilon_forever=mechanism.epsilon_forever)


def thresholds(name: str, true: int, other: int, **more: int) -> dict[str, Any]:
    return {"name": name, "threshold_if_true": true, "threshold_if_other": other} | more


T, F = 0xC1234567, 0x3EDCBA99
CASES: list[tuple[dict[str, Any], int]] = [
    (thresholds("warner", T, F), 1),
    (thresholds("forced-response", 0xE0000001, 0x10000001), 1),
    (thresholds("basic-rappor", T, F, report_if_one=0xB0000001, report_if_zero=0x4FFFFFFF), 1),
    (thresholds("sue", T, F), 4),
    (thresholds("oue", 2**31, F), 3),
    (thresholds("bit-flips", T, F, max_selected=2), 3),
    ({"name": "k-ary", "threshold_if_true": T}, 5),
]


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("published", "n_values"), CASES, ids=lambda case: case["name"] if isinstance(case, dict) else ""
)
def test_the_proved_loss_is_that_of_a_naive_listing(published: dict[str, Any], n_values: int) -> None:
    channel = [reference.distribution(published, n_values, a) for a in reference.every_answer(published, n_values)]
    proof = prove(of(build(published, n_values)))
    assert proof.holds
    assert proof.epsilon is not None
    assert abs(proof.epsilon - reference.epsilon(channel)) < Decimal("1e-25")


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "survey",
    [
        one_of("k-ary", 4, settings="waves = 2", more="epsilon_forever = 2"),
        one_of("basic-rappor", 3, settings="waves = 2", more="epsilon_forever = 2"),
        one_of("geometry", 13),
    ],
    ids=["two stages of k-ary", "two stages of bits", "geometry"],
)
def test_what_a_survey_declares_is_proved(survey: Any) -> None:
    (question,) = survey.questions
    proof = prove(question)
    assert proof.holds
    assert proof.epsilon is not None
    assert proof.epsilon_forever is not None
    assert proof.declared - proof.epsilon < Decimal("1e-6")
    assert (proof.epsilon_forever > proof.epsilon) is question.mechanism.has_two_stages


@pytest.mark.parametrize(
    "survey", [one_of("sue", 40), one_of("subset", 9)], ids=["too many coins", "draws until it fits"]
)
def test_what_has_too_many_outcomes_is_not_proved(survey: Any) -> None:
    proof = prove(survey.questions[0])
    assert not proof.is_made
    assert not proof.holds


class Truncated(UnaryEncoding):
    """Its coins look at one byte alone."""

    def _respond_rows(self, rows: Any, coins: Coins) -> Bytes:
        cut = [threshold >> 24 << 24 for threshold in (self.threshold_if_true, self.threshold_if_other)]
        return UnaryEncoding(self.name, self.n_values, *cut)._respond_rows(rows, coins)


class NeverFlipped(UnaryEncoding):
    """A true one is always reported."""

    def _respond_rows(self, rows: Any, coins: Coins) -> Bytes:
        bits = coins.flip(self.threshold_if_other, len(rows) * self.n_values).reshape(len(rows), -1)
        bits[np.arange(len(rows)), rows] = True
        return self._pack(bits.ravel())


class LastKept(UnaryEncoding):
    """The last bit is not randomised."""

    def _respond_rows(self, rows: Any, coins: Coins) -> Bytes:
        bits = np.unpackbits(super()._respond_rows(rows, coins), axis=1, count=self.n_values, bitorder="little")
        bits[:, -1] = rows == self.n_values - 1
        return self._pack(bits.astype(np.bool_).ravel())


@dataclass(frozen=True)
class WithAny(KaryResponse):
    """What is not the truth is any option, the true one too."""

    def _draw_rows(self, true: Any, threshold: int, coins: Coins) -> Bytes:
        keep = coins.flip(threshold, len(true))
        return self._pack(np.where(keep, true, coins.uniform(self.n_values, len(true))))


UNARY = ("sue", 4, T, F)


def faults_of(proof: Proof) -> set[str]:
    """Return what is wrong: the loss, above what is declared or without bound, and the rates."""
    loss = set() if proof.epsilon is not None and proof.epsilon <= proof.declared else {"loss"}
    return loss | (set() if proof.has_published_rates else {"rates"})


@pytest.mark.parametrize(
    ("mechanism", "faults"),
    [
        (UnaryEncoding(*UNARY), set()),
        (Truncated(*UNARY), {"loss", "rates"}),
        (NeverFlipped(*UNARY), {"loss", "rates"}),
        (LastKept(*UNARY), {"loss", "rates"}),
        (WithAny("k-ary", 4, 2**31), {"loss", "rates"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_mechanism_that_is_not_what_it_publishes_is_disproved(mechanism: Any, faults: set[str]) -> None:
    proof = prove(of(mechanism))
    assert proof.is_made
    assert faults_of(proof) == faults
    assert proof.holds is not bool(faults)


@pytest.mark.few(5)
@pytest.mark.parametrize("threshold", [1, 2**24, 2**31, T, COIN_SCALE - 1])
@pytest.mark.parametrize("n_coins", [1, 2, 3, 5])
def test_every_prefix_of_bytes_makes_a_coin_of_its_threshold(threshold: int, n_coins: int) -> None:
    assert flips_exactly(threshold, n_coins)


@pytest.mark.few(1)
@pytest.mark.parametrize("n_values", [1, 3, 256, *(pytest.param(n, marks=pytest.mark.thorough) for n in (2, 100, 255))])
def test_every_word_makes_an_integer_uniform(n_values: int) -> None:
    assert is_uniform(n_values, 1)
    assert is_uniform(n_values, 4)


def test_coins_that_look_at_the_first_byte_alone_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Coins, "flip", lambda coins, threshold, n: np.frombuffer(coins.take(n), np.uint8) < threshold >> 24
    )
    assert not flips_exactly(T, 1)
    assert flips_exactly(0xC1000000, 1)


def test_integers_that_are_not_rejected_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def biased(coins: Coins, n_values: int, n_draws: int) -> Any:
        return np.frombuffer(coins.take(2 * n_draws), ">u2") % n_values

    monkeypatch.setattr(Coins, "uniform", biased)
    monkeypatch.setattr(Coins, "uniform_few", lambda coins, k, n: biased(coins, k, n).tolist())
    monkeypatch.setattr(Coins, "uniform_one", lambda coins, k: int(biased(coins, k, 1)[0]))
    assert not is_uniform(100, 1)
    assert is_uniform(128, 1)


FLIP, UNIFORM = Coins.flip, Coins.uniform


def one_for_all(coins: Coins, threshold: int, n: int) -> Any:
    """Flip one coin for a whole batch."""
    return np.repeat(FLIP(coins, threshold, 1), n)


def ties_share(coins: Coins, threshold: int, n: int) -> Any:
    """Draw one next byte for all coins of a batch that are tied."""
    drawn = np.frombuffer(coins.take(n), np.uint8)
    first, rest = threshold >> 24, threshold & 0xFFFFFF
    heads = drawn < first
    if rest and (drawn == first).any():
        heads[drawn == first] = ties_share(coins, rest << 8, 1)
    return heads


def ties_swap(coins: Coins, threshold: int, n: int) -> Any:
    """Hand the next bytes to the tied coins from the last on: each coin is right, and another one's."""
    drawn = np.frombuffer(coins.take(n), np.uint8)
    first, rest = threshold >> 24, threshold & 0xFFFFFF
    heads = drawn < first
    tied = (drawn == first).nonzero()[0]
    if rest and tied.size:
        heads[tied] = ties_swap(coins, rest << 8, tied.size)[::-1]
    return heads


def last_is_tails(coins: Coins, threshold: int, n: int) -> Any:
    """Flip the last coin of a batch in vain."""
    heads = FLIP(coins, threshold, n)
    heads[1:][-1:] = False
    return heads


def ties_of_all_are_heads(coins: Coins, threshold: int, n: int) -> Any:
    """Err where every coin of a batch is tied to the third byte: once in 2**(16 n)."""
    taken = bytearray()
    heads = FLIP(Coins(lambda size: taken.extend(drawn := coins.take(size)) or drawn), threshold, n)
    return heads | (n > 1 and len(taken) >= 3 * n and threshold == T)


@pytest.mark.few(3)
@pytest.mark.parametrize("flip", [one_for_all, ties_share, ties_swap, last_is_tails, ties_of_all_are_heads])
@pytest.mark.parametrize("n_coins", [2, pytest.param(3, marks=pytest.mark.thorough), 5])
def test_coins_of_a_batch_that_depend_on_each_other_are_found(
    monkeypatch: pytest.MonkeyPatch, flip: Any, n_coins: int
) -> None:
    monkeypatch.setattr(Coins, "flip", flip)
    assert not flips_exactly(T, n_coins)
    assert flips_exactly(T, 1)
    monkeypatch.undo()
    monkeypatch.setattr(Coins, "flip_few", lambda coins, threshold, n: flip(coins, threshold, n).tobytes())
    assert not flips_exactly(T, n_coins)


def redrawn_once(coins: Coins, n_values: int, n: int) -> Any:
    """Draw one integer anew for all that are rejected."""
    values, is_rejected = first_draw(coins, n_values, n)
    if is_rejected.any():
        values[is_rejected] = redrawn_once(coins, n_values, 1)
    return values


def redrawn_as_none(coins: Coins, n_values: int, n: int) -> Any:
    """Draw anew what is rejected, and take none of it."""
    values, is_rejected = first_draw(coins, n_values, n)
    if is_rejected.any():
        values[is_rejected] = 0 * redrawn_as_none(coins, n_values, int(is_rejected.sum()))
    return values


def first_draw(coins: Coins, n_values: int, n: int) -> Any:
    wide = np.frombuffer(coins.take(2 * n), ">u2").astype(np.uint32) * n_values
    return wide >> 16, wide % 2**16 < 2**16 % n_values


@pytest.mark.parametrize("uniform", [redrawn_once, redrawn_as_none])
def test_integers_that_are_not_drawn_anew_each_for_itself_are_found(
    monkeypatch: pytest.MonkeyPatch, uniform: Any
) -> None:
    monkeypatch.setattr(Coins, "uniform", uniform)
    assert not is_uniform(100, 2)
    assert is_uniform(128, 2)
    monkeypatch.undo()
    monkeypatch.setattr(Coins, "uniform_few", lambda coins, k, n: uniform(coins, k, n).tolist())
    assert not is_uniform(100, 2)


def test_a_single_integer_that_is_not_drawn_anew_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Coins, "uniform_one", lambda coins, k: int(redrawn_as_none(coins, k, 1)[0]))
    assert not is_uniform(100, 1)


def test_nothing_is_proved_of_coins_that_depend_on_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    (bits,) = one_of("oue", 3).questions
    assert prove(bits).holds
    monkeypatch.setattr(Coins, "flip", one_for_all)
    falls_exactly.cache_clear()
    proof = prove(bits)
    falls_exactly.cache_clear()
    assert proof.is_made
    assert proof.epsilon is None
    assert not proof.holds


def test_outcomes_are_every_string_of_bytes_of_two_coins() -> None:
    """Against the bytes themselves: of thresholds whose lower bytes are zero, one byte a coin says all."""
    threshold = 0x50000000
    drawn = Outcomes(100).of(lambda coins: coins.flip(threshold, 2).view(np.uint8))
    pairs = np.indices((256, 256)).reshape(2, -1).T.astype(np.uint8)
    heads = Coins(given_bytes(pairs.tobytes())).flip(threshold, pairs.size).reshape(-1, 2)
    different, n_each = np.unique(heads.view(np.uint8), axis=0, return_counts=True)
    counted = {row.tobytes(): Fraction(int(n), 2**16) for row, n in zip(different, n_each, strict=True)}
    assert drawn == counted


def test_more_outcomes_than_are_allowed_are_refused() -> None:
    with pytest.raises(TooManyError):
        Outcomes(3).of(lambda coins: coins.flip(2**31, 2).view(np.uint8))
