"""Pages in the language of who reads them: which one it is, and how templates say their words in it."""

from collections.abc import Iterable

from flask import Flask, g, request
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from sotto_protocol.language import ENGLISH, LANGUAGES, Language, script_messages
from sotto_protocol.negotiation import Chosen, choose_language


def install_languages(app: Flask) -> None:
    """Have templates say `_("..", n=3)`, `ngettext` and `{% trans %}` in the page's language, which is `language`.

    `script_words(scripts)`: the same for the scripts of the page, by their folders and names.
    """
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.extend(newstyle_gettext=True)
    app.jinja_env.globals.update(_=_gettext, gettext=_gettext, ngettext=_ngettext, script_words=_script_words)
    app.context_processor(lambda: {"language": page_language()})


def choose_for(languages: tuple[str, ...]) -> Chosen:
    """Choose the language that this request's survey is shown in, of those that it has; the page's words follow."""
    asked, accepted = request.args.get("lang", ""), request.headers.get("Accept-Language", "")
    chosen: Chosen = choose_language(languages, asked, accepted)
    g.language = chosen.language
    return chosen


def speak_english() -> None:
    """Show this request's page in English, whoever reads it: what operators get is in no other language."""
    choose_for((ENGLISH.tag,))


def page_language() -> Language:
    """Return the language of the page's words: as it was chosen for a survey, else as the request asks."""
    if "language" not in g:
        choose_for(tuple(LANGUAGES))
    language: Language = g.language
    return language


def _gettext(message: str, **values: object) -> Markup:
    language = page_language()
    return Markup(language.translation(message)) % _said(language, values)  # noqa: S704  # catalogues are ours


def _ngettext(one: str, many: str, n: int, **values: object) -> Markup:
    language = page_language()
    return Markup(language.plural_translation(one, many, n)) % _said(language, {"n": n} | values)  # noqa: S704


def _said(language: Language, values: dict[str, object]) -> dict[str, str]:
    """Return the values as they stand in a sentence; what is HTML already stays that."""
    return language.said(values) | {name: value for name, value in values.items() if isinstance(value, Markup)}


def _script_words(scripts: Iterable[str]) -> Markup:
    """Return the words as JSON that can stand in a page, in its own letters: escapes would weigh as much again."""
    tag = page_language().tag
    return htmlsafe_json_dumps({"lang": tag, "messages": script_messages(tag, scripts)}, ensure_ascii=False)
