"""The languages of a form that is taken over: its texts in the survey's own, and those in which none is missing."""

from collections.abc import Iterator, Mapping
from typing import Any

from sotto_protocol.language import language
from sotto_protocol.language_tag import USUAL_TAG, is_tag

_MOST_NAMED = 6


class FormText(str):
    """A text as a form has it: in its default language, and by locale in `others`."""

    others: Mapping[str, str]

    def __new__(cls, text: str, others: Mapping[str, str]) -> "FormText":
        made = super().__new__(cls, text)
        made.others = others
        return made


NO_TITLE = FormText("", {})


def tag_of(locale: str) -> str:
    """Return the language tag of a form's locale, "" where it is none.

    >>> [tag_of(locale) for locale in ("de", "pt-br", "zh_Hant", "")]
    ['de', 'pt-BR', 'zh-Hant', '']
    """
    first, *parts = locale.replace("_", "-").split("-")
    cased = [part.upper() if len(part) == 2 else part.title() if len(part) == 4 else part.lower() for part in parts]
    tag = "-".join([first.lower(), *cased])
    return tag if is_tag(tag) else ""


def in_languages(definition: Mapping[str, Any], locale: str) -> tuple[dict[str, Any], list[str]]:
    """Return a definition with its texts by language, and notes on the languages that are left out.

    `locale`: that of the form. Its default texts are in it unless they are translated to it; else in English.
    """
    texts = dict(_texts(definition))
    by_locale = {other: tag_of(other) for text in texts.values() for other in _others(text)}
    named = {*by_locale.values()} - {""}
    own = tag_of(locale) if tag_of(locale) and tag_of(locale) not in named else USUAL_TAG
    lacking = {tag: [at for at, text in texts.items() if not _in(text, tag)] for tag in sorted(named - {own})}
    tags = [tag for tag, missing in lacking.items() if not missing]
    notes = [f"{tag} is left out, for not every text has it: {_first(at)}" for tag, at in lacking.items() if at]
    notes += [f'"{other}" is left out, for it is no language tag' for other, tag in by_locale.items() if not tag]
    said = {"lang": own} if own != USUAL_TAG else {}
    names = ("section", "text", "options")
    questions = [_spoken(_skipped(question, own), names, own, tags) for question in definition["questions"]]
    whole = _spoken(definition, ("title", "introduction"), own, tags)
    return {"id": whole["id"]} | said | whole | {"questions": questions}, notes


def _first(places: list[str]) -> str:
    rest = len(places) - _MOST_NAMED
    return ", ".join(places[:_MOST_NAMED]) + (f", and {rest} more" if rest > 0 else "")


def _texts(definition: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every text that respondents read, by what it is."""
    yield "the title", definition["title"]
    if "introduction" in definition:
        yield "the introduction", definition["introduction"]
    for question in definition["questions"]:
        if "section" in question:
            yield f"the section that {question['id']} begins", question["section"]
        yield f"the text of {question['id']}", question["text"]
        for number, option in enumerate(question.get("options", ()), 1):
            yield f"option {number} of {question['id']}", option


def _others(text: str) -> Mapping[str, str]:
    return text.others if isinstance(text, FormText) else {}


def _in(text: str, tag: str) -> str:
    """Return a text in a language, "" where it is missing: no letters, the same; some are the product's."""
    given = {tag_of(locale): other for locale, other in _others(text).items()}.get(tag, "")
    if given or not any(letter.isalpha() for letter in text):
        return given or text
    product = language(tag)
    said = product.translation(text)
    is_known = said != text or not isinstance(text, FormText)
    return said if is_known and product.tag == tag.partition("-")[0] else ""


def _own(text: str, own: str) -> str:
    """Return a text in the survey's own language: the form's as it is, the product's translated."""
    return str(text) if isinstance(text, FormText) else language(own).translation(text)


def _skipped(question: Mapping[str, Any], own: str) -> Mapping[str, Any]:
    """Return a question whose `skip` is one of its options in the survey's own language."""
    is_option = "options" in question and "skip" in question
    return {**question, "skip": _own(question["skip"], own)} if is_option else question


def _spoken(document: Mapping[str, Any], names: tuple[str, ...], own: str, tags: list[str]) -> dict[str, Any]:
    """Return the document with a table by language in the place of each text."""

    def said(value: Any, tag: str) -> Any:
        if isinstance(value, list):
            return [said(one, tag) for one in value]
        return _own(value, own) if tag == own else _in(value, tag)

    spoken = {name: {tag: said(document[name], tag) for tag in (own, *tags)} for name in names if name in document}
    return {**document, **{name: by_tag if tags else by_tag[own] for name, by_tag in spoken.items()}}
