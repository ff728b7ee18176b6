"""Headers of every page: the browser runs, fetches and shows nothing that this collector does not serve itself."""

from flask import Flask, Response, request

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "img-src": "'self'",
    "form-action": "'none'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
"""The survey page's Content-Security-Policy, by directive: no inline script or style, and no form can be sent."""
PAGE_TYPE = "text/html; charset=utf-8"
FOR_ALL = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def policy(**changes: str) -> str:
    """Return a Content-Security-Policy: the survey page's, but for the directives given.

    >>> policy(form_action="'self'").split("; ")[5]
    "form-action 'self'"
    """
    directives = POLICY | {name.replace("_", "-"): sources for name, sources in changes.items()}
    return "; ".join(f"{name} {sources}" for name, sources in directives.items())


def install_page_headers(app: Flask) -> None:
    """Send headers with all pages, and the files that they load; those that a view has set stay."""
    app.after_request(_protect)


def is_page(path: str) -> bool:
    """Whether a path is a page's, for people."""
    return path in ("/", "/s") or path.startswith("/s/")


def wants_page() -> bool:
    """Whether an error of this request is shown as a page.

    At / and below /s it is, but for JSON files only to browsers; so are unknown addresses, unless they are the API's.
    """
    names_html = any(kind == "text/html" for kind, _ in request.accept_mimetypes)
    if is_page(request.path):
        return names_html or not request.path.endswith(".json")
    return names_html and request.url_rule is None and not f"{request.path}/".startswith("/v1/")


def root_from(path: str) -> str:
    """Return the collector's root as seen from a page: relative, so that a proxy may serve it below any path.

    >>> root_from("/s/lunch"), root_from("/s/lunch/results"), root_from("/s")
    ('../', '../../', './')
    """
    return "../" * (path.count("/") - 1) or "./"


def _protect(response: Response) -> Response:
    is_ours = is_page(request.path) or request.path.startswith(("/static/", "/js/"))
    if is_ours or response.content_type == PAGE_TYPE:
        for name, value in (FOR_ALL | {"Content-Security-Policy": policy()}).items():
            response.headers.setdefault(name, value)
    else:  # what programs ask for: whoever may read it now may not tomorrow
        response.headers.setdefault("Cache-Control", "no-store")
    return response
