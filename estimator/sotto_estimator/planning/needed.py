"""What a wished width takes: how many respondents, or how much epsilon."""

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction

from sotto_estimator.errors import DomainError
from sotto_estimator.inference.marginal import Marginal, marginal_in
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import outlook_of, width_of
from sotto_estimator.planning.survey import answers_of, respondents_of
from sotto_protocol import Question
from sotto_protocol.mechanisms.thresholds import MAX_EPSILON

EPSILON_STEP = Decimal("0.001")
"""Epsilons are looked for in steps of the least that there is."""
_N_QUICK = 6  # after so many the search halves wherever it is slow


def respondents_for(question: Question, want: float, options: PlanOptions, part: Fraction) -> int | None:
    """Return the fewest respondents that give the width, `part` of whom are asked; None where 10^12 do not."""
    try:
        return respondents_of(question, outlook_of(question).answers_needed(want, options), part)
    except DomainError:
        return None


def least_epsilon(
    draft: Draft, index: int, want: float, n: int, options: PlanOptions, part: Fraction, planned: Question | None = None
) -> Decimal | None:
    """Return an epsilon with which n respondents give the width, where one step less does not; None where none does.

    In [0.001, 20], in steps of 0.001, below any `epsilon_forever`. More epsilon gives less width, but for
    the rounding to whole counts, and where `auto` takes another mechanism. `planned`: an item of a joint question,
    whose width it is.
    """
    if not draft.is_free(index):
        question = planned or draft.survey.questions[index]
        return question.epsilon if width_of(question, answers_of(question, n, part), options) <= want else None

    def excess(n_steps: int) -> float:
        question = draft.ask(index, n_steps * EPSILON_STEP)
        if question is None:
            return math.inf
        if isinstance(planned, Marginal):
            question = marginal_in(question, planned.id)
        width = width_of(question, answers_of(question, n, part), options)
        return math.log(width / want) if width else -math.inf  # respondents without noise are all known

    start = int(draft.survey.questions[index].epsilon / EPSILON_STEP)
    steps = _least_steps(excess, start, most_steps(draft, index))
    return None if steps is None else steps * EPSILON_STEP


def _least_steps(excess: Callable[[int], float], start: int, most: int) -> int | None:
    """Return k in [1, most] with excess(k) <= 0 < excess(k - 1), of 0 infinite; None where excess(most) is above 0.

    False position in log k, of which the logarithm of a width is nearly linear; a half where that is slow.
    """
    known = {0: math.inf, most: excess(most)}
    if known[most] > 0:
        return None
    low, high, guess = 0, most, start
    while high - low > 1:
        middle = min(max(guess, low + 1), high - 1)
        known[middle] = excess(middle)
        before = high - low
        low, high = (low, middle) if known[middle] <= 0 else (middle, high)
        is_slow = len(known) > _N_QUICK and high - low > before / 2
        guess = (low + high) // 2 if is_slow else _crossing(low, high, known)
    return high


def _crossing(low: int, high: int, known: Mapping[int, float]) -> int:
    """Return about the first number whose excess is not above 0, between two of which the second's is not."""
    if not math.isfinite(known[high]):
        return (low + high) // 2
    if not math.isfinite(known[low]):  # a width that goes with one over epsilon
        return math.ceil(high * math.exp(known[high]))
    slope = (known[high] - known[low]) / math.log(high / low)
    root = low * math.exp(-known[low] / slope)
    nearer_low = root - low < high - root
    return math.ceil(root) if nearer_low else math.ceil(root) - 1


def most_steps(draft: Draft, index: int) -> int:
    """Return the largest epsilon that a question can have, in steps."""
    forever = draft.document["questions"][index].get("epsilon_forever")
    return int(MAX_EPSILON / EPSILON_STEP) if forever is None else -int(-forever // EPSILON_STEP) - 1
