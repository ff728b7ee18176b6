"""A question: what is asked, what may be answered, and the mechanism that an answer goes through."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from numpy.typing import NDArray

from sotto_protocol.errors import AnswerError
from sotto_protocol.language import Language
from sotto_protocol.mechanisms.columns import LabelledColumn
from sotto_protocol.mechanisms.mechanism import Bytes, Mechanism
from sotto_protocol.questions.question_type import QuestionType
from sotto_protocol.questions.translation import QuestionWords
from sotto_protocol.words import epsilon_above


@dataclass(frozen=True)
class Question:
    """One question of a survey. What it declares is at least what the mechanism takes.

    `kind`: its type, with what may be answered. `skip`: the answer that no answer stands for; None
    where there must be an answer (or, any-of, where nothing selected is one). `epsilon` is that of one report,
    `epsilon_forever` that of all reports of one answer: the same, unless the mechanism has a second stage. `want`: the
    half-width that an author wishes for, of shares or in a number's unit; of a text the share that is to be detected.
    `section`: the title of the section that begins with this question, "" where none does.
    """

    id: str
    kind: QuestionType
    text: str
    mechanism: Mechanism
    epsilon: Decimal
    epsilon_forever: Decimal
    skip: str | int | Decimal | None = None
    want: Decimal | None = None
    section: str = ""

    def __repr__(self) -> str:
        return f"<Question {self.id}: {self.type}, {self.mechanism.name}, epsilon {epsilon_above(self.epsilon)}>"

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
        """What can be chosen, where that is listed."""
        return self.kind.options

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the values that are counted: the options, or yes. A text question has none."""
        return self.kind.labels

    @property
    def in_short(self) -> str:
        """One line on what a device does to an answer: for a page, above the question."""
        return self.mechanism.in_short()

    def say(self, answer: Any, words: QuestionWords, spoken: Language) -> str:
        """Return an answer as respondents read it: in the words of one of the survey's languages, and the product's."""
        if isinstance(answer, bool):
            return spoken.gettext("Yes") if answer else spoken.gettext("No")
        if answer in self.options:
            return words.options[self.options.index(answer)]
        if isinstance(answer, int | Decimal):
            return f"{spoken.number(answer)} {words.unit}".rstrip()
        return self.kind.say(answer)

    def decode(self, report: Bytes) -> Any:
        """Return what one packed report, shape (n_bytes,), says: yes-no as a bool, else the options that it supports.

        Of a text, its cohort, and the number that was drawn, or those of the bits that are set, of the whole string and
        of any n-grams.
        """
        return self.kind.decode(self.mechanism.decode(report, self.labels))

    def columns(self, reports: Bytes) -> Iterator[LabelledColumn]:
        """Yield the columns of the packed reports that answer it. Raises ReportError for one that cannot be.

        Yes-no: ID, no or yes. One-of by k-ary: ID, the reported option. Where a report speaks for several options:
        ID:OPTION, a boolean each. Of `asked-option` ID.option, which was asked, and ID, no or yes. A number: ID, a
        float in its unit that may lie outside of the range and whose mean is the unbiased one. Text: as it is stored.
        """
        return self.mechanism.columns(self.id, reports, self.labels, self.kind.ends)

    def epsilon_of(self, n_reports: int) -> Decimal:
        """Return what so many reports of one answer take together: never more than `epsilon_forever`."""
        return min(self.mechanism.epsilon_of(n_reports, self.epsilon), self.epsilon_forever)

    def encode(self, answer: Any) -> NDArray[Any]:
        """Return one person's answer as the mechanism takes it: shape (1,), or (1, n_values) for any-of.

        yes-no takes a bool, one-of an option's text, any-of a list, tuple or set of options' texts without repeats,
        text a string. None, no answer, is encoded as `skip`, where there is one.
        Raises AnswerError, which names the question and what was expected, never the answer.
        """
        if answer is None and self.skip is not None:
            return self.encode(self.skip)
        most = self.mechanism.max_selected
        encoded = self.kind.encode(answer, most)
        if encoded is None:
            raise AnswerError(self.id, f"the answer must be {self.kind.expected_of(answer, most)}.")
        return encoded

    @property
    def expected(self) -> str:
        """In words, what an answer must be."""
        return self.kind.expected(self.mechanism.max_selected)
