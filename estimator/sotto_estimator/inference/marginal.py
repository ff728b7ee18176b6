"""Marginal: an item of questions that are asked together, taken by itself: its answers are sums over combinations."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from sotto_protocol import Question, Survey, Tally
from sotto_protocol.counted import Counted
from sotto_protocol.questions.joint import Joint


@dataclass(frozen=True, kw_only=True)
class Marginal(Question):
    """One item as a question of its own: `places` has the joint questions that it is in, and its place among the items.

    Its mechanism and epsilon are those of the first of them.
    """

    places: tuple[tuple[Question, int], ...]

    def cells(self, joint: Question, place: int) -> list[list[int]]:
        """Return the combinations that have each of its labels, in the order of `labels`."""
        kind = cast(Joint, joint.kind)
        answers = np.unravel_index(np.arange(len(kind.options)), kind.sizes)[place]
        return [np.flatnonzero(answers == number).tolist() for number in self.numbers]

    @property
    def numbers(self) -> range:
        """The numbers of its labels among its answers: of yes-no, yes alone."""
        return range(len(self.kind.answers) - len(self.labels), len(self.kind.answers))


def marginals_of(survey: Survey) -> tuple[Marginal, ...]:
    """Return a survey's items that are asked together with others, each once."""
    places: dict[str, list[tuple[Question, int]]] = {}
    for question in survey.questions:
        if isinstance(question.kind, Joint):
            for place, item in enumerate(question.kind.items):
                places.setdefault(item.id, []).append((question, place))
    return tuple(_marginal(item_id, listed) for item_id, listed in places.items())


def estimated_of(survey: Survey) -> Iterator[Question]:
    """Yield the questions whose figures are estimated: the survey's, and behind joint ones their items, each once."""
    marginals, told = {one.id: one for one in marginals_of(survey)}, set[str]()
    for question in survey.questions:
        yield question
        if isinstance(question.kind, Joint):
            yield from (marginals[item.id] for item in question.kind.items if item.id not in told)
            told |= {item.id for item in question.kind.items}


def counted_of(tally: Tally, question: Question) -> Counted:
    """Return how many reports answer a question of `estimated_of`."""
    if not isinstance(question, Marginal):
        return tally.counted(question.id)
    first, *others = (tally.counted(joint.id) for joint, _ in question.places)
    return sum(others, first)


def marginal_in(joint: Question, item_id: str) -> Marginal:
    """Return an item of a joint question, taken from it alone."""
    (place,) = (place for place, item in enumerate(joint.items) if item.id == item_id)
    return _marginal(item_id, [(joint, place)])


def n_times_asked(question: Question) -> int:
    """Return how many of a survey's questions ask it: of an item, so many joint ones."""
    return len(question.places) if isinstance(question, Marginal) else 1


def _marginal(item_id: str, places: Sequence[tuple[Question, int]]) -> Marginal:
    joint, place = places[0]
    item = joint.items[place]
    return Marginal(
        id=item_id,
        kind=item.kind,
        text=item.text,
        skip=item.skip,
        want=item.want,
        section=item.section,
        mechanism=joint.mechanism,
        epsilon=joint.epsilon,
        epsilon_forever=joint.epsilon_forever,
        places=tuple(places),
    )
