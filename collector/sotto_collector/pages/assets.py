"""The files that pages load: their own style and scripts, and the JavaScript client's modules, for any page."""

import re
from pathlib import Path

from flask import Blueprint, Response, request

from sotto_collector.errors import refuse

assets = Blueprint("assets", __name__)
OF_SURVEYS = ("alarm", "form", "invitation", "language", "receipt", "review", "words")
"""The modules that survey.js imports."""
MAX_AGE_S = 60
"""A browser asks again after so long whether a file has changed: soon, as all modules must be of one version."""
STATIC = Path(__file__).parent / "static"
_NAME = re.compile(r"(?:[a-z0-9-]+/)?[a-z0-9-]+(?:\.min)?\.(js|css|svg)")
_WORDS = re.compile(r"[a-z-]+\.(js|json)")
_TYPES = {"js": "text/javascript", "json": "application/json", "css": "text/css", "svg": "image/svg+xml"}


def find_client_js() -> Path:
    """Return the folder of the JavaScript client: within this package where it was installed, else the checkout's."""
    installed = Path(__file__).parents[1] / "js"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "client" / "js"


def list_modules() -> list[str]:
    """Return the addresses, below the collector's root, of all modules that the survey page needs: it asks for them at
    once, since a browser learns of a module only when it has read the one that imports it.
    """
    return [*(f"static/{name}.js" for name in OF_SURVEYS), "js/form/words.js", "js/sottovoce.min.js"]


@assets.get("/static/<name>")
def get_static(name: str) -> Response:
    """Give a style sheet, script or picture of the pages."""
    return _serve(STATIC, name)


@assets.get("/js/<name>")
def get_client(name: str) -> Response:
    """Give a module of the JavaScript client that pages import."""
    return _share(_serve(find_client_js(), name))


@assets.get("/js/<any(component, form, src):folder>/<path:name>")
def get_client_module(folder: str, name: str) -> Response:
    """Give a module that the client imports, the web component, or the forms that it shares with the survey page."""
    return _share(_serve(find_client_js() / folder, name))


@assets.get("/js/words/<name>")
def get_words(name: str) -> Response:
    """Give the web component's words in a language."""
    return _share(_serve(find_client_js() / "words", name, _WORDS))


def _serve(folder: Path, name: str, names: re.Pattern[str] = _NAME) -> Response:
    """Return a file of the folder, or of one in it, with a hash of its content. Raises RequestError 404."""
    path = folder / name
    found = names.fullmatch(name)
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
