"""Yes-no: a statement that is true of a person, or not."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import Fields
from sotto_protocol.questions.question_type import QuestionType


class YesNo(QuestionType):
    """An answer is a bool; counted is yes."""

    name = "yes-no"

    def read_options(self, fields: Fields) -> tuple[str, ...]:
        return ()

    def read_skip(self, fields: Fields, options: tuple[str, ...]) -> str:
        raise fields.fail("skip", 'does not go with yes-no: make it one-of, with an option like "No answer".')

    def encode(self, answer: Any, options: tuple[str, ...], max_selected: int) -> NDArray[Any] | None:
        return np.array([answer], np.intp) if isinstance(answer, bool) else None

    def expected(self, options: tuple[str, ...], max_selected: int) -> str:
        return "True or False"

    def labels(self, options: tuple[str, ...]) -> tuple[str, ...]:
        return ("yes",)
