"""docs/data-model.md has every table and column of the schema, with its type, and no other."""

import re
from pathlib import Path

from sqlalchemy import BigInteger, Integer, LargeBinary, Text

from sotto_collector.store.schema import metadata

PAGE = Path(__file__).parents[2] / "docs" / "data-model.md"
TYPES = {Integer: "integer", BigInteger: "bigint", LargeBinary: "bytes", Text: "text"}
VERSION = {"alembic_version": [("version_num", "text")]}
"""Alembic's own table."""


def read_page(page: str) -> dict[str, list[tuple[str, str]]]:
    """Return (column, type) of every table, in the page's order."""
    _, *sections = re.split(r"^## ", page, flags=re.MULTILINE)
    tables = {}
    for section in sections:
        name = section.split("`")[1]
        assert name not in tables
        tables[name] = re.findall(r"^\| `(\w+)` \| (\w+) \| [^|]+ \| [^|]+ \|$", section, flags=re.MULTILINE)
        assert len(tables[name]) == section.count("\n| `"), name
    return tables


def test_page_has_every_table_and_column_of_the_schema_and_no_more() -> None:
    meant = {
        name: [(column.name, TYPES[type(column.type)]) for column in table.columns]
        for name, table in metadata.tables.items()
    }
    assert read_page(PAGE.read_text()) == meant | VERSION
