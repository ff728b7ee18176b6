"""Numbers in any language: the mean with its interval, quantiles, and the density below."""

from collections.abc import Sequence
from decimal import Decimal

from sotto_estimator.numbers.distribution import Distribution
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.results.axis import Axis, shortest
from sotto_estimator.results.document import Caption, Cell, Column, Said, Table
from sotto_estimator.results.drawing import Drawing, shorten
from sotto_estimator.results.figure import Panel, RowLabel, Scale, Shape, Spot, Whisker, density_panel
from sotto_estimator.results.layout import lay_out
from sotto_estimator.results.percents import percent_words
from sotto_estimator.shares.scores import ScoreMean
from sotto_estimator.shares.verdict.verdict import mean_finding, of_precision
from sotto_estimator.views.figure_section import FigureSection, with_sign
from sotto_estimator.views.numbers import value_words
from sotto_estimator.views.waves import number_series_of
from sotto_protocol.language import ENGLISH, Language

_UNIT_COLUMNS = 12
Row = tuple[str, str, tuple[float, float, float]]
"""A label, words and (value, low, high)."""


def draw_number(
    title: str, mean: MeanEstimate, distribution: Distribution | None, say: Language = ENGLISH, unit: str = ""
) -> Drawing:
    """Return a row for the mean and for each quantile, on one axis of the numbers, and a histogram of the bins.

    The mean stands where it is most likely; a quantile is approximate.
    """
    bars = distribution.bars if distribution else []
    ends = [mean.minimum, mean.maximum, *(end for bar in bars for end in bar[:2])]
    name = say.gettext("Mean")
    label = f"{name} ({shorten(unit, _UNIT_COLUMNS)})" if unit else name
    rows = [mean_row(label, mean, say), *_quantile_rows(distribution, say)]
    panels = [mean_panel(rows, (min(ends), max(ends)), say)]
    if bars:
        panels.append(density_panel(bars, Scale(say.gettext("Density (approximate)"), min(ends), max(ends))))
    said = [f"{label}: {words}." for label, words, _ in rows]
    said += [say.gettext("The table has all numbers.")] if bars else []
    return lay_out(title, " ".join(said), panels)


def draw_means(
    title: str, means: Sequence[tuple[str, MeanEstimate | ScoreMean]], say: Language = ENGLISH, unit: str = ""
) -> Drawing:
    """Return a row for the mean of each group, by the group's name, on one axis."""
    first = means[0][1]
    rows = [mean_row(f"{name} ({shorten(unit, _UNIT_COLUMNS)})" if unit else name, mean, say) for name, mean in means]
    panel = mean_panel(rows, (first.minimum, first.maximum), say)
    return lay_out(title, " ".join(f"{label}: {words}." for label, words, _ in rows), [panel])


def mean_panel(rows: Sequence[Row], ends: tuple[float, float], say: Language) -> Panel:
    """Return the panel of some rows, on an axis that begins and ends so."""
    shapes: list[Shape] = []
    for number, (_, _, (value, low, high)) in enumerate(rows):
        shapes += [Whisker(low, high, number), Spot(value, number)]
    labels = [RowLabel(label, words) for label, words, _ in rows]
    return Panel(shapes, Scale("", *ends, lambda number: shortest(number, say)), rows=labels)


def mean_row(label: str, mean: MeanEstimate | ScoreMean, say: Language) -> Row:
    """Return the row of a mean: where it is most likely, and its interval."""
    span = mean.minimum, mean.maximum
    low, high = of_precision(mean.value, (mean.low, mean.high), span)
    finding = mean_finding("", mean.value, (mean.low, mean.high), span, "")
    words = say.gettext("%(value)s, from %(low)s to %(high)s", value=finding.likely, low=finding.low, high=finding.high)
    return label, words, (min(max(mean.value, span[0]), span[1]), low, high)


def _quantile_rows(distribution: Distribution | None, say: Language) -> list[Row]:
    rows: list[Row] = []
    for quantile in distribution.quantiles if distribution else ():
        values = {"value": quantile.value, "low": quantile.low, "high": quantile.high}
        said = say.gettext(
            "%(value)s, about %(low)s to %(high)s", **{key: shortest(value, say) for key, value in values.items()}
        )
        rows.append((quantile_label(quantile.prob, say), said, (quantile.value, quantile.low, quantile.high)))
    return rows


def quantile_label(prob: float, say: Language) -> str:
    """Return what a quantile is called."""
    return say.gettext("Median") if prob == 0.5 else say.percent(f"{100 * prob:g}")


def _more(distributions: Sequence[Distribution], question: str, unit: str, say: Language) -> list[Table]:
    """Return quantiles and bins, where the reports show a distribution."""
    tables = []
    for of in distributions:
        named = Caption("quantiles", say.gettext("Quantiles, approximate"), question, unit)
        heads = [say.gettext("Value"), say.gettext("About low"), say.gettext("About high")]
        columns = [Column(say.gettext("Quantile"), "word", names=True), *(Column(head, "number") for head in heads)]
        rows: list[list[Cell]] = [
            [quantile_label(each.prob, say), *(_exact(number, say) for number in (each.value, each.low, each.high))]
            for each in of.quantiles
        ]
        tables.append(Table(columns, rows, caption=named))
        named = Caption("bins", say.gettext("Density, bin by bin, approximate"), question, unit)
        columns = [Column(say.gettext("From"), "word", names=True), Column(say.gettext("To"), "word")]
        columns.append(Column(say.gettext("Share"), "share"))
        bins: list[list[Cell]] = [
            [shortest(bin.first, say), shortest(bin.last, say), Said(percent_words(bin.share, say), bin.share)]
            for bin in of.bins
        ]
        tables.append(Table(columns, bins, caption=named))
    return tables


def _exact(number: float, say: Language) -> Said:
    return Said(shortest(number, say), number)


MEANS = FigureSection(
    chart="mean",
    labels=lambda question, options, say: {"mean": say.gettext("Mean")},
    caption=lambda say: say.gettext("Estimates of the mean"),
    heading=lambda say: say.gettext("Mean"),
    unbiased=lambda say: say.gettext("Mean, unbiased"),
    write=lambda number, mean, say: say.number(value_words(number, mean.standard_error).replace(",", "")),
    fakes=lambda say: (say.gettext("Fakes high"), say.gettext("Fakes low")),
    shift=lambda shift, say: with_sign(f"{Decimal(f'{shift:.3g}'):+f}", say.number),
    consistent=lambda mean: (mean.consistent_mean, None),
    more=_more,
    draw=lambda title, means, more, say, unit: draw_number(title, means[0], next(iter(more), None), say, unit),
    draw_groups=draw_means,
    series=number_series_of,
    axis=lambda ends: Axis.spanning(min(ends), max(max(ends), min(ends) + 1e-9)),
    tick=shortest,
    is_marked=lambda figure: getattr(figure, "is_outside", False),
)
