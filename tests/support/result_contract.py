"""What every kind of result is held to, of every package that has some: all forms, titles, markup, no renderer."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from unicodedata import category

from sotto_estimator.results.document import Table
from sotto_estimator.results.result import Result
from sotto_estimator.results.view import VIEWS
from sotto_protocol.words import escaped
from written_forms import read_latex, read_markdown

NASTY = "a\x1b[2Jb \u202e米饭和蔬菜 مرحبا 😂 | <b> \\ =1+1"
"""A terminal's command, a mark of direction, wide letters, right to left, HTML, and a formula."""
_FORMS: dict[str, Callable[[Result], object]] = {
    "table": lambda found: found.as_table(),
    "json": lambda found: found.as_json(),
    "csv": lambda found: found.as_csv(),
    "markdown": lambda found: found.as_markdown(),
    "latex": lambda found: found.as_latex(),
    "dict": lambda found: found.to_dict(),
    "frame": lambda found: found.to_frame(),
    "picture": lambda found: found.plot(),
    "notebook": lambda found: found._repr_html_(),
    "report": lambda found: found.to_html(),
    "line": str,
    "heading": lambda found: found.heading,
    "titled": lambda found: found.titled(NASTY),
    "alarms": lambda found: found.alarms(),
}


def kinds_of(package: str) -> set[str]:
    """Return the names of a package's kinds of results, which are those that have a row in `VIEWS`."""
    rows = {kind for kind, module in VIEWS.items() if module.startswith(f"{package}.")}
    assert rows == {kind.__name__ for kind in _below(Result) if kind.__module__.startswith(f"{package}.")}
    return rows


def _below(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


def _tables_of(found: Result) -> list[Table]:
    """Return the tables that people read in a terminal."""
    parts = found.document().parts
    return [block for part in parts if not part.is_background for block in part.blocks if isinstance(block, Table)]


def _shown(cell: str) -> str:
    return escaped(cell).strip()


def _title_is_shown_and_moves_no_cursor(of: Result) -> None:
    found = of.titled(NASTY)
    page = found.to_html().partition("<script")[0]
    read = {"table": found.as_table(), "line": str(found), "heading": found.heading, "alarms": "".join(found.alarms())}
    read |= {"markdown": found.as_markdown(), "notebook": found._repr_html_(), "report": page}
    assert [form for form, text in read.items() if _steers(text)] == []
    assert "| &lt;b&gt;" in page
    assert "| <b>" not in page + found._repr_html_()


def _steers(text: str) -> bool:
    """Return whether something in a text moves a cursor, or turns the direction of writing."""
    return any(category(one) in ("Cc", "Cf", "Zl", "Zp") and one not in "\n\u200d" for one in text)


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def _json_is_json_and_csv_has_the_rows_of_a_frame(found: Result) -> None:
    document = json.loads(found.as_json(), parse_constant=_refuse)
    assert document.keys() == found.to_dict().keys()
    header, *rows = csv.reader(io.StringIO(found.as_csv()))
    frame = found.to_frame()
    assert header == [*frame.columns]
    assert len(rows) == len(frame)
    assert {len(row) for row in rows} <= {len(header)}


def _markdown_and_latex_have_the_cells_of_the_tables_and_no_markup_but_their_own(of: Result) -> None:
    found = of.titled(NASTY)
    tables = _tables_of(found)
    expected = [[[_shown(cell) for cell in cells] for cells in (table.head, *table.cells)] for table in tables]
    assert read_markdown(found.as_markdown()) == expected
    assert read_latex(found.as_latex()) == expected
    for text, alarm in ((found.as_markdown(), "> **Warning:** "), (found.as_latex(), "\\textbf{Warning: ")):
        assert re.split(r"## |\\subsection", text)[0].count(alarm) == len(found.alarms())


def _holds_nothing_that_shows_it(found: Result) -> None:
    assert "__dict__" not in dir(found)
    assert not [field.name for field in fields(found) if callable(getattr(found, field.name))]  # type: ignore[arg-type]


def _has(form: Callable[[Result], object]) -> Callable[[Result], None]:
    def check(found: Result) -> None:
        assert form(found) is not None

    return check


CONTRACT: Mapping[str, Callable[[Result], None]] = {
    **{form: _has(make) for form, make in _FORMS.items()},
    "a title is shown": _title_is_shown_and_moves_no_cursor,
    "JSON and CSV": _json_is_json_and_csv_has_the_rows_of_a_frame,
    "Markdown and LaTeX": _markdown_and_latex_have_the_cells_of_the_tables_and_no_markup_but_their_own,
    "no renderer": _holds_nothing_that_shows_it,
}
"""Checks of a result, by what they look at."""
