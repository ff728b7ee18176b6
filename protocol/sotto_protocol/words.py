"""Probabilities in plain words: what a mechanism does to an answer, as frequencies that people can picture."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

from sotto_protocol.coins import COIN_SCALE
from sotto_protocol.mechanisms.bits import BitMechanism
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.mechanism import Mechanism
from sotto_protocol.questions.question import Question

_IMMATERIAL = Decimal("1e-9")  # so much is ignored when a share is rounded outward to be read
_STEPS = [Decimal(step) for step in ("0.1", "0.01", "0.001", "0.0001")]
_MAX_SMALL = 20  # the largest denominator of "n times in m"


def what_happens(question: Question) -> str:
    """Return a few sentences on how an answer is reported, by the mechanism that does it."""
    mechanism = question.mechanism
    if isinstance(mechanism, BitMechanism) and mechanism.name in ("basic-rappor", "rappor"):
        return _rappor(question, mechanism)
    true, other = times(mechanism.prob_support_if_true), times(mechanism.prob_support_if_other)
    match mechanism.name:
        case "warner" | "forced-response":
            return f"Your yes is reported as yes {true}; your no is reported as yes {other}."
        case "k-ary":
            n_others = mechanism.n_values - 1
            others = "the other one is" if n_others == 1 else f"one of the other {n_others} is, each as likely"
            return f"The option that you choose is reported {true}; otherwise {others}."
        case "sue" | "oue":
            return (
                f"Each of the {mechanism.n_values} options is reported as yes or no: the one that you choose as yes "
                f"{true}, each other one as yes {other}."
            )
        case "bit-flips":
            return (
                f"{_each(mechanism.n_values)} is reported as yes or no: one that you choose as yes "
                f"{true}, one that you do not choose as yes {other}."
            )
    raise NotImplementedError(f"no words for the mechanism {mechanism.name}.")


def in_short(question: Question) -> str:
    """Return one line on what a device does to an answer, in both stages together: for a page, above the question.

    >>> from sotto_protocol.mechanisms.designs import warner_by_truth
    >>> coin, none = warner_by_truth(Fraction(3, 4)), Decimal(0)
    >>> in_short(Question("paid", "yes-no", "Did you pay?", (), coin, none, none))
    'Your device flips a coin: 1 time in 4 it sends the opposite.'
    """
    mechanism = question.mechanism
    lost, gained = _roughly(1 - mechanism.prob_support_if_true), _roughly(mechanism.prob_support_if_other)
    if mechanism.name == "k-ary":
        return f"Your device rolls a die: {lost} it sends another option, drawn at random."
    if question.type == "text":
        made = f"Your device turns your text into {_n_bits(mechanism)} bits and flips a coin for each"
        return f"{made}: a one is sent as a zero {lost}, a zero as a one {gained}."
    if question.type != "yes-no":
        each = "Your device sends a yes or a no for each option, and flips a coin for each"
        return f"{each}: a yes is sent as a no {lost}, a no as a yes {gained}."
    if lost == gained:
        return f"Your device flips a coin: {lost} it sends the opposite."
    return f"Your device flips a coin: a yes is sent as a no {lost}, a no as a yes {gained}."


def _rappor(question: Question, mechanism: BitMechanism) -> str:
    """Return both stages, and the two together; or the one that there is."""
    drawn, chosen, not_chosen = _lasting_draw(question)
    true, other = times(mechanism.prob_support_if_true), times(mechanism.prob_support_if_other)
    if not mechanism.has_two_stages:
        return f"{drawn}: yes for {chosen} {true}, for {not_chosen} {other}. That is what is reported."
    thresholds = mechanism.threshold_if_true, mechanism.threshold_if_other
    lasting = [times(threshold / COIN_SCALE) for threshold in thresholds]
    again = [times(threshold / COIN_SCALE) for threshold in (mechanism.report_if_one, mechanism.report_if_zero)]
    return (
        f"{drawn}: yes for {chosen} {lasting[0]}, for {not_chosen} {lasting[1]}. Then it draws again in every report: "
        f"a lasting yes is reported as yes {again[0]}, a lasting no {again[1]}. Both draws together, {chosen} is "
        f"reported as yes {true}, {not_chosen} {other}."
    )


def _lasting_draw(question: Question) -> tuple[str, str, str]:
    """Return what is drawn once, and the names of what is true and of what is not."""
    first = "First, once, your device draws a lasting"
    each = f"{_each(question.mechanism.n_values)} is reported as yes or no. {first} yes or no for each"
    match question.type:
        case "yes-no":
            return f"{first} answer in place of yours", "your yes", "your no"
        case "one-of":
            return each, "the one that you choose", "each other one"
        case "any-of":
            return each, "one that you choose", "one that you do not choose"
    drawn = f"{_bloom(question.mechanism)}{first} yes or no in place of each bit"
    return drawn, "a bit that your text sets", "one that it does not set"


def _each(n_options: int) -> str:
    return f"Each of the {n_options} options" if n_options > 1 else "The one option"


def _n_bits(mechanism: Mechanism) -> int:
    """Return how many bits a text becomes, those of its pieces too."""
    return mechanism.n_values * (mechanism.n_blocks if isinstance(mechanism, BloomResponse) else 1)


def _bloom(mechanism: Mechanism) -> str:
    """Return what a text becomes before any noise, and what is sent beside the bits."""
    assert isinstance(mechanism, BloomResponse)  # noqa: S101  # a text question has no other
    words = f"Your text sets at most {mechanism.n_hashes} of {mechanism.n_values} bits, and other texts set them too. "
    if mechanism.n_cohorts > 1:
        words += (
            f"Your device belongs to one of {mechanism.n_cohorts} groups, drawn once, in each of which texts set other "
            "bits; the group's number is sent. "
        )
    if mechanism.n_positions:
        words += (
            f"The same is done with two pieces of your text, of up to {mechanism.gram_length} characters each, at two "
            f"of {mechanism.n_positions} positions that are drawn once; which two is sent. "
        )
    return words


def after_report(question: Question) -> str:
    """Return for a yes-no question what one who knew nothing may think after either report; else nothing.

    Both are said, because a forced response can give away more by one report than by the other.
    """
    if question.type != "yes-no":
        return ""
    sees_yes, sees_no = (percent_above(share) for share in _shares_of_yes(question.mechanism))
    return (
        f" Whoever thought yes as likely as no takes you for a yes with {sees_yes} after a reported yes, "
        f"with {sees_no} after a reported no."
    )


def _shares_of_yes(mechanism: Mechanism) -> tuple[float, float]:
    true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
    return true / (true + other), (1 - true) / (2 - true - other)


def times(prob: float) -> str:
    """Return a probability as a frequency: exactly where it is simple, else to three digits.

    >>> times(0.75), times(0.0180342), times(2 / 3)
    ('3 times in 4', 'about 180 times in 10,000', '2 times in 3')
    """
    simple = Fraction(prob).limit_denominator(_MAX_SMALL)
    if abs(simple - Fraction(prob)) < 1e-8 and 0 < simple < 1:
        return f"{_count(simple.numerator)} in {simple.denominator}"
    if prob > 0.9995:
        return f"all but {times(1 - prob)}"
    out_of = 1000
    while round(prob * out_of) < 100:
        out_of *= 10
    return f"about {_count(round(prob * out_of))} in {out_of:,}"


def _count(n_times: int) -> str:
    return f"{n_times:,} time" + ("" if n_times == 1 else "s")


def _roughly(prob: float) -> str:
    """Return a probability as `times` does, but to whole hundredths where it is neither simple nor small.

    >>> _roughly(0.25), _roughly(0.35123), _roughly(0.0351)
    ('1 time in 4', 'about 35 times in 100', 'about 351 times in 10,000')
    """
    exact = times(prob)
    is_simple = not exact.startswith("about") or not 0.095 <= prob <= 0.905
    return exact if is_simple else f"about {round(100 * prob)} times in 100"


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
