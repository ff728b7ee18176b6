"""`sotto regress`."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from sotto_estimator.commands.counts_options import DesignInput, read_designs
from sotto_estimator.commands.data_options import REPORT_OPTIONS, column_option, designs_by_arm, report_texts_of
from sotto_estimator.commands.options import chosen_options, grouped, level_option, old_option, token_option
from sotto_estimator.commands.output import Output, output_options
from sotto_estimator.commands.regress_sources import names_reports, regress_sources
from sotto_estimator.commands.sections import DESIGN, DRAWN, INTERVALS, MODEL, SectionedCommand, in_section
from sotto_estimator.errors import DomainError
from sotto_estimator.microdata.reading import SamplingColumns
from sotto_estimator.regression.formula import Formula, read_formula
from sotto_estimator.regression.outcome_column import OUTCOMES
from sotto_estimator.regression.spec import INTERVALS as METHODS, RegressionSpec
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import FileSource
from sotto_estimator.table.reported import ReportColumn
from sotto_protocol.words import examples

_COLUMNS = (
    *in_section(
        DESIGN,
        click.option(
            "--design",
            "designs",
            multiple=True,
            metavar="NAME(PARAMETER=VALUE, ..)",
            help="The design, by name (docs/designs.md). A value may be a column's name.",
        ),
        click.option("--allow-conclusive", is_flag=True, help="Allow designs in which a report can prove the answer."),
        *REPORT_OPTIONS,
    ),
    *in_section(
        MODEL,
        click.option(
            "--outcome",
            type=click.Choice(OUTCOMES),
            default="auto",
            show_default=True,
            help="With hidden(COLUMN): the model of the outcome. auto is logistic for yes and no, else normal.",
        ),
        column_option(
            "--random-intercept",
            "Column of groups, such as villages. Each group gets a normally distributed intercept.",
        ),
        column_option("--offset", "Column that is added to the log odds of yes, with a coefficient of 1."),
        click.option(
            "--firth", is_flag=True, help="Add Firth's penalty: estimates are finite for rare or separated answers too."
        ),
        click.option(
            "--predict",
            "people",
            multiple=True,
            metavar="COLUMN=VALUE,..",
            help="Predict for people with these values, averaged over the columns that are not named. May be repeated.",
        ),
        click.option("--margins", is_flag=True, help="Print mean marginal effects on the probability."),
        click.option(
            "--contrast",
            "contrasts",
            multiple=True,
            metavar="COLUMN=VALUE,.. vs COLUMN=VALUE,..",
            help="Compare the mean probability, if everybody had these or those values. May be repeated.",
        ),
    ),
    old_option("--cluster", "--random-intercept", "random_intercept", default=""),
)
_SAMPLING = in_section(
    DRAWN,
    column_option("--weights", "Column of sampling weights."),
    column_option("--strata", "Column of the strata of the sample."),
    column_option(
        "--clusters", "Column of the clusters of the sample. It changes the errors only; see --random-intercept."
    ),
)
_LEVEL, _INTERVALS = in_section(
    INTERVALS,
    level_option,
    click.option(
        "--intervals",
        type=click.Choice(METHODS),
        help="How intervals of coefficients are made  [default: wald, or profile with --firth].",
    ),
)


def _with_columns(command: Callable[..., Any]) -> Callable[..., Any]:
    return reduce(lambda inner, option: option(inner), reversed(_COLUMNS), command)


_EXAMPLES = (
    "sotto regress data.csv 'paid ~ age' --design 'crosswise(prob=1/6)'",
    "sotto regress data.csv 'paid ~ age' --design 'crosswise(prob=1/6)' --predict age=30 --predict age=60",
)


@click.command(cls=SectionedCommand, epilog=examples(*_EXAMPLES))
@click.argument("sources", nargs=-1, metavar="TABLE | URL SURVEY | RECORDS  FORMULA")
@_with_columns
@grouped("sampling", SamplingColumns, *_SAMPLING)
@chosen_options("Use one wave of the survey, by number  [default: all].")
@token_option
@_LEVEL
@_INTERVALS
@output_options
def regress(
    sources: tuple[str, ...],
    designs: tuple[str, ...],
    allow_conclusive: bool,
    arm: str,
    yes_is: str | None,
    report_texts: str | None,
    outcome: str,
    random_intercept: str,
    offset: str,
    firth: bool,
    margins: bool,
    contrasts: tuple[str, ...],
    intervals: str | None,
    sampling: SamplingColumns,
    people: tuple[str, ...],
    chosen: Selection,
    token: str,
    level: float,
    output: Output,
) -> None:
    """Estimate how a hidden answer depends on what is known about people.

    TABLE has one row per person: CSV, Parquet, Arrow, SPSS or Stata (docs/data.md). In FORMULA, COLUMN ~ TERMS, the
    column has the noisy reports. The terms are of columns that are not protected. OUTCOME ~ hidden(COLUMN) + TERMS
    explains an unprotected column by the hidden answer.

    A survey's reports come from a collector (URL SURVEY), or from RECORDS: packed reports, or the folder of an
    archive. FORMULA is then QUESTION ~ QUESTION + .. and explains a hidden answer by one to three others.
    """
    if len(sources) < 2:
        raise click.UsageError(
            "Give a table, a file of packed reports, or a collector's URL and a survey; and then a formula."
        )
    if names_reports(sources[:-1], designs):
        of_rows = [arm, yes_is, report_texts, outcome != "auto", random_intercept, offset, sampling.names, people]
        if any([allow_conclusive, firth, intervals, margins, contrasts, *of_rows]):
            raise click.UsageError(
                "With a survey's reports give only --level, --wave and --stratum: the survey says the rest."
            )
        output.show(regress_sources(sources[:-1], sources[-1], chosen, token, level))
        return
    file, formula = Path(sources[0]), sources[-1]
    if len(sources) > 2 or chosen:
        raise click.UsageError(
            "With a table give one formula, without --wave and --stratum: sotto regress FILE 'cheated ~ age'."
        )
    texts, read = report_texts_of(yes_is, report_texts), _read_formula(formula)
    column = ReportColumn(read.reports, designs_by_arm(read_designs(designs), arm), arm, texts)
    pairs = tuple(map(_read_contrast, contrasts))
    asked = RegressionSpec(
        read, column, outcome, random_intercept, sampling, offset, intervals or "", firth, margins, pairs
    )
    data = FileSource((file,)).table(asked.names, complete=asked.complete, numbers=asked.numbers)
    for design in column.read(data).designs:
        DesignInput(allow_conclusive=allow_conclusive).check(design)
    output.show(asked.fit(data, [*map(_read_cells, people)], level))


def _read_formula(text: str) -> Formula:
    try:
        return read_formula(text)
    except DomainError as fault:
        raise click.UsageError(str(fault)) from fault


def _read_contrast(text: str) -> tuple[dict[str, str], dict[str, str]]:
    one, sign, other = text.partition(" vs ")
    if not sign:
        raise click.UsageError(f"--contrast ({text:.80}) must be COLUMN=VALUE,.. vs COLUMN=VALUE,..")
    return _read_cells(one, "--contrast"), _read_cells(other, "--contrast")


def _read_cells(text: str, option: str = "--predict") -> dict[str, str]:
    cells = {}
    for part in text.split(","):
        name, sign, value = (piece.strip() for piece in part.partition("="))
        if not (sign and name and value) or name in cells:
            raise click.UsageError(f"{option} ({text:.80}) must be COLUMN=VALUE, with commas between several.")
        cells[name] = value
    return cells
