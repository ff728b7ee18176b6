"""pandas: what is needed for data frames, and records as one."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from sotto_protocol.extras import MissingExtra

if TYPE_CHECKING:
    import pandas as pd

EXTRA = "frames"


def require_frames(what: str, *modules: str) -> None:
    """Raise MissingExtra, which names what is asked for, unless the modules are installed."""
    for module in modules:
        if find_spec(module) is None:
            raise MissingExtra(what, EXTRA, module)


def frame_of(records: Sequence[Mapping[str, Any]], names: Sequence[str] = ()) -> "pd.DataFrame":
    """Return records of the same members as a data frame; a column of integers of which some are missing is Int64.

    `names`: of the members, where there may be no record; the columns are then of any type.
    """
    import pandas as pd

    columns = {name: [record[name] for record in records] for name in (records[0] if records else names)}
    return pd.DataFrame({name: pd.Series(values, dtype=_dtype(values)) for name, values in columns.items()})


def _dtype(values: Sequence[object]) -> str:
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {str}:
        return "str" if None not in values else "string"
    if kinds == {bool}:
        return "bool" if None not in values else "boolean"
    if kinds == {int}:
        return "int64" if None not in values else "Int64"
    return "float64" if kinds <= {int, float} else "object"
