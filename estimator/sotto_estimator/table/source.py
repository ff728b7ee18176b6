"""A table's rows from where a program has them: a CSV, or a data frame."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard, Union

from sotto_estimator.errors import SourceError
from sotto_estimator.table.frame import table_of_frame
from sotto_estimator.table.reading import read_table
from sotto_estimator.table.table import Table

if TYPE_CHECKING:
    import pandas as pd

TableSource = Union[str, os.PathLike[str], "pd.DataFrame"]
"""The path of a CSV with a row a person, or a data frame of pandas."""


def is_frame(source: object) -> TypeGuard["pd.DataFrame"]:
    """Return whether it is a data frame of pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def table_of(
    source: TableSource,
    names: Sequence[str],
    *,
    complete: Sequence[str] = (),
    progress: Callable[[int], object] = lambda _: None,
) -> Table:
    """Return the columns of these names, as `read_table` and `table_of_frame` do. Raises SourceError for neither."""
    if isinstance(source, str | os.PathLike):
        return read_table(Path(source), names, complete=complete, progress=progress)
    if not is_frame(source):
        raise SourceError(f"rows must be the path of a CSV, or a data frame of pandas, not {type(source).__name__}.")
    return table_of_frame(source, names, complete)
