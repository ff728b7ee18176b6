"""How a kind of figure stands on the results page: a row a kind, which the page's sections ask."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sotto_estimator.inference.registry import FIGURES, figure_of, loaded
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.results.axis import Axis
from sotto_estimator.results.drawing import Drawing
from sotto_protocol import Question, Tally
from sotto_protocol.language import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class FigurePage:
    """What the page needs to know of a kind of figure.

    `template`: it has the macros `tables(section, key)` of one question, and `group_rows(one)` of one with all groups
    beside one another. `chart`: what its chart is called in addresses. `labels(question, options, say)`: how answers
    are shown, by answer, of `options` as they are read; `has_names`: whether there are several, so that each is named.
    `heading(say)`, `unbiased(say)`: what a column of its numbers is called. `draw(title, figures, more, say, unit)`:
    its chart, with what stands beside the figures; `draw_groups(title, named, say, unit)`: of several groups' figures,
    each with its group's name. `series(question, tallies, figures, options, n_intervals)`: its `WaveSeries`;
    `write(number, point, say)`: a number of one of their points; `axis`, `tick`: theirs. `is_marked`: whether a figure,
    or a point, is shown as not possible. `shows_undecided`: whether its chart is of use where estimates are not named.
    """

    template: str
    chart: str
    labels: Callable[[Question, Sequence[str], Language], dict[str, str]]
    heading: Callable[[Language], str]
    unbiased: Callable[[Language], str]
    draw: Callable[[str, Sequence[Any], Sequence[Any], Language, str], Drawing]
    draw_groups: Callable[[str, Sequence[tuple[str, Any]], Language, str], Drawing]
    series: Callable[[Question, Mapping[int, Tally], Sequence[Any], IntervalOptions, int], tuple[Any, ...]]
    write: Callable[[float, Any, Language], str]
    axis: Callable[[Sequence[float]], Axis]
    tick: Callable[[float, Language], str]
    is_marked: Callable[[Any], bool]
    has_names: bool = False
    shows_undecided: bool = False


def page_of_kind(kind: str) -> FigurePage | None:
    """Return how a kind of figure stands on the page; None of strings."""
    part: FigurePage | None = loaded(FIGURES[kind].page) if FIGURES[kind].page else None
    return part


def page_of(question: Question) -> FigurePage | None:
    """Return how a question's figures stand on the page; None of text."""
    return page_of_kind(figure_of(question))


def charts() -> Iterator[str]:
    """Yield the names of all kinds' charts, and of the one over the waves."""
    yield from (part.chart for part in map(page_of_kind, FIGURES) if part)
    yield "waves"
