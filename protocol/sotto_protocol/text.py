"""An open answer: a string that people type, in one form whatever keyboard it came from."""

import unicodedata
from typing import Any

from sotto_protocol.documents import is_text

MAX_ANSWER_CHARACTERS = 200
PADDING = "\0"
"""Fills a short string up to the length that is cut into n-grams; no answer holds it."""
EXPECTED = (
    f"a text of 1 to {MAX_ANSWER_CHARACTERS} characters without control characters, line separators or direction marks"
)


def normalise(answer: str) -> str:
    """Return the string in Unicode's normal form C: one string for one answer, whichever way its accents are typed.

    >>> normalise("e\\u0301") == "\\u00e9"
    True
    """
    return unicodedata.normalize("NFC", answer)


def is_answer(value: Any) -> bool:
    """Whether value is a string that can be an answer, as typed and in normal form C."""
    return is_text(value, MAX_ANSWER_CHARACTERS) and (
        value.isascii() or is_text(normalise(value), MAX_ANSWER_CHARACTERS)
    )


def cut(normal: str, max_length: int, gram_length: int) -> list[str]:
    """Return the n-grams of a string's first max_length characters, padded up to them.

    >>> cut("voce", 6, 2) == ["vo", "ce", PADDING * 2]
    True
    """
    padded = normal[:max_length].ljust(max_length, PADDING)
    return [padded[start : start + gram_length] for start in range(0, max_length, gram_length)]
