"""Ways to ask in waves as a table and sentences, and as members for programs."""

from collections.abc import Iterator, Sequence
from typing import Any

from sotto_estimator.planning.waves_plan import ONCE, WavesPlan, WaveWay
from sotto_estimator.results.document import Block, Column, Lines, Table
from sotto_estimator.views.plan_words import within
from sotto_protocol.documents import decimal_text
from sotto_protocol.words import epsilon_above

_COLUMNS = [
    *map(Column, ("question", "way", "epsilon")),
    *(Column(name, "word") for name in ("n a wave", "one wave", "all waves", "a change")),
]


def waves_blocks(plans: Sequence[WavesPlan], n_waves: int) -> list[Block]:
    """Return what each way shows, and which to take; nothing where there are none."""
    if not plans:
        return []
    rows = [_cells(plan, way, is_first=not place) for plan in plans for place, way in enumerate(plan.ways)]
    return [Lines([_caption(n_waves)], ""), Table(_COLUMNS, rows), Lines([*_advice(plans, n_waves)], "  ")]


def _caption(n_waves: int) -> str:
    return (
        f"Ways to ask in {n_waves} waves at the same epsilon in all; half-widths about the population, of one wave, of "
        "all waves pooled, and of the difference between two waves"
    )


def _cells(plan: WavesPlan, way: WaveWay, *, is_first: bool) -> list[str]:
    question = way.question
    widths = (way.width_of_wave, way.width_of_pooled, way.width_of_change)
    name = plan.question.id if is_first else ""
    known = [name, way.name, epsilon_above(way.epsilon), f"{way.n_answers:,}"]
    return [*known, *(within(width, question) for width in widths)]


def _advice(plans: Sequence[WavesPlan], n_waves: int) -> Iterator[str]:
    for plan in plans:
        yield (
            f"{plan.question.id}: one person tells epsilon {epsilon_above(plan.total)} in all. With kept noise this is "
            f"so if the answer stays the same. If it changes in every wave, it is up to "
            f"{epsilon_above(plan.most_if_changing)}."
        )
        if plan.gain is not None:
            yield (
                f"If answers change, write {ONCE} and epsilon = {decimal_text(plan.total)}. Then a change "
                f"between two waves is known {plan.gain:.2g} times as precisely."
            )


def waves_members(plan: WavesPlan) -> dict[str, Any]:
    """Return the same of one question by name, for programs."""
    return {
        "question": plan.question.id,
        "epsilon_in_all": float(plan.total),
        "epsilon_if_changing": float(plan.most_if_changing),
        "ways": [
            {
                "way": way.name,
                "epsilon": float(way.epsilon),
                "n_answers": way.n_answers,
                "width_of_wave": way.width_of_wave,
                "width_of_pooled": way.width_of_pooled,
                "width_of_change": way.width_of_change,
            }
            for way in plan.ways
        ],
    }
