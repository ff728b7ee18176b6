"""Estimates as a table for people, as JSON and CSV for programs: the same numbers in all three."""

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from sotto_estimator.channel import Target
from sotto_estimator.estimate import Estimate, Estimates, Manner
from sotto_estimator.intervals import Method

_METHODS: dict[Method, str] = {
    "chernoff": "Chernoff bound (relative entropy)",
    "hoeffding": "additive Chernoff (Hoeffding) bound",
    "clopper-pearson": "Clopper-Pearson method",
    "wilson": "Wilson score (approximate)",
}
_TARGETS: dict[Target, str] = {
    "population": "the population",
    "respondents": "these respondents",
}


def table(estimates: Estimates) -> str:
    """Return an aligned table, n, epsilon, method and level beside it; shares in per cent."""
    columns = ["question", "answer", "epsilon", "share", "std. error", "low", "high"]
    columns += ["consistent"] if estimates.manner.consistent else []
    rows = [columns] + [_cells(row) for row in estimates.rows]
    return f"{caption(estimates)}\n\n{align(rows, n_left=2)}"


def caption(estimates: Estimates) -> str:
    """Return what the intervals mean, in two lines."""
    return (
        f"{estimates.title}: n = {estimates.n_reports:,} reports, epsilon {estimates.epsilon:.4f} a report\n"
        f"{interval_words(estimates.manner)}"
    )


def interval_words(manner: Manner) -> str:
    """Return what an interval is, in words."""
    together = "all together" if manner.simultaneous else "each by itself"
    return f"{method_words(manner.level, manner.method, manner.target)}, {together}"


def method_words(level: float, method: Method, target: Target) -> str:
    """Return what a level, a method and a target mean, in words."""
    exact = (100 * Decimal(str(level))).normalize()  # floats would print 0.9999999 as 100 %
    return f"{exact:f} % intervals by the {_METHODS[method]}, about {_TARGETS[target]}"


def align(rows: Sequence[Sequence[str]], *, n_left: int) -> str:
    """Return rows as aligned text: the first n_left columns to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column < n_left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def percent(share: float) -> str:
    """Return a share in per cent with two decimals."""
    return f"{100 * share:.2f} %"


def as_json(estimates: Estimates) -> str:
    """Return the estimates as a JSON object; shares as fractions."""
    heading = {"title": estimates.title, "n_reports": estimates.n_reports, "epsilon": estimates.epsilon}
    return json_text(heading | _manner_members(estimates) | {"estimates": [_members(row) for row in estimates.rows]})


def as_csv(estimates: Estimates) -> str:
    """Return the estimates as CSV with a header, n, epsilon, method and level in every row; shares as fractions."""
    return csv_text([_members(row) | _manner_members(estimates) for row in estimates.rows])


def json_text(document: dict[str, Any]) -> str:
    """Return indented JSON; infinite numbers, which JSON has not, are null."""
    return json.dumps(_finite(document), ensure_ascii=False, indent=2, allow_nan=False)


def csv_text(records: Sequence[dict[str, Any]]) -> str:
    """Return records of the same members as CSV with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, records[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue().rstrip("\n")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_finite(member) for member in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cells(row: Estimate) -> list[str]:
    numbers = [row.share, row.standard_error, row.low, row.high]
    numbers += [] if row.consistent_share is None else [row.consistent_share]
    return [row.question, row.answer, f"{row.epsilon:.4f}", *map(percent, numbers)]


def _members(row: Estimate) -> dict[str, Any]:
    members = asdict(row)
    if row.consistent_share is None:
        del members["consistent_share"]
    return members


def _manner_members(estimates: Estimates) -> dict[str, Any]:
    manner = estimates.manner
    return {
        "level": manner.level,
        "simultaneous": manner.simultaneous,
        "method": manner.method,
        "target": manner.target,
    }
