"""Any-of: the selected options, padded with blanks to as many as may be selected, are reported as one set.

PrivSet (S. Wang, Huang, Nie, Wang, Xu & Yang 2018). Of k options at most m are selected. To the options come m blanks,
and the answer is padded with the first of these to m of k + m members. So all answers are as large, and one coin says
whether the report is a set that has any of them, or none: a report is a set of `weight` members.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.bounds import exp_below
from sotto_protocol.coins import COIN_SCALE, Coins, Edges
from sotto_protocol.documents import Fields
from sotto_protocol.errors import ReportError
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.checks import check_integer, check_selections
from sotto_protocol.mechanisms.drawn_sets import draw_set, draw_sets, first_threshold, members_of
from sotto_protocol.mechanisms.mechanism import Bytes, Counts, SelectionMechanism
from sotto_protocol.mechanisms.packed_bits import BitsResponse
from sotto_protocol.mechanisms.plausible import count_row_ones
from sotto_protocol.mechanisms.sets import OutputSets, threshold_of
from sotto_protocol.mechanisms.thresholds import check_epsilon
from sotto_protocol.words import times_above, times_below


@dataclass(frozen=True)
class PaddedSubset(BitsResponse, OutputSets, SelectionMechanism):
    """Any-of: a set of `weight` members, uniform of those that have any of the padded answer, or of those with none.

    Answers: zeros and ones, shape (n, n_values), at most `max_selected` ones each. `weight` in [1, most_members(..)].
    Packed: a bit for each option, then one for each blank.
    """

    fewest_values: ClassVar[int] = 1

    max_selected: int = 1
    weight: int = 1

    def _check_shape(self) -> None:
        check_integer("max_selected", self.max_selected, 1, self.n_values)
        check_integer("weight", self.weight, 1, most_members(self.n_values, self.max_selected))

    @property
    def n_members(self) -> int:
        """How many options and blanks there are."""
        return self.n_values + self.max_selected

    @property
    def _n_bits(self) -> int:
        return self.n_members

    @cached_property
    def missing(self) -> Fraction:
        """Of all sets the share that has none of a padded answer."""
        return Fraction(comb(self.n_values, self.weight), comb(self.n_members, self.weight))

    @property
    def odds_against(self) -> Fraction:
        return self.missing / (1 - self.missing)

    @property
    def shared(self) -> Fraction:
        """Answers are told apart best where their padded ones have nothing in common: all selected, and nothing."""
        rest = Fraction(comb(self.n_values - self.max_selected, self.weight), comb(self.n_members, self.weight))
        return (1 - 2 * self.missing + rest) / (1 - self.missing)

    @cached_property
    def prob_support_if_true(self) -> float:
        return float(self.prob_of(1, 1, 1, is_shared=True))

    @cached_property
    def prob_support_if_other(self) -> float:
        return float(self.prob_of(1, 0, 1, is_shared=False))

    def speaks_for_answer(self) -> tuple[float, float]:
        return self.prob_support_if_true, self.prob_support_if_other

    def prob_of(self, n_options: int, n_selected: int, n_supported: int, *, is_shared: bool) -> Fraction:
        """Return P(of some options a report supports just certain ones), by how many of these options are selected.

        `is_shared`: whether one that is supported is selected. The rest of the answer makes no difference to it.
        """
        size = self.weight - n_supported
        if size < 0:
            return Fraction(0)
        total = comb(self.n_members, self.weight)
        every = Fraction(comb(self.n_members - n_options, size), total)
        none = Fraction(0 if is_shared else comb(self.n_values - n_options + n_selected, size), total)
        return self.truth * (every - none) / (1 - self.missing) + (1 - self.truth) * none / self.missing

    def parameters(self) -> dict[str, int]:
        return {
            "threshold_if_true": self.threshold_if_true,
            "max_selected": self.max_selected,
            "weight": self.weight,
        }

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        threshold = fields.integer("threshold_if_true", 1, COIN_SCALE - 1)
        most = fields.integer("max_selected", 1, n_options)
        weight = fields.integer("weight", 1, most_members(n_options, most))
        return {"n_values": n_options, "threshold_if_true": threshold, "max_selected": most, "weight": weight}

    @property
    def _coins_per_answer(self) -> int:
        return self.n_members

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_selections(answers, self.n_values, self.max_selected)

    @cached_property
    def _most_shared(self) -> int:
        """The most members of a padded answer that a report can have."""
        return min(self.weight, self.max_selected)

    @cached_property
    def _edges(self) -> Edges:
        """Where a uniform number says that a report has one member of the padded answer, two, ..; behind all: none.

        Of all sets that have j members of the answer there are C(m, j) C(k, weight - j).
        """
        m, k, most = self.max_selected, self.n_values, self._most_shared
        n_sets = [comb(m, j) * comb(k, self.weight - j) for j in range(1, most + 1)]
        edges = tuple(self.threshold_if_true * n for n in accumulate(n_sets))
        return Edges(edges, COIN_SCALE * sum(n_sets))

    @cached_property
    def _first(self) -> int:
        return first_threshold(self.weight, self.n_values)

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        """Draw how many of the answer's members are reported, a set without any, and the members to change places.

        As many are drawn as can change places at the most: how much is drawn says nothing of how many do, nor of the
        answer.
        """
        if len(rows) == 1:
            return self._respond_one(rows[0], coins).reshape(1, -1)
        return self._respond_all(rows, coins)

    def _respond_all(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        n, most = len(rows), self._most_shared
        n_shared = (coins.place(self._edges, n) + 1) % (most + 1)
        others, own = np.zeros((n, self.n_values), np.bool_), np.zeros((n, self.max_selected), np.bool_)
        members = draw_sets(others, self.weight, self.n_values, self._first, coins)
        out = coins.different(self.weight, most, n)
        into = coins.different(self.max_selected, most, n)
        row, change = np.nonzero(np.arange(most) < n_shared[:, None])
        others.ravel()[members[row * self.weight + out[row, change]]] = False
        own[row, into[row, change]] = True
        n_blanks = self.max_selected - rows.sum(axis=1, keepdims=True)  # the first ones pad the answer
        padded = np.concatenate([rows, np.arange(self.max_selected) < n_blanks], axis=1)
        bits = np.empty(padded.shape, np.bool_)
        bits[padded] = own.ravel()  # members in ascending order: those of the answer, and the others
        bits[~padded] = others.ravel()
        return np.packbits(bits, axis=1, bitorder="little")

    def _respond_one(self, answer: NDArray[Any], coins: Coins) -> Bytes:
        """Return one response, shape (n_bytes,), by the very coins that a batch of one takes: faster for one."""
        most, weight = self._most_shared, self.weight
        n_shared = (coins.place_one(self._edges) + 1) % (most + 1)
        members = members_of(draw_set(weight, self.n_values, self._first, coins), weight)
        leaving = set(coins.different_few(weight, most)[:n_shared])
        joining = coins.different_few(self.max_selected, most)[:n_shared]
        selected = answer.tobytes()
        n_selected = selected.count(1)
        padded = np.frombuffer(selected + b"\1" * (self.max_selected - n_selected) + bytes(n_selected), np.bool_)
        own, others = padded.nonzero()[0], (~padded).nonzero()[0]
        kept = [place for number, place in enumerate(members) if number not in leaving]
        report = 0
        for member in others[kept].tolist() + own[joining].tolist():
            report |= 1 << member
        return np.frombuffer(report.to_bytes(self.n_bytes, "little"), np.uint8)

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        low, high = max(0, self.weight - self.max_selected), self.weight
        if not low * n_reports <= sum(counts.tolist()) <= high * n_reports:
            raise ValueError(f"must add up to {low} to {high} times n_reports ({n_reports}).")

    def _are_impossible(self, reports: Bytes) -> NDArray[np.bool_]:
        impossible: NDArray[np.bool_] = count_row_ones(reports) != self.weight
        return impossible

    @property
    def _expected(self) -> str:
        expected = f"canonical base64 of {self.n_members} bits, exactly {self.weight} of them set"
        return f"{expected}, in {self.n_bytes} bytes, spare bits zero"

    def supports(self, reports: Bytes) -> NDArray[np.bool_]:
        if self._are_impossible(reports).any():
            raise ReportError("$", f"packed reports must be sets of {self.weight} options and blanks.")
        return np.unpackbits(reports, axis=1, count=self.n_values, bitorder="little").view(np.bool_)

    def what_happens(self, language: Language = ENGLISH) -> str:
        return language.ngettext(
            "Your device adds a blank to the %(options)s options. If you choose no option, it chooses the blank. It "
            "sends %(weight)s of the options and the blank. An option you choose is among them %(true)s. An option you "
            "do not choose is among them %(other)s.",
            "Your device adds %(n)s blanks to the %(options)s options. If you choose fewer than %(n)s options, it "
            "chooses blanks too, %(n)s in all. It sends %(weight)s of the options and blanks. An option you choose is "
            "among them %(true)s. An option you do not choose is among them %(other)s.",
            self.max_selected,
            options=self.n_values,
            weight=self.weight,
            true=times_above(self.prob_support_if_true, language),
            other=times_below(self.prob_support_if_other, language),
        )

    def in_short(self, language: Language = ENGLISH) -> str:
        return language.gettext(
            "Your device mixes blanks with the options. It sends %(weight)s of them, picked at random. An option you "
            "choose is missing %(lost)s. Any other option is sent %(gained)s.",
            weight=self.weight,
            lost=times_below(1 - self.prob_support_if_true, language),
            gained=times_below(self.prob_support_if_other, language),
        )


@lru_cache(maxsize=256)
def most_members(n_options: int, max_selected: int) -> int:
    """Return the largest weight that is taken: with more members at least every other set would have some of an answer.

    No larger weight is ever best, and how many draws a report takes is bounded so.
    """
    none, every = 1, 1
    for weight in range(n_options):
        none, every = none * (n_options - weight), every * (n_options + max_selected - weight)
        if 2 * none < every:
            return max(1, weight)
    return n_options


def padded_subset(n_options: int, epsilon: Decimal, max_selected: int, weight: int | None = None) -> PaddedSubset:
    """Return the padded subset of a weight, by default of the one with the least `report_variance`."""
    check_integer("max_selected", max_selected, 1, n_options)
    size = best_members(n_options, epsilon, max_selected) if weight is None else weight
    missing = Fraction(comb(n_options, size), comb(n_options + max_selected, size))
    return PaddedSubset("subset", n_options, threshold_of(epsilon, missing / (1 - missing)), max_selected, size)


def best_members(n_options: int, epsilon: Decimal, max_selected: int) -> int:
    """Return the weight of the least `report_variance`."""
    weights = np.arange(1, most_members(n_options, max_selected) + 1)
    n_members = n_options + max_selected
    missing = np.exp(np.cumsum(np.log1p(-max_selected / (n_members + 1 - weights))))
    odds = float(exp_below(check_epsilon(epsilon))) * (1 - missing)
    truth = odds / (odds + missing)
    true = truth * weights / n_members / (1 - missing)
    other = true - truth * missing * weights / n_options / (1 - missing) + (1 - truth) * weights / n_options
    share = max_selected / (2 * n_options)
    noise = share * true * (1 - true) + (1 - share) * other * (1 - other)
    return int(weights[np.argmin(noise / (true - other) ** 2)])


def ask_padded_subset(asked: Asked) -> PaddedSubset:
    """Return it as an author asks for it; any number of options may be selected unless `max_selected` is given."""
    epsilon, most = asked.require_epsilon(), asked.most_selected()
    if not asked.has("weight"):
        return padded_subset(asked.n_options, epsilon, most)
    weight = asked.fields.integer("weight", 1, most_members(asked.n_options, most))
    return padded_subset(asked.n_options, epsilon, most, weight)
