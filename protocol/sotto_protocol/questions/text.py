"""Text: an open answer, which counts as one string (`sotto_protocol.text`)."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import Fields
from sotto_protocol.questions.control import Control, Line
from sotto_protocol.questions.question_type import QuestionType
from sotto_protocol.text import EXPECTED, MAX_ANSWER_CHARACTERS, expected_of, is_answer, normalise


class Text(QuestionType):
    """An answer is a string. No values are listed: what is counted are bits."""

    name = "text"

    @classmethod
    def read(cls, fields: Fields) -> Self:
        return cls()

    def read_skip(self, fields: Fields) -> str:
        return str(fields.take("skip", EXPECTED, lambda v: is_answer(v) and normalise(v) == v))

    @property
    def control(self) -> Control:
        return Line(f"Up to {MAX_ANSWER_CHARACTERS} characters.")

    def encode(self, answer: Any, max_selected: int) -> NDArray[Any] | None:
        return np.array([normalise(answer)], object) if is_answer(answer) else None

    def expected(self, max_selected: int) -> str:
        return EXPECTED

    def expected_of(self, answer: Any, max_selected: int) -> str:
        return expected_of(answer)
