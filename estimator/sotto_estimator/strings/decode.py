"""Decode: from bit counts to the strings that are there, their shares, and intervals that hold although chosen."""

import math
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError, SourceError, one_of
from sotto_estimator.intervals.fakes import PERCENT
from sotto_estimator.intervals.intervals import check_level
from sotto_estimator.results.result import Result
from sotto_estimator.strings.background import confounding, level_score
from sotto_estimator.strings.bounds import normal_quantile
from sotto_estimator.strings.choice import DetectedStrings, error_of_others, half_widths
from sotto_estimator.strings.columns import Candidates, Columns, HashMoments
from sotto_estimator.strings.counts import BitCounts, BitRates
from sotto_estimator.strings.models import CandidateModel, CandidateSearch
from sotto_estimator.strings.regression import BloomCells, CandidateRegression, fit_columns
from sotto_estimator.strings.remarks import NONE_MISSED, GoodnessOfFit, Missed, Origin, Remarks, missed_of
from sotto_estimator.strings.selection import Correction
from sotto_estimator.strings.subject import Subject
from sotto_estimator.strings.undetected import UndetectedString, undetected_strings
from sotto_protocol.mechanisms.bloom.hash import BloomDesign
from sotto_protocol.words import counted

if TYPE_CHECKING:
    pass

DecodeMethod = Literal["normal", "chernoff"]
DECODE_METHODS: tuple[DecodeMethod, ...] = get_args(DecodeMethod)
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


@dataclass(frozen=True, slots=True)
class DecodeOptions:
    """How strings are chosen, and how their intervals are made.

    `level` is the confidence level, in (0, 1). `method` is "normal", or "chernoff", which is wider and holds for every
    n. `fdr`, in (0, 1), bounds false discoveries. With `correction` "fdr" it bounds their expected part of all
    discoveries. With "bonferroni" it bounds the probability of any. With `simultaneous`, all intervals hold together.
    Raises `DomainError` outside the domains.
    """

    level: float = 0.95
    method: DecodeMethod = "normal"
    fdr: float = 0.05
    correction: Correction = "fdr"
    simultaneous: bool = False

    def __post_init__(self) -> None:
        check_level(self.level)
        if not 0 < self.fdr < 1:
            raise DomainError(f"fdr ({self.fdr!r}) must be in (0, 1).")
        if self.method not in DECODE_METHODS:
            raise DomainError(f"method ({self.method!r}) {one_of(DECODE_METHODS, self.method)}")
        if self.correction not in CORRECTIONS:
            raise DomainError(f"correction ({self.correction!r}) {one_of(CORRECTIONS, self.correction)}")


@dataclass(frozen=True, slots=True)
class DecodedString:
    """A string that was found: its share in [low, high], and the one-sided test that it is above 0.

    `standard_error` allows for the choice among candidates as the interval does: so many of them as the level asks of a
    normal estimate, 1.96 at 0.95, are half of its width before it is brought into [0, 1]. `error_if_fixed` does not: it
    is that of the unbounded linear estimate of a string fixed beforehand, and what `z_score` is in units of. `p_value`
    is of this string alone. `shift_up`, `shift_down`: what reports that no answer produced add, for each 1 % of them in
    every cohort, if they set whichever bits move the estimate most.
    """

    string: str
    share: float
    standard_error: float
    low: float
    high: float
    error_if_fixed: float
    p_value: float
    z_score: float
    shift_up: float
    shift_down: float


@dataclass(frozen=True, slots=True)
class Decoded(Result):
    """What was found, by share from the largest, and how much was not.

    `design`: the numbers of the hash, by name. `explained_mass`: the sum of the rows' shares. `other_share`: of all
    other strings, 1 - explained_mass, with an error of either that allows for the choice; None where nothing was found,
    and so nothing estimated. `hashed`: whether strings that nobody listed are taken to set bits at random, as a hash
    makes them. `undetected`: the candidates that were not found, if they were asked for. `missed`: how many of a list
    were not found, although reports could show them. `subject`: what was decoded.
    `limit`: how many strings every form shows, the most common; None: all.
    """

    n_reports: int
    n_waves: int
    n_candidates: int
    design: dict[str, int]
    options: DecodeOptions
    rows: tuple[DecodedString, ...]
    explained_mass: float
    other_share: float
    other_standard_error: float | None
    fit: GoodnessOfFit
    warnings: tuple[str, ...]
    origin: Origin = "list"
    hashed: bool = True
    undetected: tuple[UndetectedString, ...] | None = None
    missed: Missed = NONE_MISSED
    subject: Subject = field(default_factory=Subject)
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise DomainError(f"limit ({self.limit!r}) must be 1 or more strings, or None for all.")

    @property
    def shown(self) -> tuple[DecodedString, ...]:
        """The detected strings that are shown."""
        return self.rows[: self.limit]

    def __str__(self) -> str:
        """Return one line: the question, reports and strings."""
        named = ", ".join(filter(None, [self.subject.title, self.subject.question]))
        return f"{named}: {counted(len(self.rows), 'string')}, n = {counted(self.n_reports, 'report')}"

    def titled(self, title: str) -> Self:
        """Return the same under another title."""
        return replace(self, subject=replace(self.subject, title=title))

    def alarms(self) -> tuple[str, ...]:
        """Return what is wrong with the candidates, or the reports."""
        quality = self.subject.quality
        return (*self.warnings, *([quality.warning] if quality and quality.is_alarming else []))


def decode(
    counts: BitCounts,
    rates: BitRates,
    candidates: Candidates,
    options: DecodeOptions | None = None,
    origin: Origin = "list",
    *,
    keep_all: bool = False,
) -> Decoded:
    """Find the candidates that are there, and estimate their shares (docs/maths-strings.md).

    `origin`: where the candidates come from, for the warnings' words. `keep_all`: bound the shares of the others too,
    by normal errors whatever the method. The same input gives the same output. Raises
    `DomainError` where the candidates are hashed for another design than that of the counts, none is given, or too many
    of a map that is no hash, `SourceError` where there are no reports.
    """
    options = options or DecodeOptions()
    _check(counts, candidates)
    columns = Columns(candidates)
    cells = BloomCells.of(counts, rates, columns.moments)
    finding = _find(cells, columns, options)
    rows = _rows(counts, rates, cells, candidates, options, finding)
    explained = min(1.0, math.fsum(row.share for row in rows))
    fit = _goodness(finding.model.fit)
    return Decoded(
        counts.n_total,
        counts.n_waves,
        columns.n,
        asdict(candidates.design),
        options,
        rows,
        explained,
        1 - explained,
        _error_of_others(cells, options, finding),
        fit,
        _warnings(Remarks(candidates.strings, origin), cells, finding, fit),
        origin,
        cells.has_others,
        _undetected(candidates, cells, columns, options, finding) if keep_all else None,
        missed_of(candidates.strings, [*finding.model.chosen[finding.is_found], *_untold(finding)], origin),
    )


def decode_nothing(
    counts: BitCounts, rates: BitRates, design: BloomDesign, options: DecodeOptions, warnings: tuple[str, ...]
) -> Decoded:
    """Return what is decoded where n-grams lead to no string that could be tested: no rows, and how random bits fit.

    Raises SourceError where there are no reports.
    """
    _check_reports(counts)
    cells = BloomCells.of(counts, rates, HashMoments.of(design))
    fit = _goodness(fit_columns(cells, np.zeros((cells.excess.size, 0))))
    nothing: tuple[tuple[()], float, float, None] = (), 0.0, 1.0, None
    return Decoded(counts.n_total, counts.n_waves, 0, asdict(design), options, *nothing, fit, warnings, "n-grams")


def _find(cells: BloomCells, columns: Columns, options: DecodeOptions) -> DetectedStrings:
    twins = columns.twins(cells.n_devices > 0)
    ambiguous = [number for group in twins for number in group]
    eligible = np.setdiff1d(np.arange(columns.n), [number for group in twins for number in group[1:]])
    search = CandidateSearch(cells, columns, eligible, options.fdr, options.correction)
    model = search.find()
    is_found = search.detected(model) & ~np.isin(model.chosen, ambiguous)
    confounded = math.inf if search.spans_others else confounding(cells, model.fit)
    return DetectedStrings(
        columns.n, model, is_found, search.n_beside(model), twins, sorted(search.dropped), confounded
    )


def _rows(
    counts: BitCounts,
    rates: BitRates,
    cells: BloomCells,
    candidates: Candidates,
    options: DecodeOptions,
    finding: DetectedStrings,
) -> tuple[DecodedString, ...]:
    """Return the strings that were found, the commonest first."""
    model, found = finding.model, finding.is_found
    miss = finding.miss(options.level, simultaneous=options.simultaneous)
    n_hashes, is_chernoff = candidates.design.n_hashes, options.method == "chernoff"
    widths = half_widths(counts, rates, n_hashes, finding, miss, chernoff=is_chernoff)
    ends = np.clip(model.fit.shares[found] - widths, 0, 1), np.clip(model.fit.shares[found] + widths, 0, 1)
    errors = widths / normal_quantile(check_level(options.level))
    fixed = model.standard_errors[found]
    tests = model.p_values[found], model.z_scores[found]
    numbers = [
        np.clip(model.fit.bounded[found], *ends),
        errors,
        *ends,
        fixed,
        *tests,
        *_shifts(rates, cells, model, found),
    ]
    rows = [
        DecodedString(candidates.strings[number], *row)
        for number, row in zip(model.chosen[found].tolist(), np.stack(numbers, axis=-1).tolist(), strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.share, row.string)))


def _error_of_others(cells: BloomCells, options: DecodeOptions, finding: DetectedStrings) -> float | None:
    miss = finding.miss(options.level, simultaneous=options.simultaneous)
    return error_of_others(cells, finding, normal_quantile(miss) / normal_quantile(check_level(options.level)))


def _undetected(
    candidates: Candidates, cells: BloomCells, columns: Columns, options: DecodeOptions, finding: DetectedStrings
) -> tuple[UndetectedString, ...]:
    """Return the candidates that were not found, with bounds that all hold together: whom none finds is chosen too."""
    found = finding.model.chosen[finding.is_found]
    untold = np.array(_untold(finding), np.intp)
    miss = check_level(options.level) / columns.n
    return undetected_strings(candidates.strings, cells, columns, finding.model, found, untold, miss)


def _untold(finding: DetectedStrings) -> list[int]:
    """Return the numbers of the candidates that reports cannot distinguish from others."""
    return [*finding.dropped, *(number for group in finding.twins for number in group)]


def _warnings(remarks: Remarks, cells: BloomCells, finding: DetectedStrings, fit: GoodnessOfFit) -> tuple[str, ...]:
    n_found = int(np.count_nonzero(finding.is_found))
    return (
        *remarks.on_finding(n_found),
        *(remarks.on_few_cells(cells.n_used, n_found) if cells.has_others else ()),
        *remarks.on_fit(fit, level_score(cells, finding.model.fit), cells.moments.density or 1 / cells.shape[1]),
        *remarks.on_confounding(finding.confounding),
        *remarks.on_twins(finding.twins),
        *remarks.on_dropped(finding.dropped),
        *remarks.on_cohorts(int(np.count_nonzero(cells.n_devices[:: cells.shape[1]] == 0)), cells.shape[0]),
    )


def _check(counts: BitCounts, candidates: Candidates) -> None:
    design = candidates.design
    if (design.n_cohorts, design.n_bits) != (counts.n_cohorts, counts.n_bits):
        raise DomainError(
            f"the candidates are hashed for {design.n_cohorts} cohorts of {design.n_bits} bits, "
            f"the counts are of {counts.n_cohorts} cohorts of {counts.n_bits} bits."
        )
    if not candidates.strings:
        raise DomainError("candidates (none) must be at least one string.")
    _check_reports(counts)


def _check_reports(counts: BitCounts) -> None:
    if not counts.n_total:
        raise SourceError("the counts hold no reports; decoding needs at least one.")


def _shifts(
    rates: BitRates, cells: BloomCells, model: CandidateModel, found: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return what 1 % of fakes in every cohort adds to linear estimates, with the bits of weights > 0 set, or < 0.

    A set bit adds weight / contrast, and no bit at all takes if_other / contrast of the sum of all weights: of nothing,
    where other strings leave a constant free.
    """
    weights = model.fit.weights[found]
    shares = weights @ cells.excess  # less what others are taken to add, which fakes leave as it is
    none = -rates.if_other * weights.sum(-1)
    most, least = (clipped.sum(-1) + none for clipped in (np.maximum(weights, 0), np.minimum(weights, 0)))
    return PERCENT * (most / rates.contrast - shares), PERCENT * (least / rates.contrast - shares)


def _goodness(fit: CandidateRegression) -> GoodnessOfFit:
    return GoodnessOfFit(fit.chi_square, fit.degrees, fit.p_value)
