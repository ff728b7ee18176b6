"""All runs together: how often intervals hold the truth, how far estimates are off, how often warnings are given."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.stats import binom, t

from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.results.rehearsed_figure import RehearsedFigure, rehearsed_figure
from sotto_estimator.results.result import Result
from sotto_protocol.words import counted
from sotto_rehearsal.simulation.answers import Floats
from sotto_rehearsal.simulation.crowd import Task
from sotto_rehearsal.simulation.planned import planned_half_widths
from sotto_rehearsal.simulation.question_truth import QuestionTruth
from sotto_rehearsal.simulation.randomness import randomness_of
from sotto_rehearsal.simulation.run import WARNINGS, Run, run_once

FALSE_ALARM = 0.01
"""The probability, at most, that any interval of a simulation is called too narrow although all hold their level; and
that any estimate is called off although none is, by a t-test, which is approximate."""
HOLDS, NOT_SHOWN, MISSES = "holds", "not shown", "MISSES"
_NO_SPREAD = 1e-12
"""What differs by no more is equal: the rounding of sums, which no test may take for bias."""
_ERRORS_IN_HALF_WIDTH = 3
"""Half of a 95 % interval has at most about so many standard errors."""
_LEAST_FOUND = 0.5
"""A string that is found more rarely has no verdict: it is found when it is overestimated, as chance alone does.

An interval is too high with half of 1 - level at most, and only then too high where the string is found: of the runs
that find it, at least half of all, that is 1 - level at most.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """What all runs say of one value; shares as fractions, a mean and what is about it in `unit`.

    `kind`: what is estimated, a row of `FIGURES`. `truth`: the mean over the runs of what is true, None where nobody
    was asked. `n_reports`: how many reports an estimate was of, on average. `n_found`: in how many runs there was one,
    of a string in how many it was detected; all below is of these, and None where there are none. `bias_error`,
    `coverage_error`:
    the Monte Carlo standard errors, that of a coverage which is the level. `planned_half_width`: None where nothing
    plans it. `coverage`: in how large a share of them the interval holds the truth, None of a string that is found
    rarely; `verdict`: `MISSES` where that is too few, `NOT_SHOWN` where it is fewer than there should be by more than
    the standard error, or where the runs are so few that an interval may miss in none, else `HOLDS`. `is_off`: whether
    the bias is more than chance makes it; said only of strings that every run finds, as others are estimated where they
    are found.
    """

    question: str
    answer: str
    kind: str
    unit: str
    epsilon: float
    truth: float | None
    n_reports: float
    n_found: int
    estimate: float | None = None
    bias: float | None = None
    bias_error: float | None = None
    rmse: float | None = None
    mean_half_width: float | None = None
    median_half_width: float | None = None
    planned_half_width: float | None = None
    coverage: float | None = None
    coverage_error: float | None = None
    verdict: str = ""
    is_off: bool = False

    @property
    def figure(self) -> RehearsedFigure:
        """How its kind is rehearsed."""
        return rehearsed_figure(self.kind)


@dataclass(frozen=True, slots=True)
class Naming:
    """In how large a share of the runs the option of the largest estimate is one of the most common."""

    question: str
    answer: str
    named_right: float


@dataclass(frozen=True, slots=True)
class Warned:
    """In how large a share of the runs a warning was given of a question; `warning` is one of `WARNINGS`."""

    question: str
    warning: str
    share: float


@dataclass(frozen=True, slots=True)
class Simulation(Result):
    """What was simulated, and what came out. `first`: the first run, which is as any other."""

    task: Task
    options: IntervalOptions
    n_runs: int
    seed: int | None
    n_reports: float
    rows: tuple[Row, ...]
    naming: tuple[Naming, ...]
    warned: tuple[Warned, ...]
    first: Run
    title: str = ""

    @property
    def named(self) -> str:
        """What the survey is called."""
        return self.title or self.task.survey.title

    def __str__(self) -> str:
        """Return one line: title, runs and people."""
        return f"{self.named}: {counted(self.n_runs, 'run')} of {self.task.n_people:,} people"

    @property
    def not_shown(self) -> tuple[Row, ...]:
        """The rows whose intervals hold the truth more rarely than they say, though it may be chance."""
        return tuple(row for row in self.rows if _is_low(row, self.options.level) and row.verdict == NOT_SHOWN)

    @property
    def missing(self) -> tuple[Row, ...]:
        """The rows whose intervals hold the truth too rarely."""
        return tuple(row for row in self.rows if row.verdict == MISSES)


def simulate_runs(
    task: Task,
    options: IntervalOptions,
    n_runs: int,
    seed: int | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> Simulation:
    """Run n times, each with new people and new coins. Raises DomainError, as `run_once`."""
    runs = [run_once(task, options, randomness, progress) for randomness in randomness_of(n_runs, seed)]
    found, true = np.array([run.found for run in runs]), np.array([run.true for run in runs])
    rows, naming, start = [], [], 0
    for of in task.truth.rehearsed:
        places = slice(start, start + len(of.labels))
        rows += _rows(task, options, of, found[:, places], true[:, places])
        if of.question.mechanism.sums_to_one and not of.kind:
            naming += _naming(of, found[:, places, 0])
        start = places.stop
    return Simulation(
        task,
        options,
        n_runs,
        seed,
        float(np.mean([run.n_reports for run in runs])),
        _judged(rows, options.level, n_runs),
        tuple(naming),
        _count_warnings(task, runs),
        runs[0],
    )


def _rows(task: Task, options: IntervalOptions, of: QuestionTruth, found: Floats, true: Floats) -> list[Row]:
    n_found = np.isfinite(found[:, :, 0]).sum(axis=0)
    n_reports = np.nansum(found[:, :, 3], axis=0) / np.maximum(n_found, 1)
    truth = _means(true)
    planned = planned_half_widths(task, of, n_reports, truth, options)
    seen = map(_Seen, found.swapaxes(0, 1), true.T, truth.tolist(), n_reports.tolist(), planned.tolist())
    return [_row(of, label, each, options.level) for label, each in zip(of.labels, seen, strict=True)]


class _Seen(NamedTuple):
    """What all runs saw of one value: shapes (n_runs, 4) and (n_runs,), and means."""

    found: Floats
    true: Floats
    truth: float
    n_reports: float
    planned: float


def _means(true: Floats) -> Floats:
    """Return what is true in the mean of the runs, shape (n_labels,); NaN where nobody was asked in any."""
    is_known = np.isfinite(true)
    least = np.where(is_known, true, np.inf).min(axis=0)  # about a population all runs have the same: no rounding
    mean = np.where(is_known, true - least, 0).sum(axis=0) / is_known.sum(axis=0).clip(1)
    return np.where(is_known.any(axis=0), least + mean, np.nan)


def _row(of: QuestionTruth, label: str, seen: _Seen, level: float) -> Row:
    question = of.question
    unit = getattr(question.kind, "unit", "")
    is_found = np.isfinite(seen.found[:, 0]) & np.isfinite(seen.true)
    truth = seen.truth if np.isfinite(seen.truth) else None
    n, true = int(is_found.sum()), seen.true[is_found]
    row = Row(question.id, label, of.figure_kind, unit, float(question.epsilon), truth, seen.n_reports, n)
    if not n:
        return row
    estimates, low, high = seen.found[is_found, :3].T
    errors, halves = estimates - true, (high - low) / 2
    is_judged = not of.figure.is_detected or n >= _LEAST_FOUND * len(seen.found)
    numbers = {
        "estimate": estimates.mean(),
        "bias": errors.mean(),
        "bias_error": errors.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan,
        "rmse": np.sqrt((errors**2).mean()),
        "mean_half_width": halves.mean(),
        "median_half_width": np.median(halves),
        "planned_half_width": seen.planned,
        "coverage": ((low <= true) & (true <= high)).mean() if is_judged else np.nan,
        "coverage_error": np.sqrt(level * (1 - level) / n) if is_judged else np.nan,
    }
    known = {name: float(number) for name, number in numbers.items() if np.isfinite(number)}
    return replace(row, **known)  # type: ignore[arg-type]  # floats all


def _judged(rows: Sequence[Row], level: float, n_runs: int) -> tuple[Row, ...]:
    """Return rows with what tests say of each, all of which together err with `FALSE_ALARM`: see there."""
    n_tests = sum(row.coverage is not None for row in rows)
    return tuple(
        replace(row, verdict=_verdict(row, level, n_tests), is_off=_is_off(row, n_tests, n_runs)) for row in rows
    )


def _verdict(row: Row, level: float, n_tests: int) -> str:
    if row.coverage is None:
        return ""
    n_held = round(row.coverage * row.n_found)
    if binom.cdf(n_held, row.n_found, level) <= FALSE_ALARM / n_tests:
        return MISSES
    may_miss_in_none = row.n_found * (1 - level) < 1 - _NO_SPREAD
    return NOT_SHOWN if may_miss_in_none or _is_low(row, level) else HOLDS


def _is_low(row: Row, level: float) -> bool:
    """Whether an interval holds the truth more rarely than its level, by more than the standard error of that."""
    return row.coverage is not None and row.coverage < level - (row.coverage_error or 0)


def _is_off(row: Row, n_tests: int, n_runs: int) -> bool:
    is_selected = row.figure.is_detected and row.n_found < n_runs
    if is_selected or row.bias is None or row.mean_half_width is None or row.n_found < 2:
        return False
    # Of a rare share most runs may see nobody: their spread says too little, and what their intervals allow for more.
    least = row.mean_half_width / _ERRORS_IN_HALF_WIDTH / math.sqrt(row.n_found)
    error = max(row.bias_error or 0, least, _NO_SPREAD)
    return abs(row.bias) > float(t.isf(FALSE_ALARM / n_tests / 2, row.n_found - 1)) * error


def _naming(of: QuestionTruth, estimates: Floats) -> list[Naming]:
    """Return how often the most common answer comes out first, of those that are as common any; [] where all are."""
    shares = of.answers.expected
    common = np.flatnonzero(shares >= shares.max())
    if len(common) == len(shares):
        return []
    is_right = np.isin(np.nan_to_num(estimates, nan=-np.inf).argmax(axis=1), common) & np.isfinite(estimates).any(
        axis=1
    )
    names = " or ".join(of.labels[place] for place in common.tolist())
    return [Naming(of.question.id, names, float(is_right.mean()))]


def _count_warnings(task: Task, runs: Sequence[Run]) -> tuple[Warned, ...]:
    counted = [
        Warned(of.question.id, warning, sum((warning, of.question.id) in run.warned for run in runs) / len(runs))
        for of in task.truth.questions
        for warning in WARNINGS
    ]
    return tuple(warned for warned in counted if warned.share)
