"""The plan of one text question, by its epsilon."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sotto_estimator.results.result import Result
from sotto_estimator.strings.plan import POWER, TextPlanRow, TextStudy, plan_text_question


@dataclass(frozen=True, slots=True)
class TextPlan(Result):
    """Designs of a text question, epsilon by epsilon, the best of each first; of the smallest share each detects."""

    study: TextStudy
    rows: tuple[TextPlanRow, ...]
    title: str = ""

    def __str__(self) -> str:
        """Return one line: of how many reports and candidates."""
        of = self.study
        return f"{self.title or 'Plan'}: text question, n = {of.n_reports:,}, {of.n_candidates:,} candidates"


def plan_texts(
    epsilons: Sequence[float | Decimal],
    n: int,
    n_candidates: int,
    *,
    power: float = POWER,
    epsilon_forever: float | Decimal | None = None,
    n_bits: int | None = None,
    n_hashes: int | None = None,
    n_cohorts: int | None = None,
) -> TextPlan:
    """Return the smallest share that n reports detect among `n_candidates` candidates, by each design.

    `power` is the probability of detecting it. Bits, hashes and cohorts that are None are chosen. Raises DomainError,
    or ValueError for a design that cannot be.
    """
    study = TextStudy(n, n_candidates, power)
    forever = None if epsilon_forever is None else Decimal(str(epsilon_forever))
    rows = [
        row
        for epsilon in epsilons
        for row in plan_text_question(
            Decimal(str(epsilon)), forever, study, n_bits=n_bits, n_hashes=n_hashes, n_cohorts=n_cohorts
        )
    ]
    return TextPlan(study, tuple(rows))
