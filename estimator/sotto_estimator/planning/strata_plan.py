"""What the smallest stratum of a survey will show: by itself, and pooled with the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sotto_estimator.errors import DomainError
from sotto_estimator.inference.registry import is_text
from sotto_estimator.intervals.pooled_groups import LEAST_GROUPS, pool
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import outlook_of, size_of, width_of
from sotto_estimator.planning.survey import PlannedSurvey, Worth, answers_of, part_asked
from sotto_protocol.minimum import needs_of

BETWEEN = 0.1
"""The standard deviation of true values between strata that is planned for, as a part of all there is to learn."""
_N_CROWDS = 15
"""So many made-up crowds, always the same: their median width has an error of a few per cent."""


@dataclass(frozen=True, slots=True)
class StratumPlan:
    """What one question shows in the smallest stratum, of `n` people, and of `n_answers` to this question.

    `alone`: the half-width by itself; of a text question the smallest share that is found. `pooled`: the approximate
    half-width with `--pooled`; None of a text question, and of fewer than LEAST_GROUPS strata. `verdict`: what `alone`
    is worth. "hidden": fewer reports are expected than the stratum needs to be shown, and no width is known.
    """

    question: str
    n: int
    n_answers: int
    alone: float | None
    pooled: float | None
    verdict: Worth | Literal["hidden"]


def plan_strata(planned: PlannedSurvey, smallest: int | None = None) -> tuple[StratumPlan, ...]:
    """Return what each question shows in the smallest stratum, of `smallest` people; () of a survey without strata.

    The other strata are as large as one another; so are all, where `smallest` is None. Raises `DomainError` unless
    `smallest` is in [1, n / strata].
    """
    survey, n_strata = planned.survey, planned.survey.n_strata
    most = max(1, planned.n // n_strata)
    if not survey.strata:
        if smallest is not None:
            raise DomainError("smallest goes with a survey that has strata.")
        return ()
    smallest = most if smallest is None else smallest
    if not 1 <= smallest <= most:
        raise DomainError(f"smallest ({smallest}) must be in [1, {most}]: {planned.n} people are in {n_strata} strata.")
    others = (planned.n - smallest) // (n_strata - 1)
    known: dict[tuple[float, float], float] = {}
    needs, part = [*needs_of(survey).values()], part_asked(survey)
    plans = []
    for index, one in planned.rows:
        question = one.question
        n_answers, n_others = (answers_of(question, n, part) for n in (smallest, max(1, others)))
        if survey.min_reports > 1 and smallest * part < needs[index].least:
            plans.append(StratumPlan(question.id, smallest, n_answers, None, None, "hidden"))
            continue
        alone, pooled = width_of(question, n_answers, planned.options), None
        if not is_text(question) and n_strata >= LEAST_GROUPS:
            outlook, size = outlook_of(question), size_of(question)
            own, rest = (outlook.error(n, planned.options, planned.options.about) / size for n in (n_answers, n_others))
            if (own, rest) not in known:
                known[own, rest] = pooled_width([own, *[rest] * (n_strata - 1)], planned.options)
            pooled = size * known[own, rest]
        plans.append(StratumPlan(question.id, smallest, n_answers, alone, pooled, one.worth(alone)))
    return tuple(plans)


def pooled_width(errors: Sequence[float], options: PlanOptions) -> float:
    """Return the median half-width of the first stratum's pooled interval, as a part of all there is to learn.

    `errors`: the standard errors of the strata by themselves. The true values are normal around the expected share.
    """
    draw, widths = np.random.default_rng(1), []
    for _ in range(_N_CROWDS):
        true = draw.normal(options.share, BETWEEN, len(errors)).clip(0, 1)
        found = pool(draw.normal(true, errors), np.array(errors), options.level)
        widths.append(float(np.diff(np.clip([found.low[0], found.high[0]], 0, 1))[0]) / 2)
    return float(np.median(widths))
