"""Numbers that respondents randomized: scrambled, or mixed with an unrelated number; and means of the true ones.

Every design makes the mean report of a sample a known sum: of what is asked for, and of one other unknown mean at most.
So each unknown is a weighted sum of the samples' mean reports, unbiased, and its variance that of these means.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.channel.devices import Devices
from sotto_estimator.errors import DomainError
from sotto_estimator.formats.figures import Figure, Figures
from sotto_estimator.formats.records import Progress, Record, ignore, read_records
from sotto_estimator.formats.timing_cells import MAX_GROUPS
from sotto_estimator.intervals.contradiction import FALSE_ALARM
from sotto_estimator.intervals.intervals import IntervalOptions, check_level
from sotto_estimator.intervals.methods import METHODS, find_method

MULTIPLIED, ADDED = "multiplied", "added"
_NO_SPREAD = "no standard error where all reports of a sample are alike: the interval is then all that is possible"
_NORMAL = "the normal distribution (approximate)"
_DEVIATIONS = (0.05, 0.5)
"""Of reports as parts of their range: bets are made for these, which decides how wide intervals are, nothing else."""
_UNIT = "units"
_LARGEST = 1e15
_OUTWARD = 1e-12
"""More than the rounding of a mean's ends, as parts of the range."""
_Range = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is told: `weights` of the samples' mean reports, and what is added. `span`: where it can lie, if known."""

    name: str
    quantity: str
    unit: str
    weights: tuple[float, ...]
    added: float = 0.0
    span: _Range = None


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of numbers: the unit, and the ranges of the true ones and of the scramble, or None."""

    unit: str
    true: _Range
    scramble: _Range

    def missing(self, *, of_scramble: bool) -> tuple[str, ...]:
        """Return the parameters that a guarantee lacks, in words."""
        whose = "true numbers" if of_scramble else "numbers of both questions"
        said = [f"low and high, between which all {whose} are"] if self.true is None else []
        if of_scramble and self.scramble is None:
            said.append("scramble_low and scramble_high, between which the scramble is")
        return tuple(said)


@dataclass(frozen=True, slots=True)
class _Design:
    """How numbers were asked for: what is told, and the range of each sample's reports, if it is known.

    `missing`: which parameters a guarantee lacks.
    """

    name: str
    asked: tuple[_Asked, ...]
    ranges: tuple[_Range, ...]
    missing: tuple[str, ...]


def _reader(design_of: Callable[..., _Design]) -> Callable[..., Figures]:
    """Return what reads files of a design. `unit`, `low`, `high`: of true numbers; `scramble_low`, `scramble_high`.

    With all ranges intervals are guaranteed. Raises `DomainError` and SourceError.
    """

    @wraps(design_of)
    def read(
        paths: Sequence[Path | str],
        *,
        low: float | None = None,
        high: float | None = None,
        scramble_low: float | None = None,
        scramble_high: float | None = None,
        unit: str = _UNIT,
        by: str | None = None,
        options: IntervalOptions | None = None,
        progress: Progress = ignore,
        **asked: Any,
    ) -> Figures:
        known = _Known(unit, _range("", low, high), _range("scramble_", scramble_low, scramble_high))
        return _estimate(design_of(known, **asked), paths, by, options, progress)

    return read


@_reader
def read_scrambled(known: _Known, *, mean: float, way: str = MULTIPLIED) -> _Design:
    """Estimate the mean of numbers that respondents multiplied by a random number, or added one to.

    Records have `value`, the true number times the scramble (Eichhorn & Hayre 1983), or plus it (Pollock & Bek 1976),
    whose mean is `mean`. If that leaves the mean as it is (1, or 0 where added), people may also answer directly:
    optional designs (Gupta, Gupta & Singh 2002) are estimated alike.
    """
    if way not in (MULTIPLIED, ADDED):
        raise DomainError(f"way ({way:.40}) must be {MULTIPLIED} or {ADDED}.")
    _check_finite(mean=mean)
    if way == MULTIPLIED and not mean > 0:
        raise DomainError(f"mean ({mean:g}) of a scramble that is multiplied must be above 0.")
    if known.scramble and not known.scramble[0] <= mean <= known.scramble[1]:
        raise DomainError(f"mean ({mean:g}) must be between scramble_low and scramble_high.")
    weight, added = (1 / mean, 0.0) if way == MULTIPLIED else (1.0, -mean)
    asked = _Asked("true number", "mean", known.unit, (weight,), added, known.true)
    reports = _combined(known.true, known.scramble, way)
    return _Design("scrambled", (asked,), (reports,), known.missing(of_scramble=True))


@_reader
def read_unrelated_quantity(
    known: _Known, *, prob_question: Sequence[float], unrelated_mean: float | None = None
) -> _Design:
    """Estimate the mean of numbers where chance asks for the sensitive number or for an unrelated one.

    Records have `value`, and `sample`, 1 or 2, if there are two `prob_question`: the probabilities of being asked the
    sensitive question (Greenberg, Kuebler, Abernathy & Horvitz 1971). With `unrelated_mean` there is one. `low` and
    `high` are those of both questions.
    """
    probs, span, unit = tuple(prob_question), known.true, known.unit
    if not all(0 < prob <= 1 for prob in probs):
        raise DomainError(f"prob_question ({_listed(probs)}) must be above 0, and at most 1.")
    if unrelated_mean is not None:
        _check_finite(unrelated_mean=unrelated_mean)
        if len(probs) != 1:
            raise DomainError(f"prob_question ({_listed(probs)}) must be one number beside unrelated_mean.")
        asked = [_Asked("sensitive", "mean", unit, (1 / probs[0],), -(1 - probs[0]) * unrelated_mean / probs[0], span)]
    else:
        if len(probs) != 2 or probs[0] == probs[1]:
            raise DomainError(
                f"prob_question ({_listed(probs)}) must be two different numbers, one per sample; "
                "or give unrelated_mean."
            )
        (one, two), apart = probs, probs[0] - probs[1]
        asked = [
            _Asked("sensitive", "mean", unit, ((1 - two) / apart, -(1 - one) / apart), 0.0, span),
            _Asked("unrelated", "mean", unit, (-two / apart, one / apart), 0.0, span),
        ]
    return _Design("unrelated-quantity", tuple(asked), (span,) * len(probs), known.missing(of_scramble=False))


@_reader
def read_optional_scramble(known: _Known, *, means: Sequence[float]) -> _Design:
    """Estimate the mean of numbers to which some respondents add a random number, and how many of them do.

    Records have `value`, and `sample`, 1 or 2: the scrambles of the two samples have different `means`. People add it
    only if they find the question sensitive (Gupta, Shabbir & Sehra 2010). `scramble_low` and `scramble_high` are those
    of both samples.
    """
    if len(means) != 2 or not all(map(math.isfinite, means)) or means[0] == means[1]:
        raise DomainError(f"means ({_listed(means)}) must be two different numbers, one per sample.")
    (one, two), apart, scramble = means, means[1] - means[0], known.scramble
    if scramble and not scramble[0] <= min(means) <= max(means) <= scramble[1]:
        raise DomainError(f"means ({_listed(means)}) must be between scramble_low and scramble_high.")
    direct = scramble and (min(scramble[0], 0.0), max(scramble[1], 0.0))
    asked = (
        _Asked("true number", "mean", known.unit, (two / apart, -one / apart), 0.0, known.true),
        _Asked("people who scramble", "share", "", (-1 / apart, 1 / apart), 0.0, (0.0, 1.0)),
    )
    ranges = (_combined(known.true, direct, ADDED),) * 2
    return _Design("optional-scramble", asked, ranges, known.missing(of_scramble=True))


def _range(what: str, low: float | None, high: float | None) -> _Range:
    """Return a range, None where it is not known. Raises `DomainError`."""
    if low is None and high is None:
        return None
    if low is None or high is None or not -math.inf < low < high < math.inf:
        raise DomainError(f"{what}low ({low}) must be below {what}high ({high}), and both be given.")
    return low, high


def _combined(true: _Range, scramble: _Range, way: str) -> _Range:
    if true is None or scramble is None:
        return None
    ends = [one * other if way == MULTIPLIED else one + other for one in true for other in scramble]
    return min(ends), max(ends)


def _check_finite(**given: float) -> None:
    for name, value in given.items():
        if not math.isfinite(value):
            raise DomainError(f"{name} ({value}) must be finite.")


def _listed(numbers: Sequence[float]) -> str:
    return " ".join(f"{number:g}" for number in numbers)


def _estimate(
    design: _Design,
    paths: Sequence[Path | str],
    by: str | None,
    options: IntervalOptions | None,
    progress: Progress,
) -> Figures:
    options = (options or IntervalOptions()).only(design.name, "level", "method", "target", "simultaneous")
    if options.about != "population":
        raise DomainError(f"target ({options.about!r}) must be 'population' for {design.name}.")
    is_bounded = None not in design.ranges
    known = find_method(options.method)
    if (is_bounded and known.of_means is None) or not (is_bounded or options.method == IntervalOptions().method):
        fitting = [name for name, of in METHODS.items() if of.of_means]
        raise DomainError(
            f"method ({options.method!r}) must be one of {', '.join(fitting)} if the ranges of all numbers are given; "
            "else it is left out, and intervals are approximate."
        )
    files = [Path(path) for path in paths]
    groups = _read(read_records(files, progress), design, by)
    n_figures = len(groups) * len(design.asked)
    found = [
        _figure(group, of, samples, design, options, n_figures)
        for group, samples in groups.items()
        for of in design.asked
    ]
    void = list(dict.fromkeys(figure.group for figure in found if figure.estimate is None))
    said = [f"{group or 'all'}: the numbers contradict the design, so no figures are shown" for group in void]
    if any(figure.standard_error is None and figure.group not in void for figure in found):
        said.append(_NO_SPREAD)
    if design.missing:
        said.append(f"approximate: for guaranteed intervals give {'; and '.join(design.missing)}")
    return Figures(
        title=", ".join(map(str, files)),
        format=design.name,
        noun="report",
        n_reports=sum(len(values) for samples in groups.values() for values in samples),
        epsilon=math.inf,
        options=options,
        made=f"by {known.words_of_means}" if is_bounded else f"by {_NORMAL}",
        by=by,
        figures=tuple(figure.voided() if figure.group in void else figure for figure in found),
        notes=tuple(said),
        label="number",
    )


def _read(records: Iterable[Record], design: _Design, by: str | None) -> dict[str | None, list[list[float]]]:
    """Return the reports by group and sample. Raises SourceError, DomainError for a sample of fewer than 2."""
    groups: dict[str | None, list[list[float]]] = {}
    for record in records:
        sample = _sample(record, len(design.ranges))
        value, group = record.number("value"), record.group(by) if by else None
        ends = design.ranges[sample]
        if abs(value) > _LARGEST:
            record.refuse(f"value ({value:g}) must be at most {_LARGEST:g}.")
        if ends and not ends[0] <= value <= ends[1]:
            record.refuse(
                f"value ({value:g}) must be between {ends[0]:g} and {ends[1]:g}, by the ranges that are given."
            )
        if group not in groups and len(groups) == MAX_GROUPS:
            record.refuse(f"{by} has more than {MAX_GROUPS:,} groups.")
        groups.setdefault(group, [[] for _ in design.ranges])[sample].append(value)
    for group, samples in groups.items():
        for at, values in enumerate(samples, 1):
            if len(values) < 2:
                where = f"{group}: " if by else ""
                raise DomainError(f"{where}sample {at} has {len(values)} reports; a mean with an error needs two.")
    return groups


def _sample(record: Record, n_samples: int) -> int:
    said = str(record.find("sample") if n_samples > 1 else record.members.get("sample", 1)).removesuffix(".0")
    if n_samples == 1 and said not in ("1", ""):
        record.refuse(f"sample ({said:.60}) must be 1, or left out: one sample was asked so.")
    if n_samples > 1 and said not in ("1", "2"):
        record.refuse(f"sample ({said:.60}) must be 1 or 2.")
    return int(said or 1) - 1


def _figure(
    group: str | None,
    asked: _Asked,
    samples: Sequence[Sequence[float]],
    design: _Design,
    options: IntervalOptions,
    n_figures: int,
) -> Figure:
    n_intervals = n_figures if options.simultaneous else 1
    values = [np.array(of, np.float64) for of in samples]
    means = [float(of.mean()) for of in values]
    estimate = asked.added + sum(weight * mean for weight, mean in zip(asked.weights, means, strict=True))
    parts = [
        weight * float(of.std(ddof=1)) / math.sqrt(len(of)) for weight, of in zip(asked.weights, values, strict=True)
    ]
    error, is_bounded = math.hypot(*parts), None not in design.ranges
    has_error = is_bounded or all(np.ptp(of) for of in values)

    def ends(tail: float) -> tuple[float, float]:
        if is_bounded:
            return _guaranteed(asked, values, design, options.method, tail)
        half_width = -float(special.ndtri(tail)) * error if has_error else math.inf
        return estimate - half_width, estimate + half_width

    low, high = _possible(ends(check_level(options.level, n_intervals) / 2), asked.span)
    n, method = sum(map(len, samples)), options.method if is_bounded else "normal"
    is_sure = is_bounded or (not has_error and asked.span is not None)
    known = estimate, error if has_error else None, low, high
    found = Figure(group, asked.name, asked.quantity, asked.unit, n, math.inf, *known, method, is_sure)
    return found.voided() if math.isnan(_possible(ends(FALSE_ALARM / n_figures / 2), asked.span)[0]) else found


def _possible(ends: tuple[float, float], span: _Range) -> tuple[float, float]:
    """Return what of an interval is possible; NaN where nothing is."""
    least, most = span or (-math.inf, math.inf)
    low, high = max(ends[0], least), min(ends[1], most)
    return (low, high) if low <= high else (math.nan, math.nan)


def _guaranteed(
    asked: _Asked, values: Sequence[Floats], design: _Design, method: str, tail: float
) -> tuple[float, float]:
    """Return the ends by those of each sample's mean, which miss by an equal part of the tail (Bonferroni)."""
    of_means = find_method(method).of_means
    ends = [asked.added, asked.added]
    for weight, of, span in zip(asked.weights, values, design.ranges, strict=True):
        if of_means is None or span is None:
            raise DomainError(f"method ({method!r}) knows no means.")
        outputs, counts = np.unique((of - span[0]) / (span[1] - span[0]), return_counts=True)
        rows = counts[None].astype(np.float64)
        found = of_means(rows, outputs.clip(0, 1), _DEVIATIONS, tail / len(values), Devices.alike(len(of), 1))
        outward = float(found[0][0]) - _OUTWARD, float(found[1][0]) + _OUTWARD
        mean = sorted(weight * (span[0] + end * (span[1] - span[0])) for end in outward)
        ends = [end + part for end, part in zip(ends, mean, strict=True)]
    return ends[0], ends[1]
