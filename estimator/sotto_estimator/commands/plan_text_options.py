"""The options of `sotto plan --text`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click

from sotto_estimator.commands.options import grouped, refuse_beside
from sotto_estimator.commands.sections import TEXT, in_section, refuse_sections
from sotto_estimator.strings.plan import POWER
from sotto_estimator.strings.text_plan import TextPlan, plan_texts
from sotto_protocol.cohorts import MAX_COHORTS
from sotto_protocol.mechanisms.bloom.hash import MAX_BITS, MAX_HASHES

_OPTIONS = (
    click.option("--text", "is_text", is_flag=True, help="Plan a text question."),
    click.option("--candidates-n", "n_candidates", type=int, help="Number of candidates, the texts to look for."),
    click.option(
        "--power",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=POWER,
        show_default=True,
        help="Probability of detecting a text that has the smallest share.",
    ),
    click.option(
        "--bits",
        "n_bits",
        type=click.IntRange(2, MAX_BITS),
        help="Bits of the Bloom filter  [default: the plan chooses].",
    ),
    click.option(
        "--hashes",
        "n_hashes",
        type=click.IntRange(1, MAX_HASHES),
        help="Hashes of a text  [default: the plan chooses].",
    ),
    click.option(
        "--cohorts",
        "n_cohorts",
        type=click.IntRange(1, MAX_COHORTS),
        help="Cohorts of devices that hash differently  [default: the plan chooses].",
    ),
)
_NEVER_TEXT = ("n_options", "max_selected", "half_width", "target", "method", "level", "share", "assurance")


@dataclass(frozen=True, slots=True)
class TextAsk:
    """What is asked of a text question; None where it is to be chosen."""

    is_text: bool
    n_candidates: int | None
    power: float
    n_bits: int | None
    n_hashes: int | None
    n_cohorts: int | None


def text_plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --text and the options that go with it; the command gets `of_text`."""
    return grouped("of_text", TextAsk, *in_section(TEXT, *_OPTIONS))(command)


def check_text_plan_options(is_text: bool) -> None:
    """Raise UsageError for an option that was typed and does not go with --text, or goes only with it."""
    if is_text:
        refuse_beside("--text", _NEVER_TEXT)
    else:
        refuse_sections(TEXT)


def text_plan(
    epsilons: Sequence[float], epsilon_forever: float | None, n_reports: int | None, ask: TextAsk
) -> TextPlan:
    """Return the plan of a text question for every epsilon. Raises UsageError, ValueError."""
    if n_reports is None or ask.n_candidates is None:
        raise click.UsageError("--text needs --n and --candidates-n.")
    shape = {"n_bits": ask.n_bits, "n_hashes": ask.n_hashes, "n_cohorts": ask.n_cohorts}
    return plan_texts(epsilons, n_reports, ask.n_candidates, power=ask.power, epsilon_forever=epsilon_forever, **shape)
