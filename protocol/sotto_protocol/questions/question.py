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
    """One question of a survey. It declares at least the epsilon that the mechanism takes.

    `kind` is its type, with what may be answered. `skip` is the answer that skipping counts as. It is None if people
    must answer, and in any-of questions where selecting nothing is an answer. `epsilon` is that of one report,
    `epsilon_forever` that of all reports of one answer. They differ only if the mechanism has two stages. `want` is the
    half-width that the author asks for, of shares or in a number's unit. For a text it is the share to detect.
    `section` is the title of the section that begins with this question, else "".
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
        """The options to choose from, if the question lists any."""
        return self.kind.options

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the values that are counted: the options, or yes. A text question has none."""
        return self.kind.labels

    @property
    def in_short(self) -> str:
        """One line on what a device does to an answer, for a page to show above the question."""
        return self.mechanism.in_short()

    def say(self, answer: Any, words: QuestionWords, spoken: Language) -> str:
        """Return an answer as respondents read it, in the words of one of the survey's languages and the product's."""
        if isinstance(answer, bool):
            return spoken.gettext("Yes") if answer else spoken.gettext("No")
        if answer in self.options:
            return words.options[self.options.index(answer)]
        if isinstance(answer, int | Decimal):
            return f"{spoken.number(answer)} {words.unit}".rstrip()
        return self.kind.say(answer)

    def decode(self, report: Bytes) -> Any:
        """Return what one packed report, shape (n_bytes,), says: a bool for yes-no, else the options that it supports.

        For a text it returns the cohort, and the number that was drawn or the numbers of the set bits. The bits are
        those of the whole string, and of n-grams if there are any.
        """
        return self.kind.decode(self.mechanism.decode(report, self.labels))

    def columns(self, reports: Bytes) -> Iterator[LabelledColumn]:
        """Yield the columns of the packed reports that answer it. Raises ReportError for an impossible one.

        Yes-no has a column ID with no or yes, and one-of by k-ary has ID with the reported option. If a report supports
        several options, there is a boolean column ID:OPTION for each. `asked-option` has ID.option, the option that was
        asked, and ID, no or yes. A number has ID, a float in its unit. It may lie outside of the range, and its mean is
        unbiased. A text has columns as it is stored.
        """
        return self.mechanism.columns(self.id, reports, self.labels, self.kind.ends)

    def epsilon_of(self, n_reports: int) -> Decimal:
        """Return the epsilon of `n_reports` reports of one answer together, never more than `epsilon_forever`."""
        return min(self.mechanism.epsilon_of(n_reports, self.epsilon), self.epsilon_forever)

    def encode(self, answer: Any) -> NDArray[Any]:
        """Return one person's answer as the mechanism takes it, shape (1,), or (1, n_values) for any-of.

        Yes-no takes a bool, one-of an option's text, and text a string. Any-of takes a list, tuple or set of options'
        texts without repeats. None means no answer, and is encoded as `skip` if there is one. Raises AnswerError, which
        names the question and what was expected, never the answer.
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
        """What an answer must be, in words."""
        return self.kind.expected(self.mechanism.max_selected)
