"""The plan of one question of shares, by its epsilon: half-widths by mechanism, and as curves."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sotto_estimator.errors import DomainError
from sotto_estimator.planning.asked import check_size, exact, exact_one, size_words
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.question_sampling import rows_by_number_drawn
from sotto_estimator.planning.table import PlanRow, QuestionShape, plan_rows
from sotto_estimator.planning.width_curves import Against, CurvePoint, curve_points
from sotto_estimator.results.result import Result


@dataclass(frozen=True, slots=True)
class SharePlan(Result):
    """How precise each mechanism is that can ask a question, epsilon by epsilon, beside a curator and no privacy.

    `n` or `half_width`: what was asked for; the other one is None. `epsilon_forever`: of all reports of one answer,
    None of one report alone. `n_questions`: of a survey that draws some of so many such questions, None of one.
    """

    design: QuestionShape
    epsilons: tuple[Decimal, ...]
    n: int | None
    half_width: float | None
    options: PlanOptions
    rows: tuple[PlanRow, ...]
    epsilon_forever: Decimal | None = None
    n_questions: int | None = None
    title: str = ""

    def __str__(self) -> str:
        """Return one line: which question is planned, and for how many or for which half-width."""
        many = "" if self.n_questions is None else f" of {self.n_questions}"
        return f"{self.title or 'Plan'}: {self.design}{many}, {size_words(self.n, self.half_width)}"

    def curves(self, against: Against = "n") -> "WidthCurves":
        """Return half-widths as curves of the mechanism that `auto` takes. Raises DomainError."""
        if self.epsilon_forever is not None or self.n_questions is not None:
            raise DomainError("curves show one question and one report: leave out n_questions and epsilon_forever.")
        points = curve_points(against, self.design, self.epsilons, self.n, self.half_width, self.options)
        return WidthCurves(self.design, against, self.options, tuple(points), self.title)


@dataclass(frozen=True, slots=True)
class WidthCurves(Result):
    """Points of half-widths, curve by curve, against respondents, epsilon or options."""

    design: QuestionShape
    against: Against
    options: PlanOptions
    points: tuple[CurvePoint, ...]
    title: str = ""

    def __str__(self) -> str:
        """Return one line: which question is planned, and what half-widths stand against."""
        return f"{self.title or 'Plan'}: {self.design}, half-widths against {self.against}"


def plan_shares(
    epsilons: Sequence[float | Decimal],
    *,
    n: int | None = None,
    half_width: float | None = None,
    n_options: int = 0,
    max_selected: int = 0,
    n_questions: int | None = None,
    epsilon_forever: float | Decimal | None = None,
    options: PlanOptions | None = None,
) -> SharePlan:
    """Return how precise each mechanism is with n respondents, or how many respondents give a half-width.

    The plan is for a yes-no question. `n_options` makes it a one-of question. With `max_selected` it is an any-of
    question in which a person selects at most that many options. `n_questions` plans a survey that asks, or draws, such
    questions. An epsilon is then that of a whole report. Raises DomainError.
    """
    check_size(n, half_width)
    if not 0 <= max_selected <= n_options:
        raise DomainError(f"max_selected ({max_selected}) must be in [0, {n_options}], the number of options.")
    options, design, asked = options or PlanOptions(), QuestionShape(n_options, max_selected), exact(epsilons)
    forever = None if epsilon_forever is None else exact_one(epsilon_forever)
    if n_questions is None:
        rows = plan_rows(design, asked, n, half_width, forever, options)
    elif forever is not None:
        raise DomainError("epsilon_forever does not go with n_questions, which plans one report of a survey.")
    else:
        rows = rows_by_number_drawn(design, n_questions, asked, n, half_width, options)
    return SharePlan(design, asked, n, half_width, options, tuple(rows), forever, n_questions)
