"""Who may do what: the token of a request, its role, and the surveys that it is for."""

from flask import request

from sotto_collector.errors import refuse
from sotto_collector.store import StoredToken, TokenTable
from sotto_collector.tokens import find_token, has_ended

LISTERS = ("admin", "analyst")
_EXPECTED = "the token is missing, or not one of this collector's (SOTTO_TOKEN or --token; Authorization: Bearer)."


def require_token(tokens: TokenTable) -> StoredToken:
    """Return what the request's token allows. Raises RequestError 401 where there is none, or it is not valid."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    given = token.strip() if scheme.lower() == "bearer" else None
    return require_known(tokens, given, _EXPECTED)


def require_known(tokens: TokenTable, token: str | None, expected: str) -> StoredToken:
    """Return what a token allows. Raises RequestError 401 where it has ended, or is not known: with `expected` then."""
    known = None if token is None else find_token(tokens, token)
    if known is None:
        raise refuse(401, "unauthorized", expected)
    if has_ended(known):  # only the holder learns that: a stranger cannot ask about a token
        raise refuse(401, "unauthorized", "the token has ended; an admin can make another.")
    return known


def require_lister(tokens: TokenTable) -> StoredToken:
    """Return what the token of a request that lists surveys allows. Raises RequestError 401, 403."""
    token = require_token(tokens)
    if token.role not in LISTERS:
        raise refuse(403, "forbidden", f"the token must have the role {' or '.join(LISTERS)}.")
    return token


def require_role(tokens: TokenTable, role: str, survey_id: str | None) -> None:
    """Raise RequestError 401, 403 unless the token has this role, for this survey or all; with None, for all."""
    token = require_token(tokens)
    if token.role != role:
        raise refuse(403, "forbidden", f"the token must have the role {role}.")
    _require_survey(token, survey_id)


def require_lister_of(tokens: TokenTable, survey_id: str) -> None:
    """Raise RequestError 401, 403 unless the token is an admin's or an analyst's, for this survey or all."""
    _require_survey(require_lister(tokens), survey_id)


def _require_survey(token: StoredToken, survey_id: str | None) -> None:
    if token.survey_id not in (None, survey_id):
        raise refuse(403, "forbidden", "the token must be for this survey, or for all.")
