"""Survey pages without a collector: as every collector of this release shows them."""

from functools import cache

from flask import Flask, g

from sotto_collector.pages.headers import FOR_ALL, PAGE_TYPE, policy
from sotto_collector.pages.languages import install_languages
from sotto_collector.pages.release import describe_release, served_files
from sotto_collector.pages.survey import STYLE, PageFile, PageSettings, render_survey, survey_policy
from sotto_collector.store import StoredSurvey
from sotto_protocol import Survey
from sotto_protocol.negotiation import Chosen

PAGE_HEADERS = FOR_ALL | {"Content-Type": PAGE_TYPE, "Content-Security-Policy": policy(style_src=STYLE.source)}
"""The headers of a survey's page by which a browser decides what may run, and what it sends."""


def page_headers(survey: Survey) -> dict[str, str]:
    """Return them as they are for this survey: an oblivious one's page reaches its relay, too."""
    return PAGE_HEADERS | {"Content-Security-Policy": survey_policy(survey)}


def render_alone(
    survey: Survey,
    chosen: Chosen,
    *,
    wave: int,
    settings: PageSettings,
    is_open: bool = True,
    is_erased: bool = False,
    file: PageFile | None = None,
) -> str:
    """Return the page of a survey."""
    stored = StoredSurvey(0, survey, is_open=is_open, is_erased=is_erased)
    with _app().test_request_context():
        g.language = chosen.language
        return render_survey(stored, wave, settings, chosen, file)


def release_manifest() -> dict[str, object]:
    """Return the hashes of what this release serves to browsers, but for pages, which depend on the survey."""
    of_files = {"/static/": policy(), "/js/": policy()}
    return describe_release(PAGE_HEADERS["Content-Security-Policy"], of_files, served_files())


@cache
def _app() -> Flask:
    app = Flask("sotto_collector", static_folder=None, template_folder="pages/templates")
    install_languages(app)
    return app
