"""A column that explains, as numbers or as categories; a stray cell among numbers does not make them categories."""

from typing import TYPE_CHECKING

import numpy as np

from sotto_estimator.table.table import DataColumn, number_of

if TYPE_CHECKING:
    import pandas as pd

_MOSTLY = 0.9
"""So much of the rows, or half of the different texts, are numbers in a column of numbers."""


def series_of(column: DataColumn, *, is_category: bool) -> "pd.Series":
    """Return a column as pandas has it. `is_category`: it stands in `C(..)` alone.

    Raises SourceError, which names the row, for a text among numbers: one that is a category must be said to be.
    """
    import pandas as pd

    if column.is_number:
        return pd.Series(column.numbers())
    is_number = np.array([number_of(label) is not None for label in column.labels])
    if all(map(_reads_as_number, column.labels)):
        raise column.fault(int(is_number.argmin()), "must be a finite number with a decimal point")
    n_numbers = int(is_number[column.codes].sum())
    if not is_category and (2 * is_number.sum() >= len(is_number) or n_numbers >= _MOSTLY * len(column.codes)):
        written = column.name if column.name.isidentifier() else f"`{column.name}`"
        raise column.fault(
            int(is_number.argmin()),
            f"must be a finite number, as {n_numbers:,} of {len(column.codes):,} cells are; or empty, if it is "
            f"missing; or write C({written}), if these are categories",
        )
    order = sorted(column.labels)
    places = {label: place for place, label in enumerate(order)}
    codes = np.array([places[label] for label in column.labels])[column.codes]
    return pd.Series(pd.Categorical.from_codes(codes, order))


def _reads_as_number(text: str) -> bool:
    """Return whether it is one, or would be: NaN, infinity and 1,5 are no categories."""
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True
