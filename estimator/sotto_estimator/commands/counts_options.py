"""The options of `sotto estimate` for a survey that was not this program's: how people were asked, and its counts."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce, wraps
from typing import Any

import click

from sotto_estimator.channel.channel import MAX_N
from sotto_estimator.commands.sections import COUNTS, DESIGN, in_section
from sotto_estimator.designs.design import Arm, Design, check_arms
from sotto_estimator.designs.given import Given, SaidYes, ordered_counts
from sotto_estimator.designs.parameters import Value, read_probability
from sotto_estimator.designs.spec import DesignSpec, read_labelled
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.of_arms import estimate_arms
from sotto_protocol.bounds import exp_below
from sotto_protocol.words import counted

_WAYS = "--design, --truth, --warner or --epsilon"
_ROUNDING = Decimal("1e-14")
"""An epsilon is missed by so little, for the one that is told, an upper bound, not to be above it."""
_COUNT = re.compile("[0-9]{1,13}")
_MEMBERS = "whole numbers of at most 10^12, with commas between, or NAME=NUMBER for each report"


class Probability(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on, and we take 8.2
    """A decimal or a fraction such as 2/3, in [0, 1]."""

    name = "probability"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        try:
            return read_probability(value)
        except DomainError as fault:
            self.fail(str(fault), param, ctx)


@dataclass(frozen=True, slots=True)
class DesignInput:
    """How people were asked: designs by the label of their arm, which is "" where they have none."""

    specs: tuple[tuple[str, DesignSpec], ...] = ()
    allow_conclusive: bool = False

    def check_absent(self) -> None:
        """Raise UsageError for a design, where neither counts nor a table are given."""
        if self.specs:
            raise click.UsageError(
                "--design, --truth, --warner and --epsilon go with counts (--yes, --n ..), or with a table "
                "(--column ..)."
            )

    def check(self, design: Design) -> None:
        """Raise UsageError where a design's reports can prove an answer, and that was not allowed."""
        if design.is_conclusive and not self.allow_conclusive:
            raise click.UsageError(
                f"{design} is conclusive: a report can prove the answer, so no epsilon bounds what it gives away. "
                "Add --allow-conclusive to estimate anyway."
            )


class Counts(click.ParamType):  # type: ignore[type-arg]  # as above
    """Whole numbers with commas between them, in a design's order, or each with its report's name: red=3,other=4."""

    name = "counts"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Given:
        parts = [[piece.strip() for piece in part.rpartition("=")] for part in value.split(",")]
        names, numbers = [name for name, _, _ in parts], [number for _, _, number in parts]
        is_named = [bool(sign) and bool(name) for name, sign, _ in parts]
        is_plain = [not sign for _, sign, _ in parts]
        if not all(_COUNT.fullmatch(part) and int(part) <= MAX_N for part in numbers):
            self.fail(f"({value:.60}) must be {_MEMBERS}.", param, ctx)
        if not (all(is_named) or all(is_plain)):
            self.fail(f"({value:.60}) must be {_MEMBERS}. Name all reports, or none.", param, ctx)
        if len({*names}) < len(names) and all(is_named):
            self.fail(f"({value:.60}) names a report twice.", param, ctx)
        counts = [*map(int, numbers)]
        return dict(zip(names, counts, strict=True)) if all(is_named) else tuple(counts)


@dataclass(frozen=True, slots=True)
class CountsInput:
    """The counts of a survey, by sample in the designs' order; () where none were given."""

    asked: DesignInput
    counts: tuple[Given, ...]

    def arms(self) -> list[Arm]:
        """Return its samples. Raises UsageError where counts and designs don't go together, DomainError."""
        designs = [design for _, spec in self.asked.specs for design in spec.samples()]
        if not designs:
            raise click.UsageError(f"Say how people were asked: add {_WAYS}.")
        if len(designs) != len(self.counts):
            raise click.UsageError(
                f"The designs have {counted(len(designs), 'sample')}, but --counts is given {len(self.counts)} times. "
                "Give it once for each sample, in the order of the designs."
            )
        arms = [Arm(design, ordered_counts(design, of)) for design, of in zip(designs, self.counts, strict=True)]
        if len(arms) == 1 and designs[0].beside:
            check_arms(arms)
        for design in designs:
            self.asked.check(design)
        return arms

    def estimate(self, options: IntervalOptions) -> Estimates:
        """Estimate its shares. Raises as `arms`."""
        return estimate_arms(self.arms(), options)


_COUNTS = (
    click.option("--yes", "n_yes", type=click.IntRange(min=0), help="The number of yes reports."),
    click.option("--n", "n_reports", type=click.IntRange(min=1), help="The number of reports."),
    click.option(
        "--counts",
        type=Counts(),
        multiple=True,
        metavar="N,N,.. or NAME=N,..",
        help="How many people gave each report, in the design's order or by name (red=300,other=100). May be repeated.",
    ),
)
_DESIGN = (
    click.option(
        "--design",
        "designs",
        multiple=True,
        metavar="NAME(PARAMETER=VALUE, ..)",
        help="The design, by name (docs/designs.md). Several designs pool several samples.",
    ),
    click.option("--prob", metavar="PROBABILITY", help="The probability of a --design that has one, such as 1/6."),
    click.option("--allow-conclusive", is_flag=True, help="Allow designs in which a report can prove the answer."),
    click.option("--truth", type=Probability(), help="Probability of the truth under forced response."),
    click.option(
        "--forced-yes",
        type=Probability(),
        help="Probability that a forced response is yes, with --truth  [default: 1/2].",
    ),
    click.option(
        "--warner",
        type=Probability(),
        help="Warner's design: the probability of the truth. Below 1/2, a yes points to no.",
    ),
    click.option(
        "--epsilon",
        type=click.FloatRange(0, 20, min_open=True),
        help="Warner's design: its epsilon, in nats.",
    ),
)


def counts_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a survey on paper; the command gets `asked`, and `paper`, None where no counts were given.

    Raises UsageError.
    """

    @wraps(command)
    def on_paper(
        *arguments: Any,
        n_yes: int | None,
        n_reports: int | None,
        counts: tuple[Given, ...],
        designs: tuple[str, ...],
        prob: str | None,
        allow_conclusive: bool,
        truth: Fraction | None,
        forced_yes: Fraction | None,
        warner: Fraction | None,
        epsilon: float | None,
        **options: Any,
    ) -> Any:
        short = _read_shorthand(truth, forced_yes, warner, epsilon)
        if short and designs:
            raise click.UsageError("--design, --truth, --warner and --epsilon all say how people were asked: give one.")
        if short and prob is not None:
            raise click.UsageError("--prob goes with --design, and not with --truth, --warner or --epsilon.")
        asked = DesignInput((("", short),) if short else read_designs(designs, prob), allow_conclusive)
        given = _read_counts(n_yes, n_reports, counts)
        return command(*arguments, asked=asked, paper=CountsInput(asked, given) if given else None, **options)

    return reduce(
        lambda inner, option: option(inner),
        reversed((*in_section(COUNTS, *_COUNTS), *in_section(DESIGN, *_DESIGN))),
        on_paper,
    )


def _read_counts(n_yes: int | None, n_reports: int | None, counts: tuple[Given, ...]) -> tuple[Given, ...]:
    if n_yes is None and n_reports is None:
        return counts
    if counts:
        raise click.UsageError("Give --yes and --n, or --counts.")
    if n_yes is None or n_reports is None:
        raise click.UsageError("Counts need both --yes and --n.")
    if n_yes > n_reports:
        raise click.BadParameter(f"({n_yes}) must be in [0, n] (n = {n_reports}).", param_hint="--yes")
    return (SaidYes(n_yes, n_reports - n_yes),)


def read_designs(designs: tuple[str, ...], prob: str | None = None) -> tuple[tuple[str, DesignSpec], ...]:
    """Return the designs, each with the text of its arm, "" without one. Raises UsageError."""
    if prob is not None:
        if len(designs) != 1 or "(" in designs[0]:
            raise click.UsageError("--prob goes with one --design without values: --design crosswise --prob 1/6.")
        designs = (f"{designs[0]}(prob={prob})",)
    try:
        return tuple(map(read_labelled, designs))
    except DomainError as fault:
        raise click.BadParameter(str(fault), param_hint="--design") from fault


def _read_shorthand(
    truth: Fraction | None, forced_yes: Fraction | None, warner: Fraction | None, epsilon: float | None
) -> DesignSpec | None:
    if sum(option is not None for option in (truth, warner, epsilon)) > 1:
        raise click.UsageError("--truth, --warner and --epsilon all say how people were asked: give one.")
    if forced_yes is not None and truth is None:
        raise click.UsageError("--forced-yes goes with --truth.")
    if truth is not None:
        forced = (1 - truth) * (Fraction(1, 2) if forced_yes is None else forced_yes)
        values: dict[str, Value] = {"prob_forced_yes": forced, "prob_forced_no": 1 - truth - forced}
        return _checked("--truth", "above 0", DesignSpec("forced", values, {}))
    if warner is not None:
        return _checked("--warner", "above or below 1/2", DesignSpec("warner", {"prob_statement": warner}, {}))
    if epsilon is not None:
        odds = exp_below(Decimal(repr(epsilon)) - _ROUNDING)
        if odds <= 1:
            raise click.BadParameter("must be above 0, by more than rounding.", param_hint="--epsilon")
        return _checked("--epsilon", "above 0", DesignSpec("warner", {"prob_statement": odds / (1 + odds)}, {}))
    return None


def _checked(option: str, expected: str, spec: DesignSpec) -> DesignSpec:
    try:
        spec.samples()
    except DomainError as fault:
        raise click.BadParameter(f"must be {expected}, by more than rounding.", param_hint=option) from fault
    return spec
