"""The options of `sotto estimate` for a survey that was done on paper: its counts, and how people were asked."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce, wraps
from typing import Any

import click

from sotto_estimator.channel import Channel
from sotto_estimator.errors import DomainError
from sotto_estimator.estimates import Estimates
from sotto_estimator.estimation import estimate_counts
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.verdict.judge import with_verdict_of_counts

_PROBABILITY = re.compile(r"[0-9]{1,17}/[0-9]{1,17}|[0-9]{0,17}(\.[0-9]{0,17})?")
"""Not whatever `Fraction` reads: it takes hours for 1e999999999."""


class Probability(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on, and we take 8.2
    """A decimal or a fraction such as 2/3, in [0, 1]."""

    name = "probability"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = Fraction(value if _PROBABILITY.fullmatch(value) else "")
        except (ValueError, ZeroDivisionError):
            self.fail("must be a decimal or a fraction such as 2/3, of at most 17 digits a side.", param, ctx)
        if not 0 <= number <= 1:
            self.fail(f"({value}) must be in [0, 1].", param, ctx)
        return float(number)


@dataclass(frozen=True, slots=True)
class Spinner:
    """How people were asked. `is_opposite`: a yes speaks for no, as the spinner lies more often than not."""

    channel: Channel
    is_opposite: bool = False


@dataclass(frozen=True, slots=True)
class PaperSurvey:
    """A yes-no survey: of n_reports people n_yes said yes, as the spinner told them to. None: it was not said."""

    n_yes: int | None
    n_reports: int | None
    spinner: Spinner | None

    def estimate(self, options: IntervalOptions) -> Estimates:
        """Estimate the share of yes. Raises UsageError where something was not said."""
        if self.n_yes is None or self.n_reports is None or self.spinner is None:
            raise click.UsageError("Counts need --yes, --n and one of --truth, --warner, --epsilon.")
        spinner, channel = self.spinner, self.spinner.channel
        found = estimate_counts(self.n_yes, self.n_reports, channel, options, is_opposite=spinner.is_opposite)
        return with_verdict_of_counts(found, channel)


_OPTIONS = (
    click.option("--yes", "n_yes", type=click.IntRange(min=0), help="Estimate from counts: the number of yes reports."),
    click.option("--n", "n_reports", type=click.IntRange(min=1), help="From counts: the number of reports."),
    click.option("--truth", type=Probability(), help="From counts: probability of the truth under forced response."),
    click.option(
        "--forced-yes",
        type=Probability(),
        help="From counts: probability that a forced response is yes  [default: 1/2].",
    ),
    click.option(
        "--warner",
        type=Probability(),
        help="From counts: probability of the truth on Warner's spinner; below 1/2 a yes speaks for no (crosswise).",
    ),
    click.option(
        "--epsilon",
        type=click.FloatRange(0, 20, min_open=True),
        help="From counts: epsilon, in nats, of Warner's spinner.",
    ),
)


def paper_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a survey on paper; the command gets `paper`, None where none was given. Raises UsageError."""

    @wraps(command)
    def on_paper(
        *arguments: Any,
        n_yes: int | None,
        n_reports: int | None,
        truth: float | None,
        forced_yes: float | None,
        warner: float | None,
        epsilon: float | None,
        **options: Any,
    ) -> Any:
        given = PaperSurvey(n_yes, n_reports, _read_spinner(truth, forced_yes, warner, epsilon))
        paper = None if given == PaperSurvey(None, None, None) else given
        return command(*arguments, paper=paper, **options)

    return reduce(lambda inner, option: option(inner), reversed(_OPTIONS), on_paper)


def _read_spinner(
    truth: float | None, forced_yes: float | None, warner: float | None, epsilon: float | None
) -> Spinner | None:
    if sum(option is not None for option in (truth, warner, epsilon)) > 1:
        raise click.UsageError("--truth, --warner and --epsilon are three ways to say one thing; give one.")
    if forced_yes is not None and truth is None:
        raise click.UsageError("--forced-yes goes with --truth.")
    option, expected = "--truth", "above 0"
    try:
        if truth is not None:
            return Spinner(Channel.forced_response(truth, 0.5 if forced_yes is None else forced_yes))
        option, expected = "--warner", "above or below 1/2"
        if warner is not None:
            return Spinner(Channel.warner(max(warner, 1 - warner)), warner < 1 / 2)
        option, expected = "--epsilon", "above 0"
        return None if epsilon is None else Spinner(Channel.warner_of_epsilon(epsilon))
    except DomainError as fault:
        raise click.BadParameter(f"must be {expected}, by more than rounding.", param_hint=option) from fault
