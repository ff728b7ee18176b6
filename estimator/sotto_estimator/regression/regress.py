"""Regression of a table's hidden answers, from a formula and the designs by which its rows were asked."""

from collections.abc import Mapping, Sequence

from sotto_estimator.designs.spec import read_spec
from sotto_estimator.microdata.reading import SamplingColumns
from sotto_estimator.regression.formula import read_formula
from sotto_estimator.regression.result import Regression
from sotto_estimator.regression.spec import RegressionSpec
from sotto_estimator.table.reported import ReportColumn
from sotto_estimator.table.source import TableSource, table_of


def regress(
    source: TableSource,
    formula: str,
    *,
    design: str | Mapping[str, str],
    arm: str = "",
    report_texts: Sequence[str] = (),
    outcome: str = "auto",
    cluster: str = "",
    weights: str = "",
    strata: str = "",
    clusters: str = "",
    predict: Sequence[Mapping[str, object]] = (),
    level: float = 0.95,
) -> Regression:
    """Regress the hidden answer of a column of reports on other columns of a CSV, or of a data frame.

    `formula`: `cheated ~ age + C(region)`; or `civic ~ hidden(cheated) + age`, of an outcome in clear that the hidden
    answer explains: `outcome` says whether it is logistic or normal. `cluster`: the column of clusters whose
    intercepts differ. `design`: how people were asked, NAME(PARAMETER=VALUE, ..), whose values may be columns; or by
    the texts of column `arm`. `report_texts`: those of the reports in the design's order, or of the first alone.
    `weights`, `strata`, `clusters`: the columns that say how people were drawn, where not simply: how many people a
    row stands for, what was drawn from independently, and who were drawn together. `predict`: the columns of people
    the probabilities of whose answers are wanted. Rows that miss a value are left out, and `notes` say how many.
    Raises DomainError, SourceError, MissingExtra without formulaic.
    """
    read = read_formula(formula)
    designs = {"": design} if isinstance(design, str) else dict(design)
    specs = {label: read_spec(text) for label, text in designs.items()}
    drawn = SamplingColumns(weights, strata, clusters)
    asked = RegressionSpec(read, ReportColumn(read.reports, specs, arm, tuple(report_texts)), outcome, cluster, drawn)
    people = [{name: str(value) for name, value in cells.items()} for cells in predict]
    return asked.fit(table_of(source, asked.names, complete=asked.complete), people, level)
