"""The margins of `sotto test` and `sotto power`, in points."""

from typing import Any

import click

from sotto_estimator.commands.options import warn
from sotto_estimator.commands.sections import TEST, in_section
from sotto_estimator.table.table import number_of


class _Points(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on, and we take 8.2
    """Percentage points in (0, 100): 5, or 5%. A number below 1 without a sign may be meant as a fraction."""

    name = "points"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        points = number_of(str(value).removesuffix("%").strip())
        if points is None or not 0 < points < 100:
            self.fail(f"({value:.40}) must be percentage points above 0 and below 100, such as 5 or 5%.", param, ctx)
        if points < 1 and "%" not in str(value) and param:
            fraction = f"{100 * points:.10g}"
            warn(
                f"{param.opts[0]} {value} means {points:g} percentage points. If you mean {fraction}, type {fraction}."
            )
        return points


_POINTS = _Points()
within_option, not_lower_option, not_higher_option = in_section(
    TEST,
    click.option(
        "--within",
        metavar="POINTS",
        type=_POINTS,
        help="Test instead for equivalence: a difference of less than these percentage points.",
    ),
    click.option(
        "--not-lower-by",
        metavar="POINTS",
        type=_POINTS,
        help="Test instead for non-inferiority: that a share is not lower than the first by these points or more.",
    ),
    click.option(
        "--not-higher-by",
        metavar="POINTS",
        type=_POINTS,
        help="The same to the other side: that a share is not higher than the first by these points or more.",
    ),
)
