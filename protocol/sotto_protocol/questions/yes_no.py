"""Yes-no: a statement that is true of a person, or not."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import Fields
from sotto_protocol.language import Language
from sotto_protocol.questions.control import Choice, Control, PickOne
from sotto_protocol.questions.question_type import QuestionType

_WORDS = ("yes", "no")


class YesNo(QuestionType):
    """An answer is a bool; counted is yes."""

    name = "yes-no"

    @classmethod
    def read(cls, fields: Fields) -> Self:
        return cls()

    def read_skip(self, fields: Fields) -> bool:
        return fields.one_of("skip", _WORDS) == "yes"

    def write_skip(self, skip: bool) -> str:
        return self.say(skip)

    @property
    def answers(self) -> tuple[bool, ...]:
        return (False, True)

    @property
    def labels(self) -> tuple[str, ...]:
        return ("yes",)

    @property
    def control(self) -> Control:
        return PickOne((Choice(True, "Yes"), Choice(False, "No")))

    def encode(self, answer: Any, max_selected: int) -> NDArray[Any] | None:
        return np.array([answer], np.intp) if isinstance(answer, bool) else None

    def expected(self, max_selected: int) -> str:
        return "True or False"

    def say(self, answer: bool) -> str:
        return "yes" if answer else "no"

    def say_others(self, n: int, people: int, language: Language) -> str:
        return language.ngettext(
            "By chance, %(n)s of every %(people)s people who say no also sends yes.",
            "By chance, %(n)s of every %(people)s people who say no also send yes.",
            n,
            people=people,
        )

    def decode(self, said: Any) -> bool:
        return bool(said)
