"""Estimates: of every value of every question a share, its error and an interval; of a number's question a mean."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sotto_estimator.contradiction import Contradiction
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.numbers.distribution import Distribution
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.quality import Quality
from sotto_estimator.verdict.verdict import Verdict
from sotto_estimator.withheld import Withheld
from sotto_protocol.words import counted, epsilon_above

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of one value's share.

    `share` is unbiased and may lie outside [0, 1]; `low` and `high` do not. `consistent_share` belongs to the closest
    shares that are possible at all: between 0 and 1 and, for one-of, adding up to 1. `shift_up`, `shift_down`: what
    reports that no answer produced add to the share, for each 1 % of them, if all support the value, or none.
    """

    question: str
    answer: str
    n_reports: int
    support_count: int
    epsilon: float
    share: float
    standard_error: float
    low: float
    high: float
    shift_up: float
    shift_down: float
    consistent_share: float | None = None


@dataclass(frozen=True, slots=True)
class Estimates:
    """All estimates of one tally, with what they mean. `epsilon` is that of one whole report, in nats.

    `rows`: shares; `means`: of the questions that ask for numbers; `distributions`: of those of many levels.
    `waves`: whose reports are pooled, () in a survey of one; `text_questions`: the ids of those that `decode` is for.
    `quality`: of the questions of which not every report is plausible. `withheld`: what the tally withholds.
    `contradictions`: of questions whose counts honest reports hardly ever give. `drawn`: how many questions a device
    answers, and of how many, where it is not all. `asked`: the ids of questions of which it is asked one option.
    `stratum`: whose reports these are, where they are of one stratum alone. `verdicts`: what it means, by question,
    where that was asked for (`sotto_estimator.verdict.judge`). It is iterated over and asked by a question's id.
    """

    title: str
    n_reports: int
    epsilon: float
    options: IntervalOptions
    rows: tuple[Estimate, ...]
    waves: tuple[int, ...] = ()
    text_questions: tuple[str, ...] = ()
    quality: tuple[Quality, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    drawn: tuple[int, int] | None = None
    means: tuple[MeanEstimate, ...] = ()
    distributions: tuple[Distribution, ...] = ()
    asked: tuple[str, ...] = ()
    stratum: str | None = None
    verdicts: tuple[Verdict, ...] = ()

    @property
    def _all(self) -> tuple[Estimate | MeanEstimate, ...]:
        return (*self.rows, *self.means)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids of the questions that have estimates."""
        return iter(dict.fromkeys(row.question for row in self._all))

    def __len__(self) -> int:
        """Return how many questions have estimates."""
        return len({row.question for row in self._all})

    def __getitem__(self, question: str) -> tuple[Estimate | MeanEstimate, ...]:
        """Return a question's rows: a share an answer, or one mean. Raises KeyError, which lists the ids there are."""
        found = tuple(row for row in self._all if row.question == question)
        if not found:
            why = " is a text question, which is decoded;" if question in self.text_questions else ":"
            raise KeyError(f"{question!r}{why} the questions with estimates are {', '.join(self)}")
        return found

    def __str__(self) -> str:
        """Return one line: title, questions, reports and epsilon."""
        of = counted(len(self), "question")
        epsilon = epsilon_above(self.epsilon)
        return f"{self.title}: {of}, n = {counted(self.n_reports, 'report')}, epsilon {epsilon} a report"

    def to_frame(self) -> "pd.DataFrame":
        """Return a pandas DataFrame with the rows and columns of `sotto estimate --csv`. Raises MissingExtra."""
        from sotto_estimator.frames import estimates_frame  # pandas takes a second to load

        return estimates_frame(self)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: what is known of every answer, and the table behind it."""
        from sotto_estimator.notebook import estimates_html  # it renders what is defined here

        return estimates_html(self)
