"""Errors of pages as pages: a person is shown a problem document as HTML, of the same status and headers."""

from http import HTTPStatus

from flask import Flask, Response, render_template, request

from sotto_collector.pages.headers import PAGE_TYPE, root_from, wants_page
from sotto_protocol.problem import CONTENT_TYPE, Problem

_TITLES = {
    "no_such_survey": "There is no such survey here",
    "no_such_wave": "The survey has no such wave",
    "not_found": "There is no such page here",
    "bad_choice": "That cannot be chosen",
    "no_estimates": "There is nothing to download yet",
    "below_minimum": "There are too few reports yet",
    "not_installed": "This collector shows no results",
    "busy": "This cannot be shown now",
    "method_not_allowed": "A page can only be read",
    "store_unavailable": "This cannot be shown now",
    "internal": "This cannot be shown now",
}
_ADVICE = {
    "no_such_survey": "Look at the address again, or ask whoever gave it to you: a survey may have been taken away.",
    "not_found": "Look at the address again, or ask whoever gave it to you.",
    "store_unavailable": "Please try again in a moment. Nothing was sent.",
    "internal": "Please try again in a moment. Nothing was sent.",
}


def install_page_problems(app: Flask) -> None:
    """Show problem documents as pages to people. A response that is no problem document stays as it is."""
    app.after_request(_show)


def _show(response: Response) -> Response:
    if response.mimetype == CONTENT_TYPE and wants_page():
        problem = Problem.from_response(response.status_code, response.get_data())
        page = render_template(
            "problem.html",
            root=root_from(request.path),
            title=_TITLES.get(problem.code, HTTPStatus(problem.status).phrase),
            detail=problem.detail[:1].upper() + problem.detail[1:],
            advice=_ADVICE.get(problem.code, ""),
        )
        response.set_data(page)
        response.content_type = PAGE_TYPE
    return response
