"""How the estimator's commands show a result: as text or another form, and by --save, --plot and --report as files."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from sotto_estimator.commands.option_names import with_options
from sotto_estimator.commands.options import FORMS, form_options, grouped, warn
from sotto_estimator.commands.sections import OUTPUT, in_section
from sotto_estimator.results.report import check_report, write_report
from sotto_estimator.results.result import Result
from sotto_estimator.results.table_file import check_table_file


@dataclass(frozen=True, slots=True)
class Output:
    """What was typed. `title`: what the data are called, where their own title is not to be."""

    style: str
    save_path: Path | None
    plot_path: Path | None
    report_path: Path | None
    report_lang: str
    title: str

    def show(self, found: Result, whole: Result | None = None) -> None:
        """Print a result, and write what else is asked for; say on stderr what is wrong with the data.

        `whole`: what a report is on, where less than that is printed.
        """
        whole = whole or found
        if self.title:
            found, whole = found.titled(self.title), whole.titled(self.title)
        if self.report_path:
            self._check_lang(whole)
        notes = found.save(self.save_path) if self.save_path else ()
        if self.plot_path:
            found.plot(self.plot_path)
        if self.report_path:
            write_report(whole, self.report_path, self.report_lang)
        click.echo(found.as_style(self.style))
        for said in (*found.alarms(), *notes):
            warn(with_options(said, click.get_current_context()))

    def _check_lang(self, found: Result) -> None:
        try:
            found.document(self.report_lang)
        except ValueError as fault:
            raise click.UsageError(f"--report-lang: {fault}") from fault


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for each form, --save, --plot, --report and --title; the command gets `output`.

    Raises UsageError, SourceError.
    """

    @wraps(command)
    def checked(*arguments: Any, output: Output, **given: Any) -> Any:
        if output.save_path:
            check_table_file(output.save_path)
        if output.report_path:
            check_report(output.report_path)
        if output.report_lang and not output.report_path:
            raise click.UsageError("--report-lang goes with --report.")
        if output.plot_path:
            from sotto_estimator.results.panels import check_format  # matplotlib takes a second to load

            check_format(output.plot_path)
        return command(*arguments, output=output, **given)

    return form_options(*FORMS)(grouped("output", Output, *in_section(OUTPUT, *_OPTIONS))(checked))


OUTPUT_NAMES = (*(f"is_{form}" for form in FORMS), "save_path", "plot_path", "report_path", "report_lang", "title")
"""The names of its options, for commands that take some of theirs with others alone."""
_FILE = click.Path(path_type=Path, dir_okay=False)
_OPTIONS = (
    click.option(
        "--save",
        "save_path",
        type=_FILE,
        help="Save the rows of --csv to this .csv, .xlsx, .dta (Stata), .sav (SPSS), .parquet or .arrow file.",
    ),
    click.option("--plot", "plot_path", type=_FILE, help="Draw the result into this PNG, PDF or SVG file."),
    click.option(
        "--report",
        "report_path",
        type=_FILE,
        help="Write the whole result, with a picture and how to cite it, into this HTML file.",
    ),
    click.option(
        "--report-lang",
        default="",
        metavar="TAG",
        help="Language of the --report, one of the survey's, such as ar  [default: the survey's first].",
    ),
    click.option(
        "--title",
        default="",
        metavar="TEXT",
        help="Title of the result  [default: the survey's title, or the file's name].",
    ),
)
