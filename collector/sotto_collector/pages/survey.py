"""The survey page: a survey as HTML. What is answered is perturbed in the browser (docs/survey-page.md)."""

from collections import OrderedDict
from typing import NamedTuple
from urllib.parse import urlsplit

from flask import Blueprint, Response, current_app, render_template, request
from markupsafe import Markup

from sotto_collector.api.access import LISTERS
from sotto_collector.api.request import get_collector, read_wave
from sotto_collector.pages.asked import parts_of
from sotto_collector.pages.assets import OF_BLIND, OF_OBLIVIOUS, OF_SURVEYS, inline_style
from sotto_collector.pages.headers import PAGE_TYPE, policy, root_from
from sotto_collector.pages.languages import choose_for
from sotto_collector.pages.sign_in import find_reader
from sotto_collector.store import StoredSurvey
from sotto_protocol.explain import explain, said
from sotto_protocol.language import direction
from sotto_protocol.language_names import own_name
from sotto_protocol.negotiation import Chosen
from sotto_protocol.survey import Survey
from sotto_protocol.words import epsilon_above, percent_above, percent_below

pages = Blueprint("pages", __name__)
N_PAGES_KEPT = 64
MAX_SHORT = 160
"""An introduction of so many characters stands above the first question; a longer one opens."""
BROWSERS = {"chrome": "91", "firefox": "90", "safari": "15"}
"""The oldest that read the page's scripts (docs/client-js.md)."""
_OWN, _SHARED = (
    ("alarm", "form", "invitation", "parts", "receipt", "review", "survey"),
    ("faults", "judge", "said", "search"),
)
SCRIPTS = (*(f"static/{name}.js" for name in _OWN), *(f"form/{name}.js" for name in _SHARED))
"""The sources of survey.min.js that say something."""
STYLE = inline_style("page.css", "survey.css")
UNENCRYPTED = "UNENCRYPTED"
"""True in an app's configuration: its survey pages are a lesson's, and come over http."""
_kept: OrderedDict[tuple[str | int, ...], str] = OrderedDict()
"""Pages by what they show, those asked for last at the end."""


class SurveyLanguage(NamedTuple):
    """A language of a survey, as the page offers it: a link."""

    tag: str
    name: str
    direction: str
    address: str


class PageSettings(NamedTuple):
    """What a page states of its collector: the operator's settings, and the key that signs certificates, if any.

    `is_unencrypted`: whether it works over http on a network, and says what that risks. Only a lesson's does.
    """

    max_epsilon: int = 8
    resend_days: int = 0
    signs: str = ""
    is_unencrypted: bool = False


class PageFile(NamedTuple):
    """What a page of one file has in place of addresses: the collector's, and elements of the head."""

    collector: str
    icon: Markup
    look: Markup


@pages.get("/s/<survey_id>")
def show_survey(survey_id: str) -> Response:
    """Show a survey, or one wave of it; a closed one too: who has answered it looks for a receipt there."""
    stored = _find_shown(survey_id)
    chosen = choose_for(stored.survey.languages)
    response = Response(_keep_page(stored, read_wave(stored.survey) or 1, chosen), content_type=PAGE_TYPE)
    response.headers["Content-Security-Policy"] = survey_policy(stored.survey)
    response.content_language.add(chosen.tag)
    response.vary.add("Accept-Language")
    if stored.is_draft:
        response.headers["Cache-Control"] = "no-store"
    response.add_etag()
    response.make_conditional(request)
    return response


def survey_policy(survey: Survey) -> str:
    """Return the Content-Security-Policy of a survey's page."""
    return policy(style_src=STYLE.source, connect_src=with_relay("'self'", survey))


def with_relay(reached: str, survey: Survey) -> str:
    """Return what a page's scripts may ask, and the relay if the survey is delivered obliviously."""
    relay = urlsplit(survey.relay)
    return f"{reached} {relay.scheme}://{relay.netloc}" if survey.is_oblivious else reached


def _find_shown(survey_id: str) -> StoredSurvey:
    """Return a published survey, or a draft for who has its link or signs in.

    Raises RequestError 404: nobody else learns that there is a draft.
    """
    collector = get_collector()
    stored = collector.require_any(survey_id)
    if stored.is_draft and find_reader(collector.tokens, LISTERS, survey_id) is None:
        return collector.require_draft(survey_id, request.args.get("preview", ""))
    return stored


def _keep_page(stored: StoredSurvey, wave: int, chosen: Chosen) -> str:
    """Return the page, rendered unless it is one of the last: its many exact logarithms take a while."""
    collector, preview = get_collector(), stored.preview or ""
    signs = (collector.gateway.identity or b"").hex()
    of_operator = collector.settings.page_max_epsilon, collector.settings.page_resend_days
    settings = PageSettings(*of_operator, signs, bool(current_app.config.get(UNENCRYPTED)))
    state = f"{stored.state}, erased" if stored.is_erased else stored.state
    key = stored.survey.fingerprint, state, preview, wave, *settings, chosen.tag, chosen.language.tag
    page = _kept.pop(key, None) or render_survey(stored, wave, settings, chosen)
    _kept[key] = page
    while len(_kept) > N_PAGES_KEPT:
        _kept.popitem(last=False)
    return page


def render_survey(
    stored: StoredSurvey, wave: int, settings: PageSettings, chosen: Chosen, file: PageFile | None = None
) -> str:
    """Return the page of a survey: the same, to the byte, from the same release for the same arguments."""
    survey, explanation = stored.survey, explain(stored.survey, chosen.language, chosen.tag)
    words = survey.words(chosen.tag)
    parts = parts_of(survey, words, chosen.language, explanation)
    return render_template(
        "survey.html" if stored.is_open or stored.is_draft else "closed.html",
        file=file,
        root=f"{file.collector}/" if file else root_from(f"/s/{survey.id}"),
        style=STYLE,
        modules=(*OF_SURVEYS, *[OF_OBLIVIOUS] * survey.is_oblivious, *[OF_BLIND] * survey.is_blind),
        relay=urlsplit(survey.relay).netloc,
        scripts=SCRIPTS,
        browsers=BROWSERS,
        survey=survey,
        draft=f"drafts/{stored.preview}" if stored.is_draft else "",
        spoken=words,
        tongue=_tongue(chosen),
        tongues=_tongues(stored, wave),
        is_over=not stored.is_open and not stored.is_draft,
        is_erased=stored.is_erased,
        is_short=len(words.introduction) <= MAX_SHORT,
        wave=wave,
        max_epsilon=settings.max_epsilon,
        resend_days=settings.resend_days,
        signs=settings.signs,
        is_unencrypted=settings.is_unencrypted,
        explanation=explanation,
        parts=parts,
        asked=[asked for part in parts for asked in part.asked],
        above=percent_above,
        epsilon_above=epsilon_above,
        below=percent_below,
        said=said,
    )


def _tongues(stored: StoredSurvey, wave: int) -> list[SurveyLanguage]:
    """Return the languages of a survey, each with the address of the page in it."""
    after = (f"&wave={wave}" if wave > 1 else "") + (f"&preview={stored.preview}" if stored.is_draft else "")
    return [
        SurveyLanguage(tag, own_name(tag), direction(tag), f"?lang={tag}{after}") for tag in stored.survey.languages
    ]


def _tongue(chosen: Chosen) -> Markup:
    """Return the attributes of the survey's own texts: their language, where it is not the page's, and direction.

    A survey that says nothing of its language may be in any: its texts say themselves where they begin.
    """
    lang = Markup("") if chosen.tag == chosen.language.tag else Markup(' lang="{}"').format(chosen.tag)
    return lang + Markup(' dir="{}"').format("auto" if chosen.tag == "en" else direction(chosen.tag))
