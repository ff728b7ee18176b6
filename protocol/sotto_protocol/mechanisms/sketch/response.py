"""A sketch of strings: in the device's cohort a string is one of a few buckets, reported by projective geometry.

The count mean sketch (Apple's Differential Privacy Team 2017) with the best response of one of many in place of its
bits: what local hashing (Wang et al. 2017) is to a single question. Packed, a report is its cohort (2 big-endian
bytes), then the number of a point, as `GeometryResponse` has it. Counted is which points were sent, cohort by cohort:
which buckets they support is for who estimates to compute (`SketchResponse.support`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field as dataclass_field
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.cohorts import MAX_COHORTS
from sotto_protocol.coins import Coins
from sotto_protocol.documents import Fields
from sotto_protocol.errors import ReportError
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.checks import BadValueError, check_integer, check_texts
from sotto_protocol.mechanisms.geometry import GeometryResponse, check_space, n_points
from sotto_protocol.mechanisms.mechanism import Bytes, Counts, Mechanism, Part
from sotto_protocol.mechanisms.ones import cut_bytes
from sotto_protocol.mechanisms.sketch.hash import buckets, string_number
from sotto_protocol.text import MAX_ANSWER_CHARACTERS, normalise
from sotto_protocol.told_apart import Outcomes
from sotto_protocol.words import times_above, times_below

MAX_COUNTS = 2**18
"""The most points of all cohorts together: a tally counts each, and every commit of reports writes it anew."""
MAX_PREFIXES = 16
COHORT_BYTES = 2


@dataclass(frozen=True)
class SketchResponse(Mechanism):
    """Text: the bucket of a string in the device's cohort, by `geometry`. Answers: strings (`sotto_protocol.text`).

    `field` and `dimension` are the space's; it has `n_values` points, which are the buckets and the reports.
    `n_cohorts` in [1, 1024], at most 2**18 points in all. `prefix_lengths`, ascending, where strings that nobody lists
    shall be found: cohort c then reports the first prefix_lengths[c mod their number] characters, and n_cohorts is a
    multiple of it; a shorter string stands for itself. The cohort is drawn once for a device and sent in clear: it
    says nothing of the answer.
    """

    name: str
    n_cohorts: int
    threshold_if_true: int
    field: int
    dimension: int
    prefix_lengths: tuple[int, ...] = ()
    geometry: GeometryResponse = dataclass_field(init=False, repr=False)
    n_values: int = dataclass_field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_integer("n_cohorts", self.n_cohorts, 1, MAX_COHORTS)
        check_space(self.field, self.dimension)
        object.__setattr__(self, "n_values", n_points(self.field, self.dimension))
        shape = (self.n_values, self.threshold_if_true, self.field, self.dimension)
        object.__setattr__(self, "geometry", GeometryResponse(self.name, *shape))
        if self.n_values * self.n_cohorts > MAX_COUNTS:
            raise ValueError(
                f"the space's points times n_cohorts ({self.n_values * self.n_cohorts}) must be at most {MAX_COUNTS}."
            )
        check_prefix_lengths(self.prefix_lengths)
        if self.prefix_lengths and self.n_cohorts % len(self.prefix_lengths):
            raise ValueError(
                f"n_cohorts ({self.n_cohorts}) must be a multiple of the number of prefix_lengths "
                f"({len(self.prefix_lengths)})."
            )

    @property
    def epsilon(self) -> Decimal:
        """That of one bucket against another; two strings that share a bucket are not told apart at all."""
        return self.geometry.epsilon

    def told_apart(self) -> Outcomes:
        return self.geometry.told_apart()

    def speaks_for_answer(self) -> tuple[float, float]:
        """By the text's bucket alone: the other's is not looked at."""
        return self.geometry.prob_support_if_true, self.geometry.prob_support_if_other

    @property
    def share_variance(self) -> float:
        """The variance of one report's share of a string that hardly anybody has, by chance of coins and cohorts.

        Other strings are taken to be spread over the buckets: with 1 / n_values one shares the string's.
        """
        true, other = self.geometry.prob_support_if_true, self.geometry.prob_support_if_other
        other += (true - other) / self.n_values
        return other * (1 - other) / (true - other) ** 2

    @property
    def n_bytes(self) -> int:
        return COHORT_BYTES + self.geometry.n_bytes

    @property
    def group_bytes(self) -> int:
        return COHORT_BYTES

    @property
    def counts_shape(self) -> tuple[int, ...]:
        return (self.n_cohorts, 1 + self.n_values)

    @property
    def has_cohorts(self) -> bool:
        return True

    @property
    def finds_unlisted(self) -> bool:
        return bool(self.prefix_lengths)

    def parameters(self) -> dict[str, Any]:
        shape = {"field": self.field, "dimension": self.dimension, "n_cohorts": self.n_cohorts}
        prefixes = {"prefix_lengths": [*self.prefix_lengths]} if self.prefix_lengths else {}
        return {"threshold_if_true": self.threshold_if_true} | shape | prefixes

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, Any]:
        numbers = GeometryResponse.read_parameters(fields, name, n_options)
        del numbers["n_values"]
        numbers["n_cohorts"] = fields.integer("n_cohorts", 1, MAX_COHORTS)
        prefixes = {"prefix_lengths": take_prefix_lengths(fields)} if fields.has("prefix_lengths") else {}
        return numbers | prefixes

    def check_design(self) -> None:
        """Any threshold that it can have is its own."""

    def draw_group(self, n_devices: int, coins: Coins) -> Bytes:
        """Draw n devices' cohorts, shape (n, 2)."""
        cohorts = coins.uniform(self.n_cohorts, n_devices)
        return cohorts.astype(">u2").view(np.uint8).reshape(n_devices, COHORT_BYTES)

    def cohorts(self, reports: Bytes) -> NDArray[np.intp]:
        """Return n packed reports' cohorts, shape (n,). Raises ReportError for one that the design has not."""
        cohorts: NDArray[np.intp] = cut_bytes(reports, 0, COHORT_BYTES).view(">u2").ravel().astype(np.intp)
        if cohorts.size and cohorts.max() >= self.n_cohorts:
            raise ReportError("$", f"cohorts must be in [0, {self.n_cohorts - 1}].")
        return cohorts

    def outputs(self, reports: Bytes) -> NDArray[np.intp]:
        """Return n packed reports' points, shape (n,). Raises ReportError for one that the space has not."""
        return self.geometry.numbers(self.points(reports)).astype(np.intp)

    def points(self, reports: Bytes) -> Bytes:
        """Return n packed reports without their cohorts: as `geometry` has them."""
        return cut_bytes(reports, COHORT_BYTES, self.geometry.n_bytes)

    def count_support(self, reports: Bytes) -> Counts:
        """Count by cohort, shape (n_cohorts, 1 + n_values): its reports, then those that are each point."""
        width = 1 + self.n_values
        places = self.cohorts(reports) * width + 1 + self.outputs(reports)
        counts = np.bincount(places, minlength=self.n_cohorts * width).reshape(self.counts_shape)
        counts[:, 0] = counts[:, 1:].sum(axis=1)
        return counts

    def support(self, counts: Counts) -> Counts:
        """Return how many reports support each bucket in each cohort, shape (n_cohorts, n_values), of counts."""
        return np.array([self.geometry.support_of(of_cohort) for of_cohort in counts[:, 1:]])

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        totals = counts[:, 0]
        if sum(totals.tolist()) != n_reports:
            raise ValueError(
                f"must have cohorts' totals, the first of each row, that add up to n_reports ({n_reports})."
            )
        if (counts[:, 1:].sum(axis=1) != totals).any():
            raise ValueError("must have counts that add up to the total of their cohort, the first of each row.")

    def to_wire(self, report: Bytes) -> list[int]:
        """Return [cohort, number of the point]."""
        return [int.from_bytes(part.tobytes(), "big") for part in (report[:COHORT_BYTES], report[COHORT_BYTES:])]

    def longest_report(self) -> Bytes:
        cohort = np.frombuffer((self.n_cohorts - 1).to_bytes(COHORT_BYTES, "big"), np.uint8)
        return np.concatenate([cohort, self.geometry.longest_report()])

    def from_wire(self, values: Sequence[Any]) -> Bytes:
        width, limits = self.geometry.n_bytes, (self.n_cohorts, self.n_values)
        rows = bytearray()
        for index, value in enumerate(values):
            if not _are_below(value, limits):
                raise BadValueError(
                    index, f"a list of a cohort in [0, {limits[0] - 1}] and an integer in [0, {limits[1] - 1}]"
                )
            rows += value[0].to_bytes(COHORT_BYTES, "big") + value[1].to_bytes(width, "big")
        return np.frombuffer(bytes(rows), np.uint8).reshape(-1, self.n_bytes)

    def supported(self, report: Bytes) -> list[int]:
        """Return the point that one packed report, shape (n_bytes,), is: what is counted of it."""
        return [int(self.outputs(report.reshape(1, -1))[0])]

    def parts(self) -> list[Part]:
        return [Part("cohort", COHORT_BYTES, is_number=True), *self.geometry.parts()]

    def decode(self, report: Bytes, labels: Sequence[str]) -> dict[str, Any]:
        """Return the cohort and the number of the point."""
        return dict(zip(("cohort", "value"), self.to_wire(report), strict=True))

    def what_happens(self, language: Language = ENGLISH) -> str:
        said = language.gettext(
            "Your text falls into one of %(n)s buckets, as many other texts do. Your device picks one of %(n)s "
            "numbers at random and sends it. Each number fits some of the buckets. The number sent fits your "
            "text's bucket %(true)s. It fits each other bucket %(other)s.",
            n=self.n_values,
            true=times_above(self.geometry.prob_support_if_true, language),
            other=times_below(self.geometry.prob_support_if_other, language),
        )
        return language.text([self._say_group(language), self._say_pieces(language), said])

    def in_short(self, language: Language = ENGLISH) -> str:
        return language.gettext(
            "Your device sends a number that fits many texts. It does not fit your text %(lost)s.",
            lost=times_below(1 - self.geometry.prob_support_if_true, language),
        )

    def _say_group(self, language: Language) -> str:
        """Return what a group is, where there are several."""
        if self.n_cohorts == 1:
            return ""
        return language.gettext(
            "Your device belongs to one of %(n)s groups, picked once at random. The group decides which texts "
            "share a bucket. Your device sends the group's number too.",
            n=self.n_cohorts,
        )

    def _say_pieces(self, language: Language) -> str:
        """Return what of a text is reported, where that is not the whole."""
        if not self.prefix_lengths:
            return ""
        *most, last = map(language.number, self.prefix_lengths)
        if not most:
            return language.gettext("Only the first %(last)s characters of your text count.", last=last)
        return language.gettext(
            "Only the first %(most)s or %(last)s characters of your text count. The group decides which.",
            most=language.joined(most),
            last=last,
        )

    @property
    def _coins_per_answer(self) -> int:
        return 16  # a few machine words a row

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_texts(answers)

    def _place(self, answers: NDArray[Any], group: Bytes) -> NDArray[Any]:
        """Return n rows of a cohort and a bucket."""
        cohorts = self.cohorts(group)
        lengths = np.array(self.prefix_lengths or [MAX_ANSWER_CHARACTERS])
        said = [*zip(answers.tolist(), lengths[cohorts % len(lengths)].tolist(), strict=True)]
        known = {key: string_number(normalise(key[0])[: key[1]].encode()) for key in dict.fromkeys(said)}
        numbers = np.fromiter((known[key] for key in said), np.uint64, len(said))
        return np.column_stack([cohorts.astype(np.uint16), buckets(numbers, cohorts, self.n_values)])

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        group = rows[:, :1].astype(">u2").view(np.uint8)
        return np.concatenate([group, self.geometry.perturb(rows[:, 1], coins)], axis=1)


def _are_below(value: Any, limits: tuple[int, ...]) -> bool:
    return (
        type(value) is list
        and len(value) == len(limits)
        and all(type(number) is int and 0 <= number < limit for number, limit in zip(value, limits, strict=True))
    )


_PREFIXES = f"a list of 1 to {MAX_PREFIXES} different integers in [1, {MAX_ANSWER_CHARACTERS}], ascending"


def take_prefix_lengths(fields: Fields) -> tuple[int, ...]:
    """Take the member `prefix_lengths`. Raises the fields' error."""
    return tuple(fields.take("prefix_lengths", _PREFIXES, _are_prefix_lengths))


def check_prefix_lengths(lengths: tuple[int, ...]) -> None:
    """Raise ValueError unless there are none, or some that a design can have."""
    if lengths and not _are_prefix_lengths([*lengths]):
        raise ValueError(f"prefix_lengths must be {_PREFIXES}.")


def _are_prefix_lengths(value: Any) -> bool:
    return (
        isinstance(value, list)
        and 1 <= len(value) <= MAX_PREFIXES
        and all(type(length) is int and 1 <= length <= MAX_ANSWER_CHARACTERS for length in value)
        and value == sorted({*value})
    )
