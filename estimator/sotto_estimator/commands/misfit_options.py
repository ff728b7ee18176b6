"""The options of `sotto estimate` for people who did not do as the design says: --model, --control, --what-if."""

from collections.abc import Callable, Sequence
from functools import reduce, wraps
from typing import Any

import click

from sotto_estimator.commands.counts_options import Counts, CountsInput
from sotto_estimator.commands.data_options import DataOptions
from sotto_estimator.commands.options import refuse_others
from sotto_estimator.commands.output import OUTPUT_NAMES, Output
from sotto_estimator.commands.sections import MISFIT, in_section
from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.parameters import read_probability
from sotto_estimator.designs.spec import arm as read_arm
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.microdata.microdata import Data
from sotto_estimator.misfit.estimate import ModelEstimate, estimate_model
from sotto_estimator.misfit.model import MODELS, Control
from sotto_estimator.misfit.what_if import WAYS, WhatIf, what_if

_INTERVAL = ("level", "method", "target", "simultaneous", "consistent")
_TAKEN = (
    "model",
    "controls",
    "cases",
    "level",
    *OUTPUT_NAMES,
    "token",
    "sources",
    "column",
    "yes_is",
    "report_texts",
    "arm",
    "n_yes",
    "n_reports",
    "counts",
    "designs",
    "prob",
    "allow_conclusive",
    "truth",
    "forced_yes",
    "warner",
    "epsilon",
)


class _Control(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on, and we take 8.2
    """SHARE:DESIGN:COUNTS, of a question of whose yes the share is known."""

    name = "share:design:counts"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Control:
        share, first, rest = value.partition(":")
        design, last, counts = rest.rpartition(":")
        if not (first and last):
            self.fail(f"({value:.60}) must be SHARE:DESIGN:COUNTS, such as 1:direct:162,23.", param, ctx)
        try:
            given = read_arm(design, Counts().convert(counts, param, ctx))
            return Control(given, float(read_probability(share)))
        except DomainError as fault:
            self.fail(str(fault), param, ctx)


class _Cases(click.ParamType):  # type: ignore[type-arg]  # as above
    """WAY=PART,PART,.., of parts of people who do not follow the design in this way."""

    name = "way=part,.."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, list[float]]:
        way, sign, parts = value.partition("=")
        if not sign or way not in WAYS:
            self.fail(f"({value:.60}) must be {' or '.join(WAYS)}, then rates such as =0,0.05,0.1.", param, ctx)
        try:
            return way, [float(read_probability(part.strip())) for part in parts.split(",")]
        except DomainError as fault:
            self.fail(str(fault), param, ctx)


_OPTIONS = (
    click.option(
        "--model",
        type=click.Choice(list(MODELS)),
        help="Fit a model in which some people do not follow the design (docs/misfit.md).",
    ),
    click.option(
        "--control",
        "controls",
        type=_Control(),
        multiple=True,
        help="With --model: a question whose true share of yes is known, such as 1:direct:162,23.",
    ),
    click.option(
        "--what-if",
        "cases",
        type=_Cases(),
        help="Estimate the share of yes for each assumed rate of non-compliance, such as random=0,0.05,0.1.",
    ),
)


def misfit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --model, --control and --what-if; where one is given the command is not called."""

    @wraps(command)
    def of_misfit(
        *arguments: Any,
        model: str | None,
        controls: tuple[Control, ...],
        cases: tuple[str, list[float]] | None,
        **given: Any,
    ) -> Any:
        if controls and model is None:
            raise click.UsageError("--control goes with --model.")
        if model is None and cases is None:
            return command(*arguments, **given)
        if model is not None and cases is not None:
            raise click.UsageError("Give --model or --what-if, one of the two.")
        refuse_others((*_TAKEN, *(() if model else _INTERVAL)), "--model" if model else "--what-if")
        output: Output = given["output"]
        output.show(_find(model, controls, cases, given))
        return None

    return reduce(lambda inner, option: option(inner), reversed(in_section(MISFIT, *_OPTIONS)), of_misfit)


def _find(
    model: str | None,
    controls: tuple[Control, ...],
    cases: tuple[str, list[float]] | None,
    given: dict[str, Any],
) -> ModelEstimate | WhatIf:
    if cases is None:
        options = IntervalOptions(level=given["options"].level)
        return estimate_model(str(model), _counts(given), controls, options=options)
    return what_if(*cases, _counts(given), given["options"])


def _counts(given: dict[str, Any]) -> Sequence[Arm] | Data:
    """Return what was counted, or a table. Raises UsageError where it is neither, or both."""
    paper: CountsInput | None = given["paper"]
    data: DataOptions = given["data"]
    if data and not paper:
        return data.read(given["sources"], given["asked"])
    data.check_absent()
    if paper is None or data or given["sources"]:
        raise click.UsageError("--model and --what-if go with counts (--design, --counts), or with a table (--column).")
    return paper.arms()
