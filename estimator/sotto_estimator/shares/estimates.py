"""Estimates: of every value of every question a share, its error and an interval; of a number's question a mean."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from sotto_estimator.designs.asked import AskedBy
from sotto_estimator.designs.fit import ShareFit
from sotto_estimator.designs.item_count import BETS, ITEM_COUNT
from sotto_estimator.inference.registry import FIGURES
from sotto_estimator.intervals.contradiction import Contradiction, Disagreement
from sotto_estimator.intervals.intervals import IntervalOptions, is_interval
from sotto_estimator.intervals.methods import METHODS
from sotto_estimator.numbers.distribution import Distribution, VoidedDistribution
from sotto_estimator.numbers.mean import MeanEstimate, VoidedMean
from sotto_estimator.results.found_figure import FoundFigure
from sotto_estimator.results.result import Result
from sotto_estimator.shares.covariance import Covariance, VoidedCovariance
from sotto_estimator.shares.verdict.verdict import Verdict
from sotto_estimator.sources.parent import Parent
from sotto_estimator.sources.quality import Quality
from sotto_estimator.sources.withheld import Withheld
from sotto_estimator.table.file_rows import FileRows
from sotto_protocol import Survey
from sotto_protocol.words import counted, epsilon_above

STRATUM = "stratum"


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of one value's share.

    `share` is unbiased and may lie outside [0, 1]. `low` and `high` are the interval, within [0, 1]. If the interval
    lies wholly outside [0, 1], `low` equals `high`, and there is no interval (`Estimates.has_interval`). `is_outside`
    says that the ends were moved into [0, 1]. `standard_error` is None for a sample that does not tell it.

    `consistent_share` is the closest share that is possible. Such shares lie between 0 and 1, and those of a one-of
    question add up to 1. `consistent_standard_error` is approximate, and None where it is unknown.

    If 1 % of the reports were fake, the share could move by `shift_up` or by `shift_down`.
    """

    kind: ClassVar = "share"
    is_told: ClassVar = True
    unit: ClassVar = ""
    interval: ClassVar = ""
    minimum: ClassVar = 0.0
    maximum: ClassVar = 1.0

    question: str
    answer: str
    n_reports: int
    support_count: int
    epsilon: float
    share: float
    standard_error: float | None
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

    def pooled(self, share: float, standard_error: float, low: float, high: float) -> Self:
        """Return the same with pooled numbers, whose interval is moved into [0, 1]."""
        first, last = (min(max(end, 0.0), 1.0) for end in (low, high))
        return replace(
            self, share=share, standard_error=standard_error, low=first, high=last, is_outside=low > 1 or high < 0
        )

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
    """All estimates of one tally, with what they mean. Iterate over it, or ask it by a question's id.

    `epsilon` is that of one whole report, in nats. `figures` has the estimates of every kind. `rows` are the shares
    among them. `means` and `distributions` are those of questions that ask for numbers.

    `contradictions` lists questions whose counts honest reports hardly ever give. They keep their counts, and all their
    other numbers are None. `told_rows` and `told_means` are the figures of the other questions. `quality` lists
    questions with implausible reports. `withheld` says what the tally withholds.

    `verdicts` say what each question's figures mean. `waves` are those that are pooled, () for a survey of one wave.
    `stratum` is the one stratum that these reports come from, or None. If it is a parent of strata, `parent` says which
    of them are shown. `counted_in` says which strata are in the counts of a question, where some are missing.
    `n_groups` is how many groups share the level of simultaneous intervals. `text_questions` are the ids of questions
    for `decode`.

    `drawn` is how many questions a device answers, and of how many, if it does not answer all. `asked` are the ids of
    questions of which a device answers one option. `survey` is the survey, if there is one, and `n_answering` how many
    reports answer each of its questions. `n_by_wave` says how many reports each of the waves has, where that is known.
    `narrower_by` is the part by which exact intervals would be narrower.

    For a survey on paper, `designs` says how people were asked. `fit` says how well
    one table of shares fits all samples.
    `file_rows` describes the rows of a file.
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
    parent: Parent | None = None
    counted_in: Mapping[str, Parent] = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()
    narrower_by: float | None = None
    file_rows: FileRows | None = None
    n_groups: int = 1
    survey: Survey | None = field(default=None, compare=False, repr=False)
    n_answering: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    n_by_wave: Mapping[int, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def by(self) -> str:
        """What kind of group `stratum` is: "stratum" for a survey, or the name of a file's column of groups."""
        return (self.file_rows and self.file_rows.by) or STRATUM

    @property
    def made(self) -> str:
        """How intervals are made, if not by the options' method alone."""
        if self.file_rows and self.file_rows.made:
            return self.file_rows.made
        is_of_lists = len(self.designs) == 2 and {of.design for of in self.designs} == {ITEM_COUNT}
        return f"by {METHODS[BETS].words_of_means}" if is_of_lists and self.options.method == BETS else ""

    @property
    def may_share_devices(self) -> bool:
        """Whether several reports may be of one device: waves are pooled, and a device is asked in more than one."""
        return len(self.waves) > 1 and (self.survey is None or self.survey.max_reports > 1)

    def of_kind(self, kind: str) -> tuple[Any, ...]:
        """Return the figures of a kind. Those whose counts contradict the design have no numbers."""
        return tuple(figure for figure in self.figures if figure.kind == kind)

    def told(self, kind: str) -> tuple[Any, ...]:
        """Return the figures of a kind for the questions whose counts fit the design."""
        return tuple(figure for figure in self.figures if figure.kind == kind and figure.is_told)

    def with_figures(self, kind: str, figures: Iterable[FoundFigure] = ()) -> Self:
        """Return a copy with other figures of a kind."""
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
        """The figures that each question asks for, without additions such as a distribution."""
        return tuple(figure for figure in self.figures if FIGURES[figure.kind].of is None)

    @property
    def void(self) -> set[str]:
        """The questions whose counts contradict the design, and the items that are asked together in them."""
        return {*self.why_void}

    @property
    def why_void(self) -> dict[str, str]:
        """What is wrong with the counts of each of these."""
        why = {found.question: self.warning_of(found) for found in self.contradictions}
        asked = [question for question in self.survey.questions if question.id in why] if self.survey else []
        return why | {item.id: why[question.id] for question in asked for item in question.items}

    def held_against_design(self) -> Self:
        """Return a copy in which questions whose counts contradict the design have their counts alone."""
        void = self.void
        return replace(
            self, figures=tuple(one.voided() if one.is_told and one.question in void else one for one in self.figures)
        )

    def has_interval(self, row: Estimate) -> bool:
        """Whether a row's interval has any share in [0, 1]. About the respondents it may be a point."""
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

    def warning_of(self, found: Contradiction | Disagreement) -> str:
        """Return what to say of counts that contradict the design. If one design was asked by, it names the report."""
        if isinstance(found, Disagreement) or len(self.designs) != 1:
            return found.warning
        return found.warning_about(self.designs[0].report_given(found.support_count))

    def alarms(self) -> list[str]:
        """Return what is wrong with the counts, and what is missing."""
        warnings = [quality.warning for quality in self.quality if quality.is_alarming]
        warnings += map(self.warning_of, self.contradictions)
        warnings += [self.file_rows.doubt] if self.file_rows and self.file_rows.doubt else []
        return [*warnings, *(f"{withheld}." for withheld in self.withheld)]
