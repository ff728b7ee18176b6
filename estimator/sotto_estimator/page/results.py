"""The results of one survey as one reader chose them: what the page, its charts and its files are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from shlex import quote

from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.estimate import Estimate, Estimates, count_intervals, estimate_tally, is_text
from sotto_estimator.largest import largest
from sotto_estimator.numbers.counts import is_number
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.page.choices import Choices
from sotto_estimator.page.drawing import Drawing
from sotto_estimator.page.errors import ChoiceError, NoEstimatesError, NoSuchChartError, WithheldError
from sotto_estimator.page.release import Release
from sotto_estimator.page.section import NumberResult, Section
from sotto_estimator.page.waves import MAX_ANSWERS, MAX_WAVES, WaveSeries, mean_series_of, series_of
from sotto_estimator.quality import qualities
from sotto_estimator.render import interval_words, notes
from sotto_estimator.withheld import withheld_of
from sotto_protocol import Question, Survey, Tally
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.sketch.response import SketchResponse

_ASKED = "a device is asked one of the {} options: each share is of the n reports that ask its own"
Rows = dict[str, tuple[Estimate, ...]]
"""Estimates by their question's id."""


@dataclass(frozen=True, slots=True)
class Results:
    """The results, without the counts that they were made of: those may be large, and results are kept.

    `n_reports`, `estimates` and `sections` are of the waves that were chosen; `n_waves` says of how many anything is
    released. `nothing`: why there is nothing to be seen; empty where there is something.
    """

    survey: Survey
    choices: Choices
    is_open: bool
    n_reports: int
    n_waves: int
    last_wave: int | None
    nothing: str
    estimates: Estimates | None
    sections: tuple[Section, ...]

    @property
    def warnings(self) -> list[str]:
        """What `sotto estimate` warns of."""
        found = [section.quality for section in self.sections if section.quality]
        contradictions = self.estimates.contradictions if self.estimates else ()
        return [quality.warning for quality in found if quality.is_alarming] + [of.warning for of in contradictions]

    def require_estimates(self) -> Estimates:
        """Return the estimates, for a file. Raises WithheldError, NoEstimatesError."""
        if self.nothing and self.survey.min_reports > 1:
            raise WithheldError(self.nothing)
        if self.estimates is None:
            raise NoEstimatesError(self.nothing or "The survey has text questions only; their shares are decoded.")
        return self.estimates

    def require_chart(self, question: str, name: str) -> tuple[Drawing, list[str]]:
        """Return a chart and its caption. Raises NoSuchChartError, and as `require_estimates`."""
        if all(question != asked.id for asked in self.survey.questions):
            raise NoSuchChartError("the survey has no question of this id.")
        self.require_estimates()
        section = next(section for section in self.sections if section.question.id == question)
        if name not in section.charts:
            raise NoSuchChartError(
                "the question has no such chart: text has none, one wave has none over the waves, numbers have a mean."
            )
        return section.charts[name], section.caption_of(name)


def find_results(release: Release, choices: Choices) -> Results:
    """Work out what is shown.

    Raises ChoiceError where the method does not allow for what is pooled, NoEstimatesError for an unknown mechanism.
    """
    survey, tally = release.survey, release.tally(choices.wave)
    last_wave = max(release.tallies, default=None) if survey.waves > 1 else None
    estimates = _estimate(tally, choices)
    last = _estimate(release.tally(last_wave), choices) if last_wave and choices.wave is None else None
    return Results(
        survey,
        choices,
        release.is_open,
        tally.n_reports,
        len(release.tallies),
        last_wave,
        "" if tally.n_reports else release.say_missing(choices.wave),
        estimates,
        tuple(_sections(release, choices, tally, estimates, last)) if tally.n_reports else (),
    )


def _sections(
    release: Release, choices: Choices, tally: Tally, estimates: Estimates | None, last: Estimates | None
) -> list[Section]:
    quality = {known.question: known for known in qualities(tally)}
    rows, last_rows = _by_question(estimates), _by_question(last)
    withheld = {of.question: f"{of}." for of in withheld_of(tally)}
    contradictions = {of.question: (str(of),) for of in estimates.contradictions} if estimates else {}
    sections = []
    for question in release.survey.questions:
        key, mechanism = question.id, question.mechanism
        n_counted, number = tally.counted(key).n_reports, _number(estimates, key)
        remarks = _remarks(estimates, number)
        asked = (_ASKED.format(len(question.options)),) if not is_text(question) and mechanism.has_cohorts else ()
        about = (question, n_counted, (*remarks, *asked, *contradictions.get(key, ())), quality.get(key))
        if is_text(question):
            commands = _commands(release, choices.wave, question) if n_counted else ()
            sections.append(Section(*about, commands=commands, withheld=withheld.get(key, "")))
        elif number:
            series = _series(release, choices, question, ())
            sections.append(Section(*about, series=series, number=number, last_mean=_mean(last, key)))
        elif key not in rows:  # nobody answers it yet, or so few that it is withheld
            sections.append(Section(*about, withheld=withheld.get(key, "")))
        else:
            series = _series(release, choices, question, rows[key])
            sections.append(Section(*about, rows[key], last_rows.get(key, ()), series))
    return sections


def _estimate(tally: Tally, choices: Choices) -> Estimates | None:
    """Return the estimates of a tally; None of one without reports, or to text questions only."""
    if not any(tally.counted(question.id).n_reports for question in tally.survey.questions if not is_text(question)):
        return None
    try:
        return estimate_tally(tally, choices.interval_options)
    except DomainError as fault:  # of all that can be chosen: a method that does not allow for pooled waves
        raise ChoiceError(f"{fault} Choose one wave, or another method.") from None
    except SourceError as fault:
        raise NoEstimatesError(str(fault)) from None


def _by_question(estimates: Estimates | None) -> Rows:
    grouped = groupby(estimates.rows, key=lambda row: row.question) if estimates else ()
    return {question: tuple(rows) for question, rows in grouped}


def _mean(estimates: Estimates | None, question: str) -> MeanEstimate | None:
    return next((mean for mean in estimates.means if mean.question == question), None) if estimates else None


def _number(estimates: Estimates | None, question: str) -> NumberResult | None:
    mean = _mean(estimates, question)
    if estimates is None or mean is None:
        return None
    return NumberResult(mean, next((of for of in estimates.distributions if of.question == question), None))


def _remarks(estimates: Estimates | None, number: NumberResult | None) -> tuple[str, ...]:
    """Return what a question's intervals are, and which waves are pooled, in the words of `sotto estimate`."""
    if estimates is None:
        return ()
    pooled = [line for line in notes(estimates) if line.startswith(("wave", "draw:"))]
    return interval_words(estimates.options, number.mean.interval if number else ""), *pooled


def _series(release: Release, choices: Choices, question: Question, rows: Sequence[Estimate]) -> tuple[WaveSeries, ...]:
    if release.survey.waves == 1:
        return ()
    waves = dict(list(release.tallies.items())[-MAX_WAVES:])
    n_intervals = count_intervals(release.survey)
    if is_number(question):
        return mean_series_of(question, waves, choices.interval_options, n_intervals)
    answers = [row.answer for row in largest(rows, MAX_ANSWERS)]
    return series_of(question, waves, answers, choices.interval_options, n_intervals)


def _commands(release: Release, wave: int | None, question: Question) -> tuple[str, ...]:
    """Return the commands that find the strings of a text question: those of a list, and where they can be, any."""
    survey, at = release.survey, "" if wave is None else f" --wave {wave}"
    common = f"sotto decode {quote(release.address)} {survey.id} {question.id}"
    commands = [f"{common} --candidates candidates.txt{at}"]
    mechanism = question.mechanism
    has_grams = isinstance(mechanism, BloomResponse) and mechanism.pairs
    shows_grams = has_grams and survey.keeps_reports and survey.min_reports == 1 and (survey.waves == 1 or wave)
    if shows_grams or (isinstance(mechanism, SketchResponse) and mechanism.prefix_lengths):
        commands.append(f"{common} --unknown{at}")
    return tuple(commands)
