"""Text: an open answer, which counts as one string (`sotto_protocol.text`)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import Fields
from sotto_protocol.questions.question_type import QuestionType
from sotto_protocol.text import EXPECTED, expected_of, is_answer, normalise


class Text(QuestionType):
    """An answer is a string. No values are listed: what is counted are bits."""

    name = "text"

    def read_options(self, fields: Fields) -> tuple[str, ...]:
        return ()

    def read_skip(self, fields: Fields, options: tuple[str, ...]) -> str:
        return str(fields.take("skip", EXPECTED, lambda v: is_answer(v) and normalise(v) == v))

    def encode(self, answer: Any, options: tuple[str, ...], max_selected: int) -> NDArray[Any] | None:
        return np.array([normalise(answer)], object) if is_answer(answer) else None

    def expected(self, options: tuple[str, ...], max_selected: int) -> str:
        return EXPECTED

    def expected_of(self, answer: Any, options: tuple[str, ...], max_selected: int) -> str:
        return expected_of(answer)
