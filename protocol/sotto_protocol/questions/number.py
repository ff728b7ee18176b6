"""A number of a range, in steps: an age, an income, a rating."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import partial
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import MAX_DECIMALS, Fields, decimal_text, is_decimal
from sotto_protocol.errors import together
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.levels import MAX_SPAN
from sotto_protocol.mechanisms.mechanism import Mechanism
from sotto_protocol.members import LENGTHS
from sotto_protocol.questions.control import Control, NumberField
from sotto_protocol.questions.question_type import QuestionType

Exact = int | Decimal
"""A whole number is an int, any other a Decimal."""

_MOST_UNITS = 10**15
"""Of the last decimal: so every number of the range is one floating-point number, and no two are the same."""
_LIMIT = Decimal(_MOST_UNITS)
_DOMAIN = f"a number in [-{_MOST_UNITS}, {_MOST_UNITS}] of at most {MAX_DECIMALS} decimals"
_STEP_DOMAIN = f"a number above 0, to {_MOST_UNITS}, of at most {MAX_DECIMALS} decimals"
_CONTEXT = Context(prec=50)  # the app may have set another; what stands here has fewer digits


@dataclass(frozen=True)
class Number(QuestionType):
    """An answer is one of `minimum`, minimum + `step`, .., `maximum`: an int, or where they have decimals any number.

    A float stands for the decimal that it is written as. `unit`: in what it is counted, in a word or two, or nothing.
    """

    name = "number"
    usual = MappingProxyType({"step": 1})
    wanted = ""
    minimum: Exact = 0
    maximum: Exact = 1
    step: Exact = 1
    unit: str = ""

    @classmethod
    def read(cls, fields: Fields) -> Self:
        minimum, maximum, step, unit = together(
            partial(_take, fields, "minimum"),
            partial(_take, fields, "maximum"),
            partial(_take, fields, "step", _STEP_DOMAIN, lambda v: v > 0),
            partial(_take_unit, fields),
        )
        if minimum >= maximum:
            raise fields.fail("maximum", f"must be above minimum ({_text(minimum)}).")
        places = max(_places(number) for number in (minimum, maximum, step))
        if max(abs(Decimal(minimum)), abs(Decimal(maximum))) > _LIMIT.scaleb(-places):
            raise fields.fail("step", "must leave minimum and maximum at most 15 digits, in units of its last decimal.")
        n_steps = _count_steps(minimum, maximum, step)
        if n_steps is None or n_steps > MAX_SPAN:
            raise fields.fail("step", f"must go into maximum - minimum 1 to {MAX_SPAN} times, exactly.")
        return cls((), minimum, maximum, step, unit)

    def members(self) -> dict[str, Any]:
        ends = {"maximum": self.maximum, "minimum": self.minimum, "step": self.step}
        return ends | ({"unit": self.unit} if self.unit else {})

    def read_skip(self, fields: Fields) -> Exact:
        return _take(fields, "skip", self.expected(1), lambda v: self._steps_to(_exact(v)) is not None)

    @property
    def n_options(self) -> int:
        return int(_CONTEXT.divide(_CONTEXT.subtract(self.maximum, self.minimum), self.step)) + 1

    @property
    def most_wanted(self) -> Decimal:
        return _CONTEXT.divide(_CONTEXT.subtract(self.maximum, self.minimum), Decimal(2))

    @property
    def ends(self) -> tuple[float, float]:
        return float(self.minimum), float(self.maximum)

    @property
    def control(self) -> Control:
        return NumberField(_text(self.minimum), _text(self.maximum), _text(self.step), self.unit)

    def encode(self, answer: Any, max_selected: int) -> NDArray[Any] | None:
        steps = self._steps_to(answer)
        return None if steps is None else np.array([steps], np.int64)

    def expected(self, max_selected: int) -> str:
        ends = f"[{_text(self.minimum)}, {_text(self.maximum)}]"
        if self._is_whole and self.step == 1:
            return f"an integer in {ends}"
        kind = "an integer" if self._is_whole else "a number"
        return f"{kind} in {ends} in steps of {_text(self.step)}"

    def say(self, answer: Any) -> str:
        return f"{_text(answer)} {self.unit}".rstrip()

    def say_distance(self, n_steps: int) -> str:
        """Return how far numbers of so many steps apart are from each other, in words."""
        return self.say(_exact(_CONTEXT.multiply(n_steps, self.step)))

    def say_others(self, n: int, people: int, language: Language) -> str:
        return language.ngettext(
            "By chance, %(n)s of every %(people)s people with the number farthest from yours looks as if they had "
            "given yours.",
            "By chance, %(n)s of every %(people)s people with the number farthest from yours look as if they had "
            "given yours.",
            n,
            people=people,
        )

    def what_happens(self, mechanism: Mechanism, language: Language = ENGLISH) -> str:
        return mechanism.what_happens_between((self.minimum, self.maximum), language)

    def in_short(self, mechanism: Mechanism, language: Language = ENGLISH) -> str:
        return mechanism.in_short_between((self.minimum, self.maximum), language)

    def decode(self, said: Any) -> Any:
        ends = {end: self.at(said[end]) for end in ("from", "to")}
        return said | {end: at if isinstance(at, int) else float(at) for end, at in ends.items()}

    def at(self, steps: int) -> Exact:
        """Return the number that is so many steps above the least."""
        return _exact(_CONTEXT.add(self.minimum, _CONTEXT.multiply(steps, self.step)))

    @property
    def _is_whole(self) -> bool:
        return type(self.minimum) is type(self.step) is int

    def _steps_to(self, answer: Any) -> int | None:
        """Return how many steps a number is above the least; None where it is none of the range."""
        if isinstance(answer, bool) or not isinstance(answer, int if self._is_whole else int | float | Decimal):
            return None
        given = Decimal(float.__repr__(answer)) if isinstance(answer, float) else answer
        is_inside = is_decimal(given, Decimal(self.minimum), Decimal(self.maximum))
        return _count_steps(self.minimum, given, self.step) if is_inside else None


def _count_steps(start: Exact, end: Exact, step: Exact) -> int | None:
    """Return how many steps lead from one number to another, of at most 15 digits and 12 decimals; None where none."""
    steps, rest = _CONTEXT.divmod(_CONTEXT.subtract(end, start), step)
    return None if rest else int(steps)


def _take(fields: Fields, key: str, expected: str = _DOMAIN, accept: Callable[[Exact], bool] = lambda _: True) -> Exact:
    return _exact(fields.take(key, expected, lambda v: is_decimal(v, -_LIMIT, _LIMIT) and accept(v)))


def _take_unit(fields: Fields) -> str:
    return fields.text("unit", LENGTHS["unit"]) if fields.has("unit") else ""


def _exact(number: Exact) -> Exact:
    return int(number) if number == int(number) else _CONTEXT.normalize(number)


def _places(number: Exact) -> int:
    """Return how many decimals a number has, but for zeros at its end."""
    return len(_text(number).partition(".")[2])


def _text(number: Exact) -> str:
    return decimal_text(Decimal(number))
