"""A channel from a file: the probability of each report under each answer."""

import csv
from pathlib import Path

from sotto_estimator.designs.parameters import MAX_COUNT, Row, read_probability
from sotto_estimator.errors import DomainError, SourceError

_MAX_BYTES = 2**20


def read_matrix(path: Path) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Row, ...]]:
    """Return answers, reports and rows of a CSV: a header that names the answers, then a report and its probabilities.

    Raises SourceError, which names line and column.
    """
    try:
        with path.open("rb") as file:
            lines = file.read(_MAX_BYTES + 1)
        if len(lines) > _MAX_BYTES:
            raise SourceError(f"{path}: must be of at most {_MAX_BYTES:,} bytes.")
        header, *rows = list(csv.reader(lines.decode("utf-8-sig").splitlines())) or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as fault:
        raise SourceError(f"{path}: cannot be read as CSV in UTF-8 ({fault}).") from fault
    answers = tuple(name.strip() for name in header[1:])
    if not 2 <= len(answers) <= MAX_COUNT or len(set(answers)) < len(answers):
        raise SourceError(f"{path}: the header must name 2 to {MAX_COUNT} different answers after its first column.")
    return answers, _reports(path, rows), tuple(_row(path, line, row, answers) for line, row in enumerate(rows, 2))


def _reports(path: Path, rows: list[list[str]]) -> tuple[str, ...]:
    reports = tuple(row[0].strip() if row else "" for row in rows)
    if not 2 <= len(reports) <= MAX_COUNT or len(set(reports)) < len(reports):
        raise SourceError(f"{path}: must have 2 to {MAX_COUNT} different reports, one per row.")
    return reports


def _row(path: Path, line: int, row: list[str], answers: tuple[str, ...]) -> Row:
    if len(row) != len(answers) + 1:
        raise SourceError(f"{path}, line {line}: must have a report and {len(answers)} probabilities.")
    values = []
    for answer, text in zip(answers, row[1:], strict=True):
        try:
            values.append(read_probability(text.strip()))
        except DomainError as fault:
            raise SourceError(f"{path}, line {line}, answer {answer}: {fault}") from None
    return tuple(values)
