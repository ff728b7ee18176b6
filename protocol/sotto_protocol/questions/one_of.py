"""One-of: one option of several."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import Fields
from sotto_protocol.questions.question_type import QuestionType, listed, take_options


class OneOf(QuestionType):
    """An answer is an option's text."""

    name = "one-of"

    def read_options(self, fields: Fields) -> tuple[str, ...]:
        return take_options(fields, 2)

    def read_skip(self, fields: Fields, options: tuple[str, ...]) -> str:
        return fields.one_of("skip", options)

    def encode(self, answer: Any, options: tuple[str, ...], max_selected: int) -> NDArray[Any] | None:
        is_option = isinstance(answer, str) and answer in options
        return np.array([options.index(answer)], np.intp) if is_option else None

    def expected(self, options: tuple[str, ...], max_selected: int) -> str:
        return f"one of these texts: {listed(options)}"
