"""The survey page: a survey as HTML. What is answered is perturbed in the browser (docs/survey-page.md)."""

from collections.abc import Iterator
from typing import NamedTuple, assert_never

from flask import Blueprint, Response, render_template, request

from sotto_collector.api.request import get_collector, read_wave
from sotto_collector.pages.assets import list_modules
from sotto_collector.pages.headers import PAGE_TYPE, root_from
from sotto_collector.pages.languages import choose_for, page_language
from sotto_collector.pages.shown import find_shown
from sotto_collector.store import StoredSurvey
from sotto_protocol import Question, Survey
from sotto_protocol.explain import Explanation, QuestionExplanation, explain, said
from sotto_protocol.negotiation import Chosen
from sotto_protocol.questions.control import Control, Line, NumberField, PickOne, PickSome
from sotto_protocol.words import epsilon_above, percent_above, percent_below

pages = Blueprint("pages", __name__)
MAX_RADIOS = 12
"""With more options than this, one is chosen from a list."""
N_PAGES_KEPT = 16
_kept: dict[tuple[str | int, ...], str] = {}


class Asked(NamedTuple):
    """A question as the page asks it: its number from 1, and how many options may be chosen at most."""

    number: int
    question: Question
    in_short: str
    explanation: QuestionExplanation
    most: int

    @property
    def key(self) -> str:
        """The prefix of its elements' ids: made of the number, as two questions' ids might make the same."""
        return f"q{self.number}"

    @property
    def control(self) -> Control:
        """What a form shows for it."""
        return self.question.kind.control

    @property
    def skip(self) -> str:
        """In words, what leaving it out stands for."""
        return self.question.kind.say(self.question.skip)

    @property
    def expected(self) -> str:
        """What a number may be, in a sentence; of other questions nothing."""
        match self.control:
            case NumberField(minimum, maximum, step) as numbers:
                kind = "A whole number" if numbers.is_whole else "A number"
                steps = "" if numbers.is_whole and step == "1" else f", in steps of {step}"
                return f"{kind} from {minimum} to {maximum}{steps}."
            case _:
                return ""

    @property
    def field(self) -> str:
        """The control as the template and form.js name it: radios, list, boxes, line or number."""
        match self.control:
            case PickOne(choices):
                return "list" if len(choices) > MAX_RADIOS else "radios"
            case PickSome():
                return "boxes"
            case Line():
                return "line"
            case NumberField():
                return "number"
            case unknown:
                assert_never(unknown)


@pages.get("/s/<survey_id>")
def show_survey(survey_id: str) -> Response:
    """Show a survey, or one wave of it; a closed one too: who has answered it looks for a receipt there."""
    stored = find_shown(survey_id)
    chosen = choose_for(("en",))
    response = Response(_keep_page(stored, read_wave(stored.survey) or 1, chosen), content_type=PAGE_TYPE)
    response.vary.add("Accept-Language")
    if stored.is_draft:
        response.headers["Cache-Control"] = "no-store"
    response.add_etag()
    response.make_conditional(request)
    return response


def _keep_page(stored: StoredSurvey, wave: int, chosen: Chosen) -> str:
    """Return the page, rendered unless it is one of the last: its many exact logarithms take a while."""
    max_epsilon = get_collector().settings.page_max_epsilon
    preview = stored.preview or ""
    key = stored.survey.fingerprint, stored.is_open, preview, wave, max_epsilon, chosen.tag, chosen.language.tag
    page = _kept.get(key)
    if page is None:
        if len(_kept) >= N_PAGES_KEPT:
            _kept.clear()
        page = _kept[key] = _render(stored, wave, max_epsilon)
    return page


def _render(stored: StoredSurvey, wave: int, max_epsilon: int) -> str:
    survey = stored.survey
    explanation = explain(survey, page_language())
    return render_template(
        "survey.html" if stored.is_open or stored.is_draft else "closed.html",
        root=root_from(f"/s/{survey.id}"),
        modules=list_modules(),
        survey=survey,
        draft=f"drafts/{stored.preview}" if stored.is_draft else "",
        wave=wave,
        max_epsilon=max_epsilon,
        explanation=explanation,
        asked=list(_ask(survey, explanation)),
        above=percent_above,
        epsilon_above=epsilon_above,
        below=percent_below,
        said=said,
    )


def _ask(survey: Survey, explanation: Explanation) -> Iterator[Asked]:
    for number, (question, explained) in enumerate(zip(survey.questions, explanation.questions, strict=True), 1):
        most = min(question.mechanism.max_selected, len(question.options))
        yield Asked(number, question, explained.in_short, explained, most)
