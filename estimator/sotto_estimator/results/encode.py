"""Members and rows as JSON and CSV: text that programs read."""

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from sotto_protocol.cells import without_formulas


def json_text(document: dict[str, Any]) -> str:
    """Return indented JSON; infinite numbers, which JSON has not, are null."""
    return json.dumps(_finite(document), ensure_ascii=False, indent=2, allow_nan=False)


def csv_text(records: Sequence[dict[str, Any]], columns: Sequence[str] = ()) -> str:
    """Return records of the same members as CSV with a header; no text is a formula to a spreadsheet.

    `columns`: the members' names, where there may be no record.
    """
    return "\n".join(_line(cells) for cells in (records[0] if records else columns, *(of.values() for of in records)))


def _line(cells: Iterable[object]) -> str:
    """Return a row of CSV without its end; written as if that were CRLF, or a CR in a text would not be quoted."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(without_formulas(cells))
    return text.getvalue().removesuffix("\r\n")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(member) for member in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
