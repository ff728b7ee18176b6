"""Reads a page as a browser would, without one: its elements, its tables, its charts."""

import base64
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

Cell = str | float
"""The words of a cell, or the number that it holds with all its digits."""


@dataclass
class Page(HTMLParser):
    """A page that was read: `elements` in their order, `tables` by caption, `words` of all that is shown."""

    text: str
    elements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    tables: dict[str, list[list[Cell]]] = field(default_factory=dict)
    words: str = ""

    def __post_init__(self) -> None:
        super().__init__()
        self._row: list[Cell] | None = None
        self._in = ""
        self._caption = ""
        self.feed(self.text)
        self.words = " ".join(self.words.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.elements.append((tag, found))
        if tag == "caption":
            self._caption = ""
        if tag == "tr":
            self._row = []
            self.tables.setdefault(self._caption, []).append(self._row)
        if tag in ("caption", "th", "td", "title"):
            self._in = tag
        if tag in ("th", "td") and self._row is not None:
            self._row.append("")
        if tag == "data" and self._row is not None:
            self._row[-1] = float(found["value"])

    def handle_endtag(self, tag: str) -> None:
        self._in = "" if tag == self._in else self._in

    def handle_data(self, data: str) -> None:
        self.words += data + " "
        if self._in == "caption":
            self._caption += data
        if self._in in ("th", "td") and self._row is not None and isinstance(cell := self._row[-1], str):
            self._row[-1] = cell + data

    def all(self, tag: str) -> list[dict[str, str]]:
        """Return the attributes of every element of this name."""
        return [attributes for name, attributes in self.elements if name == tag]

    def table(self, begin: str) -> list[list[Cell]]:
        """Return the rows, without the heading, of the table whose caption begins so."""
        (rows,) = [rows for caption, rows in self.tables.items() if caption.startswith(begin)]
        return rows[1:]

    def charts(self) -> list[ElementTree.Element]:
        """Return the page's drawings."""
        return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", self.text, re.DOTALL)]  # noqa: S314


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
