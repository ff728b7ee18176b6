"""An open answer: a string that people type, in one form whatever keyboard it came from."""

import re
import unicodedata
from typing import Any

from sotto_protocol.documents import is_text

MAX_ANSWER_CHARACTERS = 200
"""Of the normal form: a syllable that a keyboard types in parts counts once."""
MAX_TYPED_CHARACTERS = 4 * MAX_ANSWER_CHARACTERS
"""No character is composed of more than four, so whatever is longer is too long in normal form, too."""
PADDING = "\0"
"""Fills a short string up to the length that is cut into n-grams; no answer holds it."""
EXPECTED = (
    f"a text of 1 to {MAX_ANSWER_CHARACTERS} characters without control characters, line separators, "
    "direction controls or accents newer than Unicode 13"
)
_UNSEEN = str.maketrans("\t", " ", "\u061c\u200e\u200f")
"""Keyboards and clipboards add direction marks, and tabs, that nobody sees and nobody means."""
_BLANKS = " \n\v\f\r\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""What ECMAScript's `trim` takes away: the same in every version of Unicode and of Python."""
_UNSETTLED = re.compile(
    "["
    "\u0897-\u089f\u08ca-\u08d2\u0c3c\u1715\u1ac1-\u1add\u1ae0-\u1aeb\u1dfa\U000105c9\U000105d2"
    "\U000105da\U000105e4\U00010d69-\U00010d6d\U00010efa-\U00010eff\U00010f82-\U00010f85\U00011070"
    "\U00011382-\U00011385\U0001138b-\U00011391\U000113b8-\U000113d0\U00011f41\U00011f42\U0001611e-\U0001612f"
    "\U00016d63-\U00016d6a\U0001e08f\U0001e2ae\U0001e4ec-\U0001e4ef\U0001e5ee\U0001e5ef\U0001e6e3"
    "\U0001e6e6\U0001e6ee\U0001e6ef\U0001e6f5"
    "]"
)
"""The characters of Unicode 14 to 17 that reorder, compose or decompose, and a few beside them: older programs, which
do not know them, leave them as they are. What is older keeps its normal form for ever (Unicode's stability policy), and
what else is newer stands for itself. So both sides, of whatever age, agree: a test compares two."""


def compose(text: str) -> str:
    """Return a text in Unicode's normal form C: one string for one text, whichever way its accents are typed.

    >>> compose("e\\u0301") == "\\u00e9"
    True
    """
    return unicodedata.normalize("NFC", text)


def normalise(answer: str) -> str:
    """Return what an answer counts as: without direction marks and outer blanks, tabs as blanks, in normal form C.

    >>> normalise(" e\\u0301\\u200f\\t ") == "\\u00e9"
    True
    """
    return compose(_tidy(answer))


def is_answer(value: Any) -> bool:
    """Whether value is a string that can be an answer, its length that of its normal form C."""
    if not isinstance(value, str):
        return False
    tidy = _tidy(value)
    if tidy.isascii():
        return _is_plain(tidy, MAX_ANSWER_CHARACTERS)
    return _is_plain(tidy, MAX_TYPED_CHARACTERS) and _is_plain(compose(tidy), MAX_ANSWER_CHARACTERS)


def expected_of(value: Any) -> str:
    """Return what an answer must be, of one that is none: of a string that is too long, by how much."""
    n_characters = len(normalise(value)) if isinstance(value, str) else 0
    too_long = f" (too long: {n_characters} of {MAX_ANSWER_CHARACTERS})" if n_characters > MAX_ANSWER_CHARACTERS else ""
    return EXPECTED + too_long


def _tidy(answer: str) -> str:
    return answer.translate(_UNSEEN).strip(_BLANKS)


def _is_plain(text: str, max_length: int) -> bool:
    return is_text(text, max_length) and _UNSETTLED.search(text) is None


def cut(normal: str, max_length: int, gram_length: int) -> list[str]:
    """Return the n-grams of a string's first max_length characters, padded up to them.

    >>> cut("voce", 6, 2) == ["vo", "ce", PADDING * 2]
    True
    """
    padded = normal[:max_length].ljust(max_length, PADDING)
    return [padded[start : start + gram_length] for start in range(0, max_length, gram_length)]
