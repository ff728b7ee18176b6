"""A formula's matrix, by formulaic, and where a term has no value: of a category formulaic would make its first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import SourceError
from sotto_estimator.table.table import DataTable

if TYPE_CHECKING:
    import pandas as pd

_FAR = 1e9
_BLOCK_ROWS = 4096
"""Rows that stay in a processor's cache."""


@dataclass(frozen=True, slots=True)
class Undefined:
    """A term that is `value` in a row, the first of those where it has none; `is_always`: it has none in any row."""

    term: str
    row: int
    value: float
    expected: str
    is_always: bool

    def __str__(self) -> str:
        return f"{self.term} is {self.value:g}, and must be {self.expected}"

    def fault(self, table: DataTable, names: Sequence[str]) -> SourceError:
        """Return the error, which names the row of the file, and what the term's columns are there."""
        row = f"row {self.row + 2}" if not table.n_left_out else f"row {self.row + 1} of those used"
        used = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.term)]
        labels = {name: table.columns[name].labels[table.columns[name].codes[self.row]] for name in used}
        where = ", ".join([row, *(f"where {name} is {label!r:.40}" for name, label in labels.items())])
        return SourceError(f"{'every row' if self.is_always else where}: {self}.")


def evaluate(spec: Any, frame: "pd.DataFrame") -> tuple[Any, Floats, Undefined | None]:
    """Return what formulaic keeps of a formula, the matrix of a frame's rows, and a category that is no value."""
    from formulaic.materializers import FormulaMaterializer

    materializer = FormulaMaterializer.for_data(frame)(frame, context={})
    found = materializer.get_model_matrix(spec, output="numpy", na_action="ignore")
    categories = [of for of in materializer.factor_cache.values() if of.metadata.kind.value == "categorical"]
    undefined = (_no_category(of.expr, of.values.__wrapped__) for of in categories)
    matrix = np.ascontiguousarray(found, np.float64)
    return found.model_spec, matrix, next(filter(None, undefined), None)


def _no_category(term: str, values: Any) -> Undefined | None:
    import pandas as pd

    codes, labels = pd.factorize(pd.Series(values), use_na_sentinel=True)
    is_bad = np.array([isinstance(of, float | np.floating) and not np.isfinite(of) for of in labels] + [True])
    bad = is_bad[codes]  # no value has the code -1
    if not bad.any():
        return None
    row = int(bad.argmax())
    value = float(labels[codes[row]]) if codes[row] >= 0 else np.nan
    return Undefined(term.replace("`", ""), row, value, "a text or a finite number", bool(bad.all()))


def not_finite(names: Sequence[str], matrix: Floats) -> Undefined | None:
    """Return the first of a matrix's columns that is not finite."""
    if np.isfinite(matrix).all():
        return None
    for name, column in zip(names, matrix.T, strict=True):
        bad = ~np.isfinite(column)
        if bad.any():
            row = int(bad.argmax())
            return Undefined(name, row, float(column[row]), "a finite number", bool(bad.all()))
    return None


def too_far(names: Sequence[str], matrix: Floats) -> Undefined | None:
    """Return the first of a finite matrix's columns with a number beside which nothing is left of others' differences.

    That is one a billion times as large as most.
    """
    blocks = [matrix[start : start + _BLOCK_ROWS] for start in range(0, len(matrix), _BLOCK_ROWS)]
    most = np.max([np.abs(rows).max(axis=0, initial=0) for rows in blocks], axis=0)
    n_near = sum((np.abs(rows) > most / _FAR).sum(axis=0) for rows in blocks)
    n_any = sum((rows != 0).sum(axis=0) for rows in blocks)
    for place in np.flatnonzero((2 * n_near <= n_any) & (most > 0)).tolist():  # of others the median is near too
        column, largest = np.abs(matrix[:, place]), float(most[place])
        usual = float(np.median(column[column > 0]))
        if largest / _FAR > usual:
            row = int(column.argmax())
            expected = f"less far from the others, to be fitted: half of those that are not 0 are at most {usual:.4g}"
            return Undefined(names[place], row, float(matrix[row, place]), expected, False)
    return None
