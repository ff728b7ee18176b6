"""The results of one survey as one reader chose them: what the page, its charts and its files are made of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.inference.marginal import Marginal, estimated_of
from sotto_estimator.inference.registry import count_intervals, is_text
from sotto_estimator.page.choices import POOLED, Choices
from sotto_estimator.page.errors import ChoiceError, NoEstimatesError, NoSuchChartError, TooFewReportsError
from sotto_estimator.page.lines import say_missing_strata, say_turnout
from sotto_estimator.page.release import Release
from sotto_estimator.page.texts import hint_on
from sotto_estimator.results.document import PageBlock
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.shares.by_group import SideBySide, estimate_strata
from sotto_estimator.shares.counted_in import counted_in
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.of_tally import estimate_tally, reports_of, waves_that_contradict
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_estimator.sources.parent import Parent
from sotto_estimator.views.beside import Beside, all_beside
from sotto_estimator.views.heatmap import heat_map
from sotto_estimator.views.score_section import score_series_of
from sotto_estimator.views.section import Section, sections_of
from sotto_estimator.views.spoken import Spoken
from sotto_estimator.views.waves import MAX_WAVES
from sotto_protocol import Survey, Tally
from sotto_protocol.strata import groups_of, in_tree_order, parents_of

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Results:
    """The results, without the counts that they were made of: those may be large, and results are kept.

    `n_reports`, `estimates` and `questions` are of the waves and the stratum that were chosen: of each question a
    `Section`, or `Beside` where all strata stand beside one another; then `overview` has a heat map of them. `hints`:
    of each text question that has answers why no texts can be looked for, "" where they can be. `n_waves` says of how
    many anything is released. `nothing`: why there is nothing to be seen; empty where there is something; `refusal`: in
    English, for programs. `missing`: of which strata nothing is shown, and why. `turnout`: how many of the invited
    people answered, where the reader may know it.
    """

    survey: Survey
    spoken: Spoken
    choices: Choices
    is_open: bool
    turnout: str
    n_reports: int
    n_waves: int
    last_wave: int | None
    nothing: str
    refusal: str
    missing: str
    hints: Mapping[str, str]
    estimates: Estimates | SideBySide | None = None
    questions: tuple[Section, ...] | tuple[Beside, ...] = ()
    overview: tuple[PageBlock, ...] = ()

    def require_estimates(self) -> Estimates | SideBySide:
        """Return the estimates, for a file. Raises TooFewReportsError, NoEstimatesError."""
        if self.nothing and self.survey.min_reports > 1:
            raise TooFewReportsError(self.refusal)
        if self.estimates is None:
            raise NoEstimatesError(self.refusal or "The survey has text questions only; their shares are decoded.")
        return self.estimates

    def require_chart(self, question: str, name: str) -> tuple[Drawing, list[str]]:
        """Return a chart and its caption. Raises NoSuchChartError, and as `require_estimates`."""
        if all(question != asked.id for asked in estimated_of(self.survey)):
            raise NoSuchChartError("the survey has no question of this id.")
        self.require_estimates()
        section = next(one for one in self.questions if one.key == question)
        if name not in section.charts:
            raise NoSuchChartError(
                "the question has no such chart: text has none, nor have counts that contradict the design; one wave "
                "has none over the waves, nor have groups side by side; numbers have a mean."
            )
        return section.charts[name], section.caption_of(name)


def find_results(release: Release, choices: Choices) -> Results:
    """Work out what is shown.

    Raises ChoiceError where the method does not allow for what is pooled, NoEstimatesError for an unknown mechanism.
    """
    survey, wave, place = release.survey, choices.wave, choices.place
    spoken = Spoken(release.language, survey, survey.words(release.lang))
    by_wave, tally = release.by_wave(place), release.tally(wave, place)
    pooled = by_wave if wave is None and survey.waves > 1 else {}
    found = Results(
        survey,
        spoken,
        choices,
        release.is_open,
        say_turnout(release, wave) if place is None else "",
        tally.n_reports,
        len(by_wave),
        max(by_wave, default=None) if survey.waves > 1 else None,
        "" if tally.n_reports else release.say_missing(spoken.say, wave, place),
        "" if tally.n_reports else release.say_missing(wave=wave, stratum=place),
        "",
        _hints(release, choices, tally),
    )
    if not tally.n_reports:
        return found
    found = replace(found, missing=say_missing_strata(release, wave) if place is None else "")
    if choices.is_beside:
        return _found_beside(found, release)
    name = groups_of(survey.strata)[place - 1] if place else None
    parent = _parent(release, wave, name)
    cells = _cells(release, wave, parent) if parent else []
    estimates = _estimate(tally, choices, [*pooled.values(), *cells])
    last = _estimate(by_wave[max(pooled)], choices) if pooled else None
    counted = _counted_in(release, wave, place)
    shown = replace(estimates or _unestimated(tally, choices), stratum=name, parent=parent, counted_in=counted)
    sections = (_section(one, release, choices, last) for one in sections_of(shown, spoken))
    return replace(found, estimates=estimates and shown, questions=tuple(sections))


def _parent(release: Release, wave: int | None, group: str | None) -> Parent | None:
    """Return which strata of a group are shown, if it is a parent."""
    strata = release.survey.strata
    within = parents_of(strata).get(group or "", ())
    shown = [name for name in within if release.tally(wave, strata.index(name) + 1).n_reports]
    return Parent.of(within, shown) if within else None


def _counted_in(release: Release, wave: int | None, place: int | None) -> dict[str, Parent]:
    """Return which strata a question is without, if something is shown of them: of the others the page says so."""
    survey = release.survey
    strata = survey.strata if place is None else [survey.strata[of - 1] for of in release.places_of(place)]
    tallies = {name: release.tally(wave, survey.strata.index(name) + 1) for name in strata}
    tallies = {name: tally for name, tally in tallies.items() if tally.n_reports}
    found = counted_in(survey, tallies, strata) if len(strata) > 1 else {}
    return {key: of for key, of in found.items() if len(of.shown) < len(tallies)}


def _cells(release: Release, wave: int | None, parent: Parent) -> list[Tally]:
    """Return the tally of every wave of every stratum of a parent: each is held against the design."""
    by_wave = [release.by_wave(release.survey.strata.index(name) + 1) for name in parent.shown]
    return [tally for waves in by_wave for number, tally in waves.items() if wave in (None, number)]


def _hints(release: Release, choices: Choices, tally: Tally) -> dict[str, str]:
    asked = [question for question in release.survey.questions if is_text(question)]
    answered = [question for question in asked if tally.counted(question.id).n_reports]
    return {question.id: hint_on(release, choices, question, release.language) for question in answered}


def _found_beside(found: Results, release: Release) -> Results:
    """Return results with all strata that have something to show beside one another, question by question."""
    choices, survey = found.choices, found.survey
    tallies = {name: release.tally(choices.wave, place) for place, name in enumerate(survey.strata, 1)}
    tallies = {name: tally for name, tally in tallies.items() if tally.n_reports}
    options = choices.interval_options

    def waves_of(name: str, tally: Tally) -> list[Tally]:
        return [*release.by_wave(survey.strata.index(name) + 1).values()] if len(tally.waves) > 1 else []

    is_pooled = choices.stratum == POOLED
    estimated = partial(estimate_strata, tallies, options, len(survey.strata), by_wave=waves_of, pooled=is_pooled)
    side = None if all(map(is_text, survey.questions)) else _refused(estimated)
    shown = {name: _unestimated(tally, choices) for name, tally in tallies.items()}
    shown |= {str(one.stratum): one for one in side.estimates} if side else {}
    sections = {name: sections_of(shown[name], found.spoken) for name in in_tree_order(survey.strata) if name in shown}
    questions = all_beside(sections, side)
    overview = heat_map(questions, found.spoken.say)
    return replace(found, estimates=side, questions=tuple(questions), overview=tuple(overview))


def _section(section: Section, release: Release, choices: Choices, last: Estimates | None) -> Section:
    """Return a question's section with the last wave alone, and wave by wave, beside the waves that were chosen."""
    survey, part = release.survey, section.part
    if survey.waves == 1 or not (part and section.rows):
        return section
    if isinstance(section.question, Marginal):  # wave by wave it is not worked out
        return replace(section, last=last)
    waves = dict(list(release.by_wave(choices.place).items())[-MAX_WAVES:])
    contradicting = waves_that_contradict(section.question, waves)
    waves = {wave: tally for wave, tally in waves.items() if wave not in contradicting}
    figures = [one for one in section.estimates.main_figures if one.question == section.key]
    options = choices.interval_options
    series = part.series(section.question, waves, figures, options, count_intervals(survey))
    labels = section.spoken.labels(section.question)
    named = [replace(one, answer=labels[one.answer]) for one in series]
    of_score = score_series_of(section.question, waves, options, count_intervals(survey), section.spoken.say)
    return replace(section, last=last, series=named, score_series=of_score)


def _estimate(tally: Tally, choices: Choices, by_wave: Sequence[Tally] = ()) -> Estimates | None:
    """Return the estimates of a tally; None of one without reports, or to text questions only."""
    if not any(tally.counted(question.id).n_reports for question in tally.survey.questions if not is_text(question)):
        return None
    return _refused(lambda: with_verdicts(estimate_tally(tally, choices.interval_options, by_wave=by_wave), tally))


def _unestimated(tally: Tally, choices: Choices) -> Estimates:
    return with_verdicts(reports_of(tally, choices.interval_options), tally)


def _refused(estimate: Callable[[], Found]) -> Found:
    """Return what is estimated; raise what it raises as the page's errors."""
    try:
        return estimate()
    except DomainError as fault:  # of all that can be chosen: a method that does not allow for pooled waves
        raise ChoiceError(f"{fault} Choose one wave, or another method.") from None
    except SourceError as fault:
        raise NoEstimatesError(str(fault)) from None
