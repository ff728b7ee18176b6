"""What the smallest stratum will show, in words."""

from collections.abc import Sequence

from sotto_estimator.inference.registry import is_text
from sotto_estimator.planning.outlook import size_of
from sotto_estimator.planning.strata_plan import BETWEEN, StratumPlan
from sotto_estimator.planning.survey import HOPELESS, PlannedSurvey
from sotto_estimator.results.document import Block, Column, Lines, Table
from sotto_estimator.views.plan_table import width_words
from sotto_estimator.views.plan_words import amount, points

_HIDDEN = "hidden"
_NOTHING = "tells nothing"
_NOTHING_MEANS = f"{_NOTHING}: with so few people any result stays possible"
_VERDICTS = {"good": "good", "rough": "rough", "useless": "too imprecise to use", "hidden": _HIDDEN}


def strata_blocks(strata: Sequence[StratumPlan], plan: PlannedSurvey) -> list[Block]:
    """Return the half-widths of each question in the smallest stratum, by itself and pooled; nothing without strata."""
    if not strata:
        return []
    n_strata, n = plan.survey.n_strata, strata[0].n
    lead = f"The smallest of {n_strata} strata has {n:,} people. The others have {_others(n, plan):,} each."
    columns = [Column("question"), *(Column(name, "word") for name in ("n", "alone", "pooled")), Column("verdict")]
    rows = [[one.question, f"{one.n_answers:,}", *strata_cells(one, plan), _VERDICTS[one.verdict]] for one in strata]
    nothing = [_NOTHING_MEANS] * any(_NOTHING in row for row in rows)
    hidden = [_hidden_means(plan)] * any(one.verdict == "hidden" for one in strata)
    return [Lines([lead], ""), Table(columns, rows), Lines([*hidden, *nothing, *strata_lines(strata)])]


def _hidden_means(plan: PlannedSurvey) -> str:
    """Return why nothing of a stratum is shown."""
    least = f"min_reports {plan.survey.min_reports:,}"
    return f"{_HIDDEN}: nothing is shown of a stratum from which too few reports come ({least})"


def strata_cells(one: StratumPlan, plan: PlannedSurvey) -> list[str]:
    """Return how precise a question is in the smallest stratum: by itself, and pooled."""
    question = next(row.question for _, row in plan.rows if row.question.id == one.question)
    if one.alone is None:
        return [_HIDDEN, "-"]
    if is_text(question):
        return ["finds nothing" if one.alone >= 1 else f"finds {width_words(one.alone)} or more", "-"]
    most = HOPELESS * size_of(question)
    alone, pooled = (
        "-" if width is None else f"± {amount(width, question)}" if width < most else _NOTHING
        for width in (one.alone, one.pooled)
    )
    return [alone, pooled]


def strata_lines(strata: Sequence[StratumPlan]) -> list[str]:
    """Return what the pooled half-widths are worth, where there are any."""
    if all(one.pooled is None for one in strata):
        return []
    spread = f"{points(BETWEEN)} between strata (standard deviation); means by as much of their range"
    return [
        "pooled: approximate, as `sotto estimate --by-stratum --pooled` estimates",
        f"assumed: true shares vary by {spread}",
    ]


def _others(n: int, plan: PlannedSurvey) -> int:
    return (plan.n - n) // (plan.survey.n_strata - 1)
