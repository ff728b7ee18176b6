"""From RAPPOR's epsilons, or its f, q and p, to the thresholds of its two stages.

Erlingsson, Pihur & Korolova 2014. Rounding goes towards more privacy, as in `sotto_protocol.mechanisms.designs`.
"""

from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

from sotto_protocol.bounds import divide_below, exp_below
from sotto_protocol.coins import COIN_SCALE
from sotto_protocol.mechanisms.bits import BinaryResponse, BitFlips, UnaryEncoding
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.designs import check_epsilon, symmetric_thresholds
from sotto_protocol.mechanisms.mechanism import check_integer


@dataclass(frozen=True, slots=True)
class Stages:
    """Thresholds out of 2**32, as `BitMechanism` takes them; (2**32, 0) leaves the instantaneous stage out."""

    threshold_if_true: int
    threshold_if_other: int
    report_if_one: int = COIN_SCALE
    report_if_zero: int = 0

    @staticmethod
    def of_epsilons(n_differences: int, epsilon: Decimal, epsilon_forever: Decimal | None = None) -> "Stages":
        """Return symmetric flips in both stages, for answers that differ in at most so many bits.

        `epsilon` is that of one report, `epsilon_forever` that of all reports of one answer, above it; None for one
        stage only, which takes `epsilon` for ever. Each in [0.001, 20].
        """
        if epsilon_forever is None:
            return Stages(*symmetric_thresholds(divide_below(check_epsilon(epsilon), n_differences)))
        if check_epsilon(epsilon) >= check_epsilon(epsilon_forever):
            raise ValueError(f"epsilon_forever ({epsilon_forever}) must be above epsilon ({epsilon}), of one report.")
        true, other = symmetric_thresholds(divide_below(epsilon_forever, n_differences))
        odds = exp_below(divide_below(epsilon, n_differences))
        # A reported bit equals the true one with q t + (1 - q)(1 - t), which must be at most odds / (odds + 1).
        permanent = Fraction(true, COIN_SCALE)
        one = floor(COIN_SCALE * (odds / (odds + 1) - (1 - permanent)) / (2 * permanent - 1))
        if one <= COIN_SCALE // 2:
            raise ValueError(f"epsilon ({epsilon}) is too small for thresholds out of {COIN_SCALE}.")
        if one >= COIN_SCALE:
            raise ValueError(f"epsilon ({epsilon}) is too near epsilon_forever ({epsilon_forever}) for a second stage.")
        return Stages(true, other, one, COIN_SCALE - one)

    @staticmethod
    def of_probs(
        noise: Fraction, prob_if_one: Fraction | None = None, prob_if_zero: Fraction | None = None
    ) -> "Stages":
        """Return the stages of RAPPOR's f = `noise`, q = `prob_if_one` and p = `prob_if_zero`, all in (0, 1), p < q.

        A permanent bit is a fair coin with probability f, else the true bit; a one is reported as one with probability
        q, a zero with p. Without q and p there is one stage.
        """
        if not 0 < noise < 1:
            raise ValueError(f"prob_noise ({noise}) must be in (0, 1).")
        true, other = floor((1 - noise / 2) * COIN_SCALE), ceil(noise / 2 * COIN_SCALE)
        if prob_if_one is None or prob_if_zero is None:
            return Stages(true, other)
        if not 0 < prob_if_zero < prob_if_one < 1:
            raise ValueError(
                f"prob_if_zero ({prob_if_zero}) and prob_if_one ({prob_if_one}) must satisfy "
                "0 < prob_if_zero < prob_if_one < 1: without signal there is nothing to learn."
            )
        return Stages(true, other, floor(prob_if_one * COIN_SCALE), ceil(prob_if_zero * COIN_SCALE))


def basic_yes_no(stages: Stages) -> BinaryResponse:
    """Return basic RAPPOR of a yes-no question: one bit."""
    return BinaryResponse("basic-rappor", 1, **asdict(stages))


def basic_one_of(n_options: int, stages: Stages) -> UnaryEncoding:
    """Return basic RAPPOR of a one-of question: a bit an option, no hash."""
    return UnaryEncoding("basic-rappor", n_options, **asdict(stages))


def basic_any_of(n_options: int, max_selected: int, stages: Stages) -> BitFlips:
    """Return basic RAPPOR of an any-of question, of whose options a person may select max_selected."""
    return BitFlips("basic-rappor", n_options, **asdict(stages), max_selected=max_selected)


@dataclass(frozen=True, slots=True)
class BloomShape:
    """The parameters of `BloomResponse` that are not thresholds."""

    n_bits: int = 128
    n_hashes: int = 2
    n_cohorts: int = 64
    max_length: int = 0
    gram_length: int = 0

    @property
    def n_differences(self) -> int:
        """In how many bits the filters of two answers can differ."""
        n_blocks = 3 if self.max_length else 1
        return n_blocks * min(2 * self.n_hashes, self.n_bits)


def bloom(shape: BloomShape, stages: Stages) -> BloomResponse:
    """Return RAPPOR of a text question."""
    check_integer("n_bits", shape.n_bits, 2, 4096)
    members = asdict(shape)
    return BloomResponse("rappor", members.pop("n_bits"), **asdict(stages), **members)
