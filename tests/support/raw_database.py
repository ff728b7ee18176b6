"""What somebody sees who reads the raw database: where rows lie on SQLite's pages, PostgreSQL's hidden columns."""

from pathlib import Path

import numpy as np
import psycopg

from sotto_protocol import Report


def leaf_offsets(path: Path, reports: list[Report]) -> list[list[int]]:
    """Return, of each leaf of the file that holds reports, where its cells lie, in the order of their keys.

    Of SQLite's file format: a leaf's type is 10, its cells' number is at byte 3, their offsets follow from byte 8.
    """
    content = path.read_bytes()
    size = int.from_bytes(content[16:18], "big")
    pages = [content[start : start + size] for start in range(size, len(content), size)]
    leaves = [page for page in pages if page[0] == 10 and any(report.id in page for report in reports)]
    n_cells = [int.from_bytes(leaf[3:5], "big") for leaf in leaves]
    return [
        [int.from_bytes(leaf[8 + 2 * cell : 10 + 2 * cell], "big") for cell in range(n)]
        for leaf, n in zip(leaves, n_cells, strict=True)
    ]


def lies_by_key(offsets: list[int]) -> bool:
    """Return whether a page is filled in the order of its keys, from its end on; of 4 rows 1 in 24 does by chance."""
    return len(offsets) > 3 and offsets == sorted(offsets, reverse=True)


def read_hidden(url: str, table: str, key: str) -> list[tuple[bytes, int, str]]:
    """Return (key, xmin, ctid) of a PostgreSQL table's rows, in the order in which they lie on the disk."""
    with psycopg.connect(url) as connection:
        statement = f"SELECT {key}, xmin::text::bigint, ctid::text AS place FROM {table} ORDER BY ctid"  # noqa: S608  # a test's
        return connection.execute(statement.encode()).fetchall()


def correlate_ranks(first: list[int], second: list[int]) -> float:
    """Return Spearman's correlation of two lists without ties: 0 where one's order tells nothing of the other's."""
    ranks = [np.argsort(np.argsort(values)) for values in (first, second)]
    return float(np.corrcoef(*ranks)[0, 1])
