"""Regression of hidden answers, from a formula: of a table's rows with their designs, or of a survey's reports."""

from collections.abc import Mapping, Sequence

from sotto_estimator.designs.spec import read_spec
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.microdata.reading import SamplingColumns
from sotto_estimator.regression.formula import read_formula
from sotto_estimator.regression.hidden_covariates import regress_reports
from sotto_estimator.regression.result import Regression
from sotto_estimator.regression.spec import RegressionSpec
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import FrameSource, Given, source_of
from sotto_estimator.table.reported import ReportColumn
from sotto_protocol.deprecated import takes_old_keywords


@takes_old_keywords(
    {"options": IntervalOptions, "sampling": SamplingColumns},
    level="options.level",
    weights="sampling.weights",
    strata="sampling.strata",
    clusters="sampling.clusters",
    report_texts="reports",
    cluster="random_intercept",
)
def regress(
    source: Given,
    formula: str,
    survey: str = "",
    *,
    design: str | Mapping[str, str] = "",
    arm: str = "",
    reports: Sequence[str] = (),
    sampling: SamplingColumns | None = None,
    outcome: str = "auto",
    random_intercept: str = "",
    offset: str = "",
    predict: Sequence[Mapping[str, object]] = (),
    intervals: str = "",
    firth: bool = False,
    margins: bool = False,
    contrasts: Sequence[tuple[Mapping[str, object], Mapping[str, object]]] = (),
    token: str = "",
    wave: int | None = None,
    stratum: str | None = None,
    options: IntervalOptions | None = None,
) -> Regression:
    """Regress a hidden answer on what is known about people, or on other hidden answers of the same reports.

    With a `design`, `source` is a table with one row per person, a file or a data frame. `formula` is written as
    `cheated ~ age + C(region)`. In `civic ~ hidden(cheated) + age` the hidden answer explains an unprotected outcome,
    and `outcome` says whether its model is logistic or normal.

    `design` says how people were asked, as NAME(PARAMETER=VALUE, ..). A value may be a column's name. With several
    arms, `arm` is the column of the arms, and `design` has a design for each of its texts. `reports` are the texts that
    mean the design's reports, in its order, or the first one alone.

    `sampling` has the columns of the sample's design. `random_intercept` is a column of groups whose intercepts differ.
    `offset` is a column that is added to the log odds of yes, with a coefficient of 1. `predict` has the columns of
    people whose probabilities are wanted. Rows that miss a value are left out, and `notes` say how many.

    `intervals` are "wald", or by the "profile" of the likelihood. With `firth`, a penalty keeps estimates finite where
    an answer is rare or separated. Intervals are then profiles by default.

    With `margins`, the result has mean marginal effects. `contrasts` are pairs of values, such as
    ({"region": "south"}, {"region": "north"}), whose mean probabilities are compared.

    Without a design, `source` has a survey's reports. It is a collector's URL with a `survey` id, a file of reports,
    an archive's folder, or (survey, packed reports). `token`, `wave` and `stratum` are as for `estimate`. The
    `formula` has the survey's questions: `paid ~ smokes + region`.

    Only the level of `options` is used. Raises DomainError, SourceError, FetchError, MissingExtra without formulaic.
    """
    options = (options or IntervalOptions()).only("a regression", "level")
    chosen = Selection(wave, stratum)
    given = source_of(source, survey, token)
    if not design:
        of_table = [
            arm,
            reports,
            sampling,
            outcome != "auto",
            random_intercept,
            offset,
            predict,
            intervals,
            firth,
            margins,
            contrasts,
        ]
        if any(of_table) or isinstance(given, FrameSource):
            raise SourceError(
                "a table needs a design; a survey's reports take only formula, survey, token, wave and stratum."
            )
        of, records = given.records(chosen)
        return regress_reports(of, chosen.of(of, records), formula, level=options.level)
    if survey or token or chosen:
        raise SourceError("survey, token, wave and stratum go with a survey's reports, without a design.")
    read = read_formula(formula)
    if bool(arm) == isinstance(design, str):
        raise DomainError("arm and several designs go together: a column, and a design for each of its texts.")
    designs = {"": design} if isinstance(design, str) else dict(design)
    column = ReportColumn(read.reports, {label: read_spec(of) for label, of in designs.items()}, arm, tuple(reports))
    sampling = sampling or SamplingColumns()
    pairs = tuple((_texts(one), _texts(other)) for one, other in contrasts)
    spec = RegressionSpec(read, column, outcome, random_intercept, sampling, offset, intervals, firth, margins, pairs)
    people = [_texts(cells) for cells in predict]
    return spec.fit(given.table(spec.names, complete=spec.complete, numbers=spec.numbers), people, options.level)


def _texts(cells: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in cells.items()}
