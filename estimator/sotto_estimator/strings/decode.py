"""Decode: from bit counts to the strings that are there, their shares, and intervals that hold although chosen."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sotto_estimator.channel import Floats
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.intervals import check_level
from sotto_estimator.quality import PERCENT
from sotto_estimator.strings.bounds import chernoff_half_width, normal_half_width
from sotto_estimator.strings.columns import Candidates, Columns
from sotto_estimator.strings.counts import BitCounts, BitRates
from sotto_estimator.strings.models import Model, Search
from sotto_estimator.strings.regression import Cells, level_score, standard_errors
from sotto_estimator.strings.selection import Correction

DecodeMethod = Literal["normal", "chernoff"]
DECODE_METHODS: tuple[DecodeMethod, ...] = get_args(DecodeMethod)
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)

MISFIT_P_VALUE = 1e-3
"""Below it the residuals are more than noise."""
_N_NAMED = 6
_FAR_OFF = 6.0  # deviations of the mean of all bits
_FAR_OFF_SHARE = 0.02  # of a random string's density of bits


@dataclass(frozen=True, slots=True)
class DecodeManner:
    """How strings are chosen and their intervals made.

    `level` in (0, 1): of the intervals. `method`: "normal" or "chernoff" (wider, for every n). `fdr` in (0, 1): most
    false discoveries, as an expected part of those made (`correction` "fdr"), or the probability of any ("bonferroni").
    `simultaneous`: all intervals hold together. Raises `DomainError` outside the domains.
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
            raise DomainError(f"method ({self.method!r}) must be one of {', '.join(DECODE_METHODS)}.")
        if self.correction not in CORRECTIONS:
            raise DomainError(f"correction ({self.correction!r}) must be one of {', '.join(CORRECTIONS)}.")


@dataclass(frozen=True, slots=True)
class DecodedString:
    """A string that was found: its share in [low, high], and the one-sided test that it is above 0.

    `standard_error`, `z_score` and the shifts belong to the unbounded linear estimate; `p_value` is of this string
    alone. `shift_up`, `shift_down`: what reports that no answer produced add, for each 1 % of them in every cohort, if
    they set whichever bits move the estimate most.
    """

    string: str
    share: float
    standard_error: float
    low: float
    high: float
    p_value: float
    z_score: float
    shift_up: float
    shift_down: float


@dataclass(frozen=True, slots=True)
class Fit:
    """How far the counts lie from the model: chi_square over degrees is 1 where only noise is left.

    `p_value`: P(chi-square is as large or larger | only noise); 1 where no degrees of freedom are left to tell.
    """

    chi_square: float
    degrees: int
    p_value: float

    @property
    def ratio(self) -> float:
        """chi_square / degrees; 1 without degrees of freedom."""
        return self.chi_square / self.degrees if self.degrees else 1.0


@dataclass(frozen=True, slots=True)
class Decoded:
    """What was found, by share from the largest, and how much was not.

    `explained_mass`: the sum of the rows' shares. `other_share`: of all other strings, 1 - explained_mass, with the
    standard error of the linear estimate of either.
    """

    n_reports: int
    n_waves: int
    n_candidates: int
    n_bits: int
    n_hashes: int
    n_cohorts: int
    manner: DecodeManner
    rows: tuple[DecodedString, ...]
    explained_mass: float
    other_share: float
    other_standard_error: float
    fit: Fit
    warnings: tuple[str, ...]


def decode(counts: BitCounts, rates: BitRates, candidates: Candidates, manner: DecodeManner | None = None) -> Decoded:
    """Find the candidates that are there, and estimate their shares (docs/maths.md).

    The same input gives the same output. Raises `DomainError` where the candidates are hashed for another design than
    that of the counts, or none is given, `SourceError` where there are no reports.
    """
    manner = manner or DecodeManner()
    _check(counts, candidates)
    columns = Columns(candidates)
    cells = Cells.of(counts, rates, columns.moments)
    twins = columns.twins(cells.n_devices > 0)
    eligible = np.setdiff1d(np.arange(columns.n), [number for group in twins for number in group[1:]])
    search = Search(cells, columns, eligible, manner.fdr, manner.correction)
    model = search.find()
    ambiguous = [number for group in twins for number in group]
    found = search.detected(model) & ~np.isin(model.chosen, ambiguous)
    low, high = _intervals(counts, rates, candidates, manner, model, found)
    shares = np.clip(model.fit.bounded[found], low, high)
    rows = [
        DecodedString(candidates.strings[number], *values)
        for number, *values in zip(
            model.chosen[found].tolist(),
            shares.tolist(),
            model.standard_errors[found].tolist(),
            low.tolist(),
            high.tolist(),
            model.p_values[found].tolist(),
            model.z_scores[found].tolist(),
            *(shifts.tolist() for shifts in _shifts(rates, model, found)),
            strict=True,
        )
    ]
    rows.sort(key=lambda row: (-row.share, row.string))
    explained = min(1.0, math.fsum(row.share for row in rows))
    fit = _goodness(model)
    design = candidates.design
    return Decoded(
        counts.n_total,
        counts.n_waves,
        columns.n,
        counts.n_bits,
        design.n_hashes,
        counts.n_cohorts,
        manner,
        tuple(rows),
        explained,
        1 - explained,
        float(model.inflation * standard_errors(cells, model.fit, model.fit.weights[found].sum(0, keepdims=True))[0]),
        fit,
        tuple(_warnings(counts, candidates, twins, search, fit, rows, level_score(cells, model.fit))),
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
    if not counts.n_total:
        raise SourceError("the counts hold no reports; decoding needs at least one.")


def _intervals(
    counts: BitCounts,
    rates: BitRates,
    candidates: Candidates,
    manner: DecodeManner,
    model: Model,
    found: NDArray[np.bool_],
) -> tuple[Floats, Floats]:
    """Return intervals around the linear estimates, each of the level that the choice among candidates asks for.

    Of R found among M, intervals that miss with probability miss R / M each make the expected part of those found that
    miss at most `miss` (Benjamini & Yekutieli 2005); with miss / M all hold together.
    """
    n_candidates, n_found = len(candidates.strings), int(np.count_nonzero(found))
    miss = check_level(manner.level) / n_candidates * (1 if manner.simultaneous else max(n_found, 1))
    fit = model.fit
    if manner.method == "normal":
        half_width = normal_half_width(model.standard_errors[found], miss)
    else:
        weights = fit.weights[found].reshape(-1, counts.n_cohorts, counts.n_bits)
        half_width = (
            chernoff_half_width(weights, counts, rates, candidates.design.n_hashes, miss, fit.unlisted)
            * model.inflation
        )
    return np.clip(fit.shares[found] - half_width, 0, 1), np.clip(fit.shares[found] + half_width, 0, 1)


def _shifts(rates: BitRates, model: Model, found: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return what 1 % of fakes in every cohort adds to linear estimates, with the bits of weights > 0 set, or < 0.

    A set bit adds weight / contrast, and weights add up to 0 over the cells, so that no bit at all adds nothing.
    """
    most = np.clip(model.fit.weights[found], 0, None).sum(-1) / rates.contrast
    shares = model.fit.shares[found]
    return PERCENT * (most - shares), PERCENT * (-most - shares)


def _goodness(model: Model) -> Fit:
    chi_square, degrees = model.fit.chi_square, model.fit.degrees
    p_value = float(special.chdtrc(degrees, chi_square)) if degrees else 1.0
    return Fit(chi_square, degrees, p_value)


def _warnings(
    counts: BitCounts,
    candidates: Candidates,
    twins: list[list[int]],
    search: Search,
    fit: Fit,
    rows: list[DecodedString],
    level: tuple[float, float],
) -> list[str]:
    said = []
    if not rows:
        said.append("no candidate was found: none stands out from the noise and the other strings.")
    if fit.p_value < MISFIT_P_VALUE:
        said.append(
            f"the model fits badly: residual chi-square / df = {fit.ratio:.3g} ({fit.degrees} df); strings may be "
            "missing from the candidates, or the parameters be others than the devices'. Intervals are widened for it."
        )
    offset, deviations = level
    if abs(deviations) > _FAR_OFF and abs(offset) > _FAR_OFF_SHARE * search.columns.moments.density:
        said.append(
            f"bits are set {'more' if offset > 0 else 'less'} often than strings can explain: by {abs(offset):.3g} of "
            "devices a bit, on average; the parameters are others than the devices', or not all reports are genuine."
        )
    if not fit.degrees:
        said.append("there are as many strings as cells: whether the model fits cannot be told.")
    for group in twins[:_N_NAMED]:
        said.append(
            f"{_names(candidates, group)} set the same bits in every cohort with reports: they cannot be told apart "
            "and are not reported."
        )
    if len(twins) > _N_NAMED:
        said.append(f"{len(twins) - _N_NAMED} more groups of candidates set the same bits and are not reported.")
    if search.dropped:
        said.append(
            f"{_names(candidates, sorted(search.dropped))} cannot be told from combinations of other candidates and "
            "are not reported."
        )
    empty = int(np.count_nonzero(counts.n_reports == 0))
    if empty:
        said.append(f"{empty} of {counts.n_cohorts} cohorts have no reports.")
    return said


def _names(candidates: Candidates, numbers: list[int]) -> str:
    shown = ", ".join(repr(candidates.strings[number]) for number in numbers[:_N_NAMED])
    return shown + (f" and {len(numbers) - _N_NAMED} more" if len(numbers) > _N_NAMED else "")
