"""The option of `sotto estimate` for files of other programs: --format."""

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from sotto_estimator.commands.options import refuse_others
from sotto_estimator.commands.output import OUTPUT_NAMES, Output
from sotto_estimator.commands.sections import FORMAT, in_section
from sotto_estimator.errors import DomainError
from sotto_estimator.formats.registry import FORMATS, FormatResult, read_format
from sotto_estimator.intervals.intervals import IntervalOptions

_TAKEN = (
    *("sources", "format_text", "by", "token", "level", "method", "target", "simultaneous"),
    *OUTPUT_NAMES,
)


def format_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --format; where one is given, its files are estimated, by --by, and the command is not called."""

    @wraps(command)
    def of_format(*arguments: Any, format_text: str | None, **given: Any) -> Any:
        if format_text is None:
            return command(*arguments, **given)
        refuse_others(_TAKEN, "--format")
        if not given["sources"]:
            raise click.UsageError("--format goes with files: sotto estimate --format NAME FILE ...")
        output: Output = given["output"]
        output.show(
            _read(format_text, [Path(path) for path in given["sources"]], given["by"] or None, given["options"])
        )
        return None

    words = f"Read files of another program: {', '.join(FORMATS)} (docs/formats.md)."
    (option,) = in_section(FORMAT, click.option("--format", "format_text", metavar="NAME", help=words))
    return option(of_format)  # type: ignore[no-any-return]


def _read(text: str, paths: list[Path], by: str | None, options: IntervalOptions) -> FormatResult:
    n_bytes = sum(path.stat().st_size for path in paths if path.is_file())
    bar: Any = click.progressbar(length=n_bytes, label="reading", file=sys.stderr, hidden=not sys.stderr.isatty())
    try:
        with bar:
            return read_format(text, paths, by=by, options=options, progress=bar.update)
    except DomainError as fault:
        raise click.UsageError(str(fault)) from fault
