"""Estimates: of every value of every question a share, its error and an interval; of a number's question a mean."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sotto_estimator.contradiction import Contradiction, Disagreement
from sotto_estimator.covariance import Covariance
from sotto_estimator.designs.asked import AskedBy
from sotto_estimator.intervals import IntervalOptions, is_interval
from sotto_estimator.misfit.fit import Fit
from sotto_estimator.numbers.distribution import Distribution
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.quality import Quality
from sotto_estimator.result import Result
from sotto_estimator.table.file_rows import FileRows
from sotto_estimator.verdict.verdict import Verdict
from sotto_estimator.withheld import Withheld
from sotto_protocol.words import counted, epsilon_above

if TYPE_CHECKING:
    from sotto_estimator.panels import Panel

STRATUM = "stratum"


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of one value's share.

    `share` is unbiased and may lie outside [0, 1]; `low` and `high` do not, and are equal where no share in [0, 1] is
    inside: then there is no interval (`Estimates.has_interval`); `is_outside`: they were so before they were brought
    into [0, 1]. `consistent_share` belongs to the closest
    shares that are possible at all: between 0 and 1 and, for one-of, adding up to 1; `consistent_standard_error` is
    approximate, and None where it is not known (`sotto_estimator.consistent`). `shift_up`, `shift_down`: what
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
    consistent_standard_error: float | None = None
    is_outside: bool = False


@dataclass(frozen=True, slots=True)
class Estimates(Result):
    """All estimates of one tally, with what they mean. `epsilon` is that of one whole report, in nats.

    `rows`: shares; `means`: of the questions that ask for numbers; `distributions`: of those of many levels.
    `waves`: whose reports are pooled, () in a survey of one; `text_questions`: the ids of those that `decode` is for.
    `quality`: of the questions of which not every report is plausible. `withheld`: what the tally withholds.
    `contradictions`: of questions whose counts honest reports hardly ever give. `drawn`: how many questions a device
    answers, and of how many, where it is not all. `asked`: the ids of questions of which it is asked one option.
    `designs`: how people were asked, of a survey on paper; `fit`: of one table of shares to its samples.
    `stratum`: whose reports these are, where they are of one stratum alone; `n_groups`: in one output with so many,
    over which intervals that hold together do so. `verdicts`: what it means, by question,
    where that was asked for (`sotto_estimator.verdict.judge`). `narrower_by`: by what part exact intervals would be
    narrower, where that was asked for (`sotto_estimator.narrower`). `file_rows`: what is to be said of the rows, of a
    file of rows. It is iterated over and asked by a question's id.
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
    contradictions: tuple[Contradiction | Disagreement, ...] = ()
    drawn: tuple[int, int] | None = None
    means: tuple[MeanEstimate, ...] = ()
    distributions: tuple[Distribution, ...] = ()
    asked: tuple[str, ...] = ()
    designs: tuple[AskedBy, ...] = ()
    fit: Fit | None = None
    stratum: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    narrower_by: float | None = None
    file_rows: FileRows | None = None
    covariances: tuple[Covariance, ...] = ()
    n_groups: int = 1

    @property
    def by(self) -> str:
        """What `stratum` is one of: the strata of a survey, or the groups of a file's column, which is named."""
        return (self.file_rows and self.file_rows.by) or STRATUM

    @property
    def made(self) -> str:
        """How intervals are made, where it is not by the options' method alone."""
        return self.file_rows.made if self.file_rows else ""

    @property
    def _all(self) -> tuple[Estimate | MeanEstimate, ...]:
        return (*self.rows, *self.means)

    def has_interval(self, row: Estimate) -> bool:
        """Whether any share in [0, 1] is in a row's interval. Of people who can be counted it may be a point."""
        is_void = row.is_outside or any(found.question == row.question for found in self.contradictions)
        is_of_counted = self.options.about == "respondents" or self.options.population_size is not None
        may_be_point = is_of_counted and not is_void
        return is_interval(row.low, row.high, may_be_point=may_be_point)

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

    def as_table(self) -> str:
        """Return what `sotto estimate` prints."""
        from sotto_estimator.render import table  # it renders what is defined here

        return table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the members of `sotto estimate --json`, by name."""
        from sotto_estimator.render import json_members

        return json_members(self)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of `sotto estimate --csv`."""
        from sotto_estimator.render import csv_records

        return csv_records([self])

    @property
    def heading(self) -> str:
        """The title, with n."""
        return f"{self.title} (n = {self.n_reports:,} noisy reports)"

    def alarms(self) -> list[str]:
        """Return what is wrong with the counts, and what is missing."""
        from sotto_estimator.render import warnings_of

        return warnings_of(self)

    def sections(self) -> list[tuple[str, str]]:
        """Return what is known, all numbers, and how they were made."""
        from sotto_estimator.report_parts import estimates_sections

        return estimates_sections(self)

    def panels(self) -> "tuple[str, list[Panel]]":
        """Return a picture of the shares, and of the numbers."""
        from sotto_estimator.picture import estimates_panels  # matplotlib takes a second to load

        return estimates_panels(self)

    def html_parts(self) -> list[str]:
        """Return what a notebook shows: what is known of every answer, and the table behind it."""
        from sotto_estimator.notebook import estimates_html

        return estimates_html(self)
