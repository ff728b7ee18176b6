"""Which language a reader gets: of what a survey has, what was asked for, and what the browser prefers."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sotto_protocol.language import LANGUAGES, Language, language
from sotto_protocol.language_tag import MAX_TAG

_MAX_HEADER = 1000
"""So many characters of an Accept-Language are read; browsers send fewer than 100."""
_RANGE = re.compile(r"\s*([A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?")


class Chosen(NamedTuple):
    """The language of a survey's texts (`tag`, one that the survey has), and that of the product's own words."""

    tag: str
    language: Language


def choose_language(languages: Sequence[str], asked: str = "", accepted: str = "") -> Chosen:
    """Choose of a survey's languages, its default first: the one asked for, else as the browser's Accept-Language says.

    The product's words are in the same language; where it does not speak that, in the first that the reader would
    have and it speaks, else in English.

    >>> choose_language(["sw", "en", "ar"], accepted="de-AT, ar-EG;q=0.8, en;q=0.5").tag
    'ar'
    >>> tag, words = choose_language(["sw"], accepted="sw, fr;q=0.7")
    >>> tag, words.tag
    ('sw', 'fr')
    """
    wanted = [asked, *accepted_languages(accepted)]
    tag = next((found for each in wanted if (found := match(each, languages))), languages[0])
    spoken = match(tag, [*LANGUAGES]) or next((found for each in wanted if (found := match(each, [*LANGUAGES]))), "en")
    return Chosen(tag, language(spoken))


def match(wanted: str, languages: Sequence[str]) -> str:
    """Return the one of the languages that is meant, nothing where none is: by RFC 4647's lookup, `de-AT` as `de`.

    A language that is there in another form only, `pt-BR` for `pt`, is better than none. Of what is wanted as many
    characters are read as a tag can have: each of its beginnings is looked up.

    >>> match("zh-Hans-CN", ["en", "zh"]), match("pt", ["en", "pt-BR"]), match("d", ["de"])
    ('zh', 'pt-BR', '')
    """
    subtags = wanted[:MAX_TAG].lower().split("-")
    for length in range(len(subtags), 0, -1):
        for tag in languages:
            if tag.lower() == "-".join(subtags[:length]):
                return tag
    return next((tag for tag in languages if tag.lower().partition("-")[0] == subtags[0]), "")


def accepted_languages(header: str) -> list[str]:
    """Return the tags of an Accept-Language (RFC 9110, 12.5.4), the most wanted first; what is none is passed over.

    >>> accepted_languages("en;q=0.5, de-AT, *;q=0.1, fr;q=0, x=1,,ar;q=0.8")
    ['de-AT', 'ar', 'en']
    """
    ranges = sorted(_ranges(header), key=lambda each: -each[1])  # sorting keeps the order of what is wanted as much
    return [tag for tag, quality in ranges if quality > 0]


def _ranges(header: str) -> Iterator[tuple[str, float]]:
    for part in header[:_MAX_HEADER].split(","):
        found = _RANGE.fullmatch(part)
        if found:
            yield found[1], min(float(found[2] or 1), 1.0)
