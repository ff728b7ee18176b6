"""What can go wrong in the shared words: catch `SottoError`, raise a leaf.

SottoError
├── SurveyError      a survey definition that is malformed, or that takes more epsilon than it says
├── AnswerError      an answer that is not one of the question's (the message never holds the answer)
├── ReportError      a report that the survey's mechanisms cannot have made
└── TallyError       counts that no set of reports can have, or tallies of different surveys
"""


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


class SurveyError(LocatedError):
    """A survey definition is malformed or untruthful."""


class AnswerError(LocatedError):
    """An answer is outside the question's domain. The message names what was expected, never the answer."""


class ReportError(LocatedError):
    """A report is not one that the survey's mechanisms can make."""


class TallyError(LocatedError):
    """Counts are impossible, or belong to another survey."""
