"""Candidates that were not detected: what share each may have all the same."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg, special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.strings.columns import Columns, Ints
from sotto_estimator.strings.models import CandidateModel
from sotto_estimator.strings.regression import BloomCells

_LEAST_LEFT = 1e-6  # of a column's squared length, beside those of the model


@dataclass(frozen=True, slots=True)
class UndetectedString:
    """A candidate that was not found: its share, at least 0, and a bound of it; all bounds hold together at the level.

    Both are None where its bits do not tell it from other candidates.
    """

    string: str
    share: float | None
    high: float | None


def undetected_strings(
    strings: Sequence[str],
    cells: BloomCells,
    columns: Columns,
    model: CandidateModel,
    found: Ints,
    untold: Ints,
    miss: float,
) -> tuple[UndetectedString, ...]:
    """Return the candidates that are not among those `found`, by share from the largest, then those not told apart.

    `untold`: the numbers of those whose bits do not tell them from others. Each bound is one-sided, from the linear
    estimate of the candidate beside those of the model: a share is above it with probability `miss`, as far as the
    normal errors hold.
    """
    if model.every is None:
        linear, errors = _beside_the_model(cells, columns, model)
    else:
        linear, errors = np.full((2, columns.n), np.nan)
        linear[model.every.candidates], errors[model.every.candidates] = model.every.shares, model.every.errors
    bounded = np.maximum(linear, 0)
    linear[model.chosen], errors[model.chosen] = model.fit.shares, model.standard_errors
    bounded[model.chosen] = model.fit.bounded
    highs = np.clip(linear - float(special.ndtri(miss)) * errors * model.inflation, 0, 1)
    highs[untold] = np.nan
    left = np.setdiff1d(np.arange(columns.n), found)
    return listed_others([strings[number] for number in left], bounded[left], highs[left])


def listed_others(strings: Sequence[str], shares: Floats, highs: Floats) -> tuple[UndetectedString, ...]:
    """Return strings with shares, brought below their bounds, from the largest; then those whose bounds are NaN."""
    numbers = zip(strings, np.minimum(shares, highs).tolist(), highs.tolist(), strict=True)
    rows = [
        UndetectedString(string, *((None, None) if math.isnan(high) else (low, high))) for string, low, high in numbers
    ]
    return tuple(sorted(rows, key=lambda row: (row.share is None, -(row.share or 0), row.string)))


def _beside_the_model(cells: BloomCells, columns: Columns, model: CandidateModel) -> tuple[Floats, Floats]:
    """Return what each candidate's share and error would be if it joined the model; NaN where its bits are made up.

    By one step of the regression (Frisch & Waugh 1933): the column's part that the model's columns leave over, with the
    residuals of the model.
    """
    fit = model.fit
    weights = fit.cell_weights
    mean = weights / weights.sum() * cells.has_others
    centred = (fit.columns - mean @ fit.columns) * weights[:, None]
    inverse = linalg.pinvh(centred.T @ fit.columns) if model.chosen.size else np.zeros((0, 0))
    shares, errors = [], []
    for block in columns.blocks():
        lengths = block @ weights
        along = block @ centred
        left = lengths - np.square(lengths) / weights.sum() * cells.has_others - ((along @ inverse) * along).sum(1)
        left[left <= _LEAST_LEFT * lengths] = np.nan
        shares.append(block @ (weights * fit.residuals) / left)
        errors.append(1 / np.sqrt(left))
    return np.concatenate(shares), np.concatenate(errors)
