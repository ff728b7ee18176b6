"""Scales by name: what an author writes as a type of its own, and what is published as one-of with scores."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sotto_protocol.documents import Fields
from sotto_protocol.questions.one_of import MAX_SCORED, OneOf, Scores, take_scores
from sotto_protocol.questions.question_type import take_options

_RATINGS = tuple(map(str, range(11)))
_ENPS = MappingProxyType({11: (-100,) * 7 + (0, 0, 100, 100), 3: (-100, 0, 100)})
"""Detractors rate 0 to 6, passives 7 or 8, promoters 9 or 10 (Reichheld 2003): by rating, and by group."""


def _likert(fields: Fields, n: int) -> Scores:
    if not 2 <= n <= MAX_SCORED:
        raise fields.fail("options", f"must be 2 to {MAX_SCORED} on a Likert scale, without `skip`. There are {n}.")
    return tuple(range(1, n + 1))


def _enps(fields: Fields, n: int) -> Scores:
    if n not in _ENPS:
        why = "the ratings 0 to 10, or the groups 0 to 6, 7 or 8, and 9 or 10, in this order"
        raise fields.fail("options", f"must be 11 or 3 for enps, without `skip`: {why}. There are {n}.")
    return _ENPS[n]


SCALES: Mapping[str, Callable[[Fields, int], Scores]] = MappingProxyType({"likert": _likert, "enps": _enps})
"""By type, the scores of so many options."""


def read_scale(fields: Fields, name: str) -> OneOf:
    """Take the options and scores of a scale. The option that `skip` names has no score. Raises the fields' error."""
    if name == "enps" and not fields.has("options"):
        skip = fields.peek("skip")
        fields.fill({"options": [*_RATINGS, *[skip] * (isinstance(skip, str) and skip not in _RATINGS)]})
    options = take_options(fields, 2)
    if fields.has("scores") and name == "enps":
        raise fields.fail("scores", 'does not go with type = "enps", which has its own. Take type = "one-of".')
    if fields.has("scores"):
        return OneOf(options, take_scores(fields, len(options)))
    skip = fields.peek("skip")
    scores = iter(SCALES[name](fields, len(options) - (skip in options)))
    return OneOf(options, tuple(None if option == skip else next(scores) for option in options))
