"""What a text looks like to a reader: two options of one look cannot be told apart, and people would halve an answer.

For who writes a survey. What is published already is never refused for its looks.
"""

import re
import unicodedata
from collections.abc import Iterable

_FLAG = "\U0001f3f4"
_UNSEEN = re.compile(
    f"(?<!{_FLAG})[\U000e0000-\U000e0fff]"  # behind the black flag they make other flags of it
    "|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)
"""Unicode's Default_Ignorable_Code_Point: nothing is drawn for them."""
_SPACERS = "\u00ad\u200b\u2060\ufeff"
"""Of these those that texts bring along from elsewhere, and that no letter needs."""
_FLAGS = re.compile(f"{_FLAG}[\U000e0020-\U000e007f]+")
_BLANK = re.compile("[\\s\u2800]+")
"""White space, and Braille's empty cell."""
_SET_APART = {"<super>", "<sub>", "<circle>"}
"""Kinds of letters that Unicode's form KC takes for others, and a reader does not: 10² is not 102, nor ① 1."""
_MOST_SHOWN = 40


def look(text: str) -> str:
    """Return what two texts have in common if they look the same, but for letters of scripts that are alike.

    Blanks around do not count, nor how many stand together, nor what is not drawn; the rest by Unicode's normal
    form KC, but that raised, lowered and enclosed letters stay what they are. "" where there is nothing to see.

    >>> look(" a\\u00a0\\u200bb ") == "a b", look("\\ufb01") == "fi", look("\\u2800\\u3164"), look("10²") == "102"
    (True, True, '', False)
    """
    flags = _FLAGS.findall(text)
    seen = _drawn(text)
    if not unicodedata.is_normalized("NFKC", seen):
        seen = unicodedata.normalize("NFC", "".join(map(_plain, seen)))
    composed = _UNSEEN.sub("", seen)
    return _BLANK.sub(" ", composed).strip() + "".join(flags)


def has_blanks_around(text: str) -> bool:
    """Whether a text begins or ends with a blank, or with what is not drawn and no part of an emoji.

    >>> [has_blanks_around(text) for text in ("a ", "\ufeff a", "a\u200b", "a b", "\u2764\ufe0f")]
    [True, True, True, False, False]
    """
    drawn = _BLANK.sub(" ", _drawn(text))
    return drawn != drawn.strip() or text != text.strip(_SPACERS)


def _drawn(text: str) -> str:
    """Return a text without what is not drawn, and flags without their letters."""
    return _UNSEEN.sub("", _FLAGS.sub(_FLAG, text))


def _plain(letter: str) -> str:
    """Return the letters that one is drawn as."""
    codes = unicodedata.decomposition(letter).split()
    kind = codes.pop(0) if codes and codes[0].startswith("<") else ""
    if not codes or kind in _SET_APART or (kind == "<square>" and len(codes) == 1):  # in a box of its own
        return letter
    drawn = "".join(_plain(chr(int(code, 16))) for code in codes)
    return f" {drawn}" if kind == "<fraction>" else drawn  # 5½ is not 51⁄2


def alike(texts: Iterable[str]) -> list[tuple[int, int]]:
    """Return which of different texts look the same: each one's place, from 0, behind that of the first like it."""
    first: dict[str, int] = {}
    found = ((first.setdefault(look(text), place), place) for place, text in enumerate(texts))
    return [(one, other) for one, other in found if one != other]


def shown(text: str) -> str:
    """Return a text in quotes with whatever else could look like it written out, for a message.

    >>> shown("a\\u200b"), shown("e\\u0301"), shown("Tea ")
    ('"a<U+200B>"', '"e<U+0301>"', '"Tea<U+0020>"')
    """
    cut = text[:_MOST_SHOWN]
    inner = cut.strip(" ")
    start, end = cut[: cut.index(inner)], cut[cut.index(inner) + len(inner) :]
    letters = "".join(
        one if one == " " or (look(one) == one and not unicodedata.combining(one)) else _code(one) for one in inner
    )
    rest = ".." if len(text) > _MOST_SHOWN else ""
    return f'"{"".join(map(_code, start))}{letters}{"".join(map(_code, end))}{rest}"'


def say_alike(texts: list[str], what: str) -> str:
    """Return in a sentence which texts cannot be told apart, or seen; "" where each can. `what`: what one is called."""
    blank = next((place for place, text in enumerate(texts) if not look(text)), None)
    if blank is not None:
        return f"{what} {blank + 1} shows nothing: {shown(texts[blank])}."
    pair = next(iter(alike(texts)), None)
    if pair is None:
        return ""
    one, other = pair
    return f"{what}s {one + 1} and {other + 1} look the same: {shown(texts[one])} and {shown(texts[other])}."


def _code(letter: str) -> str:
    return f"<U+{ord(letter):04X}>"
