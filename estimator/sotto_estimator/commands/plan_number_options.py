"""The options of `sotto plan --minimum --maximum`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import click

from sotto_estimator.commands.options import grouped, refuse_beside
from sotto_estimator.commands.sections import NUMBERS, in_section
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.number_plan import NumberPlan, number_study, plan_numbers
from sotto_protocol.documents import parse_decimal

_OPTIONS = (
    click.option("--minimum", help="Plan the mean of numbers: the least possible answer. Needs --maximum."),
    click.option("--maximum", help="The greatest possible answer. Needs --minimum."),
    click.option("--step", help="The step between two possible answers  [default: 1]."),
    click.option(
        "--deviation",
        type=click.FloatRange(0, min_open=True),
        help="The expected standard deviation between people  [default: a quarter of the range].",
    ),
)
_NEVER_NUMBERS = ("n_options", "max_selected", "share", "assurance", "is_text")


@dataclass(frozen=True, slots=True)
class NumberAsk:
    """What is asked of a question for numbers, as it was typed; None where it was not."""

    minimum: str | None
    maximum: str | None
    step: str | None
    deviation: float | None

    def check(self) -> bool:
        """Return whether a question for numbers is planned. Raises UsageError for what is missing, or does not go."""
        if self.minimum is None and self.maximum is None:
            if self.step is not None or self.deviation is not None:
                raise click.UsageError("--step and --deviation go with --minimum and --maximum.")
            return False
        if self.minimum is None or self.maximum is None:
            raise click.UsageError("--minimum and --maximum go together.")
        refuse_beside("--minimum and --maximum", _NEVER_NUMBERS)
        try:
            number_study(*self.range, self.deviation)
        except DomainError as fault:
            raise click.UsageError(f"--{fault}") from None
        return True

    @property
    def range(self) -> tuple[Decimal, Decimal, Decimal]:
        """The least number, the greatest, and the step. Raises UsageError."""
        given = {"--minimum": self.minimum or "", "--maximum": self.maximum or "", "--step": self.step}
        low, high, step = (_decimal(flag, "1" if text is None else text) for flag, text in given.items())
        return low, high, step


def number_plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --minimum, --maximum and the options that go with them; the command gets `of_numbers`."""
    return grouped("of_numbers", NumberAsk, *in_section(NUMBERS, *_OPTIONS))(command)


def _decimal(flag: str, text: str) -> Decimal:
    try:
        return parse_decimal(text)
    except ValueError:
        raise click.UsageError(f"{flag} ({text!r}) must be a number.") from None


def number_plan(
    ask: NumberAsk,
    epsilons: Sequence[float],
    n: int | None,
    half_width: float | None,
    options: IntervalOptions,
    forever: float | None,
) -> NumberPlan:
    """Return the plan of a question that asks for numbers. Raises UsageError, ValueError."""
    low, high, step = ask.range
    return plan_numbers(
        epsilons,
        low,
        high,
        n=n,
        half_width=half_width,
        step=step,
        deviation=ask.deviation,
        epsilon_forever=forever,
        options=options,
    )
