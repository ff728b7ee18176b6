"""Any-of: some options of several, or none."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import Fields
from sotto_protocol.questions.question_type import QuestionType, listed, take_options


class AnyOf(QuestionType):
    """An answer is a list, tuple or set of options' texts without repeats."""

    name = "any-of"

    def read_options(self, fields: Fields) -> tuple[str, ...]:
        return take_options(fields, 1)

    def read_skip(self, fields: Fields, options: tuple[str, ...]) -> str:
        raise fields.fail("skip", "does not go with any-of: nothing selected is an answer.")

    def encode(self, answer: Any, options: tuple[str, ...], max_selected: int) -> NDArray[Any] | None:
        if not isinstance(answer, list | tuple | set | frozenset):  # a dict is no selection: its values would be lost
            return None
        selected = list(answer)
        known = all(isinstance(item, str) and item in options for item in selected)
        if not (known and len(set(selected)) == len(selected) <= max_selected):
            return None
        return np.array([[option in answer for option in options]], np.intp)

    def expected(self, options: tuple[str, ...], max_selected: int) -> str:
        return f"a list of at most {max_selected} of these texts, none twice: {listed(options)}"
