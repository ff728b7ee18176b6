"""The options of `sotto estimate` for a table: columns of what was reported, by whom, and how they were drawn."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sotto_estimator.commands.counts_options import DesignInput
from sotto_estimator.commands.options import grouped
from sotto_estimator.commands.sections import DRAWN, TABLE, in_section, refuse_sections
from sotto_estimator.designs.spec import DesignSpec
from sotto_estimator.errors import DomainError
from sotto_estimator.microdata.margins import read_margins
from sotto_estimator.microdata.microdata import Data, DataFile
from sotto_estimator.microdata.reading import SamplingColumns
from sotto_estimator.sources.source import FileSource
from sotto_estimator.table.reported import ReportColumn


@dataclass(frozen=True, slots=True)
class DataOptions:
    """What was given; "" or None where nothing was."""

    column: str
    yes_is: str | None
    report_texts: str | None
    arm: str
    by: str
    weights: str
    strata: str
    clusters: str
    post_stratify: tuple[str, ...]
    margins: tuple[str, ...]
    replicates: str
    replicate_method: str
    replicate_scales: str
    replicate_factors: bool

    def __bool__(self) -> bool:
        """Whether a table is meant."""
        return bool(self.column)

    def check_absent(self) -> None:
        """Raise UsageError for an option that only goes with a column."""
        refuse_sections(TABLE, DRAWN)

    def file(self, sources: Sequence[str], specs: Sequence[tuple[str, DesignSpec]]) -> DataFile:
        """Return the file that is meant. Raises UsageError, and SourceError for margins that cannot be read."""
        if len(sources) != 1:
            raise click.UsageError("--column goes with one file.")
        texts = report_texts_of(self.yes_is, self.report_texts)
        reports = ReportColumn(self.column, designs_by_arm(specs, self.arm), self.arm, texts)
        return DataFile(FileSource((Path(sources[0]),)), reports, self._sampling(), self.by)

    def read(self, sources: Sequence[str], asked: DesignInput) -> Data:
        """Read the file that is meant, with progress on a terminal. Raises as `file`, and as its `read`."""
        file = self.file(sources, asked.specs)
        with click.progressbar(
            length=file.source.n_bytes, label="reading", file=sys.stderr, hidden=not sys.stderr.isatty()
        ) as bar:
            found = file.read(progress=bar.update)
        for design in found.reported.designs:
            asked.check(design)
        return found

    def _sampling(self) -> SamplingColumns:
        if len(self.post_stratify) != len(self.margins):
            raise click.UsageError("--post-stratify and --margins go together: a --margins for each column.")
        try:
            margins = [read_margins(*pair) for pair in zip(self.margins, self.post_stratify, strict=True)]
        except DomainError as fault:
            raise click.BadParameter(str(fault), param_hint="--margins") from fault
        drawn = self.weights, self.strata, self.clusters, self.post_stratify, margins
        replicates, scales = _parts(self.replicates), numbers_of(self.replicate_scales, "--replicate-scales")
        try:
            return SamplingColumns(*drawn, replicates, self.replicate_method, scales, self.replicate_factors)
        except DomainError as fault:
            raise click.UsageError(str(fault)) from fault


def numbers_of(text: str, option: str) -> tuple[float, ...]:
    """Return numbers with commas between them. Raises BadParameter, which names the option."""
    try:
        return tuple(map(float, _parts(text)))
    except ValueError:
        words = f"({text:.60}) must be numbers with commas between, such as 1,2,4."
        raise click.BadParameter(words, param_hint=option) from None


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def designs_by_arm(specs: Sequence[tuple[str, DesignSpec]], arm: str) -> dict[str, DesignSpec]:
    """Return designs by the texts of the column `arm`. Raises UsageError where they do not go with it."""
    labels = [label for label, _ in specs]
    if not specs:
        raise click.UsageError("Say how the people in the table were asked: add --design.")
    if arm and "" in labels:
        raise click.UsageError(
            "--arm needs a design for each text in its column: --design 'TEXT=NAME(PARAMETER=VALUE)'."
        )
    if not arm and labels != [""]:
        raise click.UsageError("Several designs need --arm: the column with each person's design.")
    if len({*labels}) < len(labels):
        raise click.UsageError("--design names the same arm twice.")
    return dict(specs)


def report_texts_of(yes_is: str | None, reports: str | None) -> tuple[str, ...]:
    """Return the texts that mean the reports, in the design's order. Raises UsageError where both options are given."""
    if yes_is is not None and reports is not None:
        raise click.UsageError("Give --yes-is or --reports, one of the two.")
    if yes_is is not None:
        return (yes_is,)
    return _parts(reports or "")


def column_option(option: str, words: str, *, hidden: bool = False) -> Callable[..., Any]:
    """Return an option that takes the name of a column."""
    return click.option(option, metavar="COLUMN", default="", help=words, hidden=hidden)


def data_options(command: Callable[..., Any], *, is_simple: bool = False) -> Callable[..., Any]:
    """Add the options of a table; the command gets `data`, DataOptions.

    `is_simple`: for simple random samples. The command refuses the options of other samples, so they are not listed.
    """
    sampling = in_section(DRAWN, *_sampling_options(hidden=is_simple))
    return grouped("data", DataOptions, *in_section(TABLE, *_REPORTS), *sampling)(command)


REPORT_OPTIONS = (
    click.option("--yes-is", metavar="TEXT", help="The text that means yes  [default: yes, true or 1]."),
    click.option(
        "--reports",
        "report_texts",
        metavar="TEXT,TEXT,..",
        help="The texts that mean the design's reports, in its order.",
    ),
    column_option(
        "--arm",
        "Column that names each person's design. Give --design 'TEXT=NAME(PARAMETER=VALUE)' for each of its texts.",
    ),
)
"""How the reports in a column are read."""
_REPORTS = (
    column_option("--column", "Column of the reports; --design says how people were asked."),
    *REPORT_OPTIONS,
    column_option("--by", "Column of groups: estimate each group. Also with --format."),
)


def _sampling_options(*, hidden: bool) -> tuple[Callable[..., Any], ...]:
    """Return the options of how people were drawn."""
    return (
        column_option("--weights", "Column of sampling weights. Errors are then approximate.", hidden=hidden),
        column_option("--strata", "Column of the strata of the sample. Errors are then approximate.", hidden=hidden),
        column_option(
            "--clusters", "Column of the clusters of the sample. Errors are then approximate.", hidden=hidden
        ),
        click.option(
            "--post-stratify",
            metavar="COLUMN",
            multiple=True,
            help="Column of groups whose population sizes are known; with --margins. Repeat both to rake several.",
            hidden=hidden,
        ),
        click.option(
            "--margins",
            metavar="TEXT=N,.. | FILE",
            multiple=True,
            help="Number or share of people in each group of --post-stratify. Or a table: that column, and one named "
            "population.",
            hidden=hidden,
        ),
        click.option(
            "--replicates",
            metavar="COLUMN,COLUMN,..",
            default="",
            help="Columns of replicate weights; 'rep*' is all columns that begin with rep. With --weights, in place of "
            "strata and clusters.",
            hidden=hidden,
        ),
        click.option(
            "--replicate-method",
            metavar="NAME",
            default="",
            help="How the replicates were made: brr, fay(rho=0.3), jk1, jk2, jkn, bootstrap, successive-difference.",
            hidden=hidden,
        ),
        click.option(
            "--replicate-scales",
            metavar="X,X,..",
            default="",
            help="One scale of the replicates, or one for each. jkn needs them  [default: the method's own].",
            hidden=hidden,
        ),
        click.option(
            "--replicate-factors",
            is_flag=True,
            help="The replicates are factors of --weights, not full weights.",
            hidden=hidden,
        ),
    )
