"""What is said of any result: what an interval is, by which method, at what level, and about whom."""

from decimal import Decimal

from sotto_estimator.channel.channel import Target
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.intervals.methods import find_method
from sotto_protocol.language import ENGLISH, Language

NO_INTERVAL = "none"


def interval_words(options: IntervalOptions, made: str = "") -> str:
    """Return what an interval is, in words. `made`: how, where it is not by the options' method alone."""
    together = "all valid together" if options.simultaneous else "each valid on its own"
    about = "" if options.population_size is None else f" of {options.population_size:,} people"
    return f"{method_words(options.level, options.method, options.about, made)}{about}, {together}"


def method_words(level: float, method: str, target: Target, made: str = "") -> str:
    """Return what a level, a method and a target mean, in words. `made`: as of `interval_words`."""
    by = made or f"by the {find_method(method).words}"
    return f"{level_words(level)} intervals {by}, about {target_words(target)}"


def level_words(level: float) -> str:
    """Return a level in per cent, with all its digits."""
    return f"{level_digits(level)} %"


def level_digits(level: float) -> str:
    """Return a level in per cent with all its digits: rounded, 0.9999999 would be 100.

    >>> level_digits(0.95), level_digits(0.9999999)
    ('95', '99.99999')
    """
    return f"{(100 * Decimal(str(level))).normalize():f}"


_TARGETS: dict[Target, str] = {"population": "the population", "respondents": "these respondents"}


def target_words(target: Target) -> str:
    """Return whom shares are about, in words."""
    return _TARGETS[target]


def void_words(say: Language) -> str:
    """Return what is said of a question whose counts contradict the design."""
    return say.gettext("The reports contradict the survey's design, so they say nothing about this question.")


def misfit_sentence(question: str, contradicting: str = "") -> str:
    """Return what is said of a question whose counts, of these groups, contradict how people were asked."""
    return ": ".join(filter(None, [contradicting, question, void_words(ENGLISH)]))
