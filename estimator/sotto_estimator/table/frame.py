"""A data frame's columns as those of a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sotto_estimator.errors import SourceError
from sotto_estimator.table.building import MISSING
from sotto_estimator.table.table import Column, Table

if TYPE_CHECKING:
    import pandas as pd


def table_of_frame(frame: "pd.DataFrame", names: Sequence[str], complete: Sequence[str] = ()) -> Table:
    """Return the named columns of the rows that miss none of them; their values as texts.

    Raises SourceError for a column that is not there, one of `complete` that misses a value, and where no row is left.
    """
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if list(frame.columns).count(name) != 1:
            raise SourceError(f"the data frame must have one column {name!r:.80}.")
    is_missing = frame[wanted].isna() | frame[wanted].isin(MISSING)
    for name in complete:
        if is_missing[name].any():
            row = int(is_missing[name].to_numpy().argmax()) + 2
            raise SourceError(f"the data frame, row {row}: column {name} must not be missing: empty, NA or NaN.")
    kept = np.flatnonzero(~is_missing.any(axis=1).to_numpy())
    if not len(kept):
        raise SourceError("the data frame has no rows that miss no value.")
    columns = {name: _column(name, frame[name].iloc[kept], kept) for name in wanted}
    n_missing = {name: int(is_missing[name].sum()) for name in wanted if is_missing[name].any()}
    return Table("the data frame", len(kept), columns, len(frame) - len(kept), n_missing)


def _column(name: str, values: "pd.Series", places: np.ndarray) -> Column:
    import pandas as pd

    codes, labels = pd.factorize(values)
    first = np.unique(codes, return_index=True)[1]
    return Column(name, tuple(map(str, labels)), codes.astype(np.int32), tuple((places[first] + 2).tolist()))
