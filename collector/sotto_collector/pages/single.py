"""The survey page as one file: its scripts, styles and words in every language are in it (docs/verify.md)."""

import base64
import hashlib

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from sotto_collector.pages.alone import render_alone
from sotto_collector.pages.headers import policy
from sotto_collector.pages.release import STATIC, describe_release
from sotto_collector.pages.survey import STYLE, PageFile, PageSettings
from sotto_protocol import Survey
from sotto_protocol.negotiation import choose_language

SCRIPTS = ("able.js", "single.min.js")
_UNENDED = ("</script", "<!--")
"""What a script within a page must not contain."""
_NOWHERE = Markup("")


def single_page(survey: Survey, url: str, *, wave: int = 1, max_epsilon: int = 8, resend_days: int = 0) -> str:
    """Return the page of a survey that the collector at `url` has: the same from the same release, to the byte.

    The page asks that collector for the survey and sends reports there, and asks nobody for anything else.
    """
    first, *others = survey.languages

    def render(tag: str, icon: Markup = _NOWHERE, look: Markup = _NOWHERE) -> str:
        return render_alone(
            survey,
            choose_language(survey.languages, tag),
            wave=wave,
            settings=PageSettings(max_epsilon, resend_days),
            file=PageFile(url, icon, look),
        )

    pages = {first: render(first)} | {tag: render(tag) for tag in others}
    able, page = ((STATIC / name).read_text(encoding="utf-8") for name in SCRIPTS)
    look = (
        Markup('<meta http-equiv="Content-Security-Policy" content="{}">\n').format(page_policy(survey, url))
        + Markup('<meta name="referrer" content="no-referrer">\n<style>{}</style>\n').format(STYLE.text)
        + Markup('<script type="application/json" id="pages">{}</script>\n').format(
            htmlsafe_json_dumps(pages, ensure_ascii=False)
        )
        + Markup("<script>{}</script>\n").format(_script(able))
        + Markup('<script type="module">{}</script>\n').format(_script(page))
    )
    icon = base64.b64encode((STATIC / "icon.svg").read_bytes()).decode()
    return render(first, Markup('<link rel="icon" href="data:image/svg+xml;base64,{}">').format(icon), look)


def page_policy(survey: Survey, url: str) -> str:
    """Return the Content-Security-Policy of the page: it runs its own scripts, and reaches this survey alone.

    Of an oblivious survey it reaches the definition, and the relay.
    """
    scripts = " ".join(_source((STATIC / name).read_bytes()) for name in SCRIPTS)
    below = f"{survey.relay}/.well-known/ohttp-gateway" if survey.is_oblivious else f"{url}/v1/surveys/{survey.id}"
    reached = " ".join(dict.fromkeys([f"{url}/v1/surveys/{survey.id}", below, f"{below}/"]))
    whole = policy(script_src=scripts, style_src=STYLE.source, connect_src=reached, img_src="data:")
    return whole.partition("; frame-ancestors")[0]  # which browsers take of a header alone


def _source(script: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"


def _script(text: str) -> Markup:
    """Return a script as it stands in a page. Raises ValueError where it would end there too early."""
    if any(end in text.lower() for end in _UNENDED):
        raise ValueError("a script contains what would end it within a page.")
    return Markup(text)  # noqa: S704  # a file of ours


def describe_single(survey: Survey, url: str, page: bytes) -> dict[str, object]:
    """Return the manifest for WEBCAT of a host that serves the page alone, as /index.html, with its policy as a header.

    Its validator wants an index and a fallback that are among the files (extension/src/webcat/validators.ts).
    """
    described = describe_release(page_policy(survey, url), {}, {"/index.html": page})
    return described | {"default_index": "index.html", "default_fallback": "/index.html"}
