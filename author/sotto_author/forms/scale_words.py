"""Words of scales, in English: whether options are the levels of a known one, in its order. Pure."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from sotto_protocol.language import LANGUAGES

_WAYS = (  # how far people go to one side, from farthest to nearest
    ("completely", "totally", "extremely", "fully", "entirely", "absolutely", "very strongly"),
    ("strongly", "very"),
    ("",),
    ("moderately", "mostly", "quite", "fairly", "generally"),
    ("somewhat", "slightly", "rather", "partly", "mildly", "a little", "tend to"),
)
_SIDES = (
    *(("disagree", "agree"), ("dissatisfied", "satisfied"), ("unsatisfied", "satisfied"), ("unlikely", "likely")),
    *(("unhappy", "happy"), ("unimportant", "important"), ("negative", "positive"), ("difficult", "easy")),
    *(("uncomfortable", "comfortable"), ("unsafe", "safe"), ("oppose", "support"), ("oppose", "favor")),
)
_MIDDLE = ("neither", "neutral", "undecided", "unsure", "not sure", "uncertain", "in the middle", "in between")
_LADDERS = (  # levels from one end to the other, and "|" between words for the same level
    (
        *("never|at no time|none of the time|never or almost never|never or hardly ever", "almost never|hardly ever"),
        *("very rarely", "rarely|seldom|a little of the time", "occasionally|once in a while"),
        *("sometimes|some of the time|now and then", "less than half of the time"),
        *("about half the time|about half of the time|half the time", "more than half of the time"),
        *("often|frequently|fairly often|regularly", "very often|very frequently|usually|most of the time"),
        *("almost always|nearly always", "always|all of the time|all the time|constantly"),
    ),
    (
        *("not at all", "very slightly|very little|hardly|to a very small extent|hardly at all"),
        *("slightly|a little|a little bit|a bit|to a small extent", "somewhat|to some extent|partly"),
        *(
            "moderately|to a moderate extent|a moderate amount",
            "quite|quite a bit|fairly|considerably|mostly|quite a lot",
        ),
        *("very|very much|a lot|to a great extent|to a large extent|a great deal", "to a very large extent"),
        "extremely|completely|fully|totally|entirely",
    ),
    (
        *("terrible|awful|very poor|very bad|far below average", "poor|bad|below average", "fair|average|acceptable"),
        *("neutral|neither|okay|ok|so-so", "good|above average", "very good|far above average"),
        "excellent|outstanding",
    ),
    ("not at all", "several days", "more than half the days|more than half of the days", "nearly every day"),
    ("none", "very mild|minimal", "mild", "moderate", "severe", "very severe|extreme"),
    ("none", "very low", "low", "medium|moderate|average", "high", "very high"),
    (
        *("much worse|far worse", "worse", "somewhat worse|slightly worse|a little worse", "about the same|the same"),
        *("somewhat better|slightly better|a little better", "better", "much better|far better"),
    ),
)
_NO_ANSWERS = (
    *("don't know", "do not know", "i don't know", "i do not know", "not applicable", "n/a", "na", "does not apply"),
    *("doesn't apply", "no answer", "no response", "prefer not to say", "prefer not to answer", "rather not say"),
    *("i prefer not to say", "i prefer not to answer", "i would rather not say", "i'd rather not say", "refused"),
    *("refuse to answer", "decline to answer", "declined", "no opinion", "can't say", "cannot say", "can't choose"),
    *("not sure", "unsure", "unknown", "missing", "not relevant"),
)
_MEANT = ("No answer", "Don't know", "Refuse to answer")
"""What the product says in its languages."""
_NUMBER_BEFORE = re.compile(r"^\(?-?\d{1,3}\)?\s*[-.:=)\N{EN DASH}]?\s+(?=\S)")
_NUMBER_BEHIND = re.compile(r"\s*\(-?\d{1,3}\)$")
_AT_ALL = re.compile(r"not (\w+) at all")


def _two_sided(low: str, high: str) -> Mapping[str, int]:
    levels: dict[str, int] = {}
    for rank, ways in enumerate(_WAYS):
        for side, sign in ((low, -1), (high, 1)):
            for way in ways:
                levels |= dict.fromkeys((f"{way} {side}".strip(), f"{side} {way}".strip()), sign * (len(_WAYS) - rank))
    both = [f"neither {a} {joint} {b}" for a, b in ((low, high), (high, low)) for joint in ("nor", "or")]
    return levels | dict.fromkeys((*_MIDDLE, *both), 0)


_SCALES: tuple[Mapping[str, int], ...] = (
    *(_two_sided(*sides) for sides in _SIDES),
    *({word: rank for rank, level in enumerate(ladder) for word in level.split("|")} for ladder in _LADDERS),
)


def _plain(text: str) -> str:
    """Return a text as scales are looked up: in lower case, without numbers around it and a stop.

    >>> [_plain(text) for text in ("1 - Strongly  agree", "Never (0)", "Don't know.", "5")]
    ['strongly agree', 'never', "don't know", '5']
    """
    said = " ".join(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").casefold().split()).rstrip(".")
    return _NUMBER_BEHIND.sub("", _NUMBER_BEFORE.sub("", said))


_NOT_ANSWERING = {_plain(language.translation(said)) for language in LANGUAGES.values() for said in _MEANT}
_NOT_ANSWERING |= {*_NO_ANSWERS}


def is_no_answer(text: str) -> bool:
    """Whether an option says nothing on any scale.

    >>> [is_no_answer(text) for text in ("Don't know / No opinion", "Not applicable (N/A)", "Keine Antwort", "None")]
    [True, True, True, False]
    """
    said = re.sub(r"\s*\([^()]*\)$", "", _plain(text))
    parts = re.split(r"\s*/\s*|\s+or\s+|\s*,\s*", said)
    return said in _NOT_ANSWERING or (len(parts) > 1 and all(part in _NOT_ANSWERING for part in parts))


def is_scale(texts: Sequence[str]) -> bool:
    """Whether all of these options are levels of one scale, in its order or the other way round.

    >>> is_scale(["Never", "Sometimes", "Always"]), is_scale(["Never", "Always", "Sometimes"]), is_scale(["Tea", "No"])
    (True, False, False)
    """
    return any(None not in ranks and _is_in_order(ranks) for ranks in _ranks(texts))


def has_ends_of_scale(texts: Sequence[str]) -> bool:
    """Whether the first and the last option are levels of one scale, and what of the others are, stands in its order.

    >>> has_ends_of_scale(["Never", "Once a week", "Always"])
    True
    """
    return any(None not in (ranks[0], ranks[-1]) and _is_in_order(ranks) for ranks in _ranks(texts))


def _is_in_order(ranks: Sequence[int | None]) -> bool:
    known = [rank for rank in ranks if rank is not None]
    return len({(low < high) - (low > high) for low, high in pairwise(known)} | {0}) == 2 and len({*known}) == len(
        known
    )


def _ranks(texts: Sequence[str]) -> list[list[int | None]]:
    """Return the ranks of options on each scale, None for one that is not on it."""
    said = [_AT_ALL.sub(r"not at all \1", _plain(text)) for text in texts]
    *_, last = (said[0] if said else "").rpartition(" ")
    shared = [text.removesuffix(f" {last}") for text in said]  # as in "not at all important", "very important"
    ways = [said, *[shared] * all(text.endswith(f" {last}") for text in said)]
    return [[levels.get(text) for text in way] for way in ways for levels in _SCALES]
