"""How a kind of figure is read in any language: a row a kind, which the questions' sections ask."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sotto_estimator.inference.registry import FIGURES, figure_of, loaded
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.results.axis import Axis
from sotto_estimator.results.document import Said, Table
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.results.percents import OUTSIDE
from sotto_protocol import Question, Tally
from sotto_protocol.language import Language


def _nothing(*_: Any) -> Any:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureSection:
    """What is read of a kind of figure.

    `chart`: what its chart is called in addresses. `labels(question, options, say)`: how answers are shown, by answer,
    of `options` as they are read; `has_names`: whether there are several, so that each is named. `caption(say)`: what a
    table of them is called; `heading(say)`, `unbiased(say)`: a column of them. `write(number, figure, say)`: one of its
    numbers; `shift(number, say)`: what fakes add to it, in columns of the names `fakes(say)`. `is_marked`: whether a
    figure, or a wave's, is shown as not possible. `consistent(figure)`: the closest possible number, None where it was
    not asked for, and its error, None where it is not known. `more(figures, question, unit, say)`: tables of what
    stands beside the figures. `draw(title, figures, more, say, unit)`: its chart; `draw_groups(title, named, say,
    unit)`: of several groups' figures, each with its group's name. `series(question, tallies, figures, options,
    n_intervals)`: its `WaveSeries`, with their `axis` and `tick`. `shows_undecided`: whether its chart is of use where
    estimates are not named.
    """

    chart: str
    labels: Callable[[Question, Sequence[str], Language], dict[str, str]]
    caption: Callable[[Language], str]
    heading: Callable[[Language], str]
    unbiased: Callable[[Language], str]
    write: Callable[[float, Any, Language], str]
    draw: Callable[[str, Sequence[Any], Sequence[Any], Language, str], Drawing]
    draw_groups: Callable[[str, Sequence[tuple[str, Any]], Language, str], Drawing]
    series: Callable[[Question, Mapping[int, Tally], Sequence[Any], IntervalOptions, int], tuple[Any, ...]]
    axis: Callable[[Sequence[float]], Axis]
    tick: Callable[[float, Language], str]
    is_marked: Callable[[Any], bool]
    fakes: Callable[[Language], Sequence[str]] = _nothing
    shift: Callable[[float, Language], str] = _nothing
    consistent: Callable[[Any], tuple[float | None, float | None]] = lambda _: (None, None)
    more: Callable[[Sequence[Any], str, str, Language], Sequence[Table]] = _nothing
    has_names: bool = False
    shows_undecided: bool = False

    def cells(self, figure: Any, say: Language, *, has_interval: bool) -> list[Said | str]:
        """Return a figure's value, marked where it is not possible, and the ends of its interval, where it has one."""
        value = f"{OUTSIDE * self.is_marked(figure)}{self.write(figure.value, figure, say)}"
        ends = [Said(self.write(end, figure, say), end) if has_interval else "–" for end in (figure.low, figure.high)]
        return [Said(value, figure.value), *ends]

    def error(self, figure: Any, say: Language) -> Said:
        """Return a figure's standard error."""
        return Said(self.write(figure.standard_error, figure, say), figure.standard_error)

    def shifts(self, figure: Any, say: Language) -> list[Said]:
        """Return what each 1 % of fakes adds to a figure, at most, and how much it takes."""
        found = (figure.shift_up, figure.shift_down) if self.fakes(say) else ()
        return [Said(self.shift(number, say), number) for number in found]


def section_of_kind(kind: str) -> FigureSection | None:
    """Return how a kind of figure is read; None of strings."""
    part: FigureSection | None = loaded(FIGURES[kind].section) if FIGURES[kind].section else None
    return part


def section_of(question: Question) -> FigureSection | None:
    """Return how a question's figures are read; None of text."""
    return section_of_kind(figure_of(question))


OVER_WAVES = ("trend", "waves")
"""The charts over the waves: of a mean score, and of a question's own figures."""


def charts() -> Iterator[str]:
    """Yield the names of all kinds' charts, of those over the waves, and of pooled groups."""
    yield from (part.chart for part in map(section_of_kind, FIGURES) if part)
    yield from (*OVER_WAVES, "pooled")


def with_sign(digits: str, write: Callable[[str], str]) -> str:
    """Return signed digits in a language; a zero has no sign."""
    if not digits.strip("+-0."):
        return write(digits[1:])
    return f"+{write(digits[1:])}" if digits[0] == "+" else write(digits)
