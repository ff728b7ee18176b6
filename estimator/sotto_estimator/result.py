"""Result: what every public result can do, of the same numbers in every form."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sotto_estimator.panels import Panel

GIVEN = "counts as given"
"""The title of counts that nobody gave one."""


class Result(ABC):
    """A frozen dataclass of what was found. Its command prints `as_table`, `as_json` or `as_csv`."""

    __slots__ = ()

    @abstractmethod
    def as_table(self) -> str:
        """Return what the numbers mean, and aligned numbers."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the members of its JSON object, by name."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Return the rows of its CSV, all of the same members."""

    @abstractmethod
    def panels(self) -> "tuple[str, Sequence[Panel]]":
        """Return a picture's title, and its parts from top to bottom."""

    @property
    def heading(self) -> str:
        """What stands above a report on it: what it is of, in a line."""
        return str(self).partition("\n")[0]

    def titled(self, title: str) -> Self:
        """Return the same under another title: what the data are called."""
        return replace(self, title=title)  # type: ignore[type-var]  # every one is a dataclass with a title

    def alarms(self) -> Sequence[str]:
        """Return what is wrong with the data, a sentence each: it stands before all else."""
        return ()

    def sections(self) -> Sequence[tuple[str, str]]:
        """Return the parts of a report, headings and HTML, but the picture, which is the second."""
        return [("What was found", "".join(self.html_parts()))]

    def to_html(self) -> str:
        """Return a page that needs no other file: all of it, a picture, how to cite it, and its JSON."""
        from sotto_estimator.report import report_html

        return report_html(self)

    def html_parts(self) -> Sequence[str]:
        """Return what a notebook shows, in pieces of HTML: the table, in a typewriter's letters."""
        from sotto_estimator.hypertext import typed_html

        return [typed_html(self.as_table())]

    def as_json(self) -> str:
        """Return it as a JSON object; shares as fractions, what is infinite null."""
        from sotto_estimator.render import json_text  # it renders results

        return json_text(self.to_dict())

    def as_csv(self) -> str:
        """Return it as CSV with a header; shares as fractions."""
        from sotto_estimator.render import csv_text

        return csv_text(self.records())

    def as_style(self, style: str) -> str:
        """Return it as a command prints it: as "json", "csv" or, for people, ""."""
        return {"json": self.as_json, "csv": self.as_csv}.get(style, self.as_table)()

    def to_frame(self) -> "pd.DataFrame":
        """Return a pandas DataFrame with the rows and columns of its CSV. Raises MissingExtra."""
        from sotto_estimator.frames import frame_of, require_frames

        require_frames("to_frame", "pandas")
        return frame_of(self.records())

    def plot(self, path: "Path | str | None" = None, *, ax: "Axes | None" = None) -> "Figure":
        """Draw it, and return the figure; into a PNG, PDF or SVG file too, where a path is given.

        `ax`: draw the first part alone, into these axes of yours. Raises SourceError.
        """
        from sotto_estimator.panels import plot_panels  # matplotlib takes a second to load

        return plot_panels(*self.panels(), path, ax)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return f"<div>{''.join(self.html_parts())}</div>"
