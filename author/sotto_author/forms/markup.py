"""Texts of forms without their markup: a survey page shows texts as they are written, stars and tags too."""

import re
from html import unescape

from sotto_author.forms.languages import FormText

_TAG = re.compile(
    r"</?(?:a|abbr|b|big|blockquote|br|center|code|dd|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|li|mark|ol|p|pre|s|small|span|"
    r"strike|strong|style|sub|sup|table|tbody|td|th|thead|tr|u|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ENTITIES = {"&nbsp;": " ", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&apos;": "'", "&amp;": "&"}
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\([^()]*\)")
_LINK = re.compile(r"\[([^\[\]]+)\]\(([^()\s]*)\)")
_HEADING = re.compile(r"^#{1,6}\s+(?=\S)")
_MARKED = (
    re.compile(r"\*\*(?=[^\s*])(.{1,300}?)(?<=[^\s*])\*\*"),
    re.compile(r"(?<!\w)__(?=[^\s_])(.{1,300}?)(?<=[^\s_])__(?!\w)"),
    re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]{1,300}?)(?<=[^\s*])\*(?![\w*])"),
    re.compile(r"(?<!\w)_(?=[^\s_])([^_]{1,300}?)(?<=[^\s_])_(?!\w)"),
)
_HIDDEN = ("script", "style", "!--")
_ANY_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>")


def plain(text: str) -> str:
    """Return a text without Markdown and HTML; a link's address stays, in brackets. What is only markup stays as it is.

    >>> plain("**Bold** <span style='color:red'>red</span> and [here](https://example.org)")
    'Bold red and here (https://example.org)'
    >>> plain("2 * 3 * 4 < 5 and 6 > 5, some_field_name ___")
    '2 * 3 * 4 < 5 and 6 > 5, some_field_name ___'
    """
    said = _TAG.sub(" ", text) if _TAG.search(text) else text
    if said != text:
        for entity, letter in _ENTITIES.items():
            said = said.replace(entity, letter)
    said = _LINK.sub(lambda link: link[1] if link[1] == link[2] else f"{link[1]} ({link[2]})", _IMAGE.sub(r"\1", said))
    said = _HEADING.sub("", said.strip() if said != text else said)
    for marked in _MARKED:
        said = marked.sub(r"\1", said)
    if said == text:
        return text
    tidy = re.sub(r"\s+([.,;:?!)])", r"\1", " ".join(said.split()))
    return tidy or text


def plain_text(text: FormText) -> FormText:
    """Return a form's text without markup, in each language."""
    return FormText(plain(text), {tag: plain(other) for tag, other in text.others.items()})


def is_marked(text: FormText) -> bool:
    """Whether a form's text has markup, in any language."""
    return plain_text(text) != text or any(plain(other) != other for other in text.others.values())


def without_html(text: FormText) -> FormText:
    """Return a text that its form writes in HTML as people read it, in each language.

    >>> without_html(FormText("<p>Tea &amp; <b>cake</b>&nbsp;?</p><script>let a = 1;</script>", {"de": "5 < 6"}))
    'Tea & cake?'
    """
    return FormText(_read_html(text), {tag: _read_html(other) for tag, other in text.others.items()})


def _read_html(text: str) -> str:
    said = text
    for name in _HIDDEN:
        if f"<{name}" in said.lower():
            first, *others = re.split(f"<{name}", said, flags=re.IGNORECASE)
            said = " ".join([first, *(_after_end(other, name) for other in others)])
    said = " ".join(unescape(_ANY_TAG.sub(" ", said)).split())
    return re.sub(r"\s+([.,;:?!)])", r"\1", said) if said != " ".join(text.split()) else said


def _after_end(text: str, name: str) -> str:
    end = "-->" if name == "!--" else f"</{name}[^<>]*>"
    return re.split(end, text, maxsplit=1, flags=re.IGNORECASE)[-1] if re.search(end, text, re.IGNORECASE) else ""
