"""An item: what is asked of a respondent, and what may be answered; what becomes of an answer is the question's."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from numpy.typing import NDArray

from sotto_protocol.errors import AnswerError
from sotto_protocol.language import Language
from sotto_protocol.questions.question_type import QuestionType
from sotto_protocol.questions.translation import QuestionWords


@dataclass(frozen=True, kw_only=True)
class Item:
    """What stands on a form for one answer.

    `kind` is its type, with what may be answered. `skip` is the answer that skipping counts as. It is None if people
    must answer, and in any-of questions where selecting nothing is an answer. `want` is the half-width that the author
    asks for, of shares or in a number's unit. For a text it is the share to detect. `section` is the title of the
    section that begins with this item, else "".
    """

    id: str
    kind: QuestionType
    text: str
    skip: str | int | Decimal | None = None
    want: Decimal | None = None
    section: str = ""

    @property
    def type(self) -> str:
        """The name of its type."""
        return self.kind.name

    @property
    def words(self) -> QuestionWords:
        """What respondents read of it, in the survey's own language."""
        said = self.kind.members()
        return QuestionWords(self.text, tuple(said.get("options", ())), self.section, said.get("unit", ""))

    @property
    def options(self) -> tuple[str, ...]:
        """The options to choose from, if there is a list of any."""
        return self.kind.options

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the values that are counted: the options, or yes. A text question has none."""
        return self.kind.labels

    @property
    def max_selected(self) -> int:
        """How many options may be answered at most."""
        return 1

    @property
    def expected(self) -> str:
        """What an answer must be, in words."""
        return self.kind.expected(self.max_selected)

    def say(self, answer: Any, words: QuestionWords, spoken: Language) -> str:
        """Return an answer as respondents read it, in the words of one of the survey's languages and the product's."""
        if isinstance(answer, bool):
            return spoken.gettext("Yes") if answer else spoken.gettext("No")
        if answer in self.options:
            return words.options[self.options.index(answer)]
        if isinstance(answer, int | Decimal):
            return f"{spoken.number(answer)} {words.unit}".rstrip()
        return self.kind.say(answer)

    def encode(self, answer: Any) -> NDArray[Any]:
        """Return one person's answer as the mechanism takes it, shape (1,), or (1, n_values) for any-of.

        Yes-no takes a bool, one-of an option's text, and text a string. Any-of takes a list, tuple or set of options'
        texts without repeats. Questions asked together take a mapping from their ids to answers. None means no answer,
        and is encoded as `skip` if there is one. Raises AnswerError, which names the question and what was expected,
        never the answer.
        """
        if answer is None and self.skip is not None:
            return self.encode(self.skip)
        encoded = self.kind.encode(answer, self.max_selected)
        if encoded is None:
            raise AnswerError(self.id, f"the answer must be {self.kind.expected_of(answer, self.max_selected)}.")
        return encoded
