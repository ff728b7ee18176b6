"""Groups of people beside one another: in which an answer is more common, or a mean larger, as far as is sure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sotto_estimator.inference.marginal import counted_of, estimated_of
from sotto_estimator.inference.registry import figure_of, is_text, scores_of
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.of_tally import intervals_together
from sotto_estimator.shares.verdict.order import Order, ShareInterval, order_of
from sotto_protocol import Question, Tally


@dataclass(frozen=True, slots=True)
class Comparison:
    """Groups in the order of one answer's share, or of the mean: by intervals of all groups that hold together.

    `kind`: of the figure, as `score`; an option may be called as the mean is.
    """

    question: str
    answer: str
    order: Order
    kind: str = "share"


def order_groups(
    tallies: Mapping[str, Tally],
    options: IntervalOptions,
    contradicting: Collection[tuple[str, str]] = (),
    n_groups: int | None = None,
) -> tuple[Comparison, ...]:
    """Return the comparisons of two groups or more, by their names: one of each answer, and of each mean.

    `contradicting`: the groups, each with a question, whose counts contradict the design: they are not compared.

    Those of one question hold all together at the level; where all intervals do, those of the survey, of `n_groups`
    groups: None for as many as there are tallies.
    """
    survey = next(iter(tallies.values())).survey
    shown = [question for question in estimated_of(survey) if not is_text(question)]
    held = {
        question: {name: tally for name, tally in tallies.items() if (name, question.id) not in contradicting}
        for question in shown
    }
    n_together = (n_groups or len(tallies)) if options.simultaneous else None
    return tuple(found for question in shown for found in _compare(question, held[question], options, n_together))


def _compare(
    question: Question, tallies: Mapping[str, Tally], options: IntervalOptions, n_together: int | None
) -> list[Comparison]:
    """Return the comparisons of a question; `n_together`: None for as many groups as have reports to it."""
    counted = {name: tally for name, tally in tallies.items() if counted_of(tally, question).n_reports}
    n_groups = n_together or len(counted)
    spans: dict[tuple[str, str], list[ShareInterval]] = {}
    kinds = [*["score"] * bool(scores_of(question)), figure_of(question)]
    for kind in kinds:
        for name, tally in counted.items():
            for answer, ends in intervals_together(tally, question, options, n_groups, kind).items():
                spans.setdefault((answer, kind), []).append(ShareInterval(name, *ends))
    return [
        Comparison(question.id, answer, order_of(listed), kind)
        for (answer, kind), listed in spans.items()
        if len(listed) > 1
    ]
