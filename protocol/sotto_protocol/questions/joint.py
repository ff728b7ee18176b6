"""Joint: two or three closed items that are answered as one, by one mechanism: an answer is one of all combinations.

Asked separately, each item takes a part of epsilon. Asked together they take one epsilon, and reports show how the
answers go together.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import Fields
from sotto_protocol.errors import AnswerError, SurveyError
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.mechanism import Mechanism
from sotto_protocol.members import LENGTHS, read_id
from sotto_protocol.questions.beside import read_section, read_skip, read_want
from sotto_protocol.questions.control import Control
from sotto_protocol.questions.item import Item
from sotto_protocol.questions.one_of import OneOf
from sotto_protocol.questions.question_type import MAX_OPTIONS, QuestionType
from sotto_protocol.questions.translation import QuestionWords
from sotto_protocol.questions.yes_no import YesNo

CLOSED: dict[str, type[QuestionType]] = {kind.name: kind for kind in (YesNo, OneOf)}
"""The types of items that can be asked together."""
MOST_ITEMS = 3
BETWEEN = ", "
"""What stands between the answers of a combination."""


@dataclass(frozen=True)
class Joint(QuestionType):
    """An answer is a mapping from the items' ids to answers; counted are the combinations, the last item's fastest.

    `options` are the combinations in words, in the survey's own language.
    """

    name = "joint"
    items: tuple[Item, ...] = ()

    @classmethod
    def of(cls, items: Sequence[Item]) -> Self:
        """Return the type of these items. Raises ValueError where they cannot be asked together."""
        if not 2 <= len(items) <= MOST_ITEMS:
            raise ValueError(f"must be 2 to {MOST_ITEMS} questions, not {len(items)}.")
        if len({item.id for item in items}) < len(items):
            raise ValueError("must not have two questions of the same id.")
        n_cells = prod(len(item.kind.answers) for item in items)
        if n_cells > MAX_OPTIONS:
            raise ValueError(f"must have at most {MAX_OPTIONS:,} combinations of answers, not {n_cells:,}.")
        told = [[item.kind.say(answer) for answer in item.kind.answers] for item in items]
        options = _joined(told)
        if len(set(options)) < len(options):
            raise ValueError("must have answers that are told apart when they stand side by side, with commas between.")
        return cls(options, tuple(items))

    @classmethod
    def read(cls, fields: Fields) -> Self:
        stated = fields.take("questions", f"a list of 2 to {MOST_ITEMS} questions", lambda v: isinstance(v, list))
        items = [read_item(one, f"{fields.at('questions')}[{place}]") for place, one in enumerate(stated)]
        try:
            return cls.of(items)
        except ValueError as fault:
            raise fields.fail("questions", str(fault)) from None

    def members(self) -> dict[str, Any]:
        return {"questions": [item_document(item) for item in self.items]}

    def read_skip(self, fields: Fields) -> Any:
        raise fields.fail("skip", "belongs to each of the questions that are asked together.")

    @property
    def text(self) -> str:
        """The texts of its items, one after the other."""
        return " ".join(item.text for item in self.items)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many answers each item has."""
        return tuple(len(item.kind.answers) for item in self.items)

    @property
    def control(self) -> Control:
        raise ValueError("questions that are asked together have a control each.")

    def encode(self, answer: Any, max_selected: int) -> NDArray[Any] | None:
        if not isinstance(answer, Mapping) or not answer.keys() <= {item.id for item in self.items}:
            return None
        missing = [item.id for item in self.items if item.skip is None and answer.get(item.id) is None]
        if missing:
            raise AnswerError(missing[0], "an answer is missing: the question is answered together with others.")
        places = [int(item.encode(answer.get(item.id))[0]) for item in self.items]
        return np.array([np.ravel_multi_index(places, self.sizes)], np.intp)

    def expected(self, max_selected: int) -> str:
        return f"a mapping with an answer to each of {', '.join(item.id for item in self.items)}"

    def split(self, cell: int) -> dict[str, Any]:
        """Return the items' answers in a combination, by id; `cell`: its number from 0."""
        places = np.unravel_index(cell, self.sizes)
        return {item.id: item.kind.answers[int(place)] for item, place in zip(self.items, places, strict=True)}

    def words_in(self, items: Mapping[str, QuestionWords], spoken: Language) -> QuestionWords:
        """Return what is read of it where this is read of its items."""
        told = [[item.say(answer, items[item.id], spoken) for answer in item.kind.answers] for item in self.items]
        texts = [items[item.id].text for item in self.items]
        return QuestionWords(" ".join(texts), _joined(told), items[self.items[0].id].section)

    def what_happens(self, mechanism: Mechanism, language: Language = ENGLISH) -> str:
        together = language.gettext(
            "Your device puts your answers to these %(n)s questions together. There are %(cells)s combinations, and "
            "yours is one option of these.",
            n=len(self.items),
            cells=len(self.options),
        )
        return language.text([together, mechanism.what_happens(language)])

    def in_short(self, mechanism: Mechanism, language: Language = ENGLISH) -> str:
        n_others = len(self.items) - 1
        others = language.ngettext(
            "This answer and that to %(n)s other question are changed together, as one.",
            "This answer and those to %(n)s other questions are changed together, as one.",
            n_others,
        )
        return language.text([mechanism.in_short(language), others])


def item_document(item: Item) -> dict[str, Any]:
    """Return what is published of an item, for `canonical_json`."""
    document: dict[str, Any] = {"id": item.id, "text": item.text, "type": item.type}
    if item.skip is not None:
        document["skip"] = item.kind.write_skip(item.skip)
    if item.want is not None:
        document["want"] = item.want
    if item.section:
        document["section"] = item.section
    return document | item.kind.members()


def read_item(document: Any, where: str) -> Item:
    """Return a published item. Raises SurveyError."""
    fields = Fields(document, where, SurveyError)
    item_id, kind = read_id(fields), CLOSED[fields.one_of("type", CLOSED)].read(fields)
    text = fields.text("text", LENGTHS["text"])
    skip, want, section = read_skip(fields, kind), read_want(fields, kind), read_section(fields)
    fields.finish()
    return Item(id=item_id, kind=kind, text=text, skip=skip, want=want, section=section)


def _joined(told: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(BETWEEN.join(answers) for answers in product(*told))
