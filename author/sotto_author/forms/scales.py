"""Scales of forms of all kinds: which questions get a mean score, and what to say of those that could have one."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sotto_author.forms.languages import FormText
from sotto_author.forms.scale_words import has_ends_of_scale, is_no_answer, is_scale
from sotto_protocol.questions.one_of import MAX_SCORED, MOST_SCORE, NO_SCORE

_INTEGER = re.compile(r"-?\d{1,4}")
_DECIMAL = re.compile(r"-?\d+\.\d+")
_FIRST_NUMBER = re.compile(r"\(?(-?\d{1,2})\)?(?![\d.,%]|\s*-\s*\d)")
_FEWEST, _MOST, _MOST_NUMBERS = 3, 7, 11
_MOST_NAMED = 6
_RECOMMENDS = re.compile(r"(?=.*\brecommend)(?=.*\b(?:how )?like(?:ly|lihood)\b)", re.IGNORECASE | re.DOTALL)
_RATINGS = [*map(str, range(11))]
_OF_NUMBER = ("minimum", "maximum", "step", "distribution", "skip")


@dataclass(frozen=True, slots=True)
class Rated:
    """A question that is asked, by its name in the form. `codes`: what the form stores for each of its options.

    `matrix`: the matrix that it is a row of.
    """

    name: str
    question: Mapping[str, Any]
    codes: Sequence[str] = ()
    matrix: str = ""


def scored(question: dict[str, Any], codes: Sequence[str] = (), *, is_named: bool = False) -> dict[str, Any]:
    """Return a one-of question as a Likert question where its options are a scale; any other question as it is.

    `codes`: what the form stores for each option, in their order; none where it counts them. `is_named`: the form
    itself calls it a scale, whatever the words.
    """
    if question["type"] != "one-of" or len(question["options"]) > MAX_SCORED:
        return question
    levels = _levels(question)
    scores = _scores(question, levels, codes, is_named=is_named)
    if not scores:
        return question
    own = _by_option(question, levels, scores)
    found: dict[str, Any] = {}
    for name, value in (question | {"type": "likert"}).items():
        found |= {name: value} | ({"scores": own} if own and name == "options" else {})
    return found


def _levels(question: Mapping[str, Any]) -> list[int]:
    """Return which options may be levels of a scale: without what is no answer, at either end, and the skipped one."""
    options = question["options"]
    found = [place for place, option in enumerate(options) if option != question.get("skip")]
    while found and is_no_answer(_english(options[found[-1]])):
        found.pop()
    while found and is_no_answer(_english(options[found[0]])):
        found.pop(0)
    return found


def _english(text: str) -> str:
    return text.others.get("en", str(text)) if isinstance(text, FormText) else text


def _scores(question: Mapping[str, Any], levels: Sequence[int], codes: Sequence[str], *, is_named: bool) -> list[int]:
    """Return what each level is worth, [] where they are no scale."""
    stored = _stored(codes, levels)
    numbers = _numbers(stored)
    if is_named and numbers:
        return numbers if len(numbers) > 1 and _goes_one_way(numbers) else []
    texts = [_english(question["options"][place]) for place in levels]
    if len(levels) < _FEWEST or not (is_named or is_scale(texts)) or any(map(_DECIMAL.fullmatch, stored)):
        return []
    if numbers:
        return numbers if _is_consecutive(numbers) else []
    return [*range(1, len(levels) + 1)]


def _numbers(codes: Sequence[str]) -> list[int]:
    """Return codes as integers, [] where they are not all of them some that a score can be."""
    found = [int(code) for code in codes if is_integer(code)]
    return found if len(found) == len(codes) else []


def _goes_one_way(numbers: Sequence[int]) -> bool:
    return len({low < high for low, high in pairwise(numbers)}) == 1 and len({*numbers}) == len(numbers)


def _is_consecutive(numbers: Sequence[int]) -> bool:
    return {high - low for low, high in pairwise(numbers)} in ({1}, {-1})


def _by_option(question: Mapping[str, Any], levels: Sequence[int], scores: Sequence[int]) -> list[int | str]:
    """Return the member `scores`, [] where the type says as much: 1, 2, 3 .. for all but the skipped option."""
    by_place = dict(zip(levels, scores, strict=True))
    n_skipped = question.get("skip") in question["options"]
    if [*scores] == [*range(1, len(question["options"]) - n_skipped + 1)]:
        return []
    return [by_place.get(place, NO_SCORE) for place in range(len(question["options"]))]


def say_scales(asked: Sequence[Rated]) -> list[str]:
    """Return which questions have a mean score, from where to where; and of which others to write what to get one."""
    notes: dict[str, list[str]] = {}
    for each in asked:
        for note in (*_say_scored(each), *_say_unscored(each)):
            named = notes.setdefault(note, [])
            named += [name for name in [each.matrix or each.name] if name not in named]
    return [f"{_listed(names)}: {note}" for note, names in notes.items()] + [
        n for each in asked for n in _say_enps(each)
    ]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _say_scored(rated: Rated) -> Iterator[str]:
    question = rated.question
    if question["type"] == "enps":
        yield "results have the eNPS, from -100 to 100; fewer people are enough if it has three groups (docs/scales.md)"
    if question["type"] != "likert":
        return
    levels = _levels(question)
    texts = [question["options"][place] for place in levels]
    scores = _given(question, levels)
    if texts == [*map(str, scores)]:
        return  # the options are their own scores
    ends = [
        f"{score}" + f" ({_quoted(text)})" * (text != str(score))
        for score, text in ((scores[0], texts[0]), (scores[-1], texts[-1]))
    ]
    rest = [option for place, option in enumerate(question["options"]) if place not in levels]
    unscored = [_quoted(option) for option in rest if option != question.get("skip")]
    none = f", and none for {', '.join(unscored)}" if unscored else ""
    away = ' and take "scores" away' if "scores" in question else ""
    yield f'results have a mean score, from {" to ".join(ends)}{none}. To have none, write type = "one-of"{away}'


def _given(question: Mapping[str, Any], levels: Sequence[int]) -> list[Any]:
    given = question.get("scores") or [*range(1, len(levels) + 1)]
    return [given[place] for place in levels] if "scores" in question else given


def _quoted(text: str) -> str:
    return json.dumps(str(text), ensure_ascii=False)


def _say_unscored(rated: Rated) -> Iterator[str]:
    """Yield what to write where options look like a scale, and only the author knows that they are one."""
    question = rated.question
    if question["type"] != "one-of" or len(question["options"]) > MAX_SCORED:
        return
    levels = _levels(question)
    if len(levels) < _FEWEST:
        return
    texts = [_english(question["options"][place]) for place in levels]
    numbers = _numbers(_stored(rated.codes, levels))
    counts = not rated.codes or _is_consecutive(numbers)
    own = _by_option(question, levels, numbers if _goes_one_way(numbers) else [*range(1, len(levels) + 1)])
    write = f"scores = [{', '.join(_quoted(one) if isinstance(one, str) else str(one) for one in own)}]"
    write = write if own else 'type = "likert"'
    if (len(levels) <= _MOST_NUMBERS and counts and _are_numbered(texts)) or (
        len(levels) <= _MOST and has_ends_of_scale(texts)
    ):
        yield f"the options look like a scale. For a mean score, write {write}"
    elif len(levels) <= _MOST and counts and rated.matrix:
        yield f"only you know if its options are a scale, in order. If so, for mean scores write in each row {write}"


def _stored(codes: Sequence[str], levels: Sequence[int]) -> list[str]:
    """Return the codes of levels, [] where there are none."""
    return [codes[place] for place in levels] if levels and max(levels) < len(codes) else []


def _are_numbered(texts: Sequence[str]) -> bool:
    """Whether options begin with consecutive numbers, such as "1 (bad)", "2"; not so "18-24", "25-34"."""
    found = [number for text in texts if (number := _FIRST_NUMBER.match(text))]
    return len(found) == len(texts) and _is_consecutive([int(number[1]) for number in found])


def _say_enps(rated: Rated) -> Iterator[str]:
    """Yield what to write where people are asked how likely they are to recommend something, from 0 to 10."""
    question = rated.question
    if not _RECOMMENDS.match(_english(question["text"])):
        return
    away = [name for name in _OF_NUMBER if name in question]
    if question["type"] == "number":
        is_rating = [question[name] for name in _OF_NUMBER[:3]] == [0, 10, 1]
    else:
        is_rating = question["type"] in ("one-of", "likert") and is_rating_of_ten(
            [question["options"][place] for place in _levels(question)]
        )
        away = ["scores"] * ("scores" in question)
    if is_rating:
        without = f", and take {', '.join(away)} away" if away else ""
        yield f'{rated.name}: for the eNPS, promoters minus detractors, write type = "enps" in its place{without}'


def is_integer(code: str) -> bool:
    """Whether what a form stores for an option can be a score."""
    return _INTEGER.fullmatch(code) is not None and abs(int(code)) <= MOST_SCORE


def is_rating_of_ten(texts: Sequence[str]) -> bool:
    """Whether options are the ratings from 0 to 10, in this order."""
    return [*texts] == _RATINGS
