"""Texts of forms without their markup: a survey page shows texts as they are written, stars and tags too."""

import re

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
