"""CORS: off, but for the web pages' origins that a survey's operator has allowed, and for what a device does."""

import re

from flask import Flask, Response, current_app, request

from sotto_collector.errors import StoreError

_PORT = "6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}"
ORIGIN = re.compile(
    rf"\*|null|https?://([a-z0-9.\-]{{1,253}}|\[[0-9a-f]{{0,4}}(:[0-9a-f]{{0,4}}){{2,7}}\])(:({_PORT}))?"
)
"""What may be allowed: `*`, or an origin as browsers send it (RFC 6454, 6.2), of a name, an IPv4 or an IPv6 address.

`null` is what files on a disk send, and frames in a sandbox of any page: for strangers' pages it is as good as `*`.
Browsers write hosts in lower case, names in ASCII, IPv6 addresses in brackets, of up to eight groups and without zone.
"""
MAX_AGE_S = "600"
RESTORE_MARK = "Sottovoce-Restored"
"""Of the response to who asks for a survey: 0, or a number that every restore of the store draws anew. A device that
sees another one than before sends again what it has kept: the store may have lost it."""
STATE = "Sottovoce-State"
"""Of the same response: `open` or `closed`, as this collector takes reports of it now, or takes none."""
EXPOSED = f"Retry-After, {RESTORE_MARK}, {STATE}"
_OF_DEVICES = {
    "surveys.get_survey",
    "surveys.take_reports",
    "surveys.erase_report",
    "invitations.check",
    "invitations.trade",
}


def install_cors(app: Flask) -> None:
    """Allow web pages to read the responses to a device's requests, if the survey allows their origin."""
    app.after_request(_allow)


def _allow(response: Response) -> Response:
    origin = request.environ.get("HTTP_ORIGIN")
    if origin is None or request.endpoint not in _OF_DEVICES:
        return response
    response.vary.add("Origin")
    try:
        stored = current_app.extensions["collector"].find_survey((request.view_args or {})["survey_id"])
    except StoreError:
        return response  # the response is that error's already
    if stored is not None and not stored.is_draft and ({origin, "*"} & set(stored.cors_origins)):
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = EXPOSED
        if request.method == "OPTIONS":
            response.headers["Access-Control-Allow-Methods"] = ", ".join(sorted(response.allow))
            response.headers["Access-Control-Allow-Headers"] = "Content-Type"
            response.headers["Access-Control-Max-Age"] = MAX_AGE_S
    return response
