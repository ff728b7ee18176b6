"""Projective geometry response: a report is a point of a projective space, and supports the options orthogonal to it.

Feldman, Nelson, Nguyen & Talwar 2022 (PGR), over a prime field. The points of the space of `dimension` coordinates
over `field` are the vectors whose last coordinate that is not zero is one. They are numbered: first by where that one
stands, then by the coordinates before it, as digits of a number, the first the least. Option v is point v, and a report
is a point's number: two bytes, however many options there are. It supports an option if their dot product is zero.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.documents import Fields
from sotto_protocol.errors import ReportError
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.checks import check_integer
from sotto_protocol.mechanisms.mechanism import MAX_VALUES, Bytes, Counts
from sotto_protocol.mechanisms.numbers import NumberResponse
from sotto_protocol.mechanisms.sets import SetResponse, threshold_of
from sotto_protocol.mechanisms.thresholds import check_epsilon
from sotto_protocol.words import times_above, times_below

MAX_VECTORS = 2**18
"""The most vectors of a space of more than two coordinates: counting transforms an array of so many numbers."""
MAX_FIELD = 65521
"""The largest prime whose plane, the space of two coordinates, has at most 65536 points."""
_PLANE = 2  # the dimension of a space in which one point is orthogonal to each
_NEAR = 1.05  # more than `probs_about` is off by
_MOST_ASKED = 509  # the largest field that an author may ask for: options are few
_MOST_OFF = 0.01  # of a count from an integer: far from any doubt about which one it is


@dataclass(frozen=True)
class GeometryResponse(NumberResponse, SetResponse):
    """One-of: with threshold_if_true / 2**32 a point that is orthogonal to the answer's, else another, uniformly.

    Answers: integers in [0, n_values), shape (n,). `field` is a prime, `dimension` at least 2; the space has at least
    n_values points and at most 65536, and at most 2**18 vectors, unless it is a plane. In a plane exactly one point is
    orthogonal to each: no table is needed, and the field may be as large as the points allow.
    """

    field: int
    dimension: int

    def _check_shape(self) -> None:
        check_space(self.field, self.dimension)
        if not self.n_values <= self.n_outputs <= MAX_VALUES:
            raise ValueError(f"the space's points ({self.n_outputs}) must be in [{self.n_values}, {MAX_VALUES}].")

    @property
    def n_outputs(self) -> int:
        return n_points(self.field, self.dimension)

    @property
    def odds_against(self) -> Fraction:
        return odds_against(self.field, self.dimension)

    @property
    def shared(self) -> Fraction:
        return Fraction(n_points(self.field, self.dimension - 2), n_points(self.field, self.dimension - 1))

    @property
    def names_one(self) -> bool:
        """In a plane one point is orthogonal to each: k-ary response, where every point is an option."""
        return self.dimension == 2 and self.n_values == self.n_outputs

    def parameters(self) -> dict[str, int]:
        shape = {"field": self.field, "dimension": self.dimension}
        return {"threshold_if_true": self.threshold_if_true} | shape

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        return {
            "n_values": n_options,
            "threshold_if_true": fields.integer("threshold_if_true", 1, COIN_SCALE - 1),
            "field": fields.integer("field", 2, MAX_FIELD),
            "dimension": fields.integer("dimension", 2, MAX_VECTORS.bit_length() - 1),
        }

    @property
    def _coins_per_answer(self) -> int:
        return 16  # a few machine words a row

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        """Draw all coordinates but that where the answer's point has its last one, which makes their product 0, or 1.

        Each point that is orthogonal has as many multiples, and each that is not has one whose product is 1.
        """
        is_other = ~coins.flip(self.threshold_if_true, len(rows))
        n_free = self.field ** (self.dimension - 1)
        # Not all coordinates of a point are zero. Both are drawn: how much is drawn says nothing of the coin.
        free_of_orthogonal = coins.uniform(n_free - 1, len(rows)) + np.uint32(1)
        free = np.where(is_other, coins.uniform(n_free, len(rows)), free_of_orthogonal)
        answers = rows.astype(np.intp)
        if self.dimension == _PLANE:
            return self._pack(_points_of_plane(self.field, answers, free.astype(np.int64), is_other))
        space = _space(self.field, self.dimension)
        high = _quotient(free, np.float32(space.half))
        product = space.products.take(space.low_row.take(answers) + free - high * np.uint32(space.half))
        product += space.products.take(space.high_row.take(answers) + high)
        product += is_other.view(np.uint8) * np.uint16(2 * self.field - 1)
        own, power = space.solve.take(product), space.power.take(answers)
        # The digits from that place on go one up, where the one that is left goes in.
        above = _quotient(free, power.astype(np.float32))
        return self._pack(space.number.take((above * np.uint32(self.field - 1) + own) * power + free))

    def count_support(self, reports: Bytes) -> Counts:
        return self.support_of(self.count_outputs(reports))

    def support_of(self, sent: Counts) -> Counts:
        """Return how many reports support each value, shape (n_values,), of how many are each point, (n_outputs,).

        In a plane it is that of one point. Else by one Fourier transform of how many reports there are of each vector
        of the space. Over all multiples of a point, the characters of its product with another add up to field - 1
        where that is zero and to -1 where not: so the transform is field times the support, less the reports. Raises
        ReportError where they are too many.
        """
        if self.dimension == _PLANE:
            return sent[_orthogonal(self.field)[: self.n_values]]
        space, n_reports = _space(self.field, self.dimension), int(sent.sum())
        of_vectors = np.append(sent, 0)[space.number].astype(np.float64)
        transformed = np.fft.rfftn(of_vectors.reshape((self.field,) * self.dimension, order="F")).real
        exact = (n_reports + transformed[tuple(space.points[: self.n_values].T)]) / self.field
        counts: NDArray[np.float64] = np.rint(exact)
        if np.abs(exact - counts).max() > _MOST_OFF:
            raise ReportError("$", f"packed reports ({n_reports}) are too many to be counted at once.")
        return counts.astype(np.int64)

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        most = n_points(self.field, self.dimension - 1) * n_reports
        total = sum(counts.tolist())
        if total > most or (self.n_values == self.n_outputs and total < most):
            raise ValueError(f"must add up to {most} at most, and to no less where every point is an option.")

    def supported(self, report: Bytes) -> list[int]:
        values: list[int] = self.supports(report.reshape(1, -1))[0].nonzero()[0].tolist()
        return values

    def supports(self, reports: Bytes, values: ArrayLike | None = None) -> NDArray[np.bool_]:
        """Return which reports support which values, shape (n, n_values), or of given ones, (n, len(values))."""
        asked = np.arange(self.n_values) if values is None else np.asarray(values, np.intp)
        if self.dimension == _PLANE:
            return np.asarray(_orthogonal(self.field)[self.numbers(reports)][:, None] == asked)
        points = _space(self.field, self.dimension).points
        outputs, places = np.unique(self.numbers(reports), return_inverse=True)
        sent = points[outputs].astype(np.float64)  # their products are exact, and made faster
        supports: NDArray[np.bool_] = sent @ points[asked].T % self.field == 0
        return supports[places]

    def what_happens(self, language: Language = ENGLISH) -> str:
        return language.gettext(
            "Your device picks one of %(n)s numbers at random and sends it. Each number fits some of the "
            "options. The number sent fits the option you choose %(true)s. It fits each other option %(other)s.",
            n=self.n_outputs,
            true=times_above(self.prob_support_if_true, language),
            other=times_below(self.prob_support_if_other, language),
        )

    def in_short(self, language: Language = ENGLISH) -> str:
        return language.gettext(
            "Your device sends a number that fits some of the options. It does not fit your option %(lost)s.",
            lost=times_below(1 - self.prob_support_if_true, language),
        )


def _quotient(numbers: NDArray[np.uint32], divisor: Any) -> NDArray[np.uint32]:
    """Return integers below 2**18 divided by integers as floats, rounded down: a third of the time of division.

    Exact: a quotient that is not whole is below the next integer by one part in 2**18 or more, a float by one in 2**24.
    """
    quotients: NDArray[np.uint32] = (numbers.astype(np.float32) / divisor).astype(np.uint32)
    return quotients


def check_space(field: int, dimension: int) -> None:
    """Raise ValueError unless there is such a space, and its vectors are not too many."""
    if not is_prime(check_integer("field", field, 2, MAX_FIELD)):
        raise ValueError(f"field ({field}) must be a prime in [2, {MAX_FIELD}].")
    check_integer("dimension", dimension, 2, MAX_VECTORS.bit_length() - 1)
    if dimension > _PLANE and field**dimension > MAX_VECTORS:
        raise ValueError(f"field ({field}) to the dimension ({dimension}) must be at most {MAX_VECTORS}.")


def is_prime(number: int) -> bool:
    """Return whether an integer from 2 on is a prime."""
    return all(number % divisor for divisor in range(2, isqrt(number) + 1))


def n_points(field: int, dimension: int) -> int:
    """Return how many points a projective space has; that of dimension 0 has none."""
    return sum(field**place for place in range(dimension))


def odds_against(field: int, dimension: int) -> Fraction:
    """Return how many points are not orthogonal to one, for one that is."""
    return Fraction(field ** (dimension - 1), n_points(field, dimension - 1))


@lru_cache(maxsize=64)
def geometry(n_options: int, epsilon: Decimal, field: int | None = None) -> GeometryResponse | None:
    """Return the geometry response of a prime field, by default of that with the least variance; None if there is none.

    The dimension is the least that has a point for every option. It is kept: plans and proposals ask for it again.
    """
    shapes = [(prime, _least_dimension(prime, n_options)) for prime in (PRIMES if field is None else [field])]
    about = {shape: _about(n_options, epsilon, *shape) for shape in shapes if _is_shape(*shape)}
    near = [shape for shape, variance in about.items() if variance <= _NEAR * min(about.values())]
    made = [_of_shape(n_options, epsilon, *shape) for shape in near]
    return min(made, key=lambda response: (response.report_variance, response.n_outputs), default=None)


def _least_dimension(field: int, n_options: int) -> int:
    dimension = 2
    while n_points(field, dimension) < n_options:
        dimension += 1
    return dimension


def _is_shape(field: int, dimension: int) -> bool:
    return field**dimension <= MAX_VECTORS and n_points(field, dimension) <= MAX_VALUES


def _about(n_options: int, epsilon: Decimal, field: int, dimension: int) -> float:
    """Return a space's `report_variance`, but for the rounding of its threshold."""
    true, other = probs_about(epsilon, field, dimension)
    noise = true * (1 - true) + (n_options - 1) * other * (1 - other)
    return noise / n_options / (true - other) ** 2


def probs_about(epsilon: Decimal, field: int, dimension: int) -> tuple[float, float]:
    """Return a space's probabilities of support, but for the rounding of its threshold: quickly, to choose among many.

    With them a variance is off by less than 2 %, most at an epsilon of 20.
    """
    odds, points = math.exp(check_epsilon(epsilon)), n_points(field, dimension - 1)
    against, shared = field ** (dimension - 1) / points, n_points(field, dimension - 2) / points
    true = odds / (odds + against)
    return true, true * shared + (1 - true) * (1 - shared) / against


def _of_shape(n_options: int, epsilon: Decimal, field: int, dimension: int) -> GeometryResponse:
    threshold = threshold_of(epsilon, odds_against(field, dimension))
    return GeometryResponse("geometry", n_options, threshold, field, dimension)


def ask_geometry(asked: Asked) -> GeometryResponse:
    """Return the geometry response as an author asks for it."""
    epsilon = asked.require_epsilon()
    field = asked.fields.integer("field", 2, _MOST_ASKED) if asked.has("field") else None
    if field is not None and field not in PRIMES:
        raise asked.fail("field", f"must be a prime in [2, {_MOST_ASKED}].")
    made = geometry(asked.n_options, epsilon, field)
    if made is None:
        raise ValueError(f"no space over field {field} has a point for each of {asked.n_options} options.")
    return made


PRIMES = [n for n in range(2, _MOST_ASKED + 1) if is_prime(n)]
"""The fields whose spaces are compared where an epsilon is all that is known."""


def _points_of_plane(
    field: int, answers: NDArray[np.intp], free: NDArray[np.int64], is_other: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return points, one coordinate of which is drawn, and the other solved: the product with the answer's is 0, or 1.

    The first point is (1, 0), that with number 1 + x is (x, 1). `free`: what is drawn, shape (n,).
    """
    is_first = answers == 0
    solved = (is_other - np.where(is_first, 0, answers - 1) * free) % field
    low, high = np.where(is_first, solved, free), np.where(is_first, free, solved)
    points: NDArray[np.int64] = np.where(high == 0, 0, 1 + low * _inverses(field)[high] % field)
    return points


@lru_cache(maxsize=16)
def _inverses(field: int) -> NDArray[np.int64]:
    """Return what each number times is 1, modulo a prime, shape (field,); 0 for 0."""
    return np.array([0, *(pow(number, -1, field) for number in range(1, field))], np.int64)


@lru_cache(maxsize=16)
def _orthogonal(field: int) -> NDArray[np.int64]:
    """Return the one point that is orthogonal to each of a plane, by their numbers: that of (x, 1) is (-1/x, 1)."""
    return np.concatenate([[1, 0], 1 + field - _inverses(field)[1:]])


@dataclass(frozen=True, eq=False)
class _Space:
    """A projective space: tables by which a batch of points is drawn without a loop over coordinates.

    A vector's number has its coordinates as digits, the first the least.
    """

    points: NDArray[np.int64]
    """Every point's vector, in the order of their numbers, shape (n_points, dimension)."""
    number: NDArray[np.uint32]
    """By a vector's number, that of the point that it is a multiple of; n_points for zero."""
    power: NDArray[np.uint32]
    """By a point's number, field to the place of its last one."""
    half: int
    """Products are looked up for a half of the coordinates at a time: that of so many vectors."""
    low_row: NDArray[np.uint32]
    """By a point's number, where the products of its first half begin; and of its second."""
    high_row: NDArray[np.uint32]
    products: NDArray[np.uint16]
    """Of two halves."""
    solve: NDArray[np.uint32]
    """By what that of the other coordinates is, the one that is left: for a product of 0, and then for one of 1."""


@lru_cache(maxsize=16)
def _space(field: int, dimension: int) -> _Space:
    points = _points(field, dimension)
    digits = field ** np.arange(dimension)
    number = np.full(field**dimension, len(points), np.uint32)
    for factor in range(1, field):
        number[points * factor % field @ digits] = np.arange(len(points))
    places = np.repeat(np.arange(dimension), digits)
    power = digits[places].astype(np.uint32)
    before = np.arange(len(points)) - np.array([n_points(field, place) for place in range(dimension)])[places]
    half = field ** (dimension // 2)
    vectors = np.arange(half)[:, None] // field ** np.arange(dimension // 2) % field
    products = (vectors @ vectors.T % field).astype(np.uint16).ravel()
    low_row, high_row = ((part * half).astype(np.uint32) for part in (before % half, before // half))
    solve = (np.array([[0], [1]]) - np.arange(2 * field - 1)) % field
    return _Space(points, number, power, half, low_row, high_row, products, solve.ravel().astype(np.uint32))


def _points(field: int, dimension: int) -> NDArray[np.int64]:
    vectors = np.zeros((n_points(field, dimension), dimension), np.int64)
    for place in range(dimension):
        start, digits = n_points(field, place), np.arange(field**place)
        for before in range(place):
            vectors[start : start + len(digits), before] = digits // field**before % field
        vectors[start : start + len(digits), place] = 1
    return vectors
