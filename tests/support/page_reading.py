"""Reads a page's tables and charts, as `reading_html` reads its elements."""

import base64
import re
from typing import Any
from xml.etree import ElementTree

from reading_html import Element, read_html

Cell = str | float
"""The words of a cell, or the number that it holds with all its digits."""


class Page:
    """A page that was read: `root` holds its elements, `tables` by caption, `words` of all that is shown."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = read_html(text)
        self.words = " ".join(" ".join(self.root.words).split())
        self.tables = {table.one("caption").text: _rows(table) for table in self.root.find("table")}

    def all(self, tag: str) -> list[dict[str, str]]:
        """Return the attributes of every element of this name."""
        return [element.attributes for element in self.root.find(tag)]

    def table(self, begin: str) -> list[list[Cell]]:
        """Return the rows, without the heading, of the table whose caption begins so."""
        (rows,) = [rows for caption, rows in self.tables.items() if caption.startswith(begin)]
        return rows[1:]

    def charts(self) -> list[ElementTree.Element]:
        """Return the page's drawings."""
        return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", self.text, re.DOTALL)]  # noqa: S314


def _rows(table: Element) -> list[list[Cell]]:
    return [[_read_cell(cell) for cell in row.inner if cell.tag in ("th", "td")] for row in table.find("tr")]


def _read_cell(cell: Element) -> Cell:
    numbers = cell.find("data")
    return float(numbers[0].attributes["value"]) if numbers else "".join(cell.words)


def read_page(response: Any) -> Page:
    """Read an answer that must be a page."""
    assert response.status_code == 200, response.text
    assert response.content_type == "text/html; charset=utf-8"
    return Page(response.text)


def password(bearer: dict[str, str], name: str = "anybody") -> dict[str, str]:
    """Return the headers of a browser whose reader typed a token, given as a Bearer's header."""
    token = bearer["Authorization"].removeprefix("Bearer ")
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{token}".encode()).decode()}


def percent_of(chart: ElementTree.Element, kind: str, name: str) -> list[float]:
    """Return an attribute, in per cent across, of every mark of a kind."""
    return [float(mark.attrib[name].removesuffix("%")) for mark in chart if mark.get("class") == kind]
