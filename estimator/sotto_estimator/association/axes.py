"""The sides of a joint table: questions, or options of any-of questions, with the categories of their answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.questions import is_number
from sotto_estimator.errors import DomainError
from sotto_estimator.strings.bloom_likelihood import OTHER, text_likelihood
from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.sketch_likelihood import sketch_likelihood
from sotto_protocol import Question, Survey
from sotto_protocol.mechanisms.asked_option import AskedOption
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.mechanism import Bytes, ChoiceMechanism, Mechanism, SelectionMechanism
from sotto_protocol.mechanisms.sketch.response import SketchResponse
from sotto_protocol.text import normalise

YES_NO = ("yes", "no")
Candidates = Mapping[str, CandidateMap | Sequence[str]]
"""The strings of text questions, by id."""


@dataclass(frozen=True, slots=True)
class TableAxis:
    """One side of a joint table: a question, or one option of an any-of question, and its categories.

    `option`: the number of the any-of question's option. `strings`: those of a text question that are told apart; what
    is none of them is `OTHER`. `candidates`: their bits, by RAPPOR.
    """

    name: str
    question: Question
    option: int | None = None
    strings: tuple[str, ...] | None = None
    candidates: CandidateMap | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The categories."""
        if self.strings is not None:
            return (*self.strings, OTHER)
        is_yes_no = self.option is not None or len(self.question.labels) == 1
        return YES_NO if is_yes_no else self.question.labels

    def narrow(self, column: Bytes) -> Bytes:
        """Return the part of the question's packed reports that speaks of the side, shape (n, n_bytes)."""
        if self.option is None:
            return column
        mechanism = self.question.mechanism
        return mechanism.cut_value(column, self.option) if isinstance(mechanism, SelectionMechanism) else column

    @property
    def likelihood_unit(self) -> float:
        """The probability that a likelihood of 1 stands for, where that is the same of all reports; else 1."""
        mechanism = self.question.mechanism
        return mechanism.likelihood_unit if isinstance(mechanism, ChoiceMechanism) else 1.0

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        """Return P(report | category) but for a factor of the report, shape (n, n_categories); reports of `narrow`.

        Raises DomainError for a mechanism whose likelihood is not known.
        """
        mechanism = self.question.mechanism
        if self.candidates is not None and isinstance(mechanism, BloomResponse):
            return text_likelihood(mechanism, reports, self.candidates)
        if self.strings is not None and isinstance(mechanism, SketchResponse):
            return sketch_likelihood(mechanism, reports, self.strings)
        if self.option is not None and isinstance(mechanism, SelectionMechanism):
            return mechanism.of_value(self.option).likelihood(reports)
        if self.option is None and isinstance(mechanism, ChoiceMechanism):
            return mechanism.likelihood(reports)
        raise _unknown(mechanism)


def read_sides(survey: Survey, names: Sequence[str], candidates: Candidates) -> list[TableAxis]:
    """Return the sides that two or three names stand for, QUESTION or QUESTION:OPTION. Raises DomainError."""
    if len(names) not in (2, 3) or len(set(names)) < len(names):
        raise DomainError("questions must be two or three different ones.")
    sides = [read_side(survey, name, candidates) for name in names]
    unused = candidates.keys() - {side.question.id for side in sides if side.strings is not None}
    if unused:
        raise DomainError(f"candidates are given for {', '.join(sorted(unused))}: no text question that is asked for.")
    return sides


def read_side(survey: Survey, name: str, candidates: Candidates) -> TableAxis:
    """Return the side that a name stands for, QUESTION or QUESTION:OPTION. Raises DomainError."""
    question_id, _, option = name.partition(":")
    known = {question.id: question for question in survey.questions}
    if question_id not in known:
        raise DomainError(f"question ({question_id!r:.80}) must be one of {', '.join(known)}.")
    question = known[question_id]
    mechanism = question.mechanism
    if isinstance(mechanism, SelectionMechanism):
        if option not in question.labels:
            listed = ", ".join(f"{question_id}:{each}" for each in question.labels[:8])
            raise DomainError(f"{question_id} takes several answers: ask for one option, {listed}.")
        return TableAxis(name, question, option=question.labels.index(option))
    if isinstance(mechanism, AskedOption):
        raise DomainError(
            f"{question_id} asks each device one option (asked-option): no report says how options go together, and "
            'it cannot be associated. mechanism = "bit-flips" in the survey file asks all of them.'
        )
    if option:
        raise DomainError(f"question ({name!r:.80}) must not name an option: {question_id} takes one answer.")
    if isinstance(mechanism, ChoiceMechanism):
        return TableAxis(name, question)
    if is_number(question):
        raise DomainError(f"{question_id} asks for numbers: a joint table is of answers that can be listed.")
    if not isinstance(mechanism, BloomResponse | SketchResponse):
        raise _unknown(mechanism)
    if question_id not in candidates:
        raise DomainError(f"candidates of the text question {question_id} must be given: its answers are open.")
    given = candidates[question_id]
    strings = [normalise(text) for text in (given.strings if isinstance(given, CandidateMap) else given)]
    if isinstance(mechanism, SketchResponse):
        if not strings or len({*strings}) < len(strings):
            raise DomainError("strings must be one at least, and differ from one another.")
        return TableAxis(name, question, strings=tuple(strings))
    return TableAxis(name, question, strings=tuple(strings), candidates=_read_map(mechanism, given, strings))


def _read_map(mechanism: BloomResponse, given: CandidateMap | Sequence[str], strings: Sequence[str]) -> CandidateMap:
    if not isinstance(given, CandidateMap):
        return CandidateMap.of(strings, mechanism.design)
    if given.design != mechanism.design:
        raise DomainError("candidates are hashed for other parameters than the question's.")
    return given


def _unknown(mechanism: Mechanism) -> DomainError:
    return DomainError(
        f"mechanism ({mechanism.name!r}) must be one whose likelihood is known, or it cannot be associated."
    )
