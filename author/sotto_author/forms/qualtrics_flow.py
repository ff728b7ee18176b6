"""On what it depends, in a Qualtrics survey, whether a question is asked: its flow, blocks, skip and display logic."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.asking import ELSE, listed
from sotto_protocol.documents import decimal_text

_BLOCKS = ("Block", "Standard")
_OFF = (None, "", "None", False)
_ID = re.compile(r"QID\d+")
_LOCATORS = ("QuestionID", "QuestionIDFromLocator", "LeftOperand", "ChoiceLocator", "Locator", "LeftOperandDynamic")
_MAX_STEPS = 5_000
"""Elements of blocks and rules of skip logic, however often the flow goes through them."""


def entries(value: Any) -> dict[str, Any]:
    """Return the members of an object, or of a list by their index: PHP writes either for the same thing."""
    if isinstance(value, list):
        return {str(index): each for index, each in enumerate(value)}
    return value if isinstance(value, dict) else {}


def text_of(value: Any) -> str:
    """Return a text, or a number as one; "" where it is neither."""
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return decimal_text(Decimal(value))
    return value.strip() if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question stands: `depends_on` as of an item; `is_over`: everybody's survey has ended before."""

    id: str
    depends_on: tuple[str, ...] = ()
    is_conditional: bool = False
    is_over: bool = False
    loop: str = ""


@dataclass(slots=True)
class Places:
    """The places of a survey in the order of its flow, each question's once, and what to say of the flow."""

    places: list[Place] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Within:
    names: tuple[str, ...] = ()
    by_chance: bool = False


def places(elements: Sequence[Mapping[str, Any]], tags: Mapping[str, str]) -> Places:
    """Return the places of the questions. `tags`: their names by their ids."""
    walk = _Walk(elements, tags)
    flow = next((each.get("Payload") for each in elements if each.get("Element") == "FL"), None)
    if isinstance(flow, dict):
        walk.through(flow.get("Flow"), _Within())
    else:
        for block in walk.blocks:
            walk.into(block, _Within())
    return walk.result()


def asks(logic: Any, tags: Mapping[str, str]) -> tuple[str, ...]:
    """Return whose answers a logic asks, and `ELSE` where it asks something else."""
    return tuple(dict.fromkeys(tags.get(name, ELSE) for name in _operands(logic))) or (ELSE,)


class _Walk:
    def __init__(self, elements: Sequence[Mapping[str, Any]], tags: Mapping[str, str]) -> None:
        self._tags = tags
        payloads = [each.get("Payload") for each in elements if each.get("Element") == "BL"]
        found = [entries(block) for each in payloads for block in _blocks(each)]
        self.blocks = {text_of(block.get("ID")): block for block in found if block.get("Type") != "Trash"}
        questions = {text_of(each.get("PrimaryAttribute")): each for each in elements if each.get("Element") == "SQ"}
        self._display = {
            name: [logic for kind in ("DisplayLogic", "InPageDisplayLogic") if (logic := payload.get(kind))]
            for name, each in questions.items()
            if (payload := entries(each.get("Payload"))) is not None
        }
        self._found: dict[str, Place] = {}
        self._ended: dict[str, None] = {}
        self._is_over = False
        self._n_steps = 0
        self._kinds: dict[str, None] = {}
        self._again: dict[str, None] = {}
        self._drawn: list[str] = []
        self._shuffled: dict[str, None] = {}

    def through(self, flow: Any, around: _Within) -> None:
        """Go through the nodes of a flow."""
        for node in map(entries, entries(flow).values()):
            self._step()
            kind = text_of(node.get("Type"))
            if kind in _BLOCKS:
                self.into(text_of(node.get("ID")), around)
            elif kind == "Branch":
                names = self._named(node.get("BranchLogic"))
                self.through(node.get("Flow"), _Within((*around.names, *names), around.by_chance))
            elif kind in ("BlockRandomizer", "Randomizer"):
                self._draw(node, around)
            elif kind == "EndSurvey":
                self._is_over = self._is_over or around == _Within()
                self._ended |= dict.fromkeys(around.names)
            else:
                self._kinds |= {kind or "a node without a type": None} if kind != "Group" else {}
                self.through(node.get("Flow"), around)

    def _step(self) -> None:
        self._n_steps += 1
        if self._n_steps > _MAX_STEPS:
            raise FormError(f"has a flow of more than {_MAX_STEPS:,} elements: split the survey.")

    def _draw(self, node: Mapping[str, Any], around: _Within) -> None:
        """Go through what chance shows some of."""
        n, n_drawn = len(entries(node.get("Flow"))), text_of(node.get("SubSet"))
        is_drawn = n_drawn.isascii() and n_drawn.isdigit() and int(n_drawn[:9]) < n
        if is_drawn:
            self._drawn.append(f"{n_drawn[:9]} of {n}")
        elif n > 1:
            self._shuffled |= {"the flow": None}
        self.through(node.get("Flow"), _Within(around.names, around.by_chance or is_drawn))

    def into(self, name: str, around: _Within) -> None:
        """Go through the elements of a block, with what they skip."""
        block = self.blocks.get(name, {})
        skipped: list[tuple[str, tuple[str, ...]]] = []
        options = entries(block.get("Options"))
        looping = text_of(options.get("Looping"))
        title = text_of(block.get("Description"))[:60] or name[:60]
        listed_here = [
            text_of(entries(each).get("QuestionID")) for each in entries(block.get("BlockElements")).values()
        ]
        chance = _chance(options, [question for question in listed_here if question])
        self._drawn += [f'{chance.n_drawn} of {len(chance.drawn)} questions of "{title}"'] * bool(chance.drawn)
        self._shuffled |= dict.fromkeys([title] * chance.is_on)
        for element in map(entries, entries(block.get("BlockElements")).values()):
            self._step()
            question = text_of(element.get("QuestionID"))
            if not question or question in chance.never:
                continue
            skipped = [(end, names) for end, names in skipped if end != question]
            names = dict.fromkeys([*around.names, *self._ended, *(name for _, each in skipped for name in each)])
            for logic in self._display.get(question, ()):
                names |= dict.fromkeys(self._named(logic))
            if question in self._found:
                self._again[title] = None
            else:
                is_some = bool(names) or around.by_chance or question in chance.drawn
                loop = f'"{title}"' if looping not in _OFF else ""
                self._found[question] = Place(question, tuple(names), is_some, self._is_over, loop)
            for skip in map(entries, entries(element.get("SkipLogic")).values()):
                self._step()
                end, by = text_of(skip.get("SkipToDestination")), self._named(skip)
                skipped.append((end, by))
                if end == "ENDOFSURVEY":
                    self._ended |= dict.fromkeys(by)

    def _named(self, logic: Any) -> tuple[str, ...]:
        return asks(logic, self._tags)

    def result(self) -> Places:
        """Return what was found."""
        notes = [f"stays in Qualtrics, is no part of the survey: {', '.join(self._kinds)}"] * bool(self._kinds)
        notes += [
            f"the blocks {listed(self._again)} stand more than once in the flow, and their questions are asked once"
        ] * bool(self._again)
        notes += [
            f"chance shows some blocks or questions ({', '.join(self._drawn)}), and the survey all of them: to draw "
            "questions, write draw into the survey file"
        ] * bool(self._drawn)
        notes += [f"random order becomes that of the file: {listed(self._shuffled)}"] * bool(self._shuffled)
        return Places(list(self._found.values()), notes)


@dataclass(frozen=True, slots=True)
class _Chance:
    """What chance does in a block: of the questions `drawn` it shows so many, and `never` those that are left out."""

    is_on: bool = False
    n_drawn: int = 0
    drawn: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()


def _chance(options: Mapping[str, Any], questions: Sequence[str]) -> _Chance:
    kind, order = text_of(options.get("RandomizeQuestions")), entries(options.get("Randomization"))
    if kind.lower() in ("", "false", "none"):
        return _Chance()
    advanced = entries(order.get("Advanced"))
    by_kind = {"RandomWithOnlyX": questions, "Advanced": entries(advanced.get("RandomSubSet")).values()}
    drawn = frozenset(text_of(name) for name in by_kind.get(kind, ()))
    said = text_of(advanced.get("TotalRandSubset")) or text_of(order.get("TotalRandSubset"))
    n_drawn = int(said) if said.isascii() and said.isdigit() and len(said) < 5 else len(drawn)
    never = entries(advanced.get("Undisplayed")).values() if kind == "Advanced" else ()
    some = drawn if n_drawn < len(drawn) else frozenset[str]()
    return _Chance(len(questions) > 1, n_drawn, some, frozenset(text_of(name) for name in never))


def _blocks(payload: Any) -> Iterator[Any]:
    """Yield the blocks of an element: all of them, or the one that it is."""
    if isinstance(payload, dict) and "BlockElements" in payload:
        yield payload
    else:
        yield from entries(payload).values()


def _operands(logic: Any) -> Iterator[str]:
    """Yield the ids of the questions that a logic asks, "" for each condition on something else."""
    for name, member in entries(logic).items():
        if isinstance(member, dict | list):
            yield from _operands(member)
        elif name in _LOCATORS:
            yield from _ID.findall(text_of(member))
        elif name == "LogicType" and member != "Question":
            yield ""
