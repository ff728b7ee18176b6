"""A whole survey's plan: what every question will show, of both targets, one at a time and all together."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from sotto_estimator.channel.channel import MAX_N, TARGETS, Target
from sotto_estimator.errors import DomainError
from sotto_estimator.inference.marginal import marginals_of, n_times_asked
from sotto_estimator.inference.registry import count_intervals
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import Precision, outlook_of, size_of, width_of
from sotto_protocol import Question, Survey
from sotto_protocol.questions.joint import Joint
from sotto_protocol.words import counted

USABLE = 0.1
"""A half-width, as a share of all there is to learn, up to which a question without a wish is of use."""
ROUGH = 0.25
"""A half-width, as a share of all there is to learn, from which on a question is of no use: the interval is half of it.
Of a text question it is the smallest share of a string that is found."""
HOPELESS = 0.5
"""From this half-width on nothing is learnt: the interval of a share of one half is all shares there are."""

Worth = Literal["good", "rough", "useless"]


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """What one question shows of `n_answers`: the part of the respondents who are asked it, or one option of it.

    `width`: what a wish is held against, the half-width of the options's target by itself, or a text's smallest share.
    `figures`: of the population one at a time and all together, then of the respondents. `size`: all that there is to
    learn: 1, or a number's range in its unit. `want`: the half-width that is wished for, None where none is.
    `of_least_noise`: the variance of a report's noise over the least of all mechanisms, None where not worked out.
    """

    question: Question
    n_answers: int
    width: float
    figures: tuple[Precision, ...]
    size: float
    want: float | None
    of_least_noise: float | None = None

    def of(self, target: Target, *, is_together: bool = False) -> Precision:
        """Return the figures of a target."""
        return next(one for one in self.figures if one.target == target and one.is_together == is_together)

    @property
    def goal(self) -> float:
        """The half-width that is enough: what is wished for, else a tenth of all there is."""
        return USABLE * self.size if self.want is None else self.want

    def worth(self, width: float) -> Worth:
        """Return what such a width, as that of all answers or of fewer, is worth."""
        if width <= self.goal:
            return "good"
        return "rough" if width <= ROUGH * self.size else "useless"

    @property
    def is_hopeless(self) -> bool:
        """Whether nothing is learnt from it."""
        return self.width >= HOPELESS * self.size


@dataclass(frozen=True, slots=True)
class PlannedSurvey:
    """What `n` respondents give, `n` >= 2. `n_intervals`: how many there are to hold together.

    `questions`: the survey's, in its order. `items`: those that are asked together with others, each by itself.
    """

    survey: Survey
    n: int
    options: PlanOptions
    n_intervals: int
    questions: tuple[QuestionPlan, ...]
    items: tuple[QuestionPlan, ...] = ()

    @property
    def rows(self) -> list[tuple[int, QuestionPlan]]:
        """All plans, items behind the first question that has them, each with that question's place."""
        items, rows = {one.question.id: one for one in self.items}, []
        for index, one in enumerate(self.questions):
            rows.append((index, one))
            if isinstance(one.question.kind, Joint):
                rows += [(index, items.pop(item.id)) for item in one.question.items if item.id in items]
        return rows

    def wanted(self, index: int) -> list[QuestionPlan]:
        """Return the plans of a question, and of the items in it, of which something is wished."""
        return [one for at, one in self.rows if at == index and one.want is not None]

    @property
    def named(self) -> str:
        """What the survey is called."""
        return self.survey.title

    def __str__(self) -> str:
        """Return one line: title, respondents and questions."""
        return f"{self.named}: {counted(len(self.questions), 'question')}, n = {counted(self.n, 'respondent')}"


def plan_survey(survey: Survey, n: int, options: PlanOptions, half_width: float | None = None) -> PlannedSurvey:
    """Return what n respondents will give. Raises `DomainError` unless n is in [2, 10^12].

    `half_width`: what is wished for of shares whose question has no `want`.
    """
    if not 2 <= n <= MAX_N:
        raise DomainError(f"n ({n}) must be in [2, 10^12]: groups are compared.")
    n_intervals = max(1, count_intervals(survey))
    questions, items = (
        tuple(plan_question(question, survey, n, options, half_width, n_intervals) for question in listed)
        for listed in (survey.questions, marginals_of(survey))
    )
    return PlannedSurvey(survey, n, options, n_intervals, questions, items)


def plan_question(
    question: Question, survey: Survey, n: int, options: PlanOptions, half_width: float | None, n_intervals: int
) -> QuestionPlan:
    """Return what one question of a survey shows of n respondents."""
    n_answers = answers_of(question, n, part_asked(survey))
    figures = tuple(
        outlook_of(question).precision(n_answers, options, target, n_intervals if is_together else 1, is_together)
        for target in TARGETS
        for is_together in (False, True)
    )
    alone = next(one for one in figures if one.target == options.about)
    width = alone.half_width if alone.half_width is not None else width_of(question, n_answers, options)
    return QuestionPlan(question, n_answers, width, figures, size_of(question), wish_of(question, half_width))


def part_drawn(survey: Survey) -> Fraction:
    """Return the part of a survey's questions that a report answers."""
    return Fraction(survey.n_drawn, len(survey.questions))


def part_asked(survey: Survey) -> Fraction:
    """Return the part of all devices that answer a question in one wave: with `asked_in` not all are asked in it."""
    return part_drawn(survey) * part_of_waves(survey)


def part_of_waves(survey: Survey) -> Fraction:
    """Return the part of a survey's waves in which a device is asked."""
    return Fraction(survey.max_reports, survey.waves)


def answers_of(question: Question, n: int, part: Fraction) -> int:
    """Return how many answers to a question, or to one option of it, n respondents give on average; 1 at the least."""
    return max(1, int(n * part * n_times_asked(question) / question.mechanism.one_in))


def respondents_of(question: Question, n_answers: int, part: Fraction) -> int:
    """Return the fewest respondents of whom `answers_of` is so much."""
    needed = n_answers * question.mechanism.one_in / (part * n_times_asked(question))
    return -int(-needed // 1)


def wish_of(question: Question, half_width: float | None) -> float | None:
    """Return the half-width that is wished for: the question's `want`, else, of shares, the one that is given."""
    if question.want is not None:
        return float(question.want)
    return half_width if outlook_of(question).is_in_points else None


def wishes(questions: Iterable[QuestionPlan]) -> list[QuestionPlan]:
    """Return the questions of which something is wished."""
    return [one for one in questions if one.want is not None]
