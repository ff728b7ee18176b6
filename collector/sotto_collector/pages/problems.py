"""Errors of pages as pages: a person is shown a problem document as HTML, of the same status and headers."""

import re
from http import HTTPStatus

from flask import Flask, Response, render_template, request

from sotto_collector.pages.headers import PAGE_TYPE, root_from, wants_page
from sotto_collector.pages.languages import page_language
from sotto_protocol.language import mark
from sotto_protocol.problem import CONTENT_TYPE, Problem

_ENDED = re.compile(r"(?P<day>\d{4}-\d\d-\d\d) at (?P<time>\d\d:\d\d) UTC")
_TITLES = {
    "no_such_survey": mark("There is no such survey here"),
    "no_such_link": mark("This link does not work"),
    "link_ended": mark("This link does not work any more"),
    "no_such_wave": mark("The survey has no such wave"),
    "not_found": mark("There is no such page here"),
    "bad_choice": mark("You can't choose that"),
    "no_estimates": mark("There is nothing to download yet"),
    "below_minimum": mark("There are too few reports yet"),
    "not_installed": mark("This collector shows no results"),
    "busy": mark("This can't be shown now"),
    "method_not_allowed": mark("You can only read this page"),
    "store_unavailable": mark("This can't be shown now"),
    "internal": mark("This can't be shown now"),
}
_ADVICE = {
    "no_such_link": mark("Please ask the people who gave you the link for a new one."),
    "link_ended": mark("Please ask the people who gave you the link for a new one."),
    "no_such_survey": mark(
        "Please check the address, or ask the people who gave it to you. The survey may have been removed."
    ),
    "not_found": mark("Please check the address, or ask the people who gave it to you."),
    "store_unavailable": mark("Please try again in a moment. No answer was sent."),
    "internal": mark("Please try again in a moment. No answer was sent."),
}


def install_page_problems(app: Flask) -> None:
    """Show problem documents as pages to people. A response that is no problem document stays as it is."""
    app.after_request(_show)


def _said(problem: Problem) -> str:
    """Return the detail in the page's language, where it has it; "" where it is in English only."""
    ended = _ENDED.search(problem.detail) if problem.code == "link_ended" else None
    if ended is None:
        return ""
    return page_language().gettext(mark("The link ended on %(day)s at %(time)s (UTC)."), **ended.groupdict())


def _show(response: Response) -> Response:
    if response.mimetype == CONTENT_TYPE and wants_page():
        problem = Problem.from_response(response.status_code, response.get_data())
        say = page_language().gettext
        page = render_template(
            "problem.html",
            root=root_from(request.path),
            title=say(_TITLES[problem.code]) if problem.code in _TITLES else HTTPStatus(problem.status).phrase,
            said=_said(problem),
            detail=problem.detail[:1].upper() + problem.detail[1:],
            advice=say(_ADVICE[problem.code]) if problem.code in _ADVICE else "",
        )
        response.set_data(page)
        response.content_type = PAGE_TYPE
    return response
