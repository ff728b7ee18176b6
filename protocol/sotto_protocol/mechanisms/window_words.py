"""What a device does to a number, in plain words: which numbers it rounds to, and how often it sends which."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from sotto_protocol.documents import decimal_text
from sotto_protocol.language import Language
from sotto_protocol.mechanisms.mechanism import Ends as Ends
from sotto_protocol.words import times_above, times_below

_MOST_NAMED = 4
"""So many numbers are named one by one."""
_CONTEXT = Context(prec=50)  # the app may have set another


@dataclass(frozen=True, slots=True)
class RoundingWords:
    """A window between `ends`, in words: `truth` is the probability that what is sent stands for the rounded number.

    `stages`: of two stages, the probability that the lasting answer is the rounded number, and that a report repeats
    the lasting one.
    """

    levels: int
    width: int
    truth: float
    stages: tuple[float, float] | None
    ends: Ends
    language: Language

    def what_happens(self) -> str:
        """Return how a number is rounded, and what is sent of it."""
        if self.levels > 2:
            return self.language.text([self._rounding(), self._sent()])
        higher = self.language.gettext(
            "The higher your number, the more often your device picks %(highest)s.",
            highest=self.language.number(_text(self.ends[1])),
        )
        return self.language.text([self._rounding(), higher, self._sent()])

    def in_short(self) -> str:
        """Return which numbers it is rounded to, and how often what is sent does not stand for the rounded one."""
        speech, lost = self.language, times_below(1 - self.truth, self.language)
        if self.width > 1:
            sent = speech.gettext(
                "It sends a code for up to %(n)s of these numbers. The rounded number is not one of them %(lost)s.",
                n=self.width,
                lost=lost,
            )
        elif self.levels == 2:
            sent = speech.gettext("It sends the other one %(lost)s.", lost=lost)
        else:
            sent = speech.gettext("It sends one of the others %(lost)s.", lost=lost)
        return self.language.text([self._rounding(), sent])

    def _rounding(self) -> str:
        speech, write = self.language, self.language.number
        named = [write(number) for number in _named(self.levels, self.ends)]
        if named:
            numbers = _one_of(named, speech)
            return speech.gettext("Your device rounds your number at random to %(numbers)s.", numbers=numbers)
        return speech.gettext(
            "Your device rounds your number at random to one of %(levels)s evenly spaced numbers from %(low)s to "
            "%(high)s.",
            levels=self.levels,
            low=write(_text(self.ends[0])),
            high=write(_text(self.ends[1])),
        )

    def _sent(self) -> str:
        speech, true = self.language, times_above(self.truth, self.language)
        if self.stages:
            return self._lasting(self.stages, true)
        if self.width > 1:
            return speech.gettext(
                "There are %(codes)s codes. Each is for up to %(n)s of these numbers, next to each other. Your "
                "device sends a code for the rounded number %(true)s. Otherwise it sends one of the "
                "other codes, each equally likely.",
                codes=self.levels + self.width - 1,
                n=self.width,
                true=true,
            )
        if self.levels == 2:
            return speech.gettext("It sends the rounded number %(true)s. Otherwise it sends the other one.", true=true)
        return speech.gettext(
            "It sends the rounded number %(true)s. Otherwise it sends one of the other %(n)s, each equally likely.",
            n=self.levels - 1,
            true=true,
        )

    def _lasting(self, stages: tuple[float, float], true: str) -> str:
        lasting, again = (times_above(prob, self.language) for prob in stages)
        return self.language.gettext(
            "It draws the chance for this only once, for every number you give. Then it makes a lasting answer "
            "at random, only once. That is the rounded number %(lasting)s, otherwise the other one. Every report "
            "says the lasting answer %(again)s, otherwise the other one. All steps together, your device sends "
            "the rounded number %(true)s.",
            lasting=lasting,
            again=again,
            true=true,
        )


def _named(n_levels: int, ends: Ends) -> list[str]:
    """Return the numbers that are rounded to; none of many, or where one needs two decimals more than the ends have."""
    if n_levels > _MOST_NAMED:
        return []
    low, high = (Fraction(end) for end in ends)
    scale = 10 ** (1 + max(len(_text(end).partition(".")[2]) for end in ends))
    numbers = [scale * (low + (high - low) * level / (n_levels - 1)) for level in range(n_levels)]
    if any(number.denominator > 1 for number in numbers):
        return []
    return [_text(_CONTEXT.divide(Decimal(number.numerator), Decimal(scale))) for number in numbers]


def _one_of(named: Sequence[str], language: Language) -> str:
    values = dict(zip("abcd", named, strict=False))
    if len(named) == 2:
        return language.gettext("%(a)s or %(b)s", **values)
    if len(named) == 3:
        return language.gettext("%(a)s, %(b)s or %(c)s", **values)
    return language.gettext("%(a)s, %(b)s, %(c)s or %(d)s", **values)


def _text(number: int | Decimal) -> str:
    return decimal_text(Decimal(number))
