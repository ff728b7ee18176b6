"""From a tally to estimates: for every value of every question a debiased share, its error and an interval."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats, check_counts, check_n, errors_of, shares_of
from sotto_estimator.channel.devices import Devices
from sotto_estimator.designs.named import takes_named_design
from sotto_estimator.errors import NoReportsError, SourceError
from sotto_estimator.inference.marginal import counted_of, estimated_of
from sotto_estimator.inference.registry import (
    FIGURES,
    count_figures,
    count_intervals,
    figure_of,
    find,
    is_text,
    loaded,
)
from sotto_estimator.intervals.binomial import Bounds
from sotto_estimator.intervals.contradiction import (
    Contradiction,
    QuestionCounts,
    Unfit,
    contradictions_of,
    unfit_of_names,
)
from sotto_estimator.intervals.fakes import shift_per_percent
from sotto_estimator.intervals.intervals import IntervalOptions, share_bounds
from sotto_estimator.results.found_figure import FigureCounts, FoundFigure
from sotto_estimator.results.result import GIVEN
from sotto_estimator.shares.consistent import clipped_shares, projected_shares
from sotto_estimator.shares.estimates import Estimate, Estimates
from sotto_estimator.shares.of_marginals import MarginalCounts, marginal_estimates
from sotto_estimator.shares.share_counts import ShareCounts
from sotto_estimator.sources.quality import qualities
from sotto_estimator.sources.withheld import say_nothing_counted, withheld_of
from sotto_protocol import Question, Tally


def estimate_tally(
    tally: Tally,
    options: IntervalOptions | None = None,
    *,
    has_distributions: bool = True,
    by_wave: Sequence[Tally] = (),
    n_groups: int = 1,
    is_held: bool = True,
) -> Estimates:
    """Estimate every share and mean of a tally, but not of text questions, which `decode` takes.

    The survey says (`about`) whom shares are about, unless `options` have a target. `has_distributions` adds
    distributions of numbers, which take longer than all the rest. `by_wave` has the tallies of the waves, and of a
    parent those of its strata. Their counts are held against the design one by one. `n_groups` is how many groups one
    output shows. They share one probability of a false alarm, and of a miss where intervals hold together. `is_held`
    withholds estimates of questions whose counts contradict the design.

    With several waves the mean over all reports is estimated. As many reports as possible are taken to come from the
    same devices. Standard errors are then upper bounds, if a share is the same in all waves. Raises SourceError where
    there are no reports, or only text questions, and for a mechanism without an estimator.
    """
    shown = [question for question in estimated_of(tally.survey) if not is_text(question)]
    counted = _counted(tally, shown)
    if not shown:
        raise SourceError("the survey has text questions only; their shares are decoded (`sotto decode`).")
    options = (options or IntervalOptions()).of(tally.survey)
    try:
        figures = _estimate(counted, options, n_groups, has_more=has_distributions)
    except NoReportsError as fault:
        raise NoReportsError(say_nothing_counted(tally)) from fault
    tested = [*_tested(counted), *(test for of in by_wave for test in _tested_of_wave(of))]
    reports = reports_of(tally, options, n_groups)
    found = replace(reports, figures=figures, contradictions=_contradictions(tested, n_groups))
    return found.held_against_design() if is_held else found


def reports_of(tally: Tally, options: IntervalOptions, n_groups: int = 1) -> Estimates:
    """Return what is known of a tally's reports where nothing is estimated: how many there are, of what, how good."""
    survey = tally.survey
    shown = [question for question in survey.questions if not is_text(question)]
    return Estimates(
        survey.title,
        tally.n_reports,
        float(survey.epsilon),
        options.of(survey),
        (),
        waves=tally.waves if survey.waves > 1 else (),
        n_by_wave=tally.reports_by_wave if len(tally.waves) > 1 and not tally.n_unsplit else {},
        text_questions=tuple(question.id for question in survey.questions if is_text(question)),
        quality=qualities(tally),
        withheld=withheld_of(tally),
        drawn=(survey.draw, len(survey.questions)) if survey.draw else None,
        asked=tuple(question.id for question in shown if question.mechanism.asks_some),
        n_groups=n_groups,
        survey=survey,
        n_answering={question.id: counted_of(tally, question).n_reports for question in estimated_of(survey)},
    )


@takes_named_design
def estimate_counts(
    n_yes: int,
    n: int,
    channel: Channel,
    options: IntervalOptions | None = None,
    *,
    is_opposite: bool = False,
    n_groups: int = 1,
) -> Estimates:
    """Estimate the share of yes from the counts of a yes-no survey, on paper or not.

    `channel` may be a design's name, "warner(prob=3/4)". `is_opposite` says that a yes report supports no, as on a
    spinner that lies more often than not. `n_groups` is as for `estimate_tally`. Raises `DomainError` unless 0 <= n_yes
    <= n, both whole numbers: 40.0 is one, 40.5 and NaN are not.
    """
    n = check_n(n)
    (said_yes,) = check_counts([n_yes], n).tolist()
    counted = ShareCounts(
        "",
        ("yes",),
        (n - said_yes if is_opposite else said_yes,),
        channel,
        binary_epsilon(channel),
        False,
        n,
        Devices.alike(n, 1),
    )
    options = options or IntervalOptions()
    figures = _estimate({"share": [counted]}, options, n_groups)
    found = _contradictions(_tested({"share": [counted]}), n_groups)
    estimates = Estimates(GIVEN, n, counted.epsilon, options, figures, contradictions=found, n_groups=n_groups)
    return estimates.held_against_design()


def estimate_samples(
    title: str,
    samples: Sequence[QuestionCounts],
    n: int,
    epsilons: Sequence[float],
    options: IntervalOptions | None = None,
) -> Estimates:
    """Estimate the shares of one-of questions from counts of n reports to each, by whatever program they are.

    `epsilons`: of each question, in nats.
    """
    devices = Devices.alike(check_n(n), 1)
    counts = [
        ShareCounts(of.question, of.labels, of.support_counts, of.channel, epsilon, True, n, devices, of.n_true)
        for of, epsilon in zip(samples, epsilons, strict=True)
    ]
    options = options or IntervalOptions()
    figures, found = _estimate({"share": counts}, options), _contradictions(_tested({"share": counts}))
    estimates = Estimates(title, n, math.fsum(epsilons), options, figures, contradictions=found)
    return estimates.held_against_design()


def intervals_together(
    tally: Tally, question: Question, options: IntervalOptions, n_groups: int = 1, kind: str = ""
) -> dict[str, tuple[float, float]]:
    """Return the intervals of a question's figures that hold together at the level, by answer; of those that have any.

    Where all of the survey's hold together, they are these. `n_groups`: of as many groups. `kind`: of the figures that
    are returned, "" the question's own.
    """
    n_intervals = n_groups * (count_intervals(tally.survey) if options.simultaneous else count_figures(question))
    estimate, options = loaded(FIGURES[kind or figure_of(question)].estimate), replace(options, consistent=False)
    return {
        figure.answer: (figure.low, figure.high)
        for counts in find(question, "counts")(tally, question)
        if counts.n_reports
        for figure in estimate(counts, options, n_intervals)
    }


_Counted = Mapping[str, Sequence[FigureCounts]]
"""Counts, by the kind of the figures that are estimated of them."""


def _counted(tally: Tally, questions: Sequence[Question]) -> _Counted:
    """Return what the figures of some questions are estimated of. Raises SourceError for text."""
    found: dict[str, list[FigureCounts]] = {kind: [] for kind in FIGURES}
    for question in questions:
        found[figure_of(question)] += find(question, "counts")(tally, question)
    return found


def binary_epsilon(channel: Channel) -> float:
    """Return the epsilon, in nats, of a yes-no channel: the larger log-ratio of its two reports; may be infinite."""
    true, other = channel.prob_support_if_true, channel.prob_support_if_other
    if other <= 0 or true >= 1:
        return math.inf
    return max(math.log(true / other), math.log((1 - other) / (1 - true)))


def _estimate(
    counted: _Counted, options: IntervalOptions, n_groups: int = 1, *, has_more: bool = True
) -> tuple[FoundFigure, ...]:
    """Return every figure; `has_more`: those too that are not rehearsed, and take long. Raises NoReportsError."""
    every = [counts for listed in counted.values() for counts in listed]
    n_intervals = n_groups * sum(counts.n_figures for counts in every) if options.simultaneous else 1
    if not any(counts.n_reports for counts in every):
        raise NoReportsError("the tally holds no reports; an estimate needs at least one.")
    return tuple(
        figure
        for kind, row in FIGURES.items()
        if row.estimate and (has_more or row.rehearsal)
        for counts in counted.get(row.of or kind, ())
        if counts.n_reports
        for figure in loaded(row.estimate)(counts, options, n_intervals)
    )


class _Tested(NamedTuple):
    """Counts that are held against the design: of all waves, or of one."""

    sample: QuestionCounts
    n: int
    devices: Devices
    wave: int | None = None

    def misfits(self, n_tests: int) -> tuple[Contradiction | Unfit, ...]:
        """Return the worst count, or, where each is possible, all counts together; of so many tests."""
        if not self.n:
            return ()
        found = contradictions_of([self.sample], self.n, self.devices, n_tests, self.wave)
        return found or unfit_of_names(self.sample, self.n, n_tests, self.wave)


def _tested(counted: _Counted) -> list[_Tested]:
    return [
        _Tested(of.sample, of.n_reports, of.devices) for listed in counted.values() for of in listed if of.sample.labels
    ]


def waves_that_contradict(question: Question, by_wave: Mapping[int, Tally]) -> frozenset[int]:
    """Return the waves of whose counts to a question honest reports hardly ever give any, of all that are shown."""
    tested = [test for of in by_wave.values() for test in _tested_of_wave(of, [question])]
    n_tests = sum(one.sample.n_tests for one in tested)
    found = [one.misfits(n_tests) for one in tested]
    return frozenset(one.wave for of in found for one in of if one.wave is not None)


def _tested_of_wave(tally: Tally, of: Sequence[Question] | None = None) -> list[_Tested]:
    """Return what is tested of a tally of one wave, of some questions or of all; nothing of one without reports."""
    questions = [question for question in of or tally.survey.questions if not is_text(question)]
    tested = _tested(_counted(tally, questions))
    return [test._replace(wave=wave if tally.survey.waves > 1 else None) for wave in tally.waves[:1] for test in tested]


def contradictions_of_questions(
    tally: Tally, ids: Collection[str], *, n_groups: int = 1
) -> tuple[Contradiction | Unfit, ...]:
    """Return what `estimate_tally` finds of some questions' counts alone, in an output of so many groups."""
    asked = [question for question in tally.survey.questions if question.id in ids and figure_of(question) == "share"]
    return _contradictions(_tested(_counted(tally, asked)), n_groups)


def _contradictions(tested: Sequence[_Tested], n_groups: int = 1) -> tuple[Contradiction | Unfit, ...]:
    """Return the worst contradiction of each question that has any."""
    n_tests = n_groups * sum(one.sample.n_tests for one in tested)
    worst: dict[str, Contradiction | Unfit] = {}
    for one in tested:
        for found in one.misfits(n_tests):
            known = worst.setdefault(found.question, found)
            worst[found.question] = min(known, found, key=lambda each: each.p_value)
    return tuple(worst.values())


def share_estimates(counts: ShareCounts | MarginalCounts, options: IntervalOptions, n_intervals: int) -> list[Estimate]:
    """Return the share of every answer."""
    if isinstance(counts, MarginalCounts):
        return marginal_estimates(counts, options, n_intervals)
    n, devices = counts.n_reports, counts.devices
    support_counts = check_counts(counts.support_counts, n)
    shares = shares_of(support_counts, n, counts.channel)
    errors = errors_of(
        shares,
        n,
        counts.channel,
        options.about,
        design_effect=devices.effect,
        population_size=options.population_size,
    )
    ends = np.array(_ends(counts, options, n_intervals))
    is_outside = ((ends[0] > 1) | (ends[1] < 0)).tolist()
    shifts = [counts.fakes * shift for shift in shift_per_percent(shares, counts.channel)]
    numbers = np.stack([shares, errors, *ends.clip(0, 1), *shifts], axis=-1).tolist()
    return [
        Estimate(counts.question, label, n, count, counts.epsilon, *[*row, *consistent, outside])
        for label, count, row, consistent, outside in zip(
            *(counts.labels, counts.support_counts, numbers, _consistent(counts, shares, errors, options), is_outside),
            strict=True,
        )
    ]


def _ends(counts: ShareCounts, options: IntervalOptions, n_intervals: int) -> Bounds:
    """Return the intervals' ends, which may lie outside [0, 1]."""
    return share_bounds(
        check_counts(counts.support_counts, counts.n_reports),
        counts.n_reports,
        counts.channel,
        level=options.level,
        method=options.method,
        target=options.about,
        n_intervals=n_intervals,
        devices=counts.devices,
        population_size=options.population_size,
    )


def _consistent(
    counts: ShareCounts, shares: Floats, errors: Floats, options: IntervalOptions
) -> Sequence[tuple[float | None, float | None]]:
    """Return the closest shares that are possible, and their errors, None if not known; None if not asked for."""
    if not options.consistent:
        return [(None, None)] * len(counts.labels)
    if not counts.sums_to_one:
        return clipped_shares(shares, errors)
    are_independent = counts.devices.effect == 1 and options.population_size is None
    mechanism = counts.mechanism if are_independent else None
    return projected_shares(shares, mechanism, counts.n_reports, options.about)
