"""Navigation timing: how many loads truly had high confidence, and how long those took, and the others."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats, Target, check_target
from sotto_estimator.designs.arms import Arms
from sotto_estimator.designs.pooled import pooled_interval
from sotto_estimator.errors import DomainError
from sotto_estimator.formats.figures import Figure, Figures, question_of
from sotto_estimator.formats.pooled_share import PooledReports, log_tail_if_all_yes, pooled_share_bounds
from sotto_estimator.formats.records import Progress, ignore, read_records
from sotto_estimator.formats.timing_cells import TimingCells, count_beacons, epsilon_of
from sotto_estimator.formats.timing_strata import Located, WeightedDurations
from sotto_estimator.intervals.contradiction import FALSE_ALARM, LEAST_P, Contradiction
from sotto_estimator.intervals.intervals import IntervalOptions, check_level, is_interval, share_bounds
from sotto_estimator.intervals.methods import find_method
from sotto_protocol.words import counted

PERCENTILES = (50.0, 75.0, 95.0)
STRATA = ("high", "low")
_POOLING = "chernoff"
_MADE = {
    "population": ("normal", "the normal distribution (approximate)"),
    "respondents": ("kearns-saul", "the sub-Gaussian bound of the noise (Kearns & Saul)"),
}


def read_navigation_timing(
    paths: Sequence[Path | str],
    *,
    by: str | None = None,
    percentiles: Sequence[float] = PERCENTILES,
    options: IntervalOptions | None = None,
    progress: Progress = ignore,
) -> Figures:
    """Estimate from files of beacons the share of each stratum, and the mean and percentiles of its durations.

    A beacon has `duration` (ms) and `confidence`: `value`, high or low, and `randomizedTriggerRate`, below 1, which
    may differ by record. One of a browser that gives no confidence (`count_beacons`) is left out and counted. `by`: a
    member that names groups, each estimated by itself. The share's interval is guaranteed; the others' are about the
    respondents, which are these loads, and approximate about the population. Raises SourceError for what is no beacon,
    with its line; DomainError for percentiles outside (0, 100), and for a method other than chernoff where rates
    differ.
    """
    options = options or IntervalOptions()
    check_target(options.about)
    if options.population_size is not None:
        raise DomainError("population_size must not be given: loads are not drawn from so many.")
    if not percentiles or not all(0 < percentile < 100 for percentile in percentiles):
        raise DomainError(f"percentiles ({list(percentiles)}) must be in (0, 100).")
    files = [Path(path) for path in paths]
    groups, n_without = count_beacons(read_records(files, progress), by)
    n_intervals = len(groups) * len(STRATA) * (2 + len(percentiles)) if options.simultaneous else 1
    figures = [
        figure for name, cells in groups.items() for figure in _figures(name, cells, percentiles, options, n_intervals)
    ]
    found = [_contradiction(name, cells, len(groups)) for name, cells in groups.items()]
    void = {one.question for one in found if one}
    figures = [of.voided() if question_of(of.group) in void else of for of in figures]
    return Figures(
        title=", ".join(map(str, files)),
        format="navigation-timing",
        noun="load",
        n_reports=sum(cells.n for cells in groups.values()),
        epsilon=max(epsilon_of(cells.rates) for cells in groups.values()),
        options=options,
        made=f"of shares by the {find_method(options.method).words}, of durations by {_MADE[options.about][1]}",
        by=by,
        figures=tuple(figures),
        notes=tuple(_notes(groups, n_without)),
        contradictions=tuple(one for one in found if one),
    )


def _notes(groups: dict[str | None, TimingCells], n_without: int) -> list[str]:
    said = ["confidence is what the browser truly thought of a load: high that it was typical, low that it was not"]
    if step := max(cells.step_ms for cells in groups.values()):
        said.append(f"durations are rounded by up to {step:g} ms, as there are so many, and the intervals allow for it")
    if n_without:
        said.append(f"left out: {counted(n_without, 'load')} of which the browser gives no confidence")
    return said


def _figures(
    group: str | None, cells: TimingCells, percentiles: Sequence[float], options: IntervalOptions, n_intervals: int
) -> list[Figure]:
    shares = _shares(cells, options, n_intervals)
    tail, method = check_level(options.level, n_intervals) / 2, _MADE[options.about][0]
    is_guaranteed, epsilon = options.about == "respondents", epsilon_of(cells.rates)
    figures = []
    for stratum, share in zip(STRATA, shares, strict=True):
        durations = WeightedDurations.of(cells, is_high=stratum == "high")
        located = {"mean": durations.mean(tail, options.about)}
        located |= {f"p{at:g}": durations.percentile(at / 100, tail, options.about) for at in percentiles}
        known = find_method(options.method)
        figures.append(
            Figure(group, stratum, "share", "", cells.n, epsilon, *share, options.method, known.is_guaranteed)
        )
        figures += [
            Figure(group, stratum, what, "ms", cells.n, epsilon, *_numbers(one), method, is_guaranteed)
            for what, one in located.items()
        ]
    return figures


def _numbers(one: Located) -> tuple[float | None, float | None, float, float]:
    return one.value, one.standard_error, one.low, one.high


def _reports(cells: TimingCells) -> PooledReports:
    """Return the beacons by rate: what each says of high."""
    rates, place = np.unique(cells.rates, return_inverse=True)
    n_high, n_low = (np.bincount(place, of).astype(np.float64) for of in (cells.n_high, cells.n_low))
    return PooledReports(n_high + n_low, n_high, 1 - rates / 2, rates / 2)


def _shares(cells: TimingCells, options: IntervalOptions, n_intervals: int) -> list[tuple[float, float, float, float]]:
    """Return share, standard error, low and high of high and of low; the ends NaN where no share is between them."""
    reports = _reports(cells)
    share, error = reports.share, _share_error(reports, options)
    ends = _share_ends(reports, options, n_intervals)
    low, high = np.clip(ends, 0, 1).tolist()
    is_possible = ends[0] <= min(ends[1], 1) and ends[1] >= 0
    if not is_interval(low, high, may_be_point=is_possible and options.about == "respondents"):
        low = high = math.nan
    return [(share, error, low, high), (1 - share, error, 1 - high, 1 - low)]


def _share_ends(reports: PooledReports, options: IntervalOptions, n_intervals: int) -> tuple[float, float]:
    if len(reports.true) > 1:
        if options.method != _POOLING:
            raise DomainError(f"method ({options.method!r}) must be {_POOLING} where randomizedTriggerRate differs.")
        return _pooled_ends(reports, check_level(options.level, n_intervals) / 2, options.about)
    low, high = share_bounds(
        reports.n_yes.astype(np.int64),
        int(reports.n),
        Channel(float(reports.true[0]), float(reports.other[0])),
        level=options.level,
        method=options.method,
        target=options.about,
        n_intervals=n_intervals,
    )
    return float(low[0]), float(high[0])


def _pooled_ends(reports: PooledReports, tail: float, target: Target) -> tuple[float, float]:
    """Return the ends of the share of high: whatever it is among the loads of each rate, in both cases."""
    if target == "population":
        return pooled_share_bounds(reports, tail)
    arms = Arms.of_channels(reports.true, reports.other, reports.n_yes, reports.n_each)
    return pooled_interval(arms, "yes", tail=tail, target=target)


def _share_error(reports: PooledReports, options: IntervalOptions) -> float:
    prob: Floats = reports.true
    if options.about == "population":
        prob = reports.other + reports.contrast * min(1.0, max(0.0, reports.share))
    return math.sqrt(float((reports.n_each * prob * (1 - prob) / reports.contrast**2).sum())) / reports.n


def _contradiction(group: str | None, cells: TimingCells, n_groups: int) -> Contradiction | None:
    """Return what more honest beacons, or fewer, hardly ever say high, whatever is true."""
    reports = _reports(cells)
    ends = [(reports, reports.true), (reports.mirrored, reports.other)]
    logs = [log_tail_if_all_yes(of) for of, _ in ends]
    p_value = min(1.0, 2 * n_groups * math.exp(min(logs)))
    if p_value > FALSE_ALARM:
        return None
    limit = float((reports.n_each * ends[logs.index(min(logs))][1]).sum())
    return Contradiction(question_of(group), "high", cells.n, int(reports.n_yes.sum()), limit, max(p_value, LEAST_P))
