"""Safely Report's columns of an XLSForm as a mechanism: `garbling::answer`, `garbling::rate`, `garbling::covariate`."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.xlsform.form import Form, Row
from sotto_protocol.documents import MAX_DECIMALS, decimal_text, is_decimal
from sotto_protocol.questions.definition import compile_question
from sotto_protocol.words import epsilon_above

COLUMN = "garbling"
_PAIRS = ({"yes", "no"}, {"y", "n"}, {"true", "false"}, {"1", "0"})
_YES = ("yes", "y", "true", "1")
_HALF = Decimal("0.5")
_SHORTEST = Decimal(1).scaleb(-MAX_DECIMALS)


def is_garbled(row: Row) -> bool:
    """Whether a row has any of the columns."""
    return COLUMN in row.members


def garbled(row: Row, form: Form) -> dict[str, Any]:
    """Return the members of the yes-no question that a garbled row is. Raises FormError.

    Forced response: with the probability of the rate g the device sends yes or no, each with probability 1/2. Of all
    ways to split g this takes the least epsilon, ln((1 - g/2) / (g/2)). To force yes alone takes an infinite one.
    """
    rate = _rate(row)
    choices = [str(choice["name"]).casefold() for choice in form.choices.get(str(row.members.get("itemset")), [])]
    if row.type != "select one" or set(choices) not in _PAIRS or len(choices) != len(_PAIRS[0]):
        raise FormError(
            "has garbling columns, which are for a select_one of the two choices yes and no: take them away."
        )
    if _said(row, "answer").casefold() not in choices:
        raise FormError("must have one of its two choices in garbling::answer.")
    return {"type": "yes-no", "mechanism": "forced-response", "prob_truth": 1 - rate, "prob_forced_yes": _HALF}


def say_garbled(row: Row, question: dict[str, Any]) -> Iterator[str]:
    """Yield what differs from Safely Report, where the question is one of a garbled row."""
    if not is_garbled(row):
        return
    rate, answer, covariate = _rate(row), _said(row, "answer"), _said(row, "covariate")
    said, half = decimal_text(rate), decimal_text(rate / 2)
    epsilon = compile_question(question, "$").epsilon
    yield (
        f"{row.name}: with probability {said} the device sends yes or no at random, else the answer. That is epsilon "
        f"{epsilon_above(epsilon)}, whatever --epsilon is. Either answer is sent as the other with probability {half}"
    )
    design = f"forced(prob_forced_yes={said}, prob_forced_no=0)"
    if covariate:
        block = Fraction(rate)
        design = f"block-garbling(block_size={block.denominator}, n_forced={block.numerator})"
        yield (
            f"{row.name}: no blocks are kept (garbling::covariate {covariate[:60]}), for that takes a server that "
            "knows whom it forced. Estimates of small teams are less precise without them"
        )
    counted = "" if answer.casefold() in _YES else f', counting "{answer}" as yes'
    yield (
        f'{row.name}: Safely Report forces only "{answer}", so any other record there proves the answer, and no '
        f"epsilon bounds it. Data collected so: sotto estimate --design '{design}' --allow-conclusive{counted}"
    )


def _rate(row: Row) -> Decimal:
    said = _said(row, "rate")
    try:
        rate = Decimal(said)
    except ArithmeticError:
        rate = Decimal(0)
    if not is_decimal(rate, _SHORTEST, 1 - _SHORTEST):
        raise FormError(
            f"garbling::rate ({said[:60]}) must be above 0 and below 1, for 0 hides nothing and 1 everything."
        )
    return rate


def _said(row: Row, name: str) -> str:
    columns = row.members.get(COLUMN)
    said = columns.get(name, "") if isinstance(columns, dict) else ""
    return said.strip() if isinstance(said, str) else ""
