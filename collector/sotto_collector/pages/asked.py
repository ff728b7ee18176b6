"""Questions as the survey page asks them, in the language that it is shown in, and the parts that they stand in."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple, assert_never

from sotto_protocol import Item, Survey
from sotto_protocol.documents import decimal_text
from sotto_protocol.explain import Explanation, QuestionExplanation
from sotto_protocol.language import Language
from sotto_protocol.questions.control import Control, Line, NumberField, PickOne, PickSome
from sotto_protocol.questions.translation import QuestionWords, SurveyWords

MAX_RADIOS = 12
"""With more options than this, one is chosen from a list."""


@dataclass(frozen=True)
class Asked:
    """A question as the page asks it: its number from 1, its own words and the page's language."""

    number: int
    question: Item
    words: QuestionWords
    language: Language
    explanation: QuestionExplanation

    @property
    def key(self) -> str:
        """The prefix of its elements' ids: made of the number, as two questions' ids might make the same."""
        return f"q{self.number}"

    @property
    def control(self) -> Control:
        """What a form shows for it."""
        return self.question.kind.control

    @property
    def is_scale(self) -> bool:
        """Whether its choices stand beside one another, in the order of a scale."""
        return isinstance(self.control, PickOne) and self.control.is_scale and self.field == "radios"

    @property
    def most(self) -> int:
        """How many options may be chosen at most."""
        return min(self.question.max_selected, len(self.question.options))

    @property
    def choices(self) -> list[tuple[Any, str]]:
        """What can be picked: the answer that it stands for, in every language the same, and the words for it."""
        match self.control:
            case PickOne(choices) | PickSome(choices):
                said = self.words.options or [self.language.gettext(choice.label) for choice in choices]
                return [*zip((value for value, _ in choices), said, strict=True)]
            case _:
                return []

    @property
    def skip(self) -> str:
        """In words, what leaving it out stands for."""
        skip = self.question.skip
        if isinstance(self.control, NumberField):
            return f"{self.language.number(decimal_text(Decimal(str(skip))))} {self.words.unit}".rstrip()
        return next((label for answer, label in self.choices if answer == skip), str(skip))

    @property
    def expected(self) -> str:
        """What a number may be, in a sentence; of other questions nothing."""
        match self.control:
            case NumberField(minimum, maximum, step) as numbers:
                ends = {"minimum": Decimal(minimum), "maximum": Decimal(maximum), "step": Decimal(step)}
                return self._say_range(numbers.is_whole, ends)
            case _:
                return ""

    def _say_range(self, is_whole: bool, ends: dict[str, Decimal]) -> str:
        say = self.language.gettext
        if not is_whole:
            return say("A number from %(minimum)s to %(maximum)s, in steps of %(step)s.", **ends)
        if ends["step"] == 1:
            return say("A whole number from %(minimum)s to %(maximum)s.", **ends)
        return say("A whole number from %(minimum)s to %(maximum)s, in steps of %(step)s.", **ends)

    @property
    def field(self) -> str:
        """The control as the template and form.js name it: radios, list, boxes, line or number."""
        match self.control:
            case PickOne(choices):
                return "list" if len(choices) > MAX_RADIOS else "radios"
            case PickSome():
                return "boxes"
            case Line():
                return "line"
            case NumberField():
                return "number"
            case unknown:
                assert_never(unknown)


class Section(NamedTuple):
    """What stands on one page of a survey: the title of its section, "" where there is none, and its questions."""

    section: str
    asked: list[Asked]


def parts_of(survey: Survey, words: SurveyWords, language: Language, explanation: Explanation) -> list[Section]:
    """Return the questions in their parts: a question with a section begins one. Without sections there is one part."""
    parts: list[Section] = []
    for asked in _ask(survey, words, language, explanation):
        if asked.words.section or not parts:
            parts.append(Section(asked.words.section, []))
        parts[-1].asked.append(asked)
    return parts


def _ask(survey: Survey, words: SurveyWords, language: Language, explanation: Explanation) -> Iterator[Asked]:
    told = {
        item.id: explained
        for question, explained in zip(survey.questions, explanation.questions, strict=True)
        for item in question.items
    }
    for number, item in enumerate(survey.items, 1):
        yield Asked(number, item, words.questions[item.id], language, told[item.id])
