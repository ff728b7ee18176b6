"""A survey's results as its readers read them, in one of its languages: estimates, and those of groups side by side."""

from collections.abc import Sequence
from dataclasses import replace

from sotto_estimator.results.document import Asked, SurveyDocument
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.estimates import STRATUM, Estimates
from sotto_estimator.views.beside import all_beside
from sotto_estimator.views.heatmap import heat_map
from sotto_estimator.views.section import sections_of
from sotto_estimator.views.section_lines import fakes_line
from sotto_estimator.views.spoken import Spoken
from sotto_protocol.language import mark

METHOD = mark(
    "Chance was mixed into each answer before anybody else saw it. So a single report does not show what a person "
    "answered. The numbers are computed from all reports together: the known effect of chance is subtracted. An "
    "estimate can lie outside what is possible. Its range cannot."
)


def survey_document(estimates: Estimates, lang: str = "") -> SurveyDocument | None:
    """Return the results in a language of the survey, "" for its own; None where no survey was asked.

    Raises ValueError where the survey has no such language.
    """
    if not estimates.survey:
        return None
    spoken = Spoken.of(estimates.survey, lang)
    return _document(estimates, spoken, estimates.n_reports, sections_of(estimates, spoken))


def groups_document(groups: SideBySide, lang: str = "") -> SurveyDocument | None:
    """Return the results of groups side by side, as `survey_document`; None where they are not a survey's strata."""
    first = groups.estimates[0]
    if not first.survey or groups.kind != STRATUM:
        return None
    spoken = Spoken.of(first.survey, lang)
    questions = all_beside({str(one.stratum): sections_of(one, spoken) for one in groups.estimates}, groups)
    document = _document(first, spoken, sum(one.n_reports for one in groups.strata), questions)
    return replace(document, overview=heat_map(questions, spoken.say))


def _document(estimates: Estimates, spoken: Spoken, n_reports: int, questions: Sequence[Asked]) -> SurveyDocument:
    say, n_waves = spoken.say, len(estimates.waves)
    title = spoken.words.title if estimates.title == spoken.survey.title else estimates.title
    lead = [say.ngettext("%(n)s report.", "%(n)s reports.", n_reports)]
    lead += [say.ngettext("From %(n)s wave.", "From %(n)s waves together.", n_waves)] * (n_waves > 1)
    made = [say.gettext(METHOD), fakes_line(say)]
    return SurveyDocument(say, spoken.attributes, title, say.text(lead), questions, made)
