"""What it changes to ask questions together, in sentences, and as members for programs."""

from collections.abc import Iterator, Sequence
from typing import Any

from sotto_estimator.planning.together_plan import TogetherPlan
from sotto_estimator.results.document import ITEM
from sotto_estimator.views.plan_words import within
from sotto_protocol.documents import decimal_text


def together_lines(one: TogetherPlan) -> list[str]:
    """Return what each question would show, and a combination of answers, as lines of prose."""
    return [*_figures(one), _verdict(one)]


def together_hint(ids: Sequence[str]) -> str:
    """Return how an author learns whether to ask questions together."""
    names = " and ".join(ids)
    return f"What if {names} were asked together? --together {','.join(ids)} says how precise each would be."


def _figures(one: TogetherPlan) -> Iterator[str]:
    names = " and ".join(now.question.id for now in one.apart)
    yield f"{names}, asked together at epsilon {decimal_text(one.epsilon)}, which they take now too:"
    for then, now in zip(one.together, one.apart, strict=True):
        yield f"{ITEM}{then.question.id}: {within(then.width, then.question)}, now {within(now.width, now.question)}"
    noise = f"{one.noise_ratio:.2g} times" if one.noise_ratio < 100 else f"{one.noise_ratio:.0f} times"
    combination = within(one.combination.width, one.combination.question)
    yield f"{ITEM}each combination of answers: {combination}. Now its noise has {noise} the variance"


def _verdict(one: TogetherPlan) -> str:
    if not one.wider:
        return "Ask them together: every question gets more precise, and you learn how the answers go together."
    names = " and ".join(one.wider)
    return (
        f"Ask them together only if you want to know how the answers go together. Otherwise ask separately: {names} "
        f"{'gets' if len(one.wider) == 1 else 'get'} less precise."
    )


def together_members(one: TogetherPlan) -> dict[str, Any]:
    """Return the same by name, for programs."""
    return {
        "questions": [now.question.id for now in one.apart],
        "epsilon": float(one.epsilon),
        "widths": [then.width for then in one.together],
        "widths_now": [now.width for now in one.apart],
        "width_of_combination": one.combination.width,
        "noise_ratio": one.noise_ratio,
        "wider": one.wider,
    }
