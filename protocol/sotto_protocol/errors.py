"""What can go wrong in the shared words: catch `SottoError`, raise a leaf.

SottoError
├── SurveyError      a survey definition that is malformed, or that takes more epsilon than it says
├── AnswerError      an answer that is not one of the question's (the message never holds the answer)
├── ReportError      a report that the survey's mechanisms cannot have made
└── TallyError       counts that no set of reports can have, or tallies of different surveys
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
    """What is wrong at a place in a document."""

    where: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


class SurveyError(LocatedError):
    """A survey definition is malformed or untruthful.

    `faults` has all that is wrong, in the order of the file as far as it goes; `where` and `problem` are the first's.
    """

    def __init__(self, where: str, problem: str, *others: tuple[str, str]) -> None:
        super().__init__(where, problem)
        self.args = (where, problem, *others)
        self.faults = tuple(Fault(*fault) for fault in ((where, problem), *others))

    def __str__(self) -> str:
        return "\n  ".join(map(str, self.faults))


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
        raise SurveyError(*faults[0], *faults[1:])
    return done


class AnswerError(LocatedError):
    """An answer is outside the question's domain. The message names what was expected, never the answer."""


class ReportError(LocatedError):
    """A report is not one that the survey's mechanisms can make."""


class TallyError(LocatedError):
    """Counts are impossible, or belong to another survey."""
