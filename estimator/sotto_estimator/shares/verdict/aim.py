"""How many reports a question needs for the width that is aimed at: as many respondents as `sotto plan` says.

So the number does not depend on the answers: shares are taken to be about one half, and numbers to deviate by a
quarter of their range, as `sotto plan` and `sotto check` do, who say it before anybody has answered.
"""

from collections.abc import Sequence
from functools import lru_cache

from sotto_estimator.channel.channel import Channel
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.needed import respondents_for
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import size_of
from sotto_estimator.planning.survey import USABLE, part_drawn, wish_of
from sotto_estimator.planning.widths import respondents_needed
from sotto_estimator.results.rounding import Ends
from sotto_estimator.shares.verdict.verdict import Aim
from sotto_protocol import Question, Tally

_planned = lru_cache(maxsize=256)(respondents_for)  # a live page asks for the same again and again


def aim_of_question(
    question: Question, tally: Tally, ends: Sequence[Ends], options: IntervalOptions, n_waves: int = 1
) -> Aim | None:
    """Return what a question's intervals aim at, and what it takes; None where all are as narrow.

    `ends`: of its shares, or of its mean. `options`: with the level of each interval. `n_waves`: so many of the tally's
    reports can be of one device, and are taken for one.
    """
    wanted, size = wish_of(question, None), size_of(question)
    half_width = USABLE * size if wanted is None else wanted
    if not any(high - low > 2 * half_width for low, high in ends):
        return None
    n_people = _planned(question, half_width, _plan_options(options), part_drawn(tally.survey))
    n_needed = None if n_people is None else n_waves * n_people
    unit = getattr(question.kind, "unit", None)
    drawn = (tally.survey.draw, len(tally.survey.questions)) if tally.survey.draw else None
    return _aim(Aim(half_width, wanted is not None, n_needed, tally.n_reports, unit, drawn))


def aim_of_counts(channel: Channel, ends: Ends, n_reports: int, options: IntervalOptions) -> Aim | None:
    """Return what the one share of a survey on paper aims at, as `aim_of_question`."""
    if ends[1] - ends[0] <= 2 * USABLE:
        return None
    try:
        n_people = respondents_needed(USABLE, channel, _plan_options(options))
    except DomainError:  # 10^12 are too few
        n_people = None
    return _aim(Aim(USABLE, False, n_people, n_reports))


def _plan_options(options: IntervalOptions) -> PlanOptions:
    return PlanOptions(level=options.level, method=options.method, target=options.about)


def _aim(aim: Aim) -> Aim | None:
    """Return it, unless as many reports as are needed are there.

    Its intervals are a little wider then by chance, or as shares are far from one half, or numbers far apart.
    """
    return None if aim.n_needed is not None and aim.n_needed <= aim.n_reports else aim
