"""What a planned test says: a table for people, JSON, CSV, and the lines of its curve."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sotto_estimator.planning.power import PowerRow
from sotto_estimator.results.encode import csv_text, json_text
from sotto_protocol.tables import align


@dataclass(frozen=True, slots=True)
class Named:
    """A test in words: `title` asks it, `words` say what it is and what of it is exact, `of_n` what n counts.

    `name`: of the command. `members`: what is true, and what is tested, for JSON and CSV.
    """

    name: str
    title: str
    words: str
    of_n: str
    members: dict[str, Any]


def power_table(rows: Sequence[PowerRow], named: Named, members: Mapping[str, Any]) -> str:
    """Return an aligned table for people, and under it what is tested, how, and what n counts."""
    cells = [["epsilon", "mechanism", "n", "power"]]
    for row in rows:
        epsilon = "-" if row.epsilon is None else f"{row.epsilon:g}"
        cells.append([epsilon, row.mechanism, f"{row.n:,}", _power_words(row.power)])
    sides = "Two-sided" if members["n_sides"] == 2 else "One-sided"
    heading = f"{named.title} {sides}, alpha {members['alpha']:g}; n {named.of_n}."
    return f"{align(cells, n_left=2)}\n\n{heading}\n{named.words}"


def _power_words(power: float | None) -> str:
    return "too few" if power is None else f"{100 * power:.2f} %"


def power_json(rows: Sequence[PowerRow], named: Named, members: Mapping[str, Any]) -> str:
    """Return the plan as a JSON object; powers and shares as fractions."""
    return json_text({"test": named.name, **members, "plan": [asdict(row) for row in rows]})


def power_csv(rows: Sequence[PowerRow], named: Named, members: Mapping[str, Any]) -> str:
    """Return the plan as CSV, what is tested in every row."""
    return csv_text([asdict(row) | {"test": named.name} | dict(members) for row in rows])


def power_lines(rows: Sequence[PowerRow]) -> dict[str, list[tuple[float, float]]]:
    """Return the points (n, power) of every epsilon, by what a legend calls it."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        name = row.mechanism if row.epsilon is None else f"epsilon {row.epsilon:g}, {row.mechanism}"
        line = lines.setdefault(name, [])
        if row.power is not None:
            line.append((row.n, row.power))
    return lines
