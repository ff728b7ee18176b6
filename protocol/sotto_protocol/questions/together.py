"""Which questions an author asks together: those of each `[[together]]`, or every pair of them all."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from math import comb
from typing import Any

from sotto_protocol.errors import SurveyError, together
from sotto_protocol.members import ID_PATTERN, MAX_QUESTIONS, read_id
from sotto_protocol.questions.author_fields import AuthorFields
from sotto_protocol.questions.definition import OF_GROUP, compile_joint
from sotto_protocol.questions.item import Item
from sotto_protocol.questions.joint import MOST_ITEMS, Joint
from sotto_protocol.questions.question import Question

PAIRS = "pairs"
_EXPECTED = f'a list of tables, each with `questions` of 2 to {MOST_ITEMS} ids, or "{PAIRS}"'
_MOST_IN_PAIRS = max(n for n in range(2, MAX_QUESTIONS) if comb(n, 2) <= MAX_QUESTIONS)


@dataclass(frozen=True, slots=True)
class Group:
    """Questions that are asked together: their ids, and the members that say what becomes of their answers."""

    id: str
    question_ids: tuple[str, ...]
    fields: AuthorFields


@dataclass(frozen=True, slots=True)
class Groups:
    """All groups of a survey. `are_pairs`: they are every pair of its questions, of which a device answers one."""

    listed: tuple[Group, ...] = ()
    are_pairs: bool = False
    question_ids: frozenset[str] = field(init=False, default=frozenset())

    def __post_init__(self) -> None:
        ids = frozenset(question_id for group in self.listed for question_id in group.question_ids)
        object.__setattr__(self, "question_ids", ids)

    @property
    def draw(self) -> int:
        """How many of the groups a device answers: one of several pairs; 0, all there are."""
        return int(self.are_pairs and len(self.listed) > 1)

    def n_units(self, n_questions: int) -> int:
        """Return how many answers there are to so many questions: a group's are one."""
        return n_questions - len(self.question_ids) + len(self.listed)

    def joined(self, asked: Sequence[Item], **of_survey: Any) -> tuple[Question, ...]:
        """Return the survey's questions: each group stands where the first of its items was. Raises SurveyError."""
        items = {item.id: item for item in asked}
        first = {group.question_ids[0]: [] for group in self.listed}  # type: dict[str, list[Group]]
        for group in self.listed:
            first[group.question_ids[0]].append(group)
        steps = []
        for item in asked:
            if isinstance(item, Question):
                steps.append(partial(_itself, item))
            steps += [partial(_join, group, items, of_survey) for group in first.get(item.id, ())]
        return tuple(together(*steps))


def read_groups(fields: AuthorFields, listed: Sequence[Any]) -> Groups:
    """Take the member `together` of a survey with these questions, where it is given. Raises SurveyError."""
    if not fields.has("together"):
        return Groups()
    given = fields.take("together", _EXPECTED, lambda v: v == PAIRS or (isinstance(v, list) and v != []))
    ids = [one["id"] for one in listed if isinstance(one, dict) and isinstance(one.get("id"), str)]
    if given == PAIRS:
        return Groups(_pairs(listed, ids), are_pairs=True)
    groups = together(*(partial(_read_group, one, f"$.together[{place}]", ids) for place, one in enumerate(given)))
    twice = [name for name, n in Counter(name for group in groups for name in group.question_ids).items() if n > 1]
    if twice:
        raise SurveyError("$.together", f"must not have a question twice: {', '.join(twice)}.")
    _check_group_ids(groups, ids)
    return Groups(tuple(groups))


def _read_group(document: Any, where: str, ids: Sequence[str]) -> Group:
    fields = AuthorFields(document, where, "")
    known = f"a list of 2 to {MOST_ITEMS} different ids of questions: {', '.join(ids[:12])}{' ..' * (len(ids) > 12)}"
    question_ids = fields.take(
        "questions",
        known,
        lambda v: (
            isinstance(v, list)
            and 2 <= len(v) <= MOST_ITEMS
            and len(set(map(str, v))) == len(v)
            and all(one in ids for one in v)
        ),
    )
    group_id = read_id(fields) if fields.has("id") else "-".join(question_ids)
    return Group(group_id, tuple(question_ids), fields)


def _check_group_ids(groups: Sequence[Group], ids: Sequence[str]) -> None:
    taken = Counter([*ids, *(group.id for group in groups)])
    for place, group in enumerate(groups):
        if taken[group.id] > 1 or not ID_PATTERN.fullmatch(group.id):
            problem = "is the id of something else, too" if taken[group.id] > 1 else "is too long for an id"
            raise SurveyError(f"$.together[{place}].id", f"must be given, and another one: {group.id} {problem}.")


def _pairs(listed: Sequence[Any], ids: Sequence[str]) -> tuple[Group, ...]:
    """Return every pair of the questions, which all say the same of what becomes of their answers."""
    if not 2 <= len(ids) <= _MOST_IN_PAIRS:
        raise SurveyError("$.together", f'must be "{PAIRS}" of 2 to {_MOST_IN_PAIRS} questions, not {len(ids)}.')
    said = [_said(one) for one in listed]
    for place, one in enumerate(said):
        for name in sorted(one.keys() | said[0].keys()):
            if one.get(name) != said[0].get(name):
                why = f'must be the same in all questions with together = "{PAIRS}": a pair is answered as one'
                raise SurveyError(f"$.questions[{place}].{name}", f"{why}.")
    return tuple(
        Group(_pair_id(ids, one, other), (ids[one], ids[other]), AuthorFields(said[0], "$.questions[0]", ""))
        for one, other in combinations(range(len(ids)), 2)
    )


def _said(question: Any) -> Mapping[str, Any]:
    return {name: question[name] for name in OF_GROUP if name in question} if isinstance(question, dict) else {}


def _pair_id(ids: Sequence[str], one: int, other: int) -> str:
    """Return a pair's id: of both ids, or of their numbers from 1 where that would be too long, or another's id."""
    named = f"{ids[one]}--{ids[other]}"
    return named if ID_PATTERN.fullmatch(named) and named not in ids else f"pair--{one + 1}--{other + 1}"


def _itself(question: Question) -> Question:
    return question


def _join(group: Group, items: Mapping[str, Item], of_survey: Mapping[str, Any]) -> Question:
    try:
        kind = Joint.of([items[question_id] for question_id in group.question_ids])
    except ValueError as fault:
        raise group.fields.fail("questions", str(fault)) from None
    return compile_joint(group.fields, kind, group.id, **of_survey)
