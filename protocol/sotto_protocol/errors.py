"""What can go wrong in the shared words: catch `SottoError`, raise a leaf.

SottoError
├── SurveyError      a survey definition that is malformed, or that takes more epsilon than it says
├── AnswerError      an answer that is not one of the question's (the message never holds the answer)
├── ReportError      a report that the survey's mechanisms cannot have made
├── TallyError       counts that no set of reports can have, or tallies of different surveys
├── KeysError        a gateway's keys that are malformed, or that nothing here can encrypt with
└── MessageError     a binary HTTP message that is malformed, or does not fit
"""

from collections.abc import Callable
from typing import Any, NamedTuple


class SottoError(Exception):
    """The base of every error that sottovoce raises on purpose."""


class LocatedError(SottoError):
    """An error at a place in a document: `where` is its JSON path, `$` the document itself."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(where, problem)  # the very arguments, so that errors can be pickled between processes
        self.where = where
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


class Fault(NamedTuple):
    """What is wrong at a place in a document; `line`, from 1, of the file that it stands in, where it is known."""

    where: str
    problem: str
    line: int | None = None

    def __str__(self) -> str:
        of_line = f"line {self.line}, " if self.line else ""
        return f"{of_line}{self.where}: {self.problem}"


class SurveyError(LocatedError):
    """A survey definition is malformed or untruthful.

    `faults` lists all that is wrong, in the order of the file if it is known. `where` and `problem` are those of the
    first fault.
    """

    def __init__(self, where: str, problem: str, *others: tuple[str, str] | Fault) -> None:
        super().__init__(where, problem)
        self.args = (where, problem, *others)
        self.faults: tuple[Fault, ...] = tuple(Fault(*fault) for fault in ((where, problem), *others))

    def __str__(self) -> str:
        return "\n  ".join(map(str, self.faults))

    def with_lines(self, line_of: Callable[[str], int | None]) -> "SurveyError":
        """Return it with the lines of its faults, by their places; a line that is known stays."""
        located = SurveyError(*self.args)
        located.faults = tuple(fault._replace(line=fault.line or line_of(fault.where)) for fault in self.faults)
        return located


def together(*steps: Callable[[], Any]) -> list[Any]:
    """Return what every step returns. Raises one SurveyError of all that they raise, after the last step."""
    done: list[Any] = []
    faults: list[Fault] = []
    for step in steps:
        try:
            done.append(step())
        except SurveyError as fault:
            faults += fault.faults
    if faults:
        raise SurveyError(faults[0].where, faults[0].problem, *faults[1:])
    return done


class AnswerError(LocatedError):
    """An answer is outside the question's domain. The message names what was expected, never the answer."""


class ReportError(LocatedError):
    """A report is not one that the survey's mechanisms can make."""


class TallyError(LocatedError):
    """Counts are impossible, or belong to another survey."""


class KeysError(LocatedError):
    """A gateway's key configurations are malformed."""


class MessageError(SottoError):
    """A binary HTTP message is malformed, or longer than it may be. The message quotes nothing of it."""
