"""Pages of somebody else's that ask by `<sotto-survey>`: their policy is strict, and they alone say what is pinned."""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha384
from html import escape

from chromium import CLIENT
from own_site import site_of
from sotto_protocol import Survey

PROGRAM = (CLIENT / "sotto-survey.min.js").read_bytes()
FALLBACK = "This survey needs a newer browser, or its program could not be loaded."
_PAGE = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<link rel="icon" href="data:,">
<title>A firm's own page</title>
{script}
</head>
<body><main><h1>A firm's own page</h1>{body}</main></body>
</html>"""
_SCRIPT = '<script type="module" src="/sotto-survey.min.js" integrity="{}" crossorigin="anonymous"></script>'


def integrity_of(program: bytes) -> str:
    """Return what a page says of a script, so that no other one runs in its place (docs/embedding.md)."""
    return f"sha384-{b64encode(sha384(program).digest()).decode()}"


def policy_for(*collectors: str) -> str:
    """Return a strict policy: this site's scripts, no style in line, no exchange but with these."""
    reached = " ".join(["'self'", *collectors])
    forbidden = "default-src 'none'; form-action 'none'; base-uri 'none'; require-trusted-types-for 'script'"
    return f"{forbidden}; script-src 'self'; connect-src {reached}; img-src data:"


def element(collector: str, survey: Survey, **attributes: str) -> str:
    """Return the element that asks a survey, as a page's author writes it."""
    given = {"collector": collector, "survey": survey.id, "fingerprint": survey.fingerprint} | attributes
    words = " ".join(f'{name.replace("_", "-")}="{escape(value)}"' for name, value in given.items())
    return f"<sotto-survey {words}>{FALLBACK}</sotto-survey>"


def page_of(body: str, policy: str, *, lang: str = "en", program: bytes = PROGRAM, script: str = _SCRIPT) -> bytes:
    """Return a page with these elements; its policy is the browser's to hold."""
    loaded = script.format(integrity_of(program))
    return _PAGE.format(lang=lang, policy=policy, script=loaded, body=body).encode()


def files(pages: dict[str, bytes], program: bytes = PROGRAM) -> dict[str, bytes]:
    """Return these pages, by path, with the program beside them, its words, and what blind invitations need."""
    words = {f"/words/{path.name}": path.read_bytes() for path in (CLIENT / "words").glob("??.js")}
    blind = {"/blind.min.js": (CLIENT / "blind.min.js").read_bytes()}
    return {"/sotto-survey.min.js": program, **words, **blind, **pages}


@contextmanager
def asking(pages: dict[str, bytes], program: bytes = PROGRAM) -> Iterator[str]:
    """Serve pages, the program and its words from an origin of their own; yield its address."""
    with site_of(files(pages, program)) as url:
        yield url
