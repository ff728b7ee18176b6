"""Share links: an address that shows one survey's results to everybody who has it, until it ends.

The address holds a token of the role `reader`. It is stored as its hash, and listed and revoked, as every token.
"""

from datetime import UTC, datetime

from sotto_collector.errors import refuse
from sotto_collector.store import TokenTable
from sotto_collector.tokens import find_token, has_ended

ROLE = "reader"
RULE = "/s/<survey_id>/shared/<share_token>/results"
"""The route of the page; files are below it, and beside it with an ending."""
DAYS = 30
"""How long a link works unless its maker says otherwise."""


def path_of(survey_id: str, token: str) -> str:
    """Return the path of a link.

    >>> path_of("lunch-2026", "sotto_reader_1Ab")
    '/s/lunch-2026/shared/sotto_reader_1Ab/results'
    """
    return RULE.replace("<survey_id>", survey_id).replace("<share_token>", token)


def require_link(tokens: TokenTable, survey_id: str, token: str) -> None:
    """Raise RequestError 404 unless this is the token of a link to this survey, and 410 where the link has ended."""
    known = find_token(tokens, token)
    if known is None or known.role != ROLE or known.survey_id != survey_id:
        raise refuse(404, "no_such_link", "the link was ended early, or its address is incomplete.")
    if known.expires_s is not None and has_ended(known):
        day = datetime.fromtimestamp(known.expires_s, UTC).strftime("%Y-%m-%d at %H:%M UTC")
        raise refuse(410, "link_ended", f"the link ended on {day}.")
