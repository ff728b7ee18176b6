"""From an epsilon to a window: how many levels, and how wide, so that no number's report has a large variance."""

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from sotto_protocol.bounds import exp_below
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.levels import most_levels
from sotto_protocol.mechanisms.sets import threshold_of
from sotto_protocol.mechanisms.thresholds import Stages, check_epsilon
from sotto_protocol.mechanisms.window import WindowResponse, worst_variance

MOST_LEVELS_OF_MEAN = 64
"""For the mean alone: at epsilon 8 no number of them has 2 % less variance."""
LEVELS_OF_DISTRIBUTION = 64


def window(span: int, epsilon: Decimal, levels: int | None = None) -> WindowResponse:
    """Return the window of the least `worst_variance`: of so many levels, in [2, min(1024, span + 1)], or of the best.

    `span`: how many steps there are from the least number to the greatest, in [1, 2**32 - 1].
    """
    most = min(MOST_LEVELS_OF_MEAN, most_levels(span))
    fewest, most = (2, most) if levels is None else (levels, levels)
    levels, width = best_shape(check_epsilon(epsilon), fewest, most)
    threshold = threshold_of(epsilon, Fraction(levels - 1, width))
    return WindowResponse("window", levels + width - 1, threshold, width, span)


@lru_cache(maxsize=256)
def best_shape(epsilon: Decimal, fewest: int, most: int) -> tuple[int, int]:
    """Return the levels, in [fewest, most], and the width, of the least worst variance.

    A window is never wider than there are levels: at the smallest epsilon the best is as wide.
    """
    odds = float(exp_below(epsilon))
    shapes = [(levels, width) for levels in range(fewest, most + 1) for width in range(1, levels + 1)]
    return min(shapes, key=lambda of: worst_variance(odds * of[1] / (odds * of[1] + of[0] - 1), *of))


def two_stage_bit(span: int, epsilon: Decimal, epsilon_forever: Decimal) -> WindowResponse:
    """Return two levels and a width of one, with output perturbation: `epsilon` a report, and one for ever, above it.

    Ding, Kulkarni & Yekhanin 2017, section 3: rounding that is drawn once, a memo of each level, and noise on that.
    """
    stages = Stages.of_epsilons(1, epsilon, epsilon_forever)
    return WindowResponse("window", 2, stages.threshold_if_true, 1, span, stages.report_if_one)


def ask_window(asked: Asked) -> WindowResponse:
    """Return the window that an author asks for: for the mean alone, or with `distribution` or `levels` for more."""
    return window_of(asked, levels_of(asked))


def levels_of(asked: Asked) -> int:
    """Return how many levels an author asks for, by their number or for a distribution; 0 for those of the mean."""
    span = asked.n_options - 1
    usual = min(LEVELS_OF_DISTRIBUTION, most_levels(span)) if asked.flag("distribution") else 0
    return asked.integer("levels", 2, most_levels(span), usual)


def window_of(asked: Asked, levels: int) -> WindowResponse:
    """Return the window of so many levels, or where they are 0 that of the mean, of one stage or two."""
    epsilon, span = asked.require_epsilon(), asked.n_options - 1
    if asked.epsilon_forever is None:
        return window(span, epsilon, levels or None)
    if levels:
        raise asked.fail("epsilon_forever", "does not go with distribution or levels: reports of two levels last.")
    return two_stage_bit(span, epsilon, asked.epsilon_forever)
