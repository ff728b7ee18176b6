"""A question type: which options an author may give, what may be answered, and how that becomes numbers."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any, ClassVar

from numpy.typing import NDArray

from sotto_protocol.documents import Fields, is_text

MAX_OPTIONS = 4096
MAX_OPTION_TEXT = 200


class QuestionType(ABC):
    """A type, by its name in a survey file. `options` are those of a question, or none."""

    name: ClassVar[str]

    @abstractmethod
    def read_options(self, fields: Fields) -> tuple[str, ...]:
        """Take the member `options`, where questions of this type have any. Raises the fields' error."""

    @abstractmethod
    def read_skip(self, fields: Fields, options: tuple[str, ...]) -> str:
        """Take the member `skip`, which is there: what no answer stands for. Raises the fields' error."""

    @abstractmethod
    def encode(self, answer: Any, options: tuple[str, ...], max_selected: int) -> NDArray[Any] | None:
        """Return one person's answer as mechanisms take it: shape (1,), or (1, n_values) of rows; None if it is none.

        `max_selected`: how many options may be answered.
        """

    @abstractmethod
    def expected(self, options: tuple[str, ...], max_selected: int) -> str:
        """Return in words what an answer must be."""

    def expected_of(self, answer: Any, options: tuple[str, ...], max_selected: int) -> str:
        """Return in words what this answer, which is none, must be; it is not quoted."""
        return self.expected(options, max_selected)

    def labels(self, options: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the values that are counted."""
        return options


def take_options(fields: Fields, fewest: int) -> tuple[str, ...]:
    """Take the member `options`: distinct texts, at least so many."""
    options = fields.take(
        "options",
        f"a list of {fewest} to {MAX_OPTIONS} different texts of 1 to {MAX_OPTION_TEXT} characters",
        lambda v: (
            isinstance(v, list)
            and fewest <= len(v) <= MAX_OPTIONS
            and all(is_text(option, MAX_OPTION_TEXT) for option in v)
            and len(set(v)) == len(v)
        ),
    )
    return tuple(options)


def listed(options: Collection[str]) -> str:
    """Return the first options, for a message."""
    return " | ".join([*options][:12]) + (" | .." if len(options) > 12 else "")
