"""A question type: what an author says of what may be answered, and how an answer becomes numbers."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from sotto_protocol.documents import Fields, is_text, say_list
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.mechanism import Mechanism
from sotto_protocol.questions.control import Control

MAX_OPTIONS = 4096
MAX_OPTION_TEXT = 200


@dataclass(frozen=True)
class QuestionType(ABC):
    """A type, by its name in a survey file; a value of it is what may be answered to one question.

    `options`: what can be chosen, where that is listed. `usual`: members that an author may leave out, and what they
    are then; they are published.
    """

    name: ClassVar[str]
    usual: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    wanted: ClassVar[str] = " (12 points are 0.12)"
    """What else is said of how `want` is written."""
    options: tuple[str, ...] = ()

    @classmethod
    @abstractmethod
    def read(cls, fields: Fields) -> Self:
        """Take the members that say what may be answered. Raises the fields' error."""

    def members(self) -> dict[str, Any]:
        """Return what is published of it, by name: what `read` takes."""
        return {"options": list(self.options)} if self.options else {}

    @abstractmethod
    def read_skip(self, fields: Fields) -> Any:
        """Take the member `skip`, which is there: what no answer stands for. Raises the fields' error."""

    def write_skip(self, skip: Any) -> Any:
        """Return what `read_skip` takes."""
        return skip

    @property
    def answers(self) -> tuple[Any, ...]:
        """Every answer, in the order in which `encode` numbers them, where there are few enough to be listed."""
        return self.options

    @property
    def n_options(self) -> int:
        """How many different answers mechanisms are made for; 0 where that says nothing to them."""
        return len(self.options)

    @property
    def most_wanted(self) -> Decimal:
        """The largest half-width that an author can wish for: that of all shares there are."""
        return Decimal("0.5")

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest number that may be answered; of others 0 and 1, which all shares lie between."""
        return 0.0, 1.0

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the values that are counted."""
        return self.options

    @property
    @abstractmethod
    def control(self) -> Control:
        """What a form shows for it."""

    @abstractmethod
    def encode(self, answer: Any, max_selected: int) -> NDArray[Any] | None:
        """Return one person's answer as mechanisms take it: shape (1,), or (1, n_values) of rows; None if it is none.

        `max_selected`: how many options may be answered.
        """

    @abstractmethod
    def expected(self, max_selected: int) -> str:
        """Return in words what an answer must be."""

    def expected_of(self, answer: Any, max_selected: int) -> str:
        """Return in words what this answer, which is none, must be; it is not quoted."""
        return self.expected(max_selected)

    def say(self, answer: Any) -> str:
        """Return one answer in words."""
        return str(answer)

    def say_others(self, n: int, people: int, language: Language) -> str:
        """Return in a sentence that so many people are reported by chance as one is who gave an answer."""
        return language.ngettext(
            "By chance, %(n)s of every %(people)s people with a different answer looks as if they had given yours.",
            "By chance, %(n)s of every %(people)s people with a different answer look as if they had given yours.",
            n,
            people=people,
        )

    def what_happens(self, mechanism: Mechanism, language: Language = ENGLISH) -> str:
        """Return a few sentences on how an answer is reported, in this type's answers."""
        return mechanism.what_happens(language)

    def in_short(self, mechanism: Mechanism, language: Language = ENGLISH) -> str:
        """Return one line on what a device does to an answer, in this type's answers."""
        return mechanism.in_short(language)

    def decode(self, said: Any) -> Any:
        """Return what a mechanism says of a report (`Mechanism.decode`) as answers of this type are written."""
        return said


def take_options(fields: Fields, fewest: int, most: int = MAX_OPTIONS) -> tuple[str, ...]:
    """Take the member `options`: distinct texts, at least so many, and at most."""
    number = str(fewest) if fewest == most else f"{fewest} to {most}"
    options = fields.take(
        "options",
        f"a list of {number} different texts of 1 to {MAX_OPTION_TEXT} characters",
        lambda v: (
            isinstance(v, list)
            and fewest <= len(v) <= most
            and all(is_text(option, MAX_OPTION_TEXT) for option in v)
            and len(set(v)) == len(v)
        ),
        partial(say_list, "Option", range(fewest, most + 1), MAX_OPTION_TEXT),
    )
    return tuple(options)


def listed(options: Collection[str]) -> str:
    """Return the first options, for a message."""
    return " | ".join([*options][:12]) + (" | .." if len(options) > 12 else "")
