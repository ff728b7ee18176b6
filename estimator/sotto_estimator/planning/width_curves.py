"""Curves of half-widths: against the respondents, epsilon, or the number of options; their points, and as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, get_args

from sotto_estimator.channel.channel import MAX_N
from sotto_estimator.errors import DomainError
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.spacing import decimal_steps, whole_steps
from sotto_estimator.planning.table import PlanRow, QuestionShape, plan_rows
from sotto_estimator.planning.widths import USUAL

Against = Literal["n", "epsilon", "options"]
AGAINST: tuple[Against, ...] = get_args(Against)
_REACH = 10


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of a curve: the half-width of the mechanism that `auto` takes, None its epsilon without privacy.

    `n_options`: of a one-of or any-of question; 0 of yes-no.
    """

    epsilon: float | None
    n_options: int
    mechanism: str
    n_reports: int
    half_width: float

    def at(self, against: Against) -> float:
        """Return where it lies on the axis."""
        return {"n": self.n_reports, "epsilon": self.epsilon or 0, "options": self.n_options}[against]


def curve_points(
    against: Against,
    design: QuestionShape,
    epsilons: Sequence[Decimal],
    n: int | None,
    wanted: float | None,
    options: PlanOptions = USUAL,
) -> list[CurvePoint]:
    """Return the points of all curves, curve by curve, as `auto` asks the question.

    Against n: a curve of every epsilon and one without privacy, from a tenth of n, or of what reaches the wanted
    half-width, to ten times that. Against epsilon, of n respondents: one curve, from the least epsilon to the most.
    Against options, of n: a curve of every epsilon, from two options to those of the design. Raises `DomainError`.
    """
    if against == "n":
        sizes = (
            [n] if n else [row.n_reports for row in _asked(plan_rows(design, epsilons, None, wanted, options=options))]
        )
        steps = whole_steps(max(1, min(sizes) / _REACH), min(max(sizes) * _REACH, MAX_N))
        curves = [[_point(design, epsilon, size, options) for size in steps] for epsilon in epsilons]
        clear = [plan_rows(design, epsilons[:1], size, None, options=options)[-1] for size in steps]
        return [*(point for curve in curves for point in curve), *(_of_row(design, row) for row in clear)]
    if n is None:
        raise DomainError(f"--against {against} needs --n, the number of respondents.")
    if against == "epsilon":
        if len(epsilons) < 2:
            raise DomainError("--against epsilon needs --epsilon twice, for both ends of the curve.")
        return [_point(design, epsilon, n, options) for epsilon in decimal_steps(min(epsilons), max(epsilons))]
    if design.n_options < 3 or design.max_selected:
        raise DomainError("--against options needs a one-of question with --options 3 or more.")
    return [
        _point(QuestionShape(size), epsilon, n, options)
        for epsilon in epsilons
        for size in whole_steps(2, design.n_options)
    ]


def _point(design: QuestionShape, epsilon: Decimal, n: int, options: PlanOptions) -> CurvePoint:
    return _of_row(design, _asked(plan_rows(design, [epsilon], n, None, options=options))[0])


def _asked(rows: Sequence[PlanRow]) -> list[PlanRow]:
    """Return of every epsilon the row of the mechanism that a survey file takes by itself."""
    taken = [row for row in rows if row.is_auto]
    return taken or [row for row in rows if row.mechanism == "warner"]


def _of_row(design: QuestionShape, row: PlanRow) -> CurvePoint:
    return CurvePoint(row.epsilon, design.n_options, row.mechanism, row.n_reports, row.half_width)


def curve_lines(points: Sequence[CurvePoint], against: Against) -> dict[str, list[tuple[float, float]]]:
    """Return the points (x, half-width) of every curve, by what a legend calls it."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for point in points:
        name = "no privacy" if point.epsilon is None else f"epsilon {point.epsilon:g}"
        key = f"n = {point.n_reports:,}" if against == "epsilon" else name
        lines.setdefault(key, []).append((point.at(against), point.half_width))
    return lines
