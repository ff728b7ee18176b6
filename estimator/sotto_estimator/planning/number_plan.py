"""The plan of one question for numbers, by its epsilon."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.asked import check_size, exact, exact_one, size_words
from sotto_estimator.planning.numbers import NumberPlanRow, NumberStudy, number_rows
from sotto_estimator.results.result import Result
from sotto_protocol.documents import Fields
from sotto_protocol.errors import SurveyError
from sotto_protocol.questions.number import Number


@dataclass(frozen=True, slots=True)
class NumberPlan(Result):
    """How precise a mean is by each mechanism, in its unit, epsilon by epsilon. The rest is as of `SharePlan`."""

    study: NumberStudy
    n: int | None
    half_width: float | None
    options: IntervalOptions
    rows: tuple[NumberPlanRow, ...]
    epsilon_forever: Decimal | None = None
    title: str = ""

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest number that can be answered."""
        return float(self.study.kind.minimum), float(self.study.kind.maximum)

    def __str__(self) -> str:
        """Return one line: which numbers are planned, and for how many or for which half-width."""
        low, high = self.ends
        return f"{self.title or 'Plan'}: numbers from {low:g} to {high:g}, {size_words(self.n, self.half_width)}"


def plan_numbers(
    epsilons: Sequence[float | Decimal],
    minimum: float | Decimal,
    maximum: float | Decimal,
    *,
    n: int | None = None,
    half_width: float | None = None,
    step: float | Decimal = 1,
    deviation: float | None = None,
    epsilon_forever: float | Decimal | None = None,
    options: IntervalOptions | None = None,
) -> NumberPlan:
    """Return how precise the mean of n respondents' numbers is, or how many respondents give a half-width.

    The half-width is in the unit of the numbers. `step` lies between two possible answers. `deviation` is the expected
    standard deviation between people, by default a quarter of the range. Raises DomainError.
    """
    check_size(n, half_width)
    study, options, asked = (
        number_study(minimum, maximum, step, deviation),
        options or IntervalOptions(),
        exact(epsilons),
    )
    forever = None if epsilon_forever is None else exact_one(epsilon_forever)
    rows = number_rows(study, asked, n, half_width, options, forever)
    return NumberPlan(study, n, half_width, options, tuple(rows), forever)


def number_study(
    minimum: float | Decimal, maximum: float | Decimal, step: float | Decimal, deviation: float | None
) -> NumberStudy:
    """Return numbers of a range, and how they are expected to differ. Raises DomainError."""
    given = {"minimum": exact_one(minimum), "maximum": exact_one(maximum), "step": exact_one(step)}
    try:
        kind = Number.read(Fields(given, "-", SurveyError))
    except SurveyError as fault:
        raise DomainError(str(fault).replace("-.", "", 1)) from None
    size = float(kind.maximum) - float(kind.minimum)
    study = NumberStudy(kind, size / 4 if deviation is None else deviation)
    if not 0 < 2 * study.deviation <= size:
        raise DomainError(f"deviation ({deviation}) must be at most half of the range: no numbers of it differ more.")
    return study
