"""How a kind of figure is shown: a row a kind, which the views of all estimates ask."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sotto_estimator.inference.registry import FIGURES, loaded
from sotto_estimator.results.document import Block
from sotto_estimator.results.figure import Panel
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.estimates import Estimates

Drawn = tuple[Sequence[str], Sequence[Panel]]
"""Lines to be said over a picture, and panels."""


def _nothing(*_: Any) -> Any:
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureView:
    """What is shown of the figures of one kind; all but `member` and `members` may be nothing.

    `member`: what they are called in JSON; `members`: of each of them. `records`: their rows of CSV. `lead`: lines
    before all tables; `blocks`: their table, and what is said under it; `remarks`: lines below all numbers, in groups
    too; `made`: of groups how intervals are made. `words(estimates, figure)`: the cells of an estimate, its error, and
    its interval's ends. `panels`: a picture of them; `group_panels`: of those of several groups. `technical(estimates,
    question)`: lines on one question for who knows statistics.
    """

    member: str
    members: Callable[[Estimates], list[dict[str, Any]]]
    records: Callable[[Estimates], list[dict[str, Any]]] = _nothing
    lead: Callable[[Estimates], list[str]] = _nothing
    blocks: Callable[[Estimates], Sequence[Block]] = _nothing
    remarks: Callable[[Estimates], list[str]] = _nothing
    made: Callable[[Estimates], list[str]] = _nothing
    words: Callable[[Estimates, Any], Sequence[str | None]] = _nothing
    panels: Callable[[Estimates], Drawn] = lambda _: ([], [])
    group_panels: Callable[[SideBySide], Drawn] = lambda _: ([], [])
    technical: Callable[[Estimates, str], list[str]] = _nothing


def views_of(*several: Estimates) -> Iterator[FigureView]:
    """Yield the views of the kinds of figures that estimates have, in the order of `FIGURES`."""
    kinds = {kind for estimates in several for kind in estimates.kinds}
    return (view_of_kind(kind) for kind in FIGURES if kind in kinds)


def view_of_kind(kind: str) -> FigureView:
    """Return how a kind of figure is shown."""
    view: FigureView = loaded(FIGURES[kind].view)
    return view


def drawn(parts: Sequence[Drawn]) -> Drawn:
    """Return one picture of several: what is said of the first last."""
    said = [line for lines, _ in reversed(parts) for line in lines]
    return said, [panel for _, panels in parts for panel in panels]
