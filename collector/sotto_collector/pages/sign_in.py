"""Signing in to a page: the browser's own prompt, whose password is a token. There is no session, and no cookie.

The routes under /v1 take no such password, so that no page of anybody's can act with what a browser keeps.
"""

from http import HTTPStatus

from flask import Blueprint, Response, render_template, request

from sotto_collector.api.access import require_known, require_token
from sotto_collector.errors import RequestError, refuse
from sotto_collector.pages.headers import PAGE_TYPE, root_from, wants_page
from sotto_collector.pages.languages import speak_english
from sotto_collector.store import StoredToken, TokenTable
from sotto_protocol.problem import CONTENT_TYPE, Problem

BY_SCRIPT = "X-Requested-With"
"""A page's script sends it: a browser that is refused then does not ask for a password behind the reader's back."""


def find_reader(tokens: TokenTable, roles: tuple[str, ...], survey_id: str | None = None) -> StoredToken | None:
    """Return what the token of the request allows, if it has one of these roles, and is for this survey."""
    try:
        return require_reader(tokens, roles, survey_id)
    except RequestError:
        return None


def require_reader(tokens: TokenTable, roles: tuple[str, ...], survey_id: str | None = None) -> StoredToken:
    """Return what the token of the request allows: a password, with any user name, or a Bearer token.

    `survey_id` None: for any survey. Raises RequestError 401 without a valid token; for another survey's token 401
    where it is a password, so that the browser asks for another, and 403 where it is a Bearer.
    """
    given = request.authorization
    by_password = given is not None and given.type == "basic"
    if given is not None and by_password:
        token = require_known(
            tokens, (given.password or "").strip(), "the password must be a token that this collector made."
        )
    else:
        token = require_token(tokens)
    status, code = (401, "unauthorized") if by_password else (403, "forbidden")
    if token.role not in roles:
        raise refuse(status, code, f"the token must have the role {' or '.join(roles)}, not {token.role}.")
    if survey_id is not None and token.survey_id not in (None, survey_id):
        raise refuse(status, code, "the token must be for this survey, or for all.")
    return token


def ask_to_sign_in(page: Blueprint, roles: tuple[str, ...]) -> None:
    """Make a page that refuses a request without a token ask for one, and say where tokens come from."""

    def ask(response: Response) -> Response:
        if response.status_code != HTTPStatus.UNAUTHORIZED or response.mimetype != CONTENT_TYPE:
            return response
        survey_id = (request.view_args or {}).get("survey_id", "")
        if BY_SCRIPT not in request.headers:
            place = f"results of {survey_id}" if survey_id else "surveys"
            response.headers["WWW-Authenticate"] = f'Basic realm="{place}, for: {", ".join(roles)}", charset="UTF-8"'
        if not wants_page():
            return response
        detail = Problem.from_response(response.status_code, response.get_data()).detail
        said = detail if request.authorization else ""
        speak_english()
        root = root_from(request.path)
        response.set_data(render_template("sign_in.html", root=root, roles=roles, survey_id=survey_id, detail=said))
        response.content_type = PAGE_TYPE
        return response

    page.after_request(ask)
