"""Result: what every public result can do, of the same numbers in every form."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from inspect import getattr_static
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sotto_estimator.errors import DomainError
from sotto_estimator.results.data_frames import frame_of, require_frames
from sotto_estimator.results.document import AskedTexts, Document, SurveyDocument
from sotto_estimator.results.encode import csv_text, json_text
from sotto_estimator.results.figure import Panel
from sotto_estimator.results.forms.html import notebook_html, survey_html
from sotto_estimator.results.forms.latex import latex_of
from sotto_estimator.results.forms.markdown import markdown_of
from sotto_estimator.results.forms.text import text_of
from sotto_estimator.results.report import report_html
from sotto_estimator.results.table_file import write_table_file
from sotto_estimator.results.view import view_of
from sotto_protocol import Survey
from sotto_protocol.words import escaped_lines

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def _printable(says: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the same, of which a text, or each of several, is `escaped_lines`."""

    @wraps(says)
    def said(self: "Result") -> Any:
        found = says(self)
        return escaped_lines(found) if isinstance(found, str) else type(found)(map(escaped_lines, found))

    return said


GIVEN = "counts as given"
"""The title of counts that nobody gave one."""


class Result:
    """A frozen dataclass of what was found. Its command prints `as_table`, `as_json` or `as_csv`.

    It holds numbers and no forms: these its view makes (`sotto_estimator.results.view.VIEWS`).
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Let `str`, the heading and alarms of a kind show by their escapes what would steer a terminal."""
        super().__init_subclass__()
        for name in ("__str__", "heading", "alarms"):
            member = getattr_static(cls, name)
            is_property = isinstance(member, property)
            shown = _printable(member.fget if is_property else member)
            setattr(cls, name, property(shown, doc=member.__doc__) if is_property else shown)

    def survey_document(self, lang: str = "") -> SurveyDocument | None:
        """Return what the readers of its survey read, in a language of it, "" for its own; None where it has no such.

        Raises ValueError where the survey has no such language.
        """
        return view_of(self).survey_document(self, lang)

    def document(self, lang: str = "") -> Document:
        """Return what people read of it, in no form yet. `lang`: that of the survey's texts, its own by default.

        Raises ValueError where the survey has no such one, or there is none.
        """
        title, line = self.heading, str(self)
        survey = self._asked
        if lang and not survey:
            raise DomainError(f"lang ({lang}) goes with estimates and plans of a survey: these results have ids alone.")
        texts = AskedTexts.of(survey, lang) if survey else None
        line = "" if line == title or "\n" in line else line
        return Document(title, line, self.alarms(), view_of(self).parts(self), texts)

    @property
    def _asked(self) -> Survey | None:
        """The survey whose questions it is on, where there is one."""
        return getattr(self, "survey", None)

    def as_table(self) -> str:
        """Return what the numbers mean, and aligned numbers; what could move a terminal's cursor stands escaped."""
        return text_of(self.document().parts)

    def as_markdown(self) -> str:
        """Return the same as Markdown, with a title, headings and what is wrong with the data."""
        return markdown_of(self.document())

    def as_latex(self) -> str:
        """Return the same as a part of a LaTeX document that needs no package."""
        return latex_of(self.document())

    def to_dict(self) -> dict[str, Any]:
        """Return the members of its JSON object, by name."""
        return view_of(self).members(self)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of its CSV, all of the same members."""
        return view_of(self).records(self)

    def panels(self) -> tuple[str, Sequence[Panel]]:
        """Return a picture's title, and its parts from top to bottom."""
        return view_of(self).panels(self)

    @property
    def heading(self) -> str:
        """What stands above a report on it: what it is of, in a line."""
        return str(self).partition("\n")[0]

    def titled(self, title: str) -> Self:
        """Return the same under another title: what the data are called."""
        return replace(self, title=title)  # type: ignore[type-var]  # every one is a dataclass with a title

    def alarms(self) -> Sequence[str]:
        """Return what is wrong with the data, a sentence each: by default its warnings. It stands before all else."""
        return getattr(self, "warnings", ())

    def to_html(self, lang: str = "") -> str:
        """Return a page that needs no other file: all of it, a picture, how to cite it, and its JSON.

        `lang`: that of the survey's texts, by its tag. Raises ValueError where the survey has no such one.
        """
        return report_html(self, lang)

    def as_json(self) -> str:
        """Return it as a JSON object; shares as fractions, what is infinite null."""
        return json_text(self.to_dict())

    def as_csv(self) -> str:
        """Return it as CSV with a header; shares as fractions."""
        return csv_text(self.records(), self._columns)

    def as_style(self, style: str) -> str:
        """Return it as a command prints it: as "json", "csv", "markdown", "latex" or, for people, ""."""
        forms = {"json": self.as_json, "csv": self.as_csv, "markdown": self.as_markdown, "latex": self.as_latex}
        return forms.get(style, self.as_table)()

    def to_frame(self) -> "pd.DataFrame":
        """Return a pandas DataFrame with the rows and columns of its CSV. Raises MissingExtra."""
        require_frames("to_frame", "pandas")
        return frame_of(self.records(), self._columns)

    def save(self, path: "Path | str") -> Sequence[str]:
        """Write the rows and columns of its CSV into a file; return what the file cannot hold as it is.

        The name's ending says the form: .csv, .parquet, .arrow, .feather, .dta (Stata), .sav (SPSS) or .xlsx. Raises
        SourceError, and MissingExtra.
        """
        return write_table_file(self.records(), Path(path), self._columns, view_of(self).about)

    @property
    def _columns(self) -> Sequence[str]:
        of_view = view_of(self).columns
        return of_view(self) if of_view else ()

    def plot(self, path: "Path | str | None" = None, *, ax: "Axes | None" = None) -> "Figure":
        """Draw it, and return the figure; into a PNG, PDF or SVG file too, where a path is given.

        `ax`: draw the first part alone, into these axes of yours. Raises SourceError.
        """
        from sotto_estimator.results.panels import plot_panels  # matplotlib takes a second to load

        return plot_panels(*self.panels(), path, ax)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        of_survey = self.survey_document()
        return survey_html(of_survey) if of_survey else notebook_html(self.document())
