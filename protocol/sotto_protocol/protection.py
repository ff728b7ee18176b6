"""Bands of protection, by what a suspicion of 10 % can become: from 50 % on a report hides little, and that is said.

Here alone in Python, and in `client/js/form/protection.js` for web pages.
"""

from decimal import Decimal
from fractions import Fraction

from sotto_protocol.bounds import declare, log_ratio_above
from sotto_protocol.language import Language, mark
from sotto_protocol.survey import Survey
from sotto_protocol.words import epsilon_below

PRIOR = 10
"""The suspicion that is looked at, in per cent."""
LIMITS = (50, 90, 99)
"""What it becomes more than, in per cent, ascending: up to the first nobody is told that a report protects little."""


def most_epsilon(limit: int) -> Decimal:
    """Return the epsilon with which a suspicion of 10 % becomes `limit` per cent at most, as surveys declare it.

    >>> most_epsilon(50)
    Decimal('2.197224577337')
    """
    ratio = Fraction(limit, 100 - limit) / Fraction(PRIOR, 100 - PRIOR)
    return declare(log_ratio_above(ratio.numerator, ratio.denominator))


_MOST = {limit: most_epsilon(limit) for limit in LIMITS}


def exceeded(epsilon: Decimal) -> int:
    """Return the largest of `LIMITS` that a suspicion of 10 % can become more than; 0 where it is none.

    >>> exceeded(Decimal(2)), exceeded(Decimal(4)), exceeded(Decimal(7))
    (0, 50, 99)
    """
    return max((limit for limit, most in _MOST.items() if epsilon > most), default=0)


def say_little(survey: Survey, language: Language) -> str:
    """Return in a sentence to respondents that their answers are protected little; "" where they are not.

    It is of all that a device sends: of no question alone more can become known.
    """
    limit = exceeded(survey.epsilon_forever)
    if not limit:
        return ""
    message = mark(
        "Your answers together are protected little. Someone who was %(prior)s sure of them can become more than "
        "%(limit)s sure."
    )
    if survey.n_drawn == 1:
        message = mark(
            "Your answer is protected little. Someone who was %(prior)s sure of it can become more than %(limit)s sure."
        )
    if survey.max_reports > 1:
        message = mark(
            "Your reports of all waves together are protected little. Someone who was %(prior)s sure of your "
            "answers can become more than %(limit)s sure."
        )
    return language.gettext(message, prior=language.percent(PRIOR), limit=language.percent(limit))


def say_little_of(survey: Survey) -> str:
    """Return for who decides on a survey that its answers are protected little; "" where they are not."""
    limit = exceeded(survey.epsilon_forever)
    if not limit:
        return ""
    answers = (
        "All answers together are" if survey.n_drawn > 1 else "Each answer is" if survey.draw else "This answer is"
    )
    what = "All waves together are" if survey.max_reports > 1 else answers
    return f"{what} protected little: someone who was {PRIOR} % sure can become more than {limit} % sure."


def warn_of_little(survey: Survey) -> str:
    """Return the same for an author, with what would mend it; "" where there is nothing to mend."""
    said = say_little_of(survey)
    if not said:
        return ""
    most = epsilon_below(_MOST[LIMITS[0]])
    least = f"With epsilon {most} in all, they could become at most {LIMITS[0]} % sure."
    return f"{said} Respondents read this before they answer. {least}"
