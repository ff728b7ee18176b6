"""A question type that the house does not have, as somebody would add it: a class in a file, and two kinds of rows.

A rating is an integer from `lowest` to `highest`, which an author gives in place of options.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import Fields
from sotto_protocol.mechanisms.kary import KaryResponse, k_ary
from sotto_protocol.mechanisms.registry import Entry
from sotto_protocol.mechanisms.unary import UnaryEncoding, ask_basic_rappor
from sotto_protocol.questions.control import Choice, Control, PickOne
from sotto_protocol.questions.question_type import QuestionType

MOST = 100


class Rating(QuestionType):
    """An answer is an integer from the first option to the last."""

    name = "rating"

    @classmethod
    def read(cls, fields: Fields) -> Self:
        lowest = fields.integer("lowest", -MOST, MOST - 1)
        return cls(tuple(map(str, range(lowest, fields.integer("highest", lowest + 1, MOST) + 1))))

    def members(self) -> dict[str, Any]:
        numbers = self._numbers
        return {"lowest": numbers[0], "highest": numbers[-1]}

    def read_skip(self, fields: Fields) -> str:
        raise fields.fail("skip", "does not go with rating.")

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(f"{number} points" for number in self._numbers)

    @property
    def control(self) -> Control:
        return PickOne(tuple(map(Choice, self._numbers, self.labels)))

    def encode(self, answer: Any, max_selected: int) -> NDArray[Any] | None:
        return np.array([self._numbers.index(answer)], np.intp) if self._is_answer(answer) else None

    def expected(self, max_selected: int) -> str:
        return f"an integer in [{self.options[0]}, {self.options[-1]}]"

    def decode(self, said: Any) -> list[int]:
        return [self._numbers[self.labels.index(label)] for label in said]

    @property
    def _numbers(self) -> tuple[int, ...]:
        return tuple(map(int, self.options))

    def _is_answer(self, answer: Any) -> bool:
        return type(answer) is int and answer in self._numbers


ENTRIES = [
    Entry("k-ary", "rating", KaryResponse, lambda asked: k_ary(asked.n_options, asked.require_epsilon()), k_ary),
    Entry("basic-rappor", "rating", UnaryEncoding, ask_basic_rappor, may_repeat=True),
]
