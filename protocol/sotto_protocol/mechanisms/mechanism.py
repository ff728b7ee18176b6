"""A mechanism: a channel from true answers to noisy reports, and all that is pure about it.

A report is a row of bytes, `n_bytes` wide: the code that perturbs one answer perturbs a million. It *supports* a set of
values. Of a *pure* mechanism (Wang et al. 2017) an estimator needs two probabilities: of supporting the value that is
the answer, `prob_support_if_true`, and one that is not, `prob_support_if_other`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.bounds import multiply_above
from sotto_protocol.coins import Coins
from sotto_protocol.documents import Fields
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.columns import LabelledColumn, numbers_of
from sotto_protocol.told_apart import Outcomes, in_favour, of_epsilon

Bytes = NDArray[np.uint8]
"""Reports: shape (n, n_bytes)."""
Counts = NDArray[np.int64]
"""Support counts: shape (n_values,), or as `Mechanism.counts_shape` says."""
Ends = tuple[int | Decimal, int | Decimal]
"""The least and the greatest number that may be answered."""

MAX_VALUES = 2**16
"""The most values that a mechanism can have: an option's number fits in two bytes."""
COINS_PER_CHUNK = 2**18
"""Bulk work is cut so that a chunk's coins stay in the processor's cache; it bounds memory too."""


class Part(NamedTuple):
    """A piece of a packed report, as a column of an archive: `n_bytes`, a number (big-endian, of 1 or 2) or bits."""

    name: str
    n_bytes: int
    is_number: bool


Chances = NDArray[np.float64]
"""Probabilities, which add up to 1."""


class Mechanism(ABC):
    """A frozen value that says how an answer is perturbed, what reports mean, and how to put both into words.

    A report can support `n_values` values. `epsilon` is in nats, for one report, and never below what the thresholds
    take.
    """

    __slots__ = ()

    name: str
    n_values: int
    takes_rows: ClassVar[bool] = False
    """Whether an answer is a row of n_values zeros and ones (any-of) instead of one number."""

    @property
    @abstractmethod
    def epsilon(self) -> Decimal:
        """The privacy loss of one report, in nats, rounded up."""

    @property
    @abstractmethod
    def n_bytes(self) -> int:
        """The width of a packed report."""

    @abstractmethod
    def parameters(self) -> dict[str, int]:
        """Return what a survey publishes of it, by name: the thresholds, out of 2**32, and any limit."""

    @classmethod
    @abstractmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        """Read what `parameters` gave for `n_options` options. Return it and n_values. Raises the fields' error."""

    @abstractmethod
    def check_design(self) -> None:
        """Raise ValueError unless the thresholds have the form that the mechanism's name promises."""

    @property
    def has_two_stages(self) -> bool:
        """Whether permanent responses go through fresh coins in every report."""
        return False

    @property
    def max_selected(self) -> int:
        """How many values one answer may have."""
        return self.n_values if self.takes_rows else 1

    @property
    def epsilon_forever(self) -> Decimal:
        """The privacy loss of all reports of one answer together. With one stage it is that of the one report."""
        return self.epsilon

    def epsilon_of(self, n_reports: int, declared: Decimal) -> Decimal:
        """Return an upper bound of the privacy loss of `n_reports` reports of one answer.

        `declared` is that of one report, at least `epsilon`. `epsilon_forever` is an upper bound too. Reports share the
        permanent response, so with two stages their epsilons do not add up. Such a mechanism says here what they take.
        """
        return multiply_above(n_reports, declared)

    def told_apart(self) -> Outcomes:
        """Return what a report shows of the two answers that it separates best in any group, or epsilon's bound."""
        return of_epsilon(self.epsilon)

    def speaks_for_answer(self) -> tuple[float, float]:
        """Return P(report speaks for an answer), for people who gave that answer and for people who gave another."""
        return in_favour(self.told_apart())

    @property
    def epsilon_of_neighbours(self) -> Decimal | None:
        """The privacy loss of one report between two adjacent answers; None if no answers are adjacent."""
        return None

    @property
    def shown_change(self) -> tuple[int, Fraction] | None:
        """How many steps answers may lie apart over waves, and how likely reports then show a change, at most.

        None if answers have no steps, or if any change may show.
        """
        return None

    @property
    def names_one(self) -> bool:
        """Whether a report speaks for exactly one answer, and all other answers make it equally likely."""
        return False

    def union_chances(self, n_values: int) -> tuple[Chances, Chances] | None:
        """Return the probabilities that a report supports 0, 1, 2 .. of n_values values.

        First those if the answer is one of these values, then those if it is not. None where that depends on which
        values they are, or an answer is no single value.
        """
        return None

    @property
    def sums_to_one(self) -> bool:
        """Whether exactly one value is true for each person, so that the true shares add up to 1."""
        return False

    @property
    def n_outputs(self) -> int:
        """How many different reports there are if a report is one number, else 0."""
        return 0

    def numbers(self, reports: Bytes) -> NDArray[Any]:
        """Return packed reports as numbers in [0, n_outputs), shape (n,); shape (0,) if they are not numbers."""
        return np.empty(0, np.int64)

    def count_outputs(self, reports: Bytes) -> Counts:
        """Count the reports of each number, shape (n_outputs,)."""
        return np.empty(0, np.int64)

    @property
    def n_blocks(self) -> int:
        """How many blocks of n_values bits a report has after its group. Each bit may be 0 or 1."""
        return 0

    @property
    def group_bytes(self) -> int:
        """How many bytes at the start of a packed report name the device's group, which is its cohort."""
        return 0

    @property
    def counts_shape(self) -> tuple[int, ...]:
        """The shape of `count_support`'s counts."""
        return (self.n_values,)

    @property
    def has_cohorts(self) -> bool:
        """Whether support is counted by cohort. Each cohort has a row, which begins with its number of reports."""
        return False

    @property
    def needs_records(self) -> bool:
        """Whether an estimate needs the reports themselves, because counts of them are not enough."""
        return False

    @property
    def asks_some(self) -> bool:
        """Whether a device draws some values and is asked only these. Support is then counted by value."""
        return False

    @property
    def n_asked(self) -> int:
        """How many rows of counts a report adds to, if it has cohorts."""
        return 1

    @property
    def one_in(self) -> Fraction:
        """One device in this many is asked a given value."""
        return Fraction(self.n_values, self.n_asked) if self.asks_some else Fraction(1)

    @property
    def finds_unlisted(self) -> bool:
        """Whether strings that nobody lists can be found: from reports if it `needs_records`, else from counts."""
        return self.needs_records

    def asked_values(self, group: Bytes) -> NDArray[np.intp] | None:
        """Return the values that each device is asked, by its group, ascending, shape (n, n_asked). None: all."""
        return None

    def true_values(self, answers: NDArray[Any]) -> NDArray[np.bool_] | None:
        """Return which values are true of each answer, shape (n, n_values). None if values are not true or false."""
        return None

    def telling_count(self) -> tuple[float, float] | None:
        """Return P(a report is counted) under each of two answers, for the count that separates them best.

        It must be a count that anybody can make without knowing whose the reports are. None if no such count is known.
        """
        return None

    def perturb(self, answers: ArrayLike, coins: Coins) -> Bytes:
        """Perturb n people's answers into n reports, shape (n, n_bytes); each takes at most `epsilon`.

        It goes through both stages, if there are two, with a group drawn for each person, as n devices do. Raises
        AnswerError if an answer is outside the domain, before any coin is drawn.
        """
        settled = self.settle(answers, coins)
        rows = self._place(settled, self.draw_group(len(settled), coins))
        return self._in_chunks(rows, lambda chunk: self._report_rows(self._respond_rows(chunk, coins), coins))

    def settle(self, answers: ArrayLike, coins: Coins) -> NDArray[Any]:
        """Return what gets the noise: the answers, or for numbers their levels, by coins that a device keeps for good.

        Raises AnswerError if an answer is outside the domain, before any coin is drawn.
        """
        return self._check_answers(answers)

    def draw_group(self, n_devices: int, coins: Coins) -> Bytes:
        """Draw n devices' groups, shape (n, group_bytes). A device draws once, whatever it answers."""
        return np.empty((n_devices, 0), np.uint8)

    def respond_permanently(self, settled: ArrayLike, group: Bytes, coins: Coins) -> Bytes:
        """Return n permanent responses, shape (n, n_bytes), of what is settled. Raises AnswerError."""
        rows = self._place(self._check_settled(settled), group)
        return self._in_chunks(rows, lambda chunk: self._respond_rows(chunk, coins))

    def report(self, permanent: Bytes, coins: Coins) -> Bytes:
        """Return reports of permanent responses, both of shape (n, n_bytes), by fresh coins: the instantaneous stage.

        A mechanism of one stage reports the permanent response itself.
        """
        return self._in_chunks(permanent, lambda chunk: self._report_rows(chunk, coins))

    def perturb_by_stages(self, settled: ArrayLike, group: Bytes, permanent: Coins, fresh: Coins) -> Bytes:
        """Return n reports, shape (n, n_bytes), by the coins of both stages, as devices do in each wave."""
        return self.report(self.respond_permanently(settled, group, permanent), fresh)

    def _in_chunks(self, rows: NDArray[Any], work: Callable[[NDArray[Any]], Bytes]) -> Bytes:
        step = max(1, COINS_PER_CHUNK // self._coins_per_answer)
        if len(rows) <= step:
            return work(rows)
        return np.concatenate([work(rows[start : start + step]) for start in range(0, len(rows), step)])

    @property
    def _coins_per_answer(self) -> int:
        return self.n_values

    @abstractmethod
    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        """Return the answers as an array of n rows. Raises AnswerError where one is outside the domain."""

    def _check_settled(self, settled: ArrayLike) -> NDArray[Any]:
        """Return what is settled as an array of n rows. Raises AnswerError."""
        return self._check_answers(settled)

    def _place(self, answers: NDArray[Any], group: Bytes) -> NDArray[Any]:
        """Return n rows of numbers that say what is true of n people in their groups."""
        return answers

    @abstractmethod
    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        """Return a chunk's permanent responses."""

    def _report_rows(self, permanent: Bytes, coins: Coins) -> Bytes:
        """Return a chunk's reports."""
        return permanent

    @abstractmethod
    def check_counts(self, counts: Counts, n_reports: int) -> None:
        """Raise ValueError, with the domain, unless n reports can have these counts. All are in [0, n_reports]."""

    @abstractmethod
    def count_support(self, reports: Bytes) -> Counts:
        """Count for every value the reports that support it, shape `counts_shape`."""

    @property
    def prob_implausible(self) -> float:
        """An upper bound of P(`count_implausible` counts an honest report), whatever the answer. 0 means never."""
        return 0.0

    def count_implausible(self, reports: Bytes) -> int:
        """Count the reports that honest devices hardly produce, each with at most `prob_implausible`, below 1e-6.

        Somebody who sends reports that no answer produced shows up here, unless the reports look honest. 0 means that
        every report is plausible.
        """
        return 0

    @abstractmethod
    def to_wire(self, report: Bytes) -> Any:
        """Return one packed report, shape (n_bytes,), as the JSON value that is sent.

        If it has an object or a colon in it, a collector searches each body for doubled members. That takes longer.
        """

    @abstractmethod
    def parts(self) -> list[Part]:
        """Return what a packed report is made of, in the order of its bytes."""

    def columns(
        self, key: str, reports: Bytes, labels: tuple[str, ...], ends: tuple[float, float]
    ) -> Iterator[LabelledColumn]:
        """Yield packed reports as columns in the words of their question, by default each part as it is stored.

        `key` is the question's id, `ends` the least and the greatest number that may be answered. Raises ReportError
        for an impossible report.
        """
        start = 0
        for part in self.parts():
            piece = np.ascontiguousarray(reports[:, start : start + part.n_bytes])
            values = numbers_of(piece) if part.is_number else piece.view(f"V{part.n_bytes}")[:, 0]
            yield LabelledColumn(f"{key}.{part.name}", values)
            start += part.n_bytes

    def longest_report(self) -> Bytes:
        """Return a packed report, shape (n_bytes,), whose JSON is at least as long as that of any other."""
        return np.zeros(self.n_bytes, np.uint8)

    @abstractmethod
    def from_wire(self, values: Sequence[Any]) -> Bytes:
        """Pack n JSON values, shape (n, n_bytes). Raises `BadValueError` at the first impossible one."""

    @abstractmethod
    def supported(self, report: Bytes) -> list[int]:
        """Return the values that one packed report, shape (n_bytes,), supports."""

    @abstractmethod
    def decode(self, report: Bytes, labels: Sequence[str]) -> Any:
        """Return what one packed report, shape (n_bytes,), says, in the labels of the values if there are any."""

    @abstractmethod
    def what_happens(self, language: Language = ENGLISH) -> str:
        """Return a few sentences on how an answer is reported."""

    @abstractmethod
    def in_short(self, language: Language = ENGLISH) -> str:
        """Return one line on what a device does to an answer, in all stages together."""

    def what_happens_between(self, ends: Ends, language: Language = ENGLISH) -> str:
        """Return `what_happens`, of numbers from the least to the greatest that may be answered in these numbers."""
        return self.what_happens(language)

    def in_short_between(self, ends: Ends, language: Language = ENGLISH) -> str:
        """Return `in_short`, of numbers from the least to the greatest that may be answered in these numbers."""
        return self.in_short(language)


class PureMechanism(Mechanism):
    """A mechanism whose reports support each value with one of two probabilities, by whether it is the answer."""

    __slots__ = ()

    @property
    @abstractmethod
    def prob_support_if_true(self) -> float:
        """P(report supports v | answer is v)."""

    @property
    @abstractmethod
    def prob_support_if_other(self) -> float:
        """P(report supports v | answer is not v)."""

    @property
    def prob_support_if_kept(self) -> tuple[float, float]:
        """P(report supports v) if the permanent response does, and if not; given it, reports must be independent."""
        return 1.0, 0.0

    @property
    def n_true(self) -> tuple[int, int] | None:
        """The fewest and the most values that are true of a person, where a coin of its own is flipped for each."""
        return None

    @property
    def prob_support_both(self) -> tuple[float, float] | None:
        """P(report supports v and w) if the answer is v or w, and if it is neither; None where that is not all.

        Of answers that are one value each.
        """
        return None

    def speaks_for_answer(self) -> tuple[float, float]:
        return self.prob_support_if_true, self.prob_support_if_other

    def true_values(self, answers: NDArray[Any]) -> NDArray[np.bool_]:
        if self.takes_rows:
            return answers.astype(np.bool_)
        values = np.array([1]) if self.n_values == 1 else np.arange(self.n_values)
        is_true: NDArray[np.bool_] = answers[:, None] == values
        return is_true

    def telling_count(self) -> tuple[float, float]:
        """How many reports support a value, of those who have it and of those who do not."""
        return self.prob_support_if_true / self.one_in, self.prob_support_if_other / self.one_in

    def supports(self, reports: Bytes) -> NDArray[np.bool_]:
        """Return which values each report supports, shape (n, n_values). Raises ReportError for one that cannot be."""
        found = np.zeros((len(reports), self.n_values), np.bool_)
        for row, report in zip(found, reports, strict=True):
            row[self.supported(report)] = True
        return found

    def columns(
        self, key: str, reports: Bytes, labels: tuple[str, ...], ends: tuple[float, float]
    ) -> Iterator[LabelledColumn]:
        """Yield a column a value: whether a report speaks for it."""
        for label, bits in zip(labels, self.supports(reports).T, strict=True):
            yield LabelledColumn(f"{key}:{label}", bits)

    def decode(self, report: Bytes, labels: Sequence[str]) -> Any:
        """Return the labels of the values that one packed report, shape (n_bytes,), supports."""
        return [labels[value] for value in self.supported(report)]

    @property
    def usual_share(self) -> float:
        """The share that every value is taken to have: of any-of as if people selected half of what they may."""
        return self.max_selected / (2 * self.n_values) if self.takes_rows else 1 / self.n_values

    @property
    def report_variance(self) -> float:
        """The mean variance, by a device's noise, of one report's debiased shares; of one-of whatever is true.

        Of any-of it is that of `usual_share`.
        """
        true, other = self.prob_support_if_true, self.prob_support_if_other
        share = self.usual_share
        noise = share * true * (1 - true) + (1 - share) * other * (1 - other)
        return noise / (true - other) ** 2


class ChoiceMechanism(PureMechanism):
    """A pure mechanism for answers that are one value each: one of several options, or yes or no."""

    __slots__ = ()

    @property
    def sums_to_one(self) -> bool:
        return self.n_values > 1

    @abstractmethod
    def likelihood(self, reports: Bytes) -> NDArray[np.floating]:
        """Return P(report | answer) but for a factor of the report, shape (n, n_answers): of each value; or yes, no."""

    @property
    def likelihood_unit(self) -> float:
        """The probability that a likelihood of 1 stands for, where that is the same of all reports."""
        return 1.0

    @property
    def n_drawn(self) -> int | None:
        """Options of a report, drawn uniformly among those with the answer and those without; 0: each has its own coin.

        None: nothing of that kind is known.
        """
        return 1 if self.names_one else None


class SelectionMechanism(PureMechanism):
    """A pure mechanism for answers that are rows of values, whose report begins with a bit for each of them."""

    __slots__ = ()
    takes_rows: ClassVar[bool] = True

    def cut_value(self, reports: Bytes, value: int) -> Bytes:
        """Return the bit of n packed reports that speaks of one value, shape (n, 1)."""
        byte, bit = divmod(value, 8)
        chosen: Bytes = reports[:, byte : byte + 1] >> np.uint8(bit) & np.uint8(1)
        return chosen
