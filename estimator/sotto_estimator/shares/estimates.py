"""Estimates: of every value of every question a share, its error and an interval; of a number's question a mean."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from sotto_estimator.designs.asked import AskedBy
from sotto_estimator.designs.fit import ShareFit
from sotto_estimator.inference.registry import FIGURES
from sotto_estimator.intervals.contradiction import Contradiction, Disagreement
from sotto_estimator.intervals.intervals import IntervalOptions, is_interval
from sotto_estimator.numbers.distribution import Distribution, VoidedDistribution
from sotto_estimator.numbers.mean import MeanEstimate, VoidedMean
from sotto_estimator.results.found_figure import FoundFigure
from sotto_estimator.results.result import Result
from sotto_estimator.shares.covariance import Covariance, VoidedCovariance
from sotto_estimator.shares.verdict.verdict import Verdict
from sotto_estimator.sources.quality import Quality
from sotto_estimator.sources.withheld import Withheld
from sotto_estimator.table.file_rows import FileRows
from sotto_protocol import Survey
from sotto_protocol.words import counted, epsilon_above

STRATUM = "stratum"


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of one value's share.

    `share` is unbiased and may lie outside [0, 1]; `low` and `high` do not, and are equal where no share in [0, 1] is
    inside: then there is no interval (`Estimates.has_interval`); `is_outside`: they were so before they were brought
    into [0, 1]. `consistent_share` belongs to the closest
    shares that are possible at all: between 0 and 1 and, for one-of, adding up to 1; `consistent_standard_error` is
    approximate, and None where it is not known (`sotto_estimator.shares.consistent`). `shift_up`, `shift_down`: what
    reports that no answer produced add to the share, for each 1 % of them, if all support the value, or none.
    """

    kind: ClassVar = "share"
    is_told: ClassVar = True
    unit: ClassVar = ""
    interval: ClassVar = ""

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

    @property
    def value(self) -> float:
        """The share."""
        return self.share

    def voided(self) -> "VoidedShare":
        """Return the counts alone, for counts that contradict the design."""
        return VoidedShare(self.question, self.answer, self.n_reports, self.support_count, self.epsilon)


@dataclass(frozen=True, slots=True)
class VoidedShare:
    """What was counted for one value, of a question whose counts contradict the design: the rest is None."""

    kind: ClassVar = "share"
    is_told: ClassVar = False
    unit: ClassVar = ""

    question: str
    answer: str
    n_reports: int
    support_count: int
    epsilon: float
    share: None = None
    standard_error: None = None
    low: None = None
    high: None = None
    shift_up: None = None
    shift_down: None = None
    consistent_share: None = None
    consistent_standard_error: None = None
    is_outside: bool = False


@dataclass(frozen=True, slots=True)
class Estimates(Result):
    """All estimates of one tally, with what they mean. `epsilon` is that of one whole report, in nats.

    `figures` has figures of every kind (`sotto_estimator.inference.registry.FIGURES`). `rows` are the shares among
    them, `means` and `distributions` the figures for numbers.
    `waves`: whose reports are pooled, () in a survey of one; `text_questions`: the ids of those that `decode` is for.
    `quality`: of the questions of which not every report is plausible. `withheld`: what the tally withholds.
    `contradictions`: of questions whose counts honest reports hardly ever give: of these nothing is told but what was
    counted, all other numbers are None (`held_against_design`); `told_rows`, `told_means`: of the others.
    `drawn`: how many questions a device answers, and of how many, where it is not all. `asked`: the ids of questions of
    which it is asked one option.
    `designs`: how people were asked, of a survey on paper; `fit`: of one table of shares to its samples.
    `stratum`: whose reports these are, where they are of one stratum alone; `n_groups`: in one output with so many,
    over which intervals that hold together do so. `verdicts`: what it means, by question, where that was asked for
    (`sotto_estimator.shares.verdict.judge`). `narrower_by`: by what part exact intervals would be narrower, where that
    was asked for (`sotto_estimator.shares.exact_gain`).
    `survey`: whose questions these are, where it is one's. `file_rows`: what is to be said of the rows, of a file.
    It is iterated over and asked by a question's id.
    """

    title: str
    n_reports: int
    epsilon: float
    options: IntervalOptions
    figures: tuple[Any, ...]
    waves: tuple[int, ...] = ()
    text_questions: tuple[str, ...] = ()
    quality: tuple[Quality, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    contradictions: tuple[Contradiction | Disagreement, ...] = ()
    drawn: tuple[int, int] | None = None
    asked: tuple[str, ...] = ()
    designs: tuple[AskedBy, ...] = ()
    fit: ShareFit | None = None
    stratum: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    narrower_by: float | None = None
    file_rows: FileRows | None = None
    n_groups: int = 1
    survey: Survey | None = field(default=None, compare=False, repr=False)

    @property
    def by(self) -> str:
        """What `stratum` is one of: the strata of a survey, or the groups of a file's column, which is named."""
        return (self.file_rows and self.file_rows.by) or STRATUM

    @property
    def made(self) -> str:
        """How intervals are made, where it is not by the options' method alone."""
        return self.file_rows.made if self.file_rows else ""

    def of_kind(self, kind: str) -> tuple[Any, ...]:
        """Return the figures of a kind. Those whose counts contradict the design have no numbers."""
        return tuple(figure for figure in self.figures if figure.kind == kind)

    def told(self, kind: str) -> tuple[Any, ...]:
        """Return the figures of a kind, of the questions whose counts fit the design."""
        return tuple(figure for figure in self.figures if figure.kind == kind and figure.is_told)

    def with_figures(self, kind: str, figures: Iterable[FoundFigure] = ()) -> Self:
        """Return the same with other figures of a kind."""
        return replace(self, figures=(*(one for one in self.figures if one.kind != kind), *figures))

    @property
    def kinds(self) -> list[str]:
        """The kinds of figures there are, in the order in which they are shown."""
        known = {figure.kind for figure in self.figures}
        return [kind for kind in FIGURES if kind in known]

    @property
    def rows(self) -> tuple[Estimate | VoidedShare, ...]:
        """The shares."""
        return self.of_kind("share")

    @property
    def means(self) -> tuple[MeanEstimate | VoidedMean, ...]:
        """The means of the questions that ask for numbers."""
        return self.of_kind("mean")

    @property
    def distributions(self) -> tuple[Distribution | VoidedDistribution, ...]:
        """The distributions of the questions for numbers of many levels."""
        return self.of_kind("distribution")

    @property
    def covariances(self) -> tuple[Covariance | VoidedCovariance, ...]:
        """The covariances of shares, where they were asked for."""
        return self.of_kind("covariance")

    @property
    def told_rows(self) -> tuple[Estimate, ...]:
        """The shares of the questions whose counts fit the design."""
        return self.told("share")

    @property
    def told_means(self) -> tuple[MeanEstimate, ...]:
        """The means of the questions whose counts fit the design."""
        return self.told("mean")

    @property
    def told_distributions(self) -> tuple[Distribution, ...]:
        """The distributions of the questions whose counts fit the design."""
        return self.told("distribution")

    @property
    def main_figures(self) -> tuple[Any, ...]:
        """The figures that each question is asked for, without what only adds to them, such as a distribution."""
        return tuple(figure for figure in self.figures if FIGURES[figure.kind].of is None)

    def held_against_design(self) -> Self:
        """Return the same, with nothing of questions whose counts contradict the design but what was counted."""
        void = {found.question for found in self.contradictions}
        return replace(
            self, figures=tuple(one.voided() if one.is_told and one.question in void else one for one in self.figures)
        )

    def has_interval(self, row: Estimate) -> bool:
        """Whether any share in [0, 1] is in a row's interval. Of people who can be counted it may be a point."""
        is_of_counted = self.options.about == "respondents" or self.options.population_size is not None
        return is_interval(row.low, row.high, may_be_point=is_of_counted and not row.is_outside)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids of the questions that have estimates."""
        return iter(dict.fromkeys(row.question for row in self.main_figures))

    def __len__(self) -> int:
        """Return how many questions have estimates."""
        return len({row.question for row in self.main_figures})

    def __getitem__(self, question: str) -> tuple[Any, ...]:
        """Return a question's rows: a share an answer, or one mean. Raises KeyError, which lists the ids there are."""
        found = tuple(row for row in self.main_figures if row.question == question)
        if not found:
            why = " is a text question, which is decoded;" if question in self.text_questions else ":"
            raise KeyError(f"{question!r}{why} the questions with estimates are {', '.join(self)}")
        return found

    def __str__(self) -> str:
        """Return one line: title, questions, reports and epsilon."""
        of = counted(len(self), "question")
        epsilon = epsilon_above(self.epsilon)
        return f"{self.title}: {of}, n = {counted(self.n_reports, 'report')}, epsilon {epsilon} a report"

    @property
    def heading(self) -> str:
        """The title, with n."""
        return f"{self.title} (n = {self.n_reports:,} noisy reports)"

    def alarms(self) -> list[str]:
        """Return what is wrong with the counts, and what is missing."""
        warnings = [quality.warning for quality in self.quality if quality.is_alarming]
        warnings += [contradiction.warning for contradiction in self.contradictions]
        return [*warnings, *(f"{withheld}." for withheld in self.withheld)]
