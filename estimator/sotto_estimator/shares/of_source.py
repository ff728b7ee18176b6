"""The estimates of a source: of its tally, with the waves that were pooled, and what they mean."""

from collections.abc import Mapping
from dataclasses import replace

from sotto_estimator.inference.registry import channel_of
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.counted_in import counted_in
from sotto_estimator.shares.covariance import covariances_of
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.exact_gain import with_exact_gain
from sotto_estimator.shares.likelihood_shares import likelihood_shares
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_estimator.sources.parent import Parent, together
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import Source
from sotto_protocol import Tally


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

    `likelihood`: the shares of maximum likelihood of whole reports too. Raises FetchError where strata that are taken
    together cannot be fetched: nobody would know which of them are missing.
    """
    strata, given = chosen.strata(tally.survey), _strata_of(source, tally, chosen)
    counted = counted_in(tally.survey, given, strata) if given and source.withholds else {}
    tally, by_wave, parent = _parts_of(source, tally, chosen, given)
    found = estimate_tally(tally, options, by_wave=by_wave)
    if likelihood:
        figures = likelihood_shares(source, tally, chosen, options, found.void)
        found = found.with_figures("likelihood", figures).held_against_design()
    if covariances:
        found = found.with_figures("covariance", covariances_of(tally, options.of(tally.survey).about))
    whose = replace(found, stratum=chosen.stratum, parent=parent, counted_in=counted)
    found = with_verdicts(whose, tally)
    shown = {row.question for row in found.rows}
    channels = {question.id: channel_of(question) for question in tally.survey.questions if question.id in shown}
    return with_exact_gain(found, channels)


def _strata_of(source: Source, tally: Tally, chosen: Selection) -> dict[str, Tally]:
    """Return the tallies of the strata that are taken together, of which anything is shown, as far as they are needed.

    For a parent, whose tally is theirs; and for all, where some of them may be withheld.
    """
    survey, strata = tally.survey, chosen.strata(tally.survey)
    if chosen.stratum in strata or not strata:
        return {}
    if chosen.stratum is None and not (source.withholds and survey.min_reports > 1):
        return {}
    given = source.strata(survey, chosen, lambda name, fault: None)
    return {name: of for name, of in given.items() if of.n_reports}


def _parts_of(
    source: Source, tally: Tally, chosen: Selection, shown: Mapping[str, Tally]
) -> tuple[Tally, list[Tally], Parent | None]:
    """Return a tally, and what of it is held against the design one by one; a parent's by its strata too."""
    strata = chosen.strata(tally.survey)
    if chosen.stratum is None or chosen.stratum in strata:
        return tally, source.by_wave(tally, chosen), None
    if not shown:
        return tally, [], Parent.of(strata, ())
    cells = {name: source.by_wave(of, Selection(chosen.wave, name)) or [of] for name, of in shown.items()}
    tally, by_wave = together(shown, cells)
    return tally, [*by_wave, *(cell for of in cells.values() for cell in of)], Parent.of(strata, shown)
