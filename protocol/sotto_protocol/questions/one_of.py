"""One-of: one option of several."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import Fields
from sotto_protocol.questions.control import Control, PickOne, pick_text
from sotto_protocol.questions.question_type import QuestionType, listed, take_options


class OneOf(QuestionType):
    """An answer is an option's text."""

    name = "one-of"

    @classmethod
    def read(cls, fields: Fields) -> Self:
        return cls(take_options(fields, 2))

    def read_skip(self, fields: Fields) -> str:
        return fields.one_of("skip", self.options)

    @property
    def control(self) -> Control:
        return PickOne(pick_text(self.options))

    def encode(self, answer: Any, max_selected: int) -> NDArray[Any] | None:
        is_option = isinstance(answer, str) and answer in self.options
        return np.array([self.options.index(answer)], np.intp) if is_option else None

    def expected(self, max_selected: int) -> str:
        return f"one of these texts: {listed(self.options)}"
