"""What wishes take, as a table and in sentences; and whether a total epsilon is enough."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from sotto_estimator.planning.precision_goals import PrecisionGoal
from sotto_estimator.planning.split import Shortfall, SplitVerdict, sum_of_most
from sotto_estimator.planning.survey import PlannedSurvey
from sotto_estimator.results.document import Column, Table
from sotto_estimator.views.plan_help_words import say_suspicion
from sotto_estimator.views.plan_words import amount
from sotto_protocol.documents import decimal_text


def wish_table(wishes: Sequence[PrecisionGoal]) -> Table:
    """Return what is wished, and what it takes."""
    is_planned = any(wish.width is not None for wish in wishes)
    names = ["wanted", "epsilon", "respondents", *["half-width", "least epsilon", "planned epsilon"] * is_planned]
    rows = [[*_asked(wish), *(_planned(wish) if is_planned else [])] for wish in wishes]
    return Table([Column("question"), *(Column(name, "word") for name in names)], rows)


def _asked(wish: PrecisionGoal) -> list[str]:
    respondents = "never" if wish.respondents is None else f"{wish.respondents:,}"
    epsilon = decimal_text(wish.question.epsilon)
    return [wish.question.id, amount(wish.want, wish.question), epsilon, respondents]


def _planned(wish: PrecisionGoal) -> list[str]:
    width = "-" if wish.width is None else amount(wish.width, wish.question)
    return [width, *("-" if one is None else decimal_text(one) for one in (wish.least_epsilon, wish.epsilon))]


def say_respondents(wishes: Sequence[PrecisionGoal]) -> str:
    """Return how many respondents meet all wishes at the present epsilons."""
    if any(wish.respondents is None for wish in wishes):
        return "No number of respondents, up to 10^12, is enough for all of it at these epsilons."
    most = max(wish.respondents or 0 for wish in wishes)
    return f"{most:,} respondents are enough for all of it at these epsilons."


def verdict_lines(verdict: SplitVerdict, wishes: Sequence[PrecisionGoal], plan: PlannedSurvey) -> list[str]:
    """Return whether the wishes are met by a total epsilon, by which, and what would be where they are not."""
    return [*_verdict(verdict, wishes, plan), *_kept(wishes)]


def _verdict(verdict: SplitVerdict, wishes: Sequence[PrecisionGoal], plan: PlannedSurvey) -> Iterator[str]:
    split, total = verdict.split, decimal_text(verdict.total)
    if split is None or split.total is None:
        yield from _unreachable(verdict, wishes, plan)
        return
    taken = f"a total epsilon of {decimal_text(split.total)}{_drawn(split.n_drawn, plan)}"
    if verdict.shortfall is None:
        left = verdict.total - split.total
        rest = f", which leaves {decimal_text(left)} of {total}" if left else ""
        yield f"All of it takes {taken}{rest}. {say_suspicion(plan.survey.epsilon, split.total)}."
        if split is not verdict.as_asked:
            as_asked = verdict.as_asked.total
            needed = "no epsilon up to 20 is enough" if as_asked is None else f"it takes {decimal_text(as_asked)}"
            yield f"With as many questions for each device as now ({plan.survey.n_drawn}), {needed}."
        return
    yield f"A total epsilon of {total} is not enough. The least is {taken}."
    yield from _shortfall(verdict.shortfall, plan)


def _kept(wishes: Sequence[PrecisionGoal]) -> Iterator[str]:
    """Say which questions keep their noise, as it is not their epsilon that says it."""
    if kept := [wish.question.id for wish in wishes if not wish.is_free]:
        yield f"Not changed, because no epsilon in the file sets its noise: {', '.join(kept)}."


def _shortfall(shortfall: Shortfall, plan: PlannedSurvey) -> Iterator[str]:
    total = sum_of_most(shortfall.epsilons, shortfall.n_drawn)
    widths = ", ".join(
        f"{one.question.id} +- {amount(width, one.question)} (epsilon {decimal_text(epsilon)})"
        for one, width, epsilon in zip(plan.questions, shortfall.widths, shortfall.epsilons, strict=True)
        if one.want is not None
    )
    kept = ", ".join(
        f"{one.question.id} {decimal_text(epsilon)}"
        for one, epsilon in zip(plan.questions, shortfall.epsilons, strict=True)
        if one.want is None
    )
    of_kept = f"; with no precision wanted, at the epsilon of the file: {kept}" if kept else ""
    yield f"An epsilon of {decimal_text(total)} gives{_drawn(shortfall.n_drawn, plan)}: {widths}{of_kept}."
    if shortfall.n is not None:
        yield f"With {shortfall.n:,} respondents, these epsilons are enough for all of it."


def _unreachable(verdict: SplitVerdict, wishes: Sequence[PrecisionGoal], plan: PlannedSurvey) -> Iterator[str]:
    found = zip(plan.questions, verdict.as_asked.epsilons, strict=True)
    missing = [one.question for one, epsilon in found if epsilon is None]
    held = [one for one in missing if one.epsilon_forever > one.epsilon]
    yield (
        f"{plan.n:,} respondents are too few at any epsilon{' below epsilon_forever' * bool(held)}, however many "
        f"questions are drawn: {', '.join(one.id for one in missing)}. {say_respondents(wishes)}"
    )
    if held:
        forever = ", ".join(f"{decimal_text(one.epsilon_forever)} for {one.id}" for one in held)
        yield f"epsilon_forever stays as in the file: {forever}. A larger one may be enough."


def _drawn(n_drawn: int, plan: PlannedSurvey) -> str:
    if n_drawn == plan.survey.n_drawn:
        return ""
    if n_drawn == len(plan.questions):
        return f" with all {n_drawn} questions asked"
    return f" with draw = {n_drawn} of the {len(plan.questions)} questions"


def wish_members(wish: PrecisionGoal) -> dict[str, Any]:
    """Return what a wish takes, by name, for programs."""
    return {
        "question": wish.question.id,
        "want": wish.want,
        "width": wish.width,
        "respondents_needed": wish.respondents,
        "least_epsilon": _number(wish.least_epsilon),
        "planned_epsilon": _number(wish.epsilon),
    }


def verdict_members(verdict: SplitVerdict) -> dict[str, Any]:
    """Return a verdict, by name, for programs."""
    split, shortfall = verdict.split, verdict.shortfall
    return {
        "total_epsilon": float(verdict.total),
        "is_reachable": verdict.is_reachable,
        "least_total": _number(split.total if split else None),
        "least_total_as_asked": _number(verdict.as_asked.total),
        "draw": split.n_drawn if split else None,
        "draw_within_total": shortfall.n_drawn if shortfall else None,
        "respondents_needed": shortfall.n if shortfall else None,
        "widths_within_total": list(shortfall.widths) if shortfall else None,
        "epsilons_within_total": [float(epsilon) for epsilon in shortfall.epsilons] if shortfall else None,
    }


def _number(epsilon: Decimal | None) -> float | None:
    return None if epsilon is None else float(epsilon)
