"""Any-of: some options of several, or none."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import Fields
from sotto_protocol.language import Language
from sotto_protocol.questions.control import Control, PickSome, pick_text
from sotto_protocol.questions.question_type import QuestionType, listed, take_options


class AnyOf(QuestionType):
    """An answer is a list, tuple or set of options' texts without repeats."""

    name = "any-of"

    @classmethod
    def read(cls, fields: Fields) -> Self:
        return cls(take_options(fields, 1))

    def read_skip(self, fields: Fields) -> str:
        raise fields.fail("skip", "does not go with any-of: nothing selected is an answer.")

    @property
    def control(self) -> Control:
        return PickSome(pick_text(self.options))

    def encode(self, answer: Any, max_selected: int) -> NDArray[Any] | None:
        if not isinstance(answer, list | tuple | set | frozenset):  # a dict is no selection: its values would be lost
            return None
        selected = list(answer)
        known = all(isinstance(item, str) and item in self.options for item in selected)
        if not (known and len(set(selected)) == len(selected) <= max_selected):
            return None
        return np.array([[option in answer for option in self.options]], np.intp)

    def expected(self, max_selected: int) -> str:
        return f"a list of at most {max_selected} of these texts, none twice: {listed(self.options)}"

    def say_others(self, n: int, people: int, language: Language) -> str:
        return language.ngettext(
            "By chance, %(n)s of every %(people)s people asked about an option they did not choose sends yes for it.",
            "By chance, %(n)s of every %(people)s people asked about an option they did not choose send yes for it.",
            n,
            people=people,
        )
