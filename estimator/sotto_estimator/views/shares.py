"""Shares, and their covariances: for people, as members for programs, and as bars."""

from dataclasses import asdict, replace
from typing import Any

from sotto_estimator.results.document import Cell, Column, Lines, Table
from sotto_estimator.results.figure import Bar, bar_panels
from sotto_estimator.results.percents import NOTHING, n_decimals_of, percent, share_percent
from sotto_estimator.results.words import NO_INTERVAL
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.estimates import Estimate, Estimates, VoidedShare
from sotto_estimator.shares.verdict.verdict import share_ends
from sotto_estimator.views.figure_view import Drawn, FigureView

FAKES = "fakes: how much each 1 % of fake reports adds to a share, if all of them are for the answer or all against it"
_CUT = "none: the reports fit no share from 0 to 100 %; either by chance, or because people did not follow the design"
SHARE_COLUMNS = (
    Column("share", "estimate"),
    Column("std. error", "share"),
    Column("low", "share"),
    Column("high", "share"),
)
_CONSISTENT_COLUMNS = [Column("consistent", "share"), Column("std. error", "share")]


def share_table(estimates: Estimates) -> Table:
    """Return a row an answer."""
    has_n = bool(estimates.drawn or estimates.asked)
    columns = [Column("question"), Column("answer"), *[Column("n", "count")] * has_n, Column("epsilon", "epsilon")]
    columns += [*SHARE_COLUMNS, *_CONSISTENT_COLUMNS * estimates.options.consistent]
    columns += [Column("fakes for", "points"), Column("against", "points")]
    rows = []
    for row in estimates.rows:
        about: list[Cell] = [row.question, row.answer, *[row.n_reports] * has_n, row.epsilon]
        found: list[Cell] = (
            _cells(estimates, row) if isinstance(row, Estimate) else [None] * (len(columns) - len(about))
        )
        rows.append([*about, *found])
    return Table(columns, rows)


def cut_words(estimates: Estimates, question: str | None = None) -> list[str]:
    """Return what to say where an interval holds no share in [0, 1]; `question`: of that one alone."""
    rows = [row for row in estimates.told_rows if question in (None, row.question)]
    return [] if all(map(estimates.has_interval, rows)) else [_CUT]


def share_words(estimates: Estimates, row: Estimate) -> list[str]:
    """Return the cells of SHARE_COLUMNS: with as many decimals as an interval bears; where there is none, that."""
    n_decimals = n_decimals_of(row)
    has_ends = estimates.has_interval(row)
    ends = [percent(end, n_decimals) if has_ends else NO_INTERVAL for end in (row.low, row.high)]
    error = NOTHING if row.standard_error is None else percent(row.standard_error, n_decimals)
    return [share_percent(row.share, n_decimals), error, *ends]


def _cells(estimates: Estimates, row: Estimate) -> list[Cell]:
    error = NOTHING if row.consistent_standard_error is None else f"~{percent(row.consistent_standard_error)}"
    consistent: list[Cell] = [] if row.consistent_share is None else [row.consistent_share, error]
    return [*share_words(estimates, row), *consistent, row.shift_up, row.shift_down]


def _members(estimates: Estimates, row: Estimate | VoidedShare) -> dict[str, Any]:
    has_ends = isinstance(row, VoidedShare) or estimates.has_interval(row)
    members = asdict(row) | ({} if has_ends else {"low": None, "high": None})
    del members["is_outside"]  # low and high say it
    if not estimates.options.consistent:
        del members["consistent_share"], members["consistent_standard_error"]
    return members


def _bars(estimates: Estimates) -> list[Bar]:
    """Return the bars of all shares that are told. Where the table has no interval, it is the one that is in words."""
    bars = []
    for place, question in enumerate(dict.fromkeys(row.question for row in estimates.rows)):
        rows = [row for row in estimates.told_rows if row.question == question]
        for row, ends in zip(rows, share_ends(rows), strict=True):
            low, high = (row.low, row.high) if estimates.has_interval(row) else ends
            label = f"{question}: {row.answer}".removeprefix(": ")
            bars.append(Bar(label, row.share, low, high, place, question=question))
    return bars


def _panels(estimates: Estimates) -> Drawn:
    return _of_bars(_bars(estimates)) if estimates.told_rows else ([], [])


def _group_panels(groups: SideBySide) -> Drawn:
    """Return a panel of the shares of all groups, those of one answer beside one another."""
    bars: dict[str, list[Bar]] = {}
    for place, one in enumerate(groups.estimates):
        for of in _bars(one):
            bars.setdefault(of.label, []).append(replace(of, label=f"{of.label}, {one.stratum}", hue=place))
    return _of_bars([bar for listed in bars.values() for bar in listed]) if bars else ([], [])


def _of_bars(bars: list[Bar]) -> Drawn:
    words, panels = bar_panels(bars, "")
    return words.split("\n")[1:], panels


def _records(estimates: Estimates) -> list[dict[str, Any]]:
    return [_members(estimates, row) for row in estimates.rows]


SHARES = FigureView(
    member="estimates",
    members=_records,
    records=_records,
    lead=lambda estimates: [FAKES] * bool(estimates.told_rows),
    blocks=lambda estimates: [share_table(estimates)],
    remarks=cut_words,
    words=share_words,
    panels=_panels,
    group_panels=_group_panels,
    technical=lambda estimates, question: [f"{cut}." for cut in cut_words(estimates, question)],
)
_LIKELIHOOD = (
    "by likelihood: shares of maximum likelihood, of whole reports. Their errors and intervals are approximate "
    "(docs/maths-intervals.md), and about the population"
)


def likelihood_table(estimates: Estimates) -> Table:
    """Return a row an answer, of maximum likelihood."""
    columns = [Column("question"), Column("answer"), Column("by likelihood", "share")]
    columns += [
        Column("std. error", "share"),
        Column("low", "share"),
        Column("high", "share"),
        Column("interval", "word"),
    ]
    rows = estimates.of_kind("likelihood")
    return Table(
        columns,
        [[of.question, of.answer, of.share, of.standard_error, of.low, of.high, of.interval] for of in rows],
    )


LIKELIHOODS = FigureView(
    member="likelihood",
    members=lambda estimates: [asdict(of) for of in estimates.of_kind("likelihood")],
    records=lambda estimates: [
        {"question": of.question, "answer": of.answer, "n_reports": of.n_reports}
        | {f"likelihood_{name}": getattr(of, name) for name in ("share", "standard_error", "low", "high", "interval")}
        for of in estimates.of_kind("likelihood")
    ],
    blocks=lambda estimates: [likelihood_table(estimates), Lines([_LIKELIHOOD] * bool(estimates.told("likelihood")))],
)
COVARIANCES = FigureView(member="covariances", members=lambda estimates: [asdict(of) for of in estimates.covariances])
