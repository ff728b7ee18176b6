"""Every question type by its name: what a new one is added to, beside a file of its own."""

from sotto_protocol.questions.any_of import AnyOf
from sotto_protocol.questions.joint import Joint
from sotto_protocol.questions.number import Number
from sotto_protocol.questions.one_of import OneOf
from sotto_protocol.questions.question_type import QuestionType
from sotto_protocol.questions.text import Text
from sotto_protocol.questions.yes_no import YesNo

TYPES: dict[str, type[QuestionType]] = {kind.name: kind for kind in (YesNo, OneOf, AnyOf, Number, Text)}
"""Those that an author writes."""


def published_types() -> dict[str, type[QuestionType]]:
    """Return those that a published survey may have: the questions of an author's `together` become one."""
    return TYPES | {Joint.name: Joint}
