"""What a SurveyJS element offers: values, which the form stores, and their texts, which people read."""

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.surveyjs_form import Element, is_set, localised
from sotto_protocol.documents import decimal_text
from sotto_protocol.language import mark
from sotto_protocol.questions.question_type import MAX_OPTIONS

SPECIAL = (  # (its members' names, the value that SurveyJS stores, the member of its text, SurveyJS's text)
    (("showNoneItem", "hasNone"), "none", "noneText", mark("None")),
    (("showRefuseItem",), "refused", "refuseText", mark("Refuse to answer")),
    (("showDontKnowItem",), "dontknow", "dontKnowText", mark("Don't know")),
)
SPECIAL_MEMBERS = tuple(name for names, _, text, _ in SPECIAL for name in (*names, text))
_NUMBER = re.compile(r"-?\d{1,7}(\.\d{1,6})?")
_MAX_RATES = 20
_MAX_SMILEYS = 10
"""SurveyJS shows no more."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the values that an element can have, as a string, and its text in the form's default language."""

    value: str
    text: str


def yes_and_no(members: dict[str, Any]) -> list[Choice]:
    """Return the two labels of a boolean. Raises FormError."""
    return [
        Choice(
            _value(members.get(f"value{way}", way == "True"), f"value{way}"),
            localised(members.get(f"label{way}"), f"label{way}") or usual,
        )
        for way, usual in (("True", "Yes"), ("False", "No"))
    ]


def choices(members: dict[str, Any]) -> list[Choice]:
    """Return the choices of a radiogroup, dropdown or checkbox; "none" and the like are choices. Raises FormError."""
    found = items(members.get("choices", []), "choices")
    if members["type"] == "dropdown":
        found += _numbered(members)
    for names, value, text, usual in SPECIAL:
        if is_set(members, *names):
            found.append(Choice(value, localised(members.get(text), text) or usual))
    return _distinct(found)


def rates(members: dict[str, Any]) -> list[Choice]:
    """Return the choices of a rating: its values, or those from rateMin to rateMax. Raises FormError."""
    if members.get("rateValues") and members.get("autoGenerate") is not True:
        found = items(members["rateValues"], "rateValues")
    else:
        found = _scale(members)
    is_smileys = "smileys" in (members.get("rateType"), members.get("rateDisplayMode"))
    return _distinct(found[:_MAX_SMILEYS] if is_smileys else found)


def scale_of(offered: list[Choice]) -> dict[str, Any]:
    """Return the numbers that rates without words are, as what a question asks for; {} where they are no even steps.

    The distribution is asked for too, for people look at a rating's shares.
    """
    if not all(rate.text == rate.value and _NUMBER.fullmatch(rate.value) for rate in offered):
        return {}
    numbers = sorted(Decimal(rate.value) for rate in offered)
    steps = {high - low for low, high in pairwise(numbers)}
    if len(steps) != 1 or 0 in steps:
        return {}
    return {"minimum": numbers[0], "maximum": numbers[-1], "step": steps.pop(), "distribution": True}


def items(listed: Any, name: str) -> list[Choice]:
    """Return the values and texts in a list of choices, rows or columns. Raises FormError."""
    if not isinstance(listed, list):
        raise FormError(f"{name} must be a list.")
    return [_item(item, f"{name}[{index}]") for index, item in enumerate(listed)]


def _item(item: Any, name: str) -> Choice:
    text = ""
    if isinstance(item, dict):
        if is_set(item, "elements", "showCommentArea", "hasComment"):
            raise FormError(f"{name} asks something beside the choice; ask it in an element of its own.")
        text = localised(item.get("text"), f"{name}.text")
        item = item.get("value", text)
    value = _value(item, name)
    if "|" in value:  # SurveyJS's short form
        value, _, given = value.partition("|")
        text = text or localised(given, name)
    return Choice(value, text or localised(value, name))


def _value(value: Any, name: str) -> str:
    """Return a value as JavaScript writes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return format(value, "d")
        case Decimal():
            return decimal_text(value)
        case str() if value:
            return value
    raise FormError(f"{name} must have a value that is a text, a number or a boolean.")


def _numbered(members: dict[str, Any]) -> list[Choice]:
    """Return the numbers that a dropdown offers besides its choices: from choicesMin to choicesMax."""
    low, high = _number(members, "choicesMin", 0), _number(members, "choicesMax", 0)
    return _count_up(low, high, _number(members, "choicesStep", 1), "choicesStep") if high > low else []


def _scale(members: dict[str, Any]) -> list[Choice]:
    low, high = _number(members, "rateMin", 1), _number(members, "rateMax", 5)
    step = _number(members, "rateStep", 1)
    if "rateCount" in members and ("rateMin" in members) != ("rateMax" in members):  # else SurveyJS overlooks it
        length = step * (_number(members, "rateCount", 5) - 1)
        if "rateMin" in members:
            high = low + length
        else:
            low = high - length
    if low >= high:
        raise FormError("rateMin must be below rateMax.")
    found = _count_up(low, high, step, "rateStep")
    if len(found) > _MAX_RATES:
        raise FormError(f"rateStep gives more than {_MAX_RATES} values, and SurveyJS shows no more of them.")
    return found


def range_of(members: dict[str, Any]) -> dict[str, Decimal]:
    """Return from which number to which an answer goes, and in what steps; also numbers in quotes. Raises FormError."""
    read = {name: Decimal(v) for name, v in members.items() if isinstance(v, str) and _NUMBER.fullmatch(v)}
    ends = {"minimum": ("min", 0), "maximum": ("max", 100), "step": ("step", 1)}
    return {key: _number(members | read, name, usual) for key, (name, usual) in ends.items()}


def _number(members: dict[str, Any], name: str, usual: int) -> Decimal:
    value = members.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not -(10**6) <= value <= 10**6:
        raise FormError(f"{name} must be a number in [-1000000, 1000000].")
    return Decimal(value)


def _count_up(low: Decimal, high: Decimal, step: Decimal, name: str) -> list[Choice]:
    if step <= 0 or _n_decimals(low) > _n_decimals(step):  # SurveyJS rounds to the step's decimals
        raise FormError(f"{name} must be above 0, and have as many decimals as the first value.")
    if (high - low) / step >= MAX_OPTIONS:
        raise FormError(f"{name} gives more than {MAX_OPTIONS} values.")
    n_steps = int((high - low) / step)
    texts = [decimal_text(low + index * step) for index in range(n_steps + 1)]
    return [Choice(text, text) for text in texts]


def _n_decimals(number: Decimal) -> int:
    return len(decimal_text(number).partition(".")[2])


def _distinct(found: list[Choice]) -> list[Choice]:
    for what in ("value", "text"):
        seen = [getattr(choice, what) for choice in found]
        twice = next((item for item in seen if seen.count(item) > 1), None)
        if twice is not None:
            raise FormError(f"two choices have the {what} {json.dumps(twice, ensure_ascii=False)}; each needs its own.")
    return found


@dataclass(frozen=True, slots=True)
class AskedElement:
    """One element as a question: what it came from, and the choices that its values stand for."""

    element: Element
    question: dict[str, Any]
    choices: tuple[Choice, ...]
