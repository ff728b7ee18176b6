"""The files that pages load: their own style and scripts, and the JavaScript client's modules, for any page."""

import base64
import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from flask import Blueprint, Response, request
from markupsafe import Markup

from sotto_collector.errors import refuse
from sotto_collector.pages.release import STATIC, find_client_js

assets = Blueprint("assets", __name__)
OF_SURVEYS = ("static/survey.min.js", "js/sottovoce.min.js")
"""The modules that the survey page loads: its own, in one file, and the client."""
OF_OBLIVIOUS, OF_BLIND = "js/oblivious.min.js", "js/blind.min.js"
"""What the client loads as well, if a survey is delivered obliviously, or its invitations are blind."""
MAX_AGE_S = 60
"""A browser asks again after so long whether a file has changed: soon, as all modules must be of one version."""
_NAME = re.compile(r"(?:[a-z0-9-]+/)?[a-z0-9-]+(?:\.min)?\.(js|css|svg)")
_TYPES = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_COMMENT_OR_MARGIN = re.compile(r"/\*.*?\*/|\n\s*", re.DOTALL)


class Style(NamedTuple):
    """A style sheet that stands in a page, and its source as a Content-Security-Policy names it: by its hash."""

    text: Markup
    source: str


def inline_style(*names: str) -> Style:
    """Return style sheets for a page that has to be seen before any other file came: without comments and margins."""
    css = "".join((STATIC / name).read_text(encoding="utf-8") for name in names)
    text = _COMMENT_OR_MARGIN.sub("", css)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Style(Markup(text), f"'sha256-{digest}'")  # noqa: S704  # a file of ours


@assets.get("/static/<name>")
def get_static(name: str) -> Response:
    """Give a style sheet, script or picture of the pages."""
    return _serve(STATIC, name)


@assets.get("/js/<name>")
def get_client(name: str) -> Response:
    """Give a module of the JavaScript client that pages import."""
    return _share(_serve(find_client_js(), name))


@assets.get("/js/<any(component, form, src, words):folder>/<path:name>")
def get_client_module(folder: str, name: str) -> Response:
    """Give a module that the client imports, the web component and its words, or the forms of the survey page too."""
    return _share(_serve(find_client_js() / folder, name))


def _serve(folder: Path, name: str) -> Response:
    """Return a file of the folder, or of one in it, with a hash of its content. Raises RequestError 404."""
    path = folder / name
    found = _NAME.fullmatch(name)
    if found is None or not path.is_file():
        raise refuse(404, "not_found", "no file has this name.")
    response = Response(path.read_bytes(), content_type=f"{_TYPES[found[1]]}; charset=utf-8")
    response.headers["Cache-Control"] = f"public, max-age={MAX_AGE_S}"
    response.add_etag()
    response.make_conditional(request)
    return response


def _share(response: Response) -> Response:
    """Allow pages of every origin to import a file: it is public, and the same for all."""
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
