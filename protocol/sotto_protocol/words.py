"""Numbers in plain words: probabilities as frequencies that people can picture, epsilons in four decimals."""

from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import ceil

from sotto_protocol.documents import decimal_text, is_text
from sotto_protocol.language import ENGLISH, Language

_IMMATERIAL = Decimal("1e-9")  # so much is ignored when a share is rounded outward to be read
_WHOLE, *_STEPS = [Decimal(step) for step in ("1", "0.1", "0.01", "0.001", "0.0001")]
_EPSILON_STEP = Decimal("0.0001")
_CONTEXT = Context(prec=40)  # the app may have set another
_MOST_PEOPLE = 1_000_000
_UNSEEN = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}\u200e"
"""What the words of some languages need, though no glyph stands for it."""
_MAX_SMALL = 20  # the largest denominator of a fraction that is said as it is


def times_below(prob: float, language: Language = ENGLISH) -> str:
    """Return a probability as a frequency: exactly where it is simple, else rounded down as `of_people` does.

    >>> times_below(0.75), times_below(0.0189), times_below(2**-32)
    ('3 times in 4', 'at least 18 times in 1,000', 'hardly ever')
    """
    simple = _simple(prob)
    if simple:
        return _times(simple.numerator, simple.denominator, language)
    n, of = of_people(prob)
    if n == 0:
        return language.gettext("hardly ever")
    return language.ngettext("at least %(n)s time in %(of)s", "at least %(n)s times in %(of)s", n, of=of)


def times_above(prob: float, language: Language = ENGLISH) -> str:
    """Return a probability as a frequency: exactly where it is simple, else rounded up, and the rest down.

    >>> times_above(0.7311), times_below(1 - 0.7311), times_above(1 - 2**-32)
    ('at most 74 times in 100', 'at least 26 times in 100', 'nearly always')
    """
    simple = _simple(prob)
    if simple:
        return _times(simple.numerator, simple.denominator, language)
    of = max(of_people(prob)[1], of_people(1 - prob)[1])
    n = of - int((1 - prob) * of)
    if n == of:
        return language.gettext("nearly always")
    return language.ngettext("at most %(n)s time in %(of)s", "at most %(n)s times in %(of)s", n, of=of)


def _simple(prob: float) -> Fraction | None:
    """Return a probability as a fraction, if it is one of small numbers."""
    simple = Fraction(prob).limit_denominator(_MAX_SMALL)
    return simple if abs(simple - Fraction(prob)) < 1e-8 and 0 < simple < 1 else None


def _times(n: int, of: int, language: Language) -> str:
    return language.ngettext("%(n)s time in %(of)s", "%(n)s times in %(of)s", n, of=of)


def examples(*commands: str) -> str:
    """Return the end of a command's help, which click prints as it is."""
    return "\n".join(("\b", "Examples:", *(f"  {command}" for command in commands)))


def printable(words: str, instead: str = "?") -> str:
    """Return words without what could steer a terminal or break a document.

    >>> printable("a\\x1b[2J \\u202eb\\n") + printable("क्\\u200dष")
    'a?[2J ?b?क्\\u200dष'
    """
    return "".join(c if c.isprintable() or c in _UNSEEN else instead for c in words)


def escaped(text: str) -> str:
    """Return text that a terminal shows as it stands: control characters and marks of direction by their escapes.

    >>> escaped("a\\x1b[2Jb\\u202ec"), escaped("👩‍💻 è\\\\")
    ('a\\\\x1b[2Jb\\\\u202ec', '👩‍💻 è\\\\')
    """
    if text.isprintable():
        return text
    return "".join(one if is_text(one, 1) else one.encode("unicode_escape").decode() for one in text)


def escaped_lines(text: str) -> str:
    """Return several lines, each `escaped`."""
    return "\n".join(map(escaped, text.split("\n")))


def counted(n: int, noun: str) -> str:
    """Return how many there are of something.

    >>> counted(1, "report"), counted(20_000, "report")
    ('1 report', '20,000 reports')
    """
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def ordinal(n: int) -> str:
    """Return the place that a number says, in English.

    >>> [ordinal(n) for n in (1, 2, 3, 11, 12, 13, 21, 51, 111, 1_022)]
    ['1st', '2nd', '3rd', '11th', '12th', '13th', '21st', '51st', '111th', '1,022nd']
    """
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n:,}{ending}"


def epsilon_above(epsilon: Decimal | float, language: Language = ENGLISH) -> str:
    """Return an epsilon rounded up to four decimals: never less than is given away.

    >>> epsilon_above(Decimal("1.098612288669")), epsilon_above(Decimal("0.999999999981")), epsilon_above(0.3)
    ('1.0987', '1', '0.3')
    """
    if epsilon == float("inf"):  # of a survey on paper that asks for the truth alone
        return language.gettext("infinite")
    return language.number(decimal_text(Decimal(str(epsilon)).quantize(_EPSILON_STEP, ROUND_CEILING, _CONTEXT)))


def epsilon_below(epsilon: Decimal) -> str:
    """Return what is left of a limit, rounded down to four decimals.

    >>> epsilon_below(Decimal("6.901387711331"))
    '6.9013'
    """
    return decimal_text(epsilon.quantize(_EPSILON_STEP, ROUND_FLOOR, _CONTEXT))


def of_people(prob: float) -> tuple[int, int]:
    """Return a probability as so many of 100 people, rounded down; of up to a million where they would be below ten.

    >>> of_people(0.2689), of_people(0.0351), of_people(0.0)
    ((26, 100), (35, 1000), (0, 1000000))
    """
    n_people = 100
    while prob * n_people < 10 and n_people < _MOST_PEOPLE:  # two digits say enough
        n_people *= 10
    return int(prob * n_people), n_people


def people_above(prob: float) -> tuple[int, int]:
    """Return a probability as so many of 100 people, rounded up; of more where all of 100 would be too many.

    >>> people_above(0.13592), people_above(0.9963), people_above(1.0)
    ((14, 100), (997, 1000), (100, 100))
    """
    n_people = 100
    while (n := ceil(Decimal(str(prob)) * n_people - _IMMATERIAL)) == n_people < _MOST_PEOPLE and prob < 1:
        n_people *= 10
    return (100, 100) if n == n_people else (n, n_people)


def whole_percent_above(share: float, language: Language = ENGLISH) -> str:
    """Return a share in percent, rounded up to a whole one, or as `percent_above` does near 0 and 100.

    >>> whole_percent_above(0.2319), whole_percent_above(0.75), whole_percent_above(0.9943)
    ('24 %', '75 %', '99.5 %')
    """
    return _percent(Decimal(str(share)) - _IMMATERIAL, ROUND_CEILING, language, (_WHOLE, *_STEPS))


def whole_percent_below(share: float, language: Language = ENGLISH) -> str:
    """Return a share in percent, rounded down to a whole one, or as `percent_below` does near 0 and 100.

    >>> whole_percent_below(0.0392), whole_percent_below(0.0057)
    ('3 %', '0.5 %')
    """
    return _percent(Decimal(str(share)) + _IMMATERIAL, ROUND_FLOOR, language, (_WHOLE, *_STEPS))


def percent_above(share: float, language: Language = ENGLISH) -> str:
    """Return a share in percent, rounded up to a tenth, or finer near 0 and 100; a billionth is ignored.

    >>> percent_above(0.7500000000001), percent_above(0.94283), percent_above(0.99988)
    ('75 %', '94.3 %', '99.99 %')
    """
    return _percent(Decimal(str(share)) - _IMMATERIAL, ROUND_CEILING, language)


def percent_below(share: float, language: Language = ENGLISH) -> str:
    """Return a share in percent, rounded down to a tenth, or finer near 0 and 100; a billionth is ignored.

    >>> percent_below(0.05717)
    '5.7 %'
    """
    return _percent(Decimal(str(share)) + _IMMATERIAL, ROUND_FLOOR, language)


def _percent(share: Decimal, rounding: str, language: Language, steps: Iterable[Decimal] = _STEPS) -> str:
    for step in steps:
        shown = (share * 100).quantize(step, rounding)
        if 0 < shown < 100:
            break
    return language.percent(shown.normalize())
