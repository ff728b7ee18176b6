"""What people answer to one question, whose true shares are known: it draws answers as devices encode them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Encoded = NDArray[Any]
"""Answers as mechanisms take them: shape (n,), or (n, n_options) of any-of."""


class Answers(ABC):
    """One question's answers. `labels` names those that are estimated; of a number question there are none.

    `expected`, shape (k,): the share of people that each label is true of; of numbers, the share of each number.
    """

    labels: tuple[str, ...]

    @property
    @abstractmethod
    def expected(self) -> Floats:
        """What is true of a population, label by label or number by number."""

    @abstractmethod
    def draw(self, n_people: int, people: np.random.Generator) -> Encoded:
        """Draw so many people's answers, each person's by itself."""

    @abstractmethod
    def add_up(self, answers: Encoded) -> Floats:
        """Return the sum over people of what `expected` is the mean of."""

    @abstractmethod
    def chances(self, answers: Encoded, of_label: Mapping[str, float]) -> Floats:
        """Return a probability for each person, by the labels that are true of them; of several, that any happens."""


@dataclass(frozen=True)
class Choice(Answers):
    """One value of several, such as yes or no, an option: `values[i]` is the answer of a share `shares[i]`.

    `names[i]` is what it is called; `labels` are the first of the names.
    """

    names: tuple[str, ...]
    values: Encoded
    shares: Floats
    labels: tuple[str, ...]

    @property
    def expected(self) -> Floats:
        return self.shares[: len(self.labels)]

    def draw(self, n_people: int, people: np.random.Generator) -> Encoded:
        return self.values[pick(self.shares, n_people, people)]

    def add_up(self, answers: Encoded) -> Floats:
        counts = np.bincount(answers, minlength=len(self.values))
        return np.asarray(counts[self.values[: len(self.labels)]], np.float64)

    def chances(self, answers: Encoded, of_label: Mapping[str, float]) -> Floats:
        of_value = np.zeros(len(self.values))
        for name, chance in of_label.items():
            of_value[self.values[self.names.index(name)]] = chance
        return np.asarray(of_value[answers])


@dataclass(frozen=True)
class Numbers(Answers):
    """A number of a range: `numbers[i]`, i steps above the least, is the answer of a share `shares[i]`."""

    numbers: Floats
    shares: Floats
    labels: tuple[str, ...] = ()

    @property
    def expected(self) -> Floats:
        return self.shares

    def draw(self, n_people: int, people: np.random.Generator) -> Encoded:
        return pick(self.shares, n_people, people)

    def add_up(self, answers: Encoded) -> Floats:
        return np.bincount(answers, minlength=len(self.shares)).astype(np.float64)

    def chances(self, answers: Encoded, of_label: Mapping[str, float]) -> Floats:
        return np.zeros(len(answers))


class Rows(Answers):
    """Some of several options: a row of zeros and ones a person."""

    def add_up(self, answers: Encoded) -> Floats:
        return np.asarray(answers.sum(axis=0), np.float64)

    def chances(self, answers: Encoded, of_label: Mapping[str, float]) -> Floats:
        kept = 1 - np.array([of_label.get(label, 0.0) for label in self.labels])
        return np.asarray(1 - np.where(answers, kept, 1.0).prod(axis=1))


@dataclass(frozen=True)
class Selections(Rows):
    """Some of several options: row `rows[i]` of zeros and ones is the answer of a share `shares[i]`."""

    labels: tuple[str, ...]
    rows: Encoded
    shares: Floats

    @property
    def expected(self) -> Floats:
        return np.asarray(self.shares @ self.rows)

    def draw(self, n_people: int, people: np.random.Generator) -> Encoded:
        return self.rows[pick(self.shares, n_people, people)]


@dataclass(frozen=True)
class Options(Rows):
    """Some of several options, each of a share of its own; at most `most` of them, to which the shares may add up.

    Where all may be selected, they are independent. Else they are drawn systematically (Madow 1949): that keeps every
    share, and nobody selects more than the sum of the shares, rounded up.
    """

    labels: tuple[str, ...]
    shares: Floats
    most: int

    @property
    def expected(self) -> Floats:
        return self.shares

    def draw(self, n_people: int, people: np.random.Generator) -> Encoded:
        if self.most == len(self.labels):
            return people.random((n_people, len(self.labels))) < self.shares
        ends = people.random((n_people, 1)) + np.concatenate([[0.0], np.cumsum(self.shares)])
        chosen: Encoded = np.diff(np.floor(ends), axis=1) > 0
        chosen[chosen.sum(axis=1) > self.most] = False  # by a rounding error: next to never
        return chosen


@dataclass(frozen=True)
class Strings(Answers):
    """An open answer: `labels[i]` of a share `shares[i]`; of all others everybody types one that nobody else does."""

    labels: tuple[str, ...]
    shares: Floats

    @property
    def expected(self) -> Floats:
        return self.shares

    def draw(self, n_people: int, people: np.random.Generator) -> Encoded:
        place = pick(np.append(self.shares, 0), n_people, people)
        drawn: Encoded = np.array([*self.labels, ""], object)[place]
        others = np.flatnonzero(place == len(self.labels))
        drawn[others] = [f"other {number:016x}" for number in people.integers(2**63, size=len(others)).tolist()]
        return drawn

    def add_up(self, answers: Encoded) -> Floats:
        return np.array([np.count_nonzero(answers == label) for label in self.labels], np.float64)

    def chances(self, answers: Encoded, of_label: Mapping[str, float]) -> Floats:
        return np.array([of_label.get(answer, 0.0) for answer in answers.tolist()])


def pick(shares: Floats, n_people: int, people: np.random.Generator) -> NDArray[np.intp]:
    """Draw so many places of shares that add up to 1, each as likely as its share; what they miss is the last one's."""
    return np.searchsorted(np.cumsum(shares)[:-1], people.random(n_people), side="right")
