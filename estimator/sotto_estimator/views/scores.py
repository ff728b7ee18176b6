"""Mean scores: for people, as members for programs, and as pictures."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sotto_estimator.results.document import Cell, Column, Lines, Table
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.percents import OUTSIDE
from sotto_estimator.results.words import NO_INTERVAL
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.scores import ScoreMean, VoidedScore
from sotto_estimator.views.figure_view import Drawn, FigureView
from sotto_estimator.views.numbers import value_words

_COLUMNS = [Column(name, "number") for name in ("std. error", "low", "high", "fakes high", "fakes low")]


def score_table(found: Sequence[ScoreMean | VoidedScore]) -> Table:
    """Return a row a question whose options have scores."""
    columns = [Column("question"), Column("score"), Column("n", "count"), Column("mean", "estimate"), *_COLUMNS]
    rows = []
    for of in found:
        cells: list[Cell] = [of.question, of.answer, of.n_reports]
        rows.append([*cells, *(_cells(of) if isinstance(of, ScoreMean) else [None] * 6), _scale_words(of)])
    return Table([*columns, Column("scale", "word")], rows)


def group_score_table(groups: SideBySide) -> list[Table]:
    """Return a row a question and group, those of one question beside one another; nothing without scores."""
    found = [(of, str(one.stratum)) for one in groups.estimates for of in one.of_kind("score")]
    order = list(dict.fromkeys(of.question for of, _ in found))
    columns = [
        Column("question"),
        Column("score"),
        Column(groups.kind),
        Column("n", "count"),
        Column("mean", "estimate"),
    ]
    rows: list[list[Cell]] = []
    for of, name in sorted(found, key=lambda row: order.index(row[0].question)):
        words = score_words(of) if isinstance(of, ScoreMean) else [None] * 4
        rows.append([of.question, of.answer, name, of.n_reports, *words, _scale_words(of)])
    return [Table([*columns, *_COLUMNS[:3], Column("scale", "word")], rows)] if rows else []


def score_words(of: ScoreMean) -> list[str]:
    """Return a mean, marked where it is not on the scale, its error, and the ends of its interval."""
    precision = _precision(of)
    mean = "–" if of.mean is None else f"{OUTSIDE * of.is_outside}{value_words(of.mean, precision)}"
    error = "–" if of.standard_error is None else value_words(of.standard_error, precision)
    return [mean, error, *(value_words(end, precision) if of.has_interval else NO_INTERVAL for end in _ends(of))]


def _precision(of: ScoreMean) -> float:
    return of.standard_error or (of.high - of.low) / 4


def _ends(of: ScoreMean) -> tuple[float, float]:
    return of.low, of.high


def _cells(of: ScoreMean) -> list[str]:
    shifts = ["–" if shift is None else f"{shift:+.3g}" for shift in (of.shift_up, of.shift_down)]
    return [*score_words(of), *shifts]


def _scale_words(of: ScoreMean | VoidedScore) -> str:
    return f"{of.minimum:g} to {of.maximum:g}"


def _remarks(told: Sequence[ScoreMean]) -> list[str]:
    """Return how the intervals of mean scores are made, a line each."""
    said = [f"the interval of the mean score of {of.question}: {of.interval}" for of in told]
    left_out = [of.question for of in told if None in of.scores]
    about = "the mean is that of people whose answer has a score. It is a ratio, so it is slightly biased"
    return [*said, *(f"{question}: {about}" for question in left_out)]


def _members(estimates: Estimates) -> list[dict[str, Any]]:
    found = []
    for of in estimates.of_kind("score"):
        has_ends = isinstance(of, VoidedScore) or of.has_interval
        found.append(asdict(of) | {"scores": list(of.scores)} | ({} if has_ends else {"low": None, "high": None}))
    return found


def _records(estimates: Estimates) -> list[dict[str, Any]]:
    """Return rows of CSV: their columns are called otherwise than those of shares."""
    own = ("mean", "standard_error", "low", "high")
    return [
        {name: of[name] for name in ("question", "answer", "n_reports", "epsilon")}
        | {f"score_{name}": of[name] for name in own}
        | {"score_interval": of["interval"]}
        for of in _members(estimates)
    ]


def _point(label: str, of: ScoreMean) -> Point:
    return Point(label, of.value, *(_ends(of) if of.has_interval else (math.nan, math.nan)))


def _panel(label: str, of: ScoreMean) -> Panel:
    return point_panel([_point(label, of)], of.answer, (of.minimum, of.maximum))


def _panels(estimates: Estimates) -> Drawn:
    told = [of for of in estimates.told("score") if of.mean is not None]
    return _remarks(told), [_panel(of.question, of) for of in told]


def _group_panels(groups: SideBySide) -> Drawn:
    """Return a panel of each question's mean, a row a group."""
    points: dict[str, list[Point]] = {}
    ends: dict[str, tuple[float, float]] = {}
    for one in groups.estimates:
        for of in one.told("score"):
            if of.mean is not None:
                name = f"{of.answer} of {of.question}"
                points.setdefault(name, []).append(_point(str(one.stratum), of))
                ends[name] = (of.minimum, of.maximum)
    return [], [point_panel(listed, name, ends[name]) for name, listed in points.items()]


SCORES = FigureView(
    member="scores",
    members=_members,
    records=_records,
    blocks=lambda estimates: [score_table(estimates.of_kind("score")), Lines(_remarks(estimates.told("score")))],
    words=lambda _, of: score_words(of),
    panels=_panels,
    group_panels=_group_panels,
    technical=lambda estimates, question: [
        f"{line[0].upper()}{line[1:]}."
        for line in _remarks([of for of in estimates.told("score") if of.question == question])
    ],
)
