"""The estimates of a source: of its tally, with the waves that were pooled, and what they mean."""

from dataclasses import replace

from sotto_estimator.inference.registry import channel_of
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.covariance import covariances_of
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.exact_gain import with_exact_gain
from sotto_estimator.shares.likelihood_shares import likelihood_shares
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_estimator.sources.kinds import REPORTS
from sotto_estimator.sources.parent import Parent, counted_in, together
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import Source
from sotto_protocol import Survey, Tally


def estimate_source(
    source: Source,
    tally: Tally,
    chosen: Selection,
    options: IntervalOptions,
    *,
    covariances: bool = False,
    likelihood: bool = False,
) -> Estimates:
    """Estimate every share and mean of a source's `tally`, which is that of the chosen reports, with verdicts.

    `likelihood`: the shares of maximum likelihood of whole reports too.
    """
    tally, by_wave, parent = _parts_of(source, tally, chosen)
    found = estimate_tally(tally, options, by_wave=by_wave)
    if likelihood:
        figures = likelihood_shares(source, tally, chosen, options, found.void)
        found = found.with_figures("likelihood", figures).held_against_design()
    if covariances:
        found = found.with_figures("covariance", covariances_of(tally, options.of(tally.survey).about))
    whose = replace(found, stratum=chosen.stratum, parent=parent, counted_in=_counted_in(source, tally.survey, chosen))
    found = with_verdicts(whose, tally)
    shown = {row.question for row in found.rows}
    channels = {question.id: channel_of(question) for question in tally.survey.questions if question.id in shown}
    return with_exact_gain(found, channels)


def _counted_in(source: Source, survey: Survey, chosen: Selection) -> dict[str, Parent]:
    """Return which strata are missing from a question's counts, where the source knows what of them is withheld."""
    strata = chosen.strata(survey)
    if chosen.stratum in strata or survey.min_reports == 1 or not strata or not source.gives(REPORTS):
        return {}
    return counted_in(survey, source.strata(survey, chosen, lambda name, fault: None), strata)


def _parts_of(source: Source, tally: Tally, chosen: Selection) -> tuple[Tally, list[Tally], Parent | None]:
    """Return a tally, and what of it is held against the design one by one; a parent's by its strata too."""
    strata = chosen.strata(tally.survey)
    if chosen.stratum is None or chosen.stratum in strata:
        return tally, source.by_wave(tally, chosen), None
    given = source.strata(tally.survey, chosen, lambda name, fault: None)
    shown = {name: of for name, of in given.items() if of.n_reports}
    if not shown:
        return tally, [], Parent.of(strata, ())
    cells = {name: source.by_wave(of, Selection(chosen.wave, name)) or [of] for name, of in shown.items()}
    tally, by_wave = together(shown, cells)
    return tally, [*by_wave, *(cell for of in cells.values() for cell in of)], Parent.of(strata, shown)
