"""The sides of a joint table: questions, or options of any-of questions, with the categories of their answers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import and_
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import shares_of
from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.inference.marginal import Marginal, estimated_of, marginals_of
from sotto_estimator.inference.registry import find, share_channel
from sotto_estimator.likelihood.latent_classes import Floats
from sotto_estimator.shares.covariance import covariance_of
from sotto_estimator.strings.bloom_likelihood import OTHER, misfit, text_likelihood
from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.sketch_likelihood import sketch_likelihood
from sotto_protocol import Question, Survey
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.mechanism import Bytes, ChoiceMechanism, SelectionMechanism
from sotto_protocol.mechanisms.padded_subset import PaddedSubset
from sotto_protocol.mechanisms.sketch.response import SketchResponse
from sotto_protocol.questions.joint import Joint
from sotto_protocol.text import normalise
from sotto_protocol.words import counted

YES_NO = ("yes", "no")
Strings = CandidateMap | Sequence[str]
Candidates = Mapping[str, Strings]
"""The strings of text questions, by id."""


@dataclass(frozen=True, slots=True)
class TableAxis(ABC):
    """One side of a joint table: a question, or one option of an any-of question, and its categories."""

    name: str
    question: Question
    likelihood_unit: ClassVar[float] = 1.0
    """The probability that a likelihood of 1 stands for, where that is the same of all reports; else 1."""
    is_open: ClassVar[bool] = False
    """Whether its categories were listed by who asks, and the last of them is all others."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The categories."""

    def narrow(self, column: Bytes) -> Bytes:
        """Return the part of the question's packed reports that speaks of the side, shape (n, n_bytes)."""
        return column

    @abstractmethod
    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        """Return P(report | category) but for a factor of the report, shape (n, n_categories); reports of `narrow`."""

    @property
    def shared(self) -> str:
        """What names the noise that a side has in common with others: "" if it has noise of its own."""
        return ""

    def misfit(self, reports: Bytes, counts: NDArray[np.int64], shares: Floats) -> float | None:
        """Return by how many times counted reports vary more about a fit's shares than noise; None if it is unknown."""
        return None


@dataclass(frozen=True, slots=True)
class AnswerAxis(TableAxis):
    """The answers to a question that takes one."""

    mechanism: ChoiceMechanism

    @property
    def labels(self) -> tuple[str, ...]:
        return YES_NO if len(self.question.labels) == 1 else self.question.labels

    @property
    def likelihood_unit(self) -> float:  # type: ignore[override]  # of each mechanism its own
        return self.mechanism.likelihood_unit

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        return self.mechanism.likelihood(reports)


class SharedAxis(TableAxis):
    """A side whose noise others have in common: the cells of their table are reported at once.

    `others`: such sides; cells are those of this side and then of the others, the last varies fastest. `parts`: what
    reports say of each side, as `narrow` has it.
    """

    __slots__ = ()

    @property
    def shared(self) -> str:
        return self.question.id

    @abstractmethod
    def check_with(self, others: "Sequence[SharedAxis]") -> None:
        """Raise DomainError where their table has a cell that nobody can be in."""

    @abstractmethod
    def likelihood_with(self, parts: Sequence[Bytes], others: "Sequence[SharedAxis]") -> NDArray[np.floating]:
        """Return P(report | cell) but for a factor of the report, shape (n, n_cells)."""

    @abstractmethod
    def unbiased_cells(
        self, parts: Sequence[Bytes], counts: NDArray[np.number], others: "Sequence[SharedAxis]"
    ) -> Floats:
        """Return the unbiased shares of the cells, shape (n_cells,); `counts`: how often each report was made."""

    @abstractmethod
    def covariance_of_cells(self, cells: Floats, n: int, others: "Sequence[SharedAxis]") -> Floats:
        """Return the covariances of the unbiased shares of n reports whose true shares are `cells`."""


@dataclass(frozen=True, slots=True)
class ItemAxis(SharedAxis):
    """The answers to an item that is asked together with others: `question` is the joint one, `place` the item's in it.

    `labels` are in the table's order, `numbers` those of each among the item's answers.
    """

    place: int
    answers: tuple[str, ...]
    numbers: tuple[int, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        return self.answers

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        """Return the mean over the combinations that have an answer: what is known if these are reported alike.

        So it is that of how many combinations of each answer a report names, whatever the others are.
        """
        return self.likelihood_with([reports], [])

    def check_with(self, others: Sequence[SharedAxis]) -> None:
        """All combinations of items' answers can be."""

    def likelihood_with(self, parts: Sequence[Bytes], others: Sequence[SharedAxis]) -> NDArray[np.floating]:
        fold = self.fold_with(others)
        found: NDArray[np.floating] = self._choices.likelihood(parts[0]) @ (fold / fold.sum(axis=0))
        return found

    @property
    def _choices(self) -> ChoiceMechanism:
        return cast(ChoiceMechanism, self.question.mechanism)

    def unbiased_cells(
        self, parts: Sequence[Bytes], counts: NDArray[np.number], others: Sequence[SharedAxis]
    ) -> Floats:
        support = np.asarray(counts @ self._choices.supports(parts[0]), np.float64)
        found: Floats = self.fold_with(others).T @ shares_of(support, int(counts.sum()), share_channel(self._choices))
        return found

    def covariance_of_cells(self, cells: Floats, n: int, others: Sequence[SharedAxis]) -> Floats:
        fold = self.fold_with(others)
        spread = fold @ (cells / fold.sum(axis=0))
        found: Floats = fold.T @ covariance_of(self._choices, spread, n, "population") @ fold
        return found

    def fold_with(self, others: Sequence[SharedAxis]) -> Floats:
        """Return which of the joint question's combinations have which answers, shape (n_combinations, n_cells)."""
        kind = cast(Joint, self.question.kind)
        answers = np.unravel_index(np.arange(len(kind.options)), kind.sizes)
        fold = np.ones((len(kind.options), 1))
        for item in cast(list[ItemAxis], [self, *others]):
            has = answers[item.place][:, None] == np.array(item.numbers)
            fold = (fold[:, :, None] * has[:, None, :]).reshape(len(fold), -1)
        return fold


@dataclass(frozen=True, slots=True)
class OptionAxis(TableAxis):
    """Yes or no to one option of an any-of question, by its number."""

    mechanism: SelectionMechanism
    option: int

    @property
    def labels(self) -> tuple[str, ...]:
        return YES_NO

    def narrow(self, column: Bytes) -> Bytes:
        return self.mechanism.cut_value(column, self.option)

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        true, other = self.mechanism.prob_support_if_true, self.mechanism.prob_support_if_other
        return np.array([[1 - true, 1 - other], [true, other]])[reports[:, 0]]


@dataclass(frozen=True, slots=True)
class MemberAxis(OptionAxis, SharedAxis):
    """Yes or no to one option of a question whose options are reported as one set."""

    mechanism: PaddedSubset

    def check_with(self, others: Sequence[SharedAxis]) -> None:
        n_sides, most, weight = 1 + len(others), self.mechanism.max_selected, self.mechanism.weight
        if n_sides > weight:
            raise DomainError(
                f"a report of {self.question.id} has {weight} of its options and blanks, so no report shows how "
                f'{n_sides} options go together. With weight = {n_sides} or mechanism = "bit-flips" in the survey '
                "file, reports show it."
            )
        if n_sides > most:
            raise DomainError(
                f"{self.question.id} lets people select at most {counted(most, 'option')}, so nobody has all "
                f"{n_sides} of these. Ask for fewer of its options."
            )

    def likelihood_with(self, parts: Sequence[Bytes], others: Sequence[SharedAxis]) -> NDArray[np.floating]:
        return self._channel(len(parts))[_codes(parts)]

    def unbiased_cells(
        self, parts: Sequence[Bytes], counts: NDArray[np.number], others: Sequence[SharedAxis]
    ) -> Floats:
        channel = self._channel(len(parts))
        seen = np.bincount(_codes(parts), weights=counts, minlength=len(channel))
        found: Floats = np.linalg.solve(channel, seen / seen.sum())
        return found

    def covariance_of_cells(self, cells: Floats, n: int, others: Sequence[SharedAxis]) -> Floats:
        inverse = np.linalg.inv(self._channel(1 + len(others)))
        reported = np.linalg.solve(inverse, cells)
        found: Floats = inverse @ (np.diag(reported) - np.outer(reported, reported)) @ inverse.T / n
        return found

    def _channel(self, n_sides: int) -> Floats:
        """Return P(a set has just these of the options | which are selected), both with all of them first."""
        cells = [*product((True, False), repeat=n_sides)]
        return np.array(
            [
                [
                    float(self.mechanism.prob_of(n_sides, sum(has), sum(said), is_shared=any(map(and_, has, said))))
                    for has in cells
                ]
                for said in cells
            ]
        )


def _codes(parts: Sequence[Bytes]) -> NDArray[np.intp]:
    """Return the numbers of what sets have of some options: 0 all of them; the last option's bit is the lowest."""
    codes = np.zeros(len(parts[0]), np.intp)
    for bits in parts:
        codes = 2 * codes + (1 - bits[:, 0].astype(np.intp))
    return codes


@dataclass(frozen=True, slots=True)
class _StringAxis(TableAxis):
    """The strings of a text question that are told apart; what is none of them is `OTHER`."""

    strings: tuple[str, ...]
    is_open = True

    @property
    def labels(self) -> tuple[str, ...]:
        return (*self.strings, OTHER)


@dataclass(frozen=True, slots=True)
class SketchAxis(_StringAxis):
    """Strings by a sketch."""

    mechanism: SketchResponse

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        return sketch_likelihood(self.mechanism, reports, self.strings)


@dataclass(frozen=True, slots=True)
class FilterAxis(_StringAxis):
    """Strings by Bloom filters; `candidates`: their bits."""

    mechanism: BloomResponse
    candidates: CandidateMap

    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        return text_likelihood(self.mechanism, reports, self.candidates)

    @property
    def shared(self) -> str:
        """What names the noise that a side has in common with others: "" if it has noise of its own."""
        return ""

    def misfit(self, reports: Bytes, counts: NDArray[np.int64], shares: Floats) -> float:
        return misfit(self.mechanism, reports, counts, self.candidates, shares)


def read_sides(survey: Survey, names: Sequence[str], candidates: Candidates) -> list[TableAxis]:
    """Return the sides that two or three names stand for, QUESTION or QUESTION:OPTION. Raises DomainError."""
    if len(names) not in (2, 3) or len(set(names)) < len(names):
        raise DomainError("questions must be two or three different ones.")
    sides = [read_side(survey, name, candidates, names) for name in names]
    unused = candidates.keys() - {side.question.id for side in sides if side.is_open}
    if unused:
        raise DomainError(
            f"candidates are given for {', '.join(sorted(unused))}, which is not a text question of this table."
        )
    return sides


def read_side(survey: Survey, name: str, candidates: Candidates, beside: Sequence[str] = ()) -> TableAxis:
    """Return the side that a name stands for, QUESTION or QUESTION:OPTION. Raises DomainError.

    `beside`: the names of all sides: which of several pairs an item is taken from depends on them.
    """
    question_id, _, option = name.partition(":")
    known = {question.id: question for question in estimated_of(survey)}
    if question_id not in known:
        raise DomainError(f"question ({question_id!r:.80}) {one_of(known, question_id)}")
    question = known[question_id]
    if option and not question.mechanism.takes_rows:
        raise DomainError(f"question ({name!r:.80}) must not name an option: {question_id} takes one answer.")
    if isinstance(question, Marginal):
        return _item_side(question, [one for one in marginals_of(survey) if one.id in {name, *beside}])
    axis_of = find(question, "axis", DomainError)
    axis: TableAxis = axis_of(question, question.mechanism, name, option, candidates.get(question_id))
    return axis


def axis_of_answers(
    question: Question, mechanism: ChoiceMechanism, name: str, option: str, given: Strings | None
) -> TableAxis:
    """Return the side of a question that takes one answer."""
    return AnswerAxis(name, question, mechanism)


def _item_side(marginal: Marginal, beside: Sequence[Marginal]) -> ItemAxis:
    """Return the side of an item in the joint question that has all items `beside` it, or else in its only one."""
    ids = [{joint.id for joint, _ in one.places} for one in beside]
    common = set.intersection(*ids) if ids else set()
    found = [(joint, place) for joint, place in marginal.places if joint.id in common] or list(marginal.places)
    if len(found) > 1:
        raise DomainError(
            f"{marginal.id} is asked together with one question of several. Ask for it and one of these: a device "
            "answers no more of them."
        )
    (joint, place), *_ = found
    is_yes_no = len(marginal.labels) == 1
    answers = YES_NO if is_yes_no else marginal.labels
    numbers = (1, 0) if is_yes_no else tuple(range(len(answers)))
    return ItemAxis(marginal.id, joint, place, answers, numbers)


def axis_of_option(
    question: Question, mechanism: SelectionMechanism, name: str, option: str, given: Strings | None
) -> TableAxis:
    """Return the side of one option of an any-of question. Raises DomainError unless there is such an option."""
    return OptionAxis(name, question, mechanism, _place_of(question, option))


def axis_of_member(
    question: Question, mechanism: PaddedSubset, name: str, option: str, given: Strings | None
) -> TableAxis:
    """Return the same by a padded subset, whose options are reported in one set."""
    return MemberAxis(name, question, mechanism, _place_of(question, option))


def _place_of(question: Question, option: str) -> int:
    if option not in question.labels:
        listed = ", ".join(f"{question.id}:{each}" for each in question.labels[:8])
        raise DomainError(f"{question.id} takes several answers: ask for one option, {listed}.")
    return question.labels.index(option)


def axis_of_sketch(
    question: Question, mechanism: SketchResponse, name: str, option: str, given: Strings | None
) -> TableAxis:
    """Return the side of strings that are reported by a sketch. Raises DomainError."""
    strings = _normal(question, given)
    if not strings or len({*strings}) < len(strings):
        raise DomainError("strings must be one or more, all different.")
    return SketchAxis(name, question, strings, mechanism)


def axis_of_filter(
    question: Question, mechanism: BloomResponse, name: str, option: str, given: Strings | None
) -> TableAxis:
    """Return the side of strings that are reported by Bloom filters. Raises DomainError."""
    strings = _normal(question, given)
    candidates = given if isinstance(given, CandidateMap) else CandidateMap.of(strings, mechanism.design)
    if candidates.design != mechanism.design:
        raise DomainError("candidates are hashed for other parameters than the question's.")
    return FilterAxis(name, question, strings, mechanism, candidates)


def _normal(question: Question, given: Strings | None) -> tuple[str, ...]:
    if given is None:
        raise DomainError(f"give candidates for the text question {question.id}: its answers are not a fixed list.")
    return tuple(normalise(text) for text in (given.strings if isinstance(given, CandidateMap) else given))
