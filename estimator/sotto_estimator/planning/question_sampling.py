"""What drawing some of a survey's questions does to a plan: few questions at much of epsilon, or many at little."""

import math
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal

from sotto_estimator.channel.channel import Channel
from sotto_estimator.planning.of_least_noise import of_least_noise
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.table import PlanRow, QuestionShape
from sotto_estimator.planning.widths import USUAL, half_width, respondents_needed, standard_deviation
from sotto_protocol.documents import MAX_DECIMALS


def rows_by_number_drawn(
    design: QuestionShape,
    n_questions: int,
    epsilons: Sequence[Decimal],
    n: int | None,
    wanted: float | None,
    options: PlanOptions = USUAL,
) -> list[PlanRow]:
    """Return a row for each number of questions that a device could answer: 1, 2, 4 .. and all of them.

    Each epsilon is that of a whole report, in equal parts for the questions that it answers, by the mechanism of least
    variance. `n_reports` counts all respondents; a question has its part of them, on average.
    """
    return [
        _row(design, n_questions, n_drawn, epsilon, n, wanted, options)
        for epsilon in epsilons
        for n_drawn in [*(2**power for power in range(n_questions.bit_length()) if 2**power < n_questions), n_questions]
    ]


def _row(
    design: QuestionShape,
    n_questions: int,
    n_drawn: int,
    epsilon: Decimal,
    n: int | None,
    wanted: float | None,
    options: PlanOptions,
) -> PlanRow:
    part = (epsilon / n_drawn).quantize(Decimal(1).scaleb(-MAX_DECIMALS), ROUND_FLOOR)
    mechanism = min(design.mechanisms(part), key=lambda one: one.report_variance)
    channel = Channel(mechanism.prob_support_if_true, mechanism.prob_support_if_other)
    asked = max(1, n * n_drawn // n_questions) if n else respondents_needed(wanted or 0, channel, options)
    total = n or math.ceil(asked * n_questions / n_drawn)
    share, target = options.share, options.about
    deviation = standard_deviation(asked, channel, share=share, target=target)
    what = f"all {n_questions}" if n_drawn == n_questions else f"draw {n_drawn} of {n_questions}"
    width = half_width(asked, channel, options)
    of_least = of_least_noise(mechanism, part)
    return PlanRow(float(epsilon), f"{what}, {mechanism.name}", total, deviation, width, of_least_noise=of_least)
