"""The results of one survey as one reader chose them: what the page, its charts and its files are made of."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.inference.registry import FIGURES, count_intervals, is_text
from sotto_estimator.page.beside import Beside
from sotto_estimator.page.choices import EACH, Choices
from sotto_estimator.page.errors import ChoiceError, NoEstimatesError, NoSuchChartError, TooFewReportsError
from sotto_estimator.page.figure_page import FigurePage, page_of
from sotto_estimator.page.lines import remarks_on, say_missing_strata, say_turnout, say_withheld, technical_lines
from sotto_estimator.page.release import Release
from sotto_estimator.page.section import Section
from sotto_estimator.page.spoken import Spoken
from sotto_estimator.page.texts import hint_on, most_texts
from sotto_estimator.page.waves import MAX_WAVES, WaveSeries
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.shares.by_group import SideBySide, estimate_strata
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.of_tally import estimate_tally, waves_that_contradict
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_estimator.shares.verdict.verdict import Verdict
from sotto_estimator.sources.quality import qualities
from sotto_estimator.sources.withheld import withheld_of
from sotto_protocol import Question, Survey, Tally

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Results:
    """The results, without the counts that they were made of: those may be large, and results are kept.

    `n_reports`, `estimates` and `sections` are of the waves and the stratum that were chosen, `sections` where it is
    one, or all together; where all stand beside one another `beside` is in their place. `n_waves` says of how many
    anything is released. `nothing`: why there is nothing to be seen; empty where there is something; `refusal`: in
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
    estimates: Estimates | SideBySide | None
    sections: tuple[Section, ...]
    beside: tuple[Beside, ...] = ()

    def require_estimates(self) -> Estimates | SideBySide:
        """Return the estimates, for a file. Raises TooFewReportsError, NoEstimatesError."""
        if self.nothing and self.survey.min_reports > 1:
            raise TooFewReportsError(self.refusal)
        if self.estimates is None:
            raise NoEstimatesError(self.refusal or "The survey has text questions only; their shares are decoded.")
        return self.estimates

    def require_chart(self, question: str, name: str) -> tuple[Drawing, list[str]]:
        """Return a chart and its caption. Raises NoSuchChartError, and as `require_estimates`."""
        if all(question != asked.id for asked in self.survey.questions):
            raise NoSuchChartError("the survey has no question of this id.")
        self.require_estimates()
        listed: list[Section | Beside] = [*self.sections, *self.beside]
        section = next(one for one in listed if one.question.id == question)
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
        None,
        (),
    )
    if not tally.n_reports:
        return found
    found = replace(found, missing=say_missing_strata(release, wave) if place is None else "")
    if choices.stratum == EACH:
        return _found_beside(found, release)
    estimates = _estimate(tally, choices, [*pooled.values()])
    if estimates and place:
        estimates = replace(estimates, stratum=survey.strata[place - 1])
    last = _estimate(by_wave[max(pooled)], choices) if pooled else None
    sections = _sections(release, spoken, choices, tally, estimates, last)
    return replace(found, estimates=estimates, sections=tuple(sections))


def _found_beside(found: Results, release: Release) -> Results:
    """Return results with all strata that have something to show beside one another, question by question."""
    choices, survey = found.choices, found.survey
    tallies = {name: release.tally(choices.wave, place) for place, name in enumerate(survey.strata, 1)}
    tallies = {name: tally for name, tally in tallies.items() if tally.n_reports}
    options = choices.interval_options

    def waves_of(name: str, tally: Tally) -> list[Tally]:
        return [*release.by_wave(survey.strata.index(name) + 1).values()] if len(tally.waves) > 1 else []

    estimated = partial(estimate_strata, tallies, options, len(survey.strata), by_wave=waves_of)
    side = _refused(estimated) if _has_shown(survey) else None
    of = {str(one.stratum): one for one in side.estimates} if side else {}
    listed = {
        name: [*_sections(release, found.spoken, choices, tally, of.get(name), None)] for name, tally in tallies.items()
    }
    beside = (
        Beside(question, found.spoken, {name: sections[number] for name, sections in listed.items()}, orders)
        for number, question in enumerate(survey.questions)
        for orders in [
            {one.answer: one.order for one in side.comparisons if one.question == question.id} if side else {}
        ]
    )
    return replace(found, estimates=side, beside=tuple(beside))


def _sections(
    release: Release,
    spoken: Spoken,
    choices: Choices,
    tally: Tally,
    estimates: Estimates | None,
    last: Estimates | None,
) -> Iterator[Section]:
    quality = {known.question: known for known in qualities(tally)}
    rows, last_rows, more = _by_question(estimates), _by_question(last), _by_question(estimates, is_beside=True)
    verdicts = {of.question: of for of in estimates.verdicts} if estimates else {}
    withheld = {of.question: say_withheld(of, spoken.say) for of in withheld_of(tally)}
    for question in release.survey.questions:
        key, part = question.id, page_of(question)
        n_counted, verdict = tally.counted(key).n_reports, verdicts.get(key, Verdict(key, is_text=is_text(question)))
        section = Section(
            question, n_counted, spoken, verdict, quality=quality.get(key), withheld=withheld.get(key, "")
        )
        if estimates is not None:
            technical = technical_lines(question, estimates, section.quality)
            remarks, target = remarks_on(question, estimates, spoken.say), estimates.options.about
            if choices.place and estimates.stratum:
                remarks = *remarks, spoken.say.gettext("group %(group)s alone", group=estimates.stratum)
            section = replace(section, remarks=remarks, technical=technical, is_of_respondents=target == "respondents")
        if is_text(question):
            hint = hint_on(release, choices, question, spoken.say) if n_counted else ""
            yield replace(section, hint=hint, most_texts=most_texts(question) if n_counted else 0)
        elif part and key in rows:
            series = _series(release, choices, spoken, question, part, rows[key])
            shown, last_shown = (spoken.labelled(question, of.get(key, ())) for of in (rows, last_rows))
            yield replace(section, rows=shown, last_rows=last_shown, more=more.get(key, ()), series=series)
        else:  # nobody answers it yet, or so few that it is withheld; or its counts contradict the design
            yield section


def _estimate(tally: Tally, choices: Choices, by_wave: Sequence[Tally] = ()) -> Estimates | None:
    """Return the estimates of a tally; None of one without reports, or to text questions only."""
    if not any(tally.counted(question.id).n_reports for question in tally.survey.questions if not is_text(question)):
        return None
    return _refused(lambda: with_verdicts(estimate_tally(tally, choices.interval_options, by_wave=by_wave), tally))


def _has_shown(survey: Survey) -> bool:
    return not all(map(is_text, survey.questions))


def _refused(estimate: Callable[[], Found]) -> Found:
    """Return what is estimated; raise what it raises as the page's errors."""
    try:
        return estimate()
    except DomainError as fault:  # of all that can be chosen: a method that does not allow for pooled waves
        raise ChoiceError(f"{fault} Choose one wave, or another method.") from None
    except SourceError as fault:
        raise NoEstimatesError(str(fault)) from None


def _by_question(estimates: Estimates | None, *, is_beside: bool = False) -> dict[str, list[Any]]:
    """Return the figures of which something may be said, by question; `is_beside`: those that stand beside others."""
    found: dict[str, list[Any]] = {}
    for figure in estimates.figures if estimates else ():
        if figure.is_told and (FIGURES[figure.kind].of is not None) == is_beside:
            found.setdefault(figure.question, []).append(figure)
    return found


def _series(
    release: Release, choices: Choices, spoken: Spoken, question: Question, part: FigurePage, figures: Sequence[Any]
) -> list[WaveSeries]:
    if release.survey.waves == 1 or choices.stratum == EACH:
        return []
    waves = dict(list(release.by_wave(choices.place).items())[-MAX_WAVES:])
    contradicting = waves_that_contradict(question, waves)
    waves = {wave: tally for wave, tally in waves.items() if wave not in contradicting}
    n_intervals, labels = count_intervals(release.survey), spoken.labels(question)
    found = part.series(question, waves, figures, choices.interval_options, n_intervals)
    return [replace(one, answer=labels[one.answer]) for one in found]
