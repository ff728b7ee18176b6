"""From an epsilon, or RAPPOR's probabilities, to integer thresholds: where probabilities become exact coins.

Rounding goes towards more privacy: a true bit's threshold down, a false bit's up. So the epsilon that thresholds
realise is never above the one that was asked for.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

from sotto_protocol.bounds import declare, divide_below, exp_below, log_ratio_above
from sotto_protocol.coins import COIN_SCALE

MIN_EPSILON = Decimal("0.001")
MAX_EPSILON = Decimal(20)


def check_epsilon(epsilon: Decimal) -> Decimal:
    """Return epsilon if an author may ask for it. Raises ValueError unless it is in [0.001, 20]."""
    if epsilon.is_nan() or not MIN_EPSILON <= epsilon <= MAX_EPSILON:
        raise ValueError(f"epsilon ({epsilon}) must be in [{MIN_EPSILON}, {MAX_EPSILON}].")
    return epsilon


def check_epsilons(epsilon: Decimal, epsilon_forever: Decimal) -> tuple[Decimal, Decimal]:
    """Return the epsilons of one report and of all reports of one answer. Raises ValueError unless they can be asked.

    Each in [0.001, 20], the second above the first.
    """
    if check_epsilon(epsilon) >= check_epsilon(epsilon_forever):
        raise ValueError(f"epsilon_forever ({epsilon_forever}) must be above epsilon ({epsilon}), of one report.")
    return epsilon, epsilon_forever


def second_threshold(first: int, odds: Fraction, asked: tuple[Decimal, Decimal], n_others: int = 1) -> int:
    """Return the largest threshold of a second stage that keeps what the first one drew, else draws another value.

    Both stages draw one of `n_others` + 1 values, any other one as likely. Kept with q, drawn truly with t, the truth
    is reported with q t + (1 - q)(1 - t) / n_others, which must be at most odds / (odds + n_others). `first`: t's
    threshold. Raises ValueError, which names the epsilons `asked` for, where no threshold is left.
    """
    truth = Fraction(first, COIN_SCALE)
    lie = (1 - truth) / n_others
    threshold = floor(COIN_SCALE * (odds / (odds + n_others) - lie) / (truth - lie))
    if threshold * (n_others + 1) <= COIN_SCALE:
        raise ValueError(f"epsilon ({asked[0]}) is too small for thresholds out of {COIN_SCALE}.")
    if threshold >= COIN_SCALE:
        raise ValueError(f"epsilon ({asked[0]}) is too near epsilon_forever ({asked[1]}) for a second stage.")
    return threshold


def loss_of_alike(first: int, second: int, n_reports: int, n_others: int = 1) -> Decimal:
    """Return what so many reports of one answer take, rounded up to 12 decimals, where two stages draw one value each.

    Both stages are as in `second_threshold`, with these thresholds. Reports that are all the same value tell most
    (docs/maths-privacy.md). With odds P and Q of either stage, for its value over another one, their probability is as
    P Q^n + k-1 if the value is the answer, as P + Q^n + k-2 if another is; k = `n_others` + 1.
    """
    true, lie = first * n_others, COIN_SCALE - first
    alike, other = (second * n_others) ** n_reports, (COIN_SCALE - second) ** n_reports
    if_answer = true * alike + n_others * lie * other
    if_another = true * other + lie * alike + (n_others - 1) * lie * other
    return declare(log_ratio_above(if_answer, if_another))


def symmetric_thresholds(per_bit: Decimal) -> tuple[int, int]:
    """Return the thresholds of a coin that tells the truth with odds of e^per_bit, for either answer."""
    odds = exp_below(per_bit)
    true = floor(COIN_SCALE * odds / (odds + 1))
    return true, COIN_SCALE - true


def check_symmetric(name: str, threshold_if_true: int, threshold_if_other: int) -> None:
    """Raise ValueError unless a coin tells the truth as often for either answer, as RAPPOR's permanent stage does."""
    if threshold_if_true + threshold_if_other != COIN_SCALE:
        raise ValueError(f"the thresholds of {name} must add up to {COIN_SCALE}.")


@dataclass(frozen=True, slots=True)
class Stages:
    """RAPPOR's thresholds out of 2**32, as `BitMechanism` takes them; (2**32, 0) leaves the instantaneous stage out."""

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
        asked = check_epsilons(epsilon, epsilon_forever)
        true, other = symmetric_thresholds(divide_below(epsilon_forever, n_differences))
        one = second_threshold(true, exp_below(divide_below(epsilon, n_differences)), asked)
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
