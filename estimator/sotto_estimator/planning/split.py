"""How a total epsilon is split over a survey's questions, and how many of them are drawn, so that wishes are met."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction

from sotto_estimator.channel.channel import MAX_N
from sotto_estimator.inference.marginal import Marginal, marginal_in
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.needed import EPSILON_STEP, least_epsilon, respondents_for
from sotto_estimator.planning.outlook import width_of
from sotto_estimator.planning.survey import PlannedSurvey, QuestionPlan, answers_of, part_of_waves
from sotto_protocol import Question

_MOST_DRAWS = 12  # of no more questions every number of drawn ones is tried; of more 1, 2, 4 .. and all


@dataclass(frozen=True, slots=True)
class Split:
    """The least epsilons that meet the wishes, where so many questions are drawn: `n_drawn`, or all.

    None of a question whose wish no epsilon meets; one without a wish keeps its own. `total`: of one report, None where
    a wish is not met.
    """

    n_drawn: int
    epsilons: tuple[Decimal | None, ...]

    @property
    def total(self) -> Decimal | None:
        known = [epsilon for epsilon in self.epsilons if epsilon is not None]
        return None if len(known) < len(self.epsilons) else sum_of_most(known, self.n_drawn)


@dataclass(frozen=True, slots=True)
class Shortfall:
    """What a total epsilon gives where it does not meet the wishes.

    The split's epsilons, all less by one factor, or the file's own, whichever takes fewer respondents. `n_drawn`: with
    so many questions drawn. `widths`: of the questions at these, in their order. `n`: so many respondents would make
    the wishes met by them; None where 10^12 would not.
    """

    n_drawn: int
    epsilons: tuple[Decimal, ...]
    widths: tuple[float, ...]
    n: int | None


@dataclass(frozen=True, slots=True)
class SplitVerdict:
    """Whether a `total` epsilon meets the wishes.

    `split`: by which, or that of the least total; None where none has one. `as_asked`: the split of as many drawn
    questions as the file has. `shortfall`: where the total is too small.
    """

    total: Decimal
    as_asked: Split
    split: Split | None
    shortfall: Shortfall | None = None

    @property
    def is_reachable(self) -> bool:
        """Whether the split's total is within the one that there is."""
        return self.split is not None and self.shortfall is None


def judge_wishes(draft: Draft, plan: PlannedSurvey, total: Decimal) -> SplitVerdict:
    """Return whether a total epsilon meets the wishes of a plan, and by which epsilons.

    Each device draws as many questions as the file says, if that is enough. If not, it draws the number that takes the
    least epsilon.
    """
    n_questions = len(draft.survey.questions)
    as_asked = split_of(draft, plan, draft.survey.n_drawn)
    if as_asked.total is not None and as_asked.total <= total:
        return SplitVerdict(total, as_asked, as_asked)
    can_draw = not draft.is_final and None not in split_of(draft, plan, n_questions).epsilons
    others = (split_of(draft, plan, n) for n in draws_of(n_questions)) if can_draw else ()
    known = [split for split in (as_asked, *others) if split.total is not None]
    if not known:
        return SplitVerdict(total, as_asked, None)
    best = min(known, key=lambda split: (split.total, -split.n_drawn))
    if best.total is not None and best.total <= total:
        return SplitVerdict(total, as_asked, best)
    return SplitVerdict(total, as_asked, best, _shortfall(draft, plan, best, total))


def draws_of(n_questions: int) -> Sequence[int]:
    """Return how many of so many questions could be drawn: each number, or of many 1, 2, 4 .. and all."""
    if n_questions <= _MOST_DRAWS:
        return range(1, n_questions + 1)
    return [*(2**power for power in range(n_questions.bit_length()) if 2**power < n_questions), n_questions]


def split_of(draft: Draft, plan: PlannedSurvey, n_drawn: int) -> Split:
    """Return the least epsilons where so many questions are drawn."""
    part = Fraction(n_drawn, len(plan.questions)) * part_of_waves(plan.survey)
    return Split(n_drawn, tuple(_least(draft, plan, index, part) for index in range(len(plan.questions))))


def _least(draft: Draft, plan: PlannedSurvey, index: int, part: Fraction) -> Decimal | None:
    """Return the least epsilon that meets all wishes of a question and of its items; its own where there are none."""
    found = [
        least_epsilon(draft, index, one.want, plan.n, plan.options, part, one.question)
        for one in plan.wanted(index)
        if one.want is not None
    ]
    known = [epsilon for epsilon in found if epsilon is not None]
    if not found:
        return plan.questions[index].question.epsilon
    return max(known) if len(known) == len(found) else None


def sum_of_most(epsilons: Sequence[Decimal], n_drawn: int) -> Decimal:
    """Return the sum of the largest epsilons, of as many questions as are drawn."""
    return sum(sorted(epsilons, reverse=True)[:n_drawn], Decimal(0))


def _shortfall(draft: Draft, plan: PlannedSurvey, split: Split, total: Decimal) -> Shortfall:
    """Return what the total gives in place of the split's, which is more; of two ways, that of the fewest respondents.

    All wishes' epsilons less by one factor; or the file as it is, where that is within the total.
    """
    offers = [_offer(draft, plan, _scaled(draft, plan, split, total), split.n_drawn)]
    if plan.survey.epsilon <= total:
        own = tuple(one.question.epsilon for one in plan.questions)
        offers.append(_offer(draft, plan, own, plan.survey.n_drawn))
    return min(offers, key=lambda offer: MAX_N + 1 if offer.n is None else offer.n)


def _scaled(draft: Draft, plan: PlannedSurvey, split: Split, total: Decimal) -> tuple[Decimal, ...]:
    known = [epsilon or Decimal(0) for epsilon in split.epsilons]
    free = [_is_split(draft, plan, index) for index in range(len(known))]

    def scaled(per_mille: int) -> tuple[Decimal, ...]:
        return tuple(
            max(EPSILON_STEP, (epsilon * per_mille / 1000).quantize(EPSILON_STEP, ROUND_FLOOR)) if is_free else epsilon
            for epsilon, is_free in zip(known, free, strict=True)
        )

    return scaled(bisect_left(range(1, 1001), True, key=lambda k: sum_of_most(scaled(k), split.n_drawn) > total))


def _offer(draft: Draft, plan: PlannedSurvey, epsilons: tuple[Decimal, ...], n_drawn: int) -> Shortfall:
    part = Fraction(n_drawn, len(plan.questions)) * part_of_waves(plan.survey)
    asked = [
        (draft.ask(index, epsilon) if _is_split(draft, plan, index) else None) or one.question
        for index, (epsilon, one) in enumerate(zip(epsilons, plan.questions, strict=True))
    ]
    widths = tuple(width_of(question, answers_of(question, plan.n, part), plan.options) for question in asked)
    sizes = [
        respondents_for(_planned(question, one), one.want, plan.options, part)
        for index, question in enumerate(asked)
        for one in plan.wanted(index)
        if one.want is not None
    ]
    reached = [size for size in sizes if size is not None]
    return Shortfall(n_drawn, epsilons, widths, max(reached) if len(reached) == len(sizes) else None)


def _planned(question: Question, one: QuestionPlan) -> Question:
    """Return what is planned of a question at another epsilon: itself, or its item."""
    return marginal_in(question, one.question.id) if isinstance(one.question, Marginal) else question


def _is_split(draft: Draft, plan: PlannedSurvey, index: int) -> bool:
    """Whether a question's epsilon is part of what is split: something is wished of it, and it may change."""
    return bool(plan.wanted(index)) and draft.is_free(index)
