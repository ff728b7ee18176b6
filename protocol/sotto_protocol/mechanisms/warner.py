"""Yes-no: one coin, whose bias depends on the answer. Warner's spinner, forced response, RAPPOR's one bit."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.language import ENGLISH, Language, mark
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.bits import RAPPOR, OptionBits
from sotto_protocol.mechanisms.checks import BadValueError, check_choices, check_integer
from sotto_protocol.mechanisms.columns import NO_YES, LabelledColumn, checked_bits
from sotto_protocol.mechanisms.mechanism import Bytes, ChoiceMechanism, Part
from sotto_protocol.mechanisms.thresholds import Stages, check_epsilon, symmetric_thresholds
from sotto_protocol.told_apart import Outcome, Outcomes
from sotto_protocol.words import times_above, times_below, whole_percent_above


class BinaryResponse(OptionBits, ChoiceMechanism):
    """Yes-no: one coin, whose bias depends on the answer (Warner 1965; forced response, Boruch 1971).

    Answers: integers, 1 is yes, shape (n,). `n_values` is 1.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("n_values", self.n_values, 1, 1)

    @property
    def _max_differences(self) -> list[tuple[int, int]]:
        return [(1, 0), (0, 1)]

    @property
    def n_true(self) -> tuple[int, int]:
        return 0, 1

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_choices(answers, 2)

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        return self._flip(rows.astype(np.bool_), coins).view(np.uint8).reshape(-1, 1)

    def to_wire(self, report: Bytes) -> Any:
        return bool(report[0])

    def from_wire(self, values: Sequence[Any]) -> Bytes:
        for index, value in enumerate(values):
            if type(value) is not bool:
                raise BadValueError(index, "true or false")
        return np.array(values, np.uint8).reshape(-1, 1)

    @property
    def names_one(self) -> bool:
        return True

    def columns(
        self, key: str, reports: Bytes, labels: tuple[str, ...], ends: tuple[float, float]
    ) -> Iterator[LabelledColumn]:
        """Yield the reported yes or no."""
        yield LabelledColumn(key, checked_bits(reports[:, 0]), NO_YES)

    def check_design(self) -> None:
        if self.name != "forced-response":
            super().check_design()

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        true, other = self.prob_support_if_true, self.prob_support_if_other
        return np.array([[1 - true, 1 - other], [true, other]])[checked_bits(reports)[:, 0]]

    def told_apart(self) -> Outcomes:
        true, other = self._chances
        return [Outcome(true, other), Outcome(1 - true, 1 - other)]

    def parts(self) -> list[Part]:
        return [Part("value", 1, is_number=True)]

    def what_happens(self, language: Language = ENGLISH) -> str:
        return language.text([self._say_draws(language), self._after_report(language)])

    def _say_draws(self, language: Language) -> str:
        if self.name in RAPPOR:
            drawn = mark(
                "First, your device makes a lasting answer at random, only once. If you say yes, the lasting "
                "answer is yes %(true)s. If you say no, it is yes %(other)s."
            )
            together = mark(
                "Both steps together: if you say yes, your device sends yes %(true)s. If you say no, it sends "
                "yes %(other)s."
            )
            return self._say_stages(language, drawn, together)
        return language.gettext(
            "If you say yes, your device sends yes %(true)s. If you say no, it sends yes %(other)s.",
            true=times_above(self.prob_support_if_true, language),
            other=times_below(self.prob_support_if_other, language),
        )

    def in_short(self, language: Language = ENGLISH) -> str:
        true, other = self._chances
        lost, gained = (times_below(float(prob), language) for prob in (1 - true, other))
        if lost == gained:
            return language.gettext(
                "Your device may change your answer at random. It sends the opposite %(lost)s.", lost=lost
            )
        return language.gettext(
            "Your device may change your answer at random. If you say yes, it sends no %(lost)s. If you say no, "
            "it sends yes %(gained)s.",
            lost=lost,
            gained=gained,
        )

    def _after_report(self, language: Language) -> str:
        """Return it of either report where one gives away more than the other; else the bounds say as much."""
        true, other = self._chances
        if true + other == 1:
            return ""
        sees_yes, sees_no = (
            whole_percent_above(float(a / (a + b)), language) for a, b in [(true, other), (1 - true, 1 - other)]
        )
        return language.gettext(
            "Suppose someone thinks you are as likely to say yes as no. If they see a yes, they can be %(yes)s "
            "sure that you said yes. If they see a no, they can be %(no)s sure of it.",
            yes=sees_yes,
            no=sees_no,
        )


def warner(epsilon: Decimal) -> BinaryResponse:
    """Return the spinner that tells the truth with probability e^epsilon / (e^epsilon + 1) (Warner 1965)."""
    return BinaryResponse("warner", 1, *symmetric_thresholds(check_epsilon(epsilon)))


def warner_by_truth(prob_truth: Fraction) -> BinaryResponse:
    """Return Warner's spinner by its probability of truth, in (1/2, 1); epsilon = ln(p / (1 - p))."""
    if not Fraction(1, 2) < prob_truth < 1:
        raise ValueError(
            f"prob_truth ({prob_truth}) must be in (1/2, 1): below a half, ask the opposite statement. A survey with "
            'two coins has mechanism = "forced-response", and prob_forced_yes.'
        )
    true = floor(prob_truth * COIN_SCALE)
    return _coin("warner", prob_truth, true, COIN_SCALE - true)


def forced_response(prob_truth: Fraction, prob_forced_yes: Fraction) -> BinaryResponse:
    """Return the coin of Boruch 1971: the truth with probability t in (0, 1), else yes with probability c in [0, 1].

    P(yes | yes) = t + (1 - t) c and P(yes | no) = (1 - t) c. Both must be strictly inside (0, 1), so c too.
    """
    if not 0 < prob_truth < 1:
        raise ValueError(f"prob_truth ({prob_truth}) must be in (0, 1).")
    if not 0 < prob_forced_yes < 1:
        raise ValueError(
            f"prob_forced_yes ({prob_forced_yes}) must be in (0, 1): "
            "otherwise one report is only possible under one answer, and epsilon is infinite."
        )
    other = (1 - prob_truth) * prob_forced_yes
    true = prob_truth + other
    return _coin("forced-response", prob_truth, floor(true * COIN_SCALE), ceil(other * COIN_SCALE))


def basic_yes_no(stages: Stages) -> BinaryResponse:
    """Return basic RAPPOR of a yes-no question: one bit."""
    return BinaryResponse("basic-rappor", 1, **asdict(stages))


def _coin(name: str, prob_truth: Fraction, true: int, other: int) -> BinaryResponse:
    if other >= true:
        raise ValueError(
            f"prob_truth ({prob_truth}) is too near 1/2 (forced response: 0) for thresholds out of {COIN_SCALE}."
        )
    return BinaryResponse(name, 1, true, other)


def ask_warner(asked: Asked) -> BinaryResponse:
    """Return the spinner that an author asks for, by epsilon or by prob_truth."""
    if asked.has("prob_forced_yes"):
        why = 'belongs to mechanism = "forced-response", the survey with two coins, which must be named.'
        raise asked.fail("prob_forced_yes", why)
    if not asked.has("prob_truth"):
        if asked.epsilon is None:
            raise ValueError("must have epsilon or prob_truth.")
        return warner(asked.epsilon)
    if asked.epsilon is not None:
        raise ValueError("must not have both epsilon and prob_truth.")
    return warner_by_truth(*asked.probs("prob_truth"))


def ask_forced_response(asked: Asked) -> BinaryResponse:
    """Return the coin that an author asks for, by its probabilities."""
    if asked.epsilon is not None:
        raise asked.fail("epsilon", "does not go with forced-response; give its probabilities.")
    prob_truth, prob_forced_yes = asked.probs("prob_truth", "prob_forced_yes")
    return forced_response(prob_truth, prob_forced_yes)


def ask_basic_rappor(asked: Asked) -> BinaryResponse:
    """Return basic RAPPOR as an author asks for it."""
    return basic_yes_no(asked.stages(1))
