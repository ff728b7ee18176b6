"""The estimates of groups beside one another: of the strata of a survey, or of a file's groups."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from sotto_estimator.errors import EstimatorError, NoReportsError, SourceError
from sotto_estimator.intervals.group_misfit import alarms_of
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.results.result import Result
from sotto_estimator.results.words import interval_words
from sotto_estimator.shares.counted_in import counted_in
from sotto_estimator.shares.estimates import STRATUM, Estimates
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.shares.pooling import PooledFigure, pool_strata
from sotto_estimator.shares.verdict.compare import Comparison, order_groups
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_estimator.sources.parent import Parent, together
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import Source
from sotto_protocol import Survey, Tally
from sotto_protocol.strata import first_level, in_tree_order, parents_of

MOST_COUNTED = 12
"""Of more groups the number of reports of each is in the table alone."""


@dataclass(frozen=True, slots=True)
class SideBySide(Result):
    """The estimates of groups, one or more, and how these differ; `pooled`: None where that was not asked for.

    A parent of strata stands before them. It is not pooled, and compared with others of the first level of their tree
    alone, in `parent_comparisons`: its people are theirs. `hidden`: why nothing is shown of other strata and parents,
    by their names.
    """

    estimates: tuple[Estimates, ...]
    comparisons: tuple[Comparison, ...]
    pooled: tuple[PooledFigure, ...] | None = None
    parent_comparisons: tuple[Comparison, ...] = ()
    hidden: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def kind(self) -> str:
        """What the groups are: strata, or the groups of a column, which is named."""
        return self.estimates[0].by

    @property
    def _asked(self) -> Survey | None:
        return self.estimates[0].survey

    @property
    def strata(self) -> tuple[Estimates, ...]:
        """The estimates of the groups without parents: each report is in one of them."""
        return tuple(one for one in self.estimates if one.parent is None)

    @property
    def nouns(self) -> str:
        """What several of the groups are called."""
        if self.kind != STRATUM:
            return "groups"
        return "strata" if len(self.strata) == len(self.estimates) else "strata and parents"

    @property
    def interval_words(self) -> str:
        """What the intervals are, and over what they hold together where they do."""
        first = self.estimates[0]
        words = interval_words(first.options, first.made)
        return f"{words} over every {self.kind}" if first.options.simultaneous else f"{words}, in each {self.kind}"

    def __str__(self) -> str:
        """Return one line: title, and n of each group; of many groups the least and the most."""
        n_each, title = [one.n_reports for one in self.strata], self.estimates[0].title
        if len(n_each) > MOST_COUNTED:
            return f"{title}: n by {self.kind}: {sum(n_each):,} reports, {min(n_each):,} to {max(n_each):,} in each"
        listed = ", ".join(f"{one.stratum} {one.n_reports:,}" for one in self.strata)
        return f"{title}: n by {self.kind}: {listed} reports"

    def titled(self, title: str) -> Self:
        """Return the same under another title."""
        return replace(self, estimates=tuple(one.titled(title) for one in self.estimates))

    def alarms(self) -> list[str]:
        """Return what is wrong with the counts of a group, with its name."""
        of_strata = {void for one in self.strata for void in one.contradictions}
        voids = [
            (name_of(one).removesuffix(": "), void)
            for one in self.estimates
            for void in one.contradictions
            if one.parent is None or void not in of_strata
        ]
        of_file = dict.fromkeys(one.file_rows.doubt for one in self.estimates if one.file_rows and one.file_rows.doubt)
        rest = [(one, replace(one, contradictions=(), file_rows=None)) for one in self.estimates]
        said = [f"{name_of(one)}{alarm}" for one, other in rest for alarm in other.alarms()]
        of = {id(void): one for one in self.estimates for void in one.contradictions}
        return [*alarms_of(voids, lambda found: of[id(found)].warning_of(found)), *said, *of_file]


def estimate_strata(
    tallies: Mapping[str, Tally],
    options: IntervalOptions,
    n_strata: int,
    on_empty: Callable[[str, NoReportsError], None] = lambda name, fault: None,
    by_wave: Callable[[str, Tally], Sequence[Tally]] = lambda name, tally: (),
    *,
    pooled: bool = False,
) -> SideBySide | None:
    """Return the estimates of strata by their tallies, one or more; None where no tally has reports to show.

    With them come those of parents, each of its strata that are shown. `n_strata`: of so many strata, which share one
    chance of a false alarm, and of a miss where intervals hold together, with all parents.
    `on_empty` is told of each stratum that has nothing to show. `by_wave` gives the waves of a stratum's tally, whose
    counts are held against the design one by one. `pooled` adds pooled figures.
    """
    survey = next(iter(tallies.values())).survey
    parents, options = parents_of(survey.strata), options.of(survey)
    n_groups = n_strata + len(parents)
    found, waves = [], {name: by_wave(name, tally) for name, tally in tallies.items()}
    for name, tally in tallies.items():
        try:
            of_one = replace(estimate_tally(tally, options, by_wave=waves[name], n_groups=n_groups), stratum=name)
        except NoReportsError as fault:
            on_empty(name, fault)
        else:
            found.append(with_verdicts(of_one, tally))
    if not found:
        return None
    shown = {str(one.stratum): tallies[str(one.stratum)] for one in found}
    contradicting = {(str(one.stratum), of.question) for one in found for of in one.contradictions}
    order = order_groups(shown, options, contradicting, n_groups)
    side = SideBySide(tuple(found), order, pool_strata(found, shown, options) if pooled else None)
    return _with_parents(side, parents, shown, waves, n_groups) if parents else side


def _with_parents(
    side: SideBySide,
    parents: Mapping[str, Sequence[str]],
    tallies: Mapping[str, Tally],
    waves: Mapping[str, Sequence[Tally]],
    n_groups: int,
) -> SideBySide:
    """Return strata with their parents. Of a question whose counts contradict the design in a stratum nothing is told.

    A parent without strata that are shown is left out.
    """
    of, known = {str(one.stratum): one for one in side.estimates}, {**tallies}
    for name, strata in parents.items():
        parent = Parent.of(strata, of)
        if not parent.shown:
            continue
        within = {stratum: tallies[stratum] for stratum in parent.shown}
        tally, by_wave = together(within, {stratum: waves[stratum] or [one] for stratum, one in within.items()})
        whole = estimate_tally(tally, side.estimates[0].options, by_wave=by_wave, n_groups=n_groups)
        void = {found.question: found for stratum in parent.shown for found in of[stratum].contradictions}
        void |= {found.question: found for found in whole.contradictions}
        held = replace(whole, contradictions=tuple(void.values())).held_against_design()
        counted = counted_in(tally.survey, within, strata)
        whose = replace(held, stratum=name, parent=parent, counted_in=counted)
        of[name], known[name] = with_verdicts(whose, tally), tally
    first = side.estimates[0]
    survey = tallies[str(first.stratum)].survey
    level = {name: known[name] for name in first_level(survey.strata) if name in of}
    contradicting = {(name, found.question) for name in level for found in of[name].contradictions}
    order = order_groups(level, first.options, contradicting, n_groups) if len(of) > len(tallies) else ()
    listed = tuple(of[name] for name in in_tree_order(survey.strata) if name in of)
    return replace(side, estimates=listed, parent_comparisons=order)


def name_of(one: Estimates) -> str:
    """Return what to say before what is said of one group; nothing where the estimates are of all."""
    return "" if one.stratum is None else f"{one.by} {one.stratum}: "


def estimate_strata_of(
    source: Source, wave: int | None, options: IntervalOptions, warn: Callable[[str], None], *, pooled: bool = False
) -> SideBySide:
    """Return the estimates of every stratum of a survey that has reports to show, in the survey's order.

    `warn` is told of those that have none. Raises SourceError where a survey has no strata, or none of them anything to
    show, and FetchError where any fetch fails: no stratum is missing for that.
    """

    hidden: dict[str, str] = {}

    def tell(stratum: str, fault: EstimatorError) -> None:
        hidden[stratum] = str(fault)
        warn(f"nothing of stratum {stratum}: {fault}")

    survey = source.tally(Selection(wave)).survey
    if not survey.strata:
        raise SourceError(f"survey {survey.id} has no strata.")
    tallies = source.strata(survey, Selection(wave), tell)

    def by_wave(stratum: str, tally: Tally) -> list[Tally]:
        return source.by_wave(tally, Selection(wave, stratum)) if wave is None else []

    found = estimate_strata(tallies, options, len(survey.strata), tell, by_wave, pooled=pooled) if tallies else None
    if found is None:
        raise SourceError(f"no stratum of survey {survey.id} has reports to show.")
    shown = {one.stratum for one in found.estimates}
    hidden |= {name: "none of its strata is shown" for name in parents_of(survey.strata) if name not in shown}
    return replace(found, hidden=hidden)
