"""Numbers in plain words: probabilities as frequencies that people can picture, epsilons in four decimals."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from sotto_protocol.documents import decimal_text

FIRST_DRAW = "First, once, your device draws a lasting"
"""How the words on a permanent stage begin."""
_IMMATERIAL = Decimal("1e-9")  # so much is ignored when a share is rounded outward to be read
_STEPS = [Decimal(step) for step in ("0.1", "0.01", "0.001", "0.0001")]
_EPSILON_STEP = Decimal("0.0001")
_CONTEXT = Context(prec=40)  # the app may have set another
_MOST_PEOPLE = 1_000_000
_MAX_SMALL = 20  # the largest denominator of "n times in m"


def times(prob: float) -> str:
    """Return a probability as a frequency: exactly where it is simple, else to three digits.

    >>> times(0.75), times(0.0180342), times(2 / 3)
    ('3 times in 4', 'about 180 times in 10,000', '2 times in 3')
    """
    simple = Fraction(prob).limit_denominator(_MAX_SMALL)
    if abs(simple - Fraction(prob)) < 1e-8 and 0 < simple < 1:
        return f"{counted(simple.numerator, 'time')} in {simple.denominator}"
    if prob > 0.9995:
        return f"all but {times(1 - prob)}"
    out_of = 1000
    while round(prob * out_of) < 100:
        out_of *= 10
    return f"about {counted(round(prob * out_of), 'time')} in {out_of:,}"


def counted(n: int, noun: str) -> str:
    """Return how many there are of something.

    >>> counted(1, "report"), counted(20_000, "report")
    ('1 report', '20,000 reports')
    """
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def epsilon_above(epsilon: Decimal | float) -> str:
    """Return an epsilon rounded up to four decimals: never less than is given away.

    >>> epsilon_above(Decimal("1.098612288669")), epsilon_above(Decimal("0.999999999981")), epsilon_above(0.3)
    ('1.0987', '1', '0.3')
    """
    return decimal_text(Decimal(str(epsilon)).quantize(_EPSILON_STEP, ROUND_CEILING, _CONTEXT))


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


def percent_above(share: float) -> str:
    """Return a share in percent, rounded up to a tenth, or finer near 0 and 100; a billionth is ignored.

    >>> percent_above(0.7500000000001), percent_above(0.94283), percent_above(0.99988)
    ('75 %', '94.3 %', '99.99 %')
    """
    return _percent(Decimal(str(share)) - _IMMATERIAL, ROUND_CEILING)


def percent_below(share: float) -> str:
    """Return a share in percent, rounded down to a tenth, or finer near 0 and 100; a billionth is ignored.

    >>> percent_below(0.05717)
    '5.7 %'
    """
    return _percent(Decimal(str(share)) + _IMMATERIAL, ROUND_FLOOR)


def _percent(share: Decimal, rounding: str) -> str:
    for step in _STEPS:
        shown = (share * 100).quantize(step, rounding)
        if 0 < shown < 100:
            break
    return f"{shown.normalize():f} %"
