"""How many people of the population are of each group: as typed, or in a file."""

from pathlib import Path

from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.sources.source import source_of

SIZES = "population"
"""The column of the sizes in a file of margins."""


def read_margins(text: str, column: str) -> dict[str, float]:
    """Return sizes by group, of TEXT=N,.. or of a file with this column and one of sizes. Raises as `Source.table`,
    `DomainError` for what is neither, and SourceError where a group is there twice.

    >>> read_margins("north=400, south=0.5e3", "region")
    {'north': 400.0, 'south': 500.0}
    """
    if "=" not in text:
        return _of_file(Path(text), column)
    found: dict[str, float] = {}
    for part in text.split(","):
        label, _, size = (piece.strip() for piece in part.rpartition("="))
        try:
            number = float(size)
        except ValueError:
            label = ""
        if not label or label in found:
            raise DomainError(f"margins ({part:.60}) must be TEXT=N with commas between, each text once; or a file.")
        found[label] = number
    return found


def _of_file(path: Path, column: str) -> dict[str, float]:
    table = source_of(path).table([column, SIZES], complete=[column, SIZES])
    labels, sizes = table.columns[column], table.columns[SIZES].numbers()
    if len(labels.labels) < table.n_rows:
        raise SourceError(f"{path}: column {column} must have each group once.")
    return dict(zip(labels.labels, sizes.tolist(), strict=True))
