"""Questions that people may leave out: an answer more, which says only that somebody would rather not say.

A number has no such option. Leaving it out counts as a number that the author chooses, which moves the mean.
"""

from typing import Any

from sotto_protocol.language import LANGUAGES, Language, language, mark
from sotto_protocol.looks import look
from sotto_protocol.negotiation import match

RATHER_NOT = mark("I'd rather not say")


def with_refusal(question: dict[str, Any], lang: str) -> dict[str, Any]:
    """Return a question that may be left out, in the words of its survey's language; one that has no room as it is.

    A yes-no question becomes one of three options. Leaving it out counts as the last of them, or as the one that its
    author has written for that; a text counts as "(no answer)". It is perturbed like any other answer.
    """
    spoken = _spoken(lang)
    if question["type"] == "text":
        said = spoken.gettext("No answer")
        return question | {"skip": f"({said[0].lower()}{said[1:]})"}
    if question["type"] == "yes-no":
        options = [spoken.gettext("Yes"), spoken.gettext("No")]
    elif question["type"] == "one-of":
        options = question["options"]
    else:
        return question
    refusal = spoken.gettext(RATHER_NOT)
    there = next((option for option in options if _folded(option) == _folded(refusal)), None)
    if there is not None:
        return question | {"skip": there}
    return question | {"type": "one-of", "options": [*options, refusal], "skip": refusal}


def _folded(option: str) -> str:
    """Return an option as authors may write it: with any case, and with a straight or a typographic apostrophe."""
    return look(option).casefold().replace("’", "'").rstrip(".")


def _spoken(lang: str) -> Language:
    return language(match(lang, [*LANGUAGES]) or "en")
