"""RAPPOR for strings: a Bloom filter of the answer, in the device's cohort, through both stages of coins.

Erlingsson, Pihur & Korolova 2014. Packed, a report is its cohort (2 big-endian bytes), the number of its pair of
n-grams (a byte, where strings are unknown), then blocks of n_bits bits, each from a whole byte: the whole string's,
and the two n-grams' (Fanti, Pihur & Erlingsson 2015).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.cohorts import MAX_COHORTS
from sotto_protocol.coins import Coins
from sotto_protocol.documents import Fields
from sotto_protocol.errors import ReportError
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.bits import BitMechanism, replace_bits
from sotto_protocol.mechanisms.bloom.hash import MAX_BITS, MAX_HASHES, BloomDesign, bloom_bits
from sotto_protocol.mechanisms.bloom.single import is_few, pack_row, report_row, respond_row
from sotto_protocol.mechanisms.bloom.wire import COHORT_BYTES, WireForm
from sotto_protocol.mechanisms.bloom.words import DRAWN, TOGETHER, say_bits
from sotto_protocol.mechanisms.checks import check_integer, check_texts
from sotto_protocol.mechanisms.mechanism import Bytes, Counts, Part
from sotto_protocol.mechanisms.ones import count_ones_by_group, cut_bytes
from sotto_protocol.text import cut, normalise
from sotto_protocol.told_apart import in_favour, of_bits
from sotto_protocol.words import times_below

MAX_COUNTS = 2**18
"""The most bits of all cohorts together: a tally counts each, and every commit of reports writes it anew."""
MAX_GRAM_LENGTH = 4
MAX_POSITIONS = 16
_FEW_PER_COHORT = 10
"""Below so many reports a cohort, counting bit by bit is faster than cohort by cohort."""


@dataclass(frozen=True)
class BloomResponse(BitMechanism):
    """Text: a noisy bit per bit of a Bloom filter. Answers: strings (`sotto_protocol.text`), shape (n,).

    `n_values` is n_bits, the filter's; with `n_hashes` and `n_cohorts` as in `BloomDesign`, at most 2**18 bits in all
    cohorts. `max_length` characters are cut into `gram_length` each, in [1, 4], at 2 to 16 positions, where
    strings that nobody lists shall be found; 0 and 0 where they need not. The cohort, and the pair of positions whose
    n-grams are reported, are drawn once for a device and sent in clear: they say nothing of the answer.
    """

    n_hashes: int = 2
    n_cohorts: int = 64
    max_length: int = 0
    gram_length: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        design = BloomDesign(self.n_values, self.n_hashes, self.n_cohorts)
        if design.n_bits * design.n_cohorts > MAX_COUNTS:
            raise ValueError(
                f"n_bits times n_cohorts ({design.n_bits * design.n_cohorts}) must be at most {MAX_COUNTS}."
            )
        if self.max_length or self.gram_length:
            gram = check_integer("gram_length", self.gram_length, 1, MAX_GRAM_LENGTH)
            check_integer("max_length", self.max_length, 2 * gram, MAX_POSITIONS * gram)
            if self.max_length % gram:
                raise ValueError(f"max_length ({self.max_length}) must be a multiple of gram_length ({gram}).")

    @cached_property
    def design(self) -> BloomDesign:
        """The hash's parameters."""
        return BloomDesign(self.n_values, self.n_hashes, self.n_cohorts)

    @cached_property
    def n_positions(self) -> int:
        """At how many positions n-grams stand; 0 where none are reported."""
        return self.max_length // self.gram_length if self.gram_length else 0

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of positions, counted from 1, by the number that a report names."""
        return list(combinations(range(1, self.n_positions + 1), 2))

    @cached_property
    def n_blocks(self) -> int:
        """How many Bloom filters a report holds: 1, or 3 with n-grams."""
        return 3 if self.n_positions else 1

    @cached_property
    def group_bytes(self) -> int:
        return COHORT_BYTES + (1 if self.n_positions else 0)

    @property
    def n_bytes(self) -> int:
        return self.group_bytes + self.n_blocks * self._block_bytes

    @property
    def counts_shape(self) -> tuple[int, ...]:
        return (self.n_cohorts, 1 + self.n_values)

    @property
    def has_cohorts(self) -> bool:
        return True

    @property
    def needs_records(self) -> bool:
        """Whether strings that nobody lists are to be found: from the reports' n-grams."""
        return self.n_positions > 0

    def parameters(self) -> dict[str, int]:
        bloom = {"n_bits": self.n_values, "n_hashes": self.n_hashes, "n_cohorts": self.n_cohorts}
        grams = {"max_length": self.max_length, "gram_length": self.gram_length}
        return super().parameters() | bloom | (grams if self.n_positions else {})

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        numbers = super().read_parameters(fields, name, n_options)
        numbers["n_values"] = fields.integer("n_bits", 2, MAX_BITS)
        numbers["n_hashes"] = fields.integer("n_hashes", 1, MAX_HASHES)
        numbers["n_cohorts"] = fields.integer("n_cohorts", 1, MAX_COHORTS)
        if fields.has("max_length") or fields.has("gram_length"):
            numbers["gram_length"] = fields.integer("gram_length", 1, MAX_GRAM_LENGTH)
            numbers["max_length"] = fields.integer("max_length", 2, MAX_POSITIONS * MAX_GRAM_LENGTH)
        return numbers

    @property
    def _max_differences(self) -> list[tuple[int, int]]:
        """Two strings' filters have up to n_hashes ones each, at least one, and every block can differ as much."""
        most = min(self.n_hashes, self.n_values - 1)
        fewest = min(most, self.n_values - most)
        return [(self.n_blocks * most, self.n_blocks * fewest), (self.n_blocks * fewest, self.n_blocks * most)]

    @property
    def n_true(self) -> tuple[int, int]:
        """Hashes may collide, in some cohort and for some string: one bit at least."""
        return 1, min(self.n_hashes, self.n_values)

    def speaks_for_answer(self) -> tuple[float, float]:
        """By the bits alone that the text sets, as many as it can, of which the other sets none."""
        return in_favour(of_bits(*self._chances, self.n_blocks * self.n_true[1], 0) or self.told_apart())

    def draw_group(self, n_devices: int, coins: Coins) -> Bytes:
        """Draw n devices' cohorts, and pairs of positions where n-grams are reported; shape (n, group_bytes)."""
        if n_devices == 1:
            return np.frombuffer(self._draw_one_group(coins), np.uint8).reshape(1, self.group_bytes)
        cohorts = coins.uniform(self.n_cohorts, n_devices).astype(">u2").view(np.uint8).reshape(-1, COHORT_BYTES)
        if not self.pairs:
            return cohorts
        pairs = coins.uniform(len(self.pairs), n_devices).astype(np.uint8)
        return np.concatenate([cohorts, pairs.reshape(-1, 1)], axis=1)

    def perturb(self, answers: ArrayLike, coins: Coins) -> Bytes:
        checked = self._check_answers(answers)
        if not self._is_single(checked):
            return super().perturb(checked, coins)
        return self._report_one(checked[0], self._draw_one_group(coins), coins, coins)

    def perturb_by_stages(self, settled: ArrayLike, group: Bytes, permanent: Coins, fresh: Coins) -> Bytes:
        checked = self._check_settled(settled)
        if not self._is_single(checked):
            return super().perturb_by_stages(checked, group, permanent, fresh)
        return self._report_one(checked[0], group.tobytes(), permanent, fresh)

    def _is_single(self, answers: NDArray[Any]) -> bool:
        """Whether this is one device's work, which goes faster without arrays; coins and bytes are the same."""
        return len(answers) == 1 and is_few(self._coins_per_answer)

    def _draw_one_group(self, coins: Coins) -> bytes:
        cohort = coins.uniform_one(self.n_cohorts).to_bytes(COHORT_BYTES, "big")
        return cohort + (bytes([coins.uniform_one(len(self.pairs))]) if self.pairs else b"")

    def _report_one(self, answer: str, group: bytes, permanent: Coins, fresh: Coins) -> Bytes:
        true_bits = self._true_bits(answer, int.from_bytes(group[:COHORT_BYTES], "big"), group[-1])
        width = self._coins_per_answer
        bits = respond_row(true_bits, width, self.threshold_if_true, self.threshold_if_other, permanent)
        if self.has_two_stages:
            bits = report_row(bits, self.report_if_one, self.report_if_zero, fresh)
        return np.frombuffer(group + pack_row(bits, self.n_values), np.uint8).reshape(1, -1)

    def cohorts(self, reports: Bytes) -> NDArray[np.intp]:
        """Return n packed reports' cohorts, shape (n,). Raises ReportError for one that the design has not."""
        cohorts: NDArray[np.intp] = cut_bytes(reports, 0, COHORT_BYTES).view(">u2").ravel().astype(np.intp)
        if cohorts.size and cohorts.max() >= self.n_cohorts:
            raise ReportError("$", f"cohorts must be in [0, {self.n_cohorts - 1}].")
        return cohorts

    def pair_numbers(self, reports: Bytes) -> NDArray[np.intp]:
        """Return the numbers of n packed reports' pairs of positions, indices of `pairs`, shape (n,)."""
        return reports[:, COHORT_BYTES].astype(np.intp)

    def bits(self, reports: Bytes, block: int = 0) -> NDArray[np.bool_]:
        """Return n packed reports' bits, shape (n, n_bits): of the whole string (block 0) or an n-gram (1, 2)."""
        start = self.group_bytes + block * self._block_bytes
        packed = reports[:, start : start + self._block_bytes]
        return np.unpackbits(packed, axis=1, count=self.n_values, bitorder="little").view(np.bool_)

    def count_support(self, reports: Bytes) -> Counts:
        """Count by cohort, shape (n_cohorts, 1 + n_bits): its reports, then those with each bit of block 0 set.

        A few reports are unpacked; more are added up cohort by cohort, faster where they are sorted by it.
        """
        if len(reports) < _FEW_PER_COHORT * self.n_cohorts:
            return self._count_few(reports)
        cohorts = self.cohorts(reports)
        filters = cut_bytes(reports, self.group_bytes, self._block_bytes)
        ones = count_ones_by_group(filters, cohorts, self.n_cohorts)
        totals = np.bincount(cohorts, minlength=self.n_cohorts)
        return np.column_stack([totals, ones[:, : self.n_values]])

    def _count_few(self, reports: Bytes) -> Counts:
        totals = self.cohorts(reports) * (1 + self.n_values)  # where among the counts a report's cohort starts
        rows, bits = np.divmod(np.flatnonzero(self.bits(reports)), self.n_values)
        places = np.concatenate([totals, totals[rows] + 1 + bits])
        return np.bincount(places, minlength=self.n_cohorts * (1 + self.n_values)).reshape(self.counts_shape)

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        totals = counts[:, 0].tolist()
        if sum(totals) != n_reports:
            raise ValueError(
                f"must have cohorts' totals, the first of each row, that add up to n_reports ({n_reports})."
            )
        if (counts[:, 1:] > counts[:, :1]).any():
            raise ValueError("must have bit counts of at most the total of their cohort, the first of each.")

    def to_wire(self, report: Bytes) -> list[Any]:
        """Return [cohort, bits], or [cohort, pair, bits, bits, bits]; bits in base64."""
        return self._wire.write(report.tobytes())

    def longest_report(self) -> Bytes:
        group = (self.n_cohorts - 1).to_bytes(COHORT_BYTES, "big") + bytes([len(self.pairs) - 1] if self.pairs else [])
        return np.frombuffer(group.ljust(self.n_bytes, b"\0"), np.uint8)

    def from_wire(self, values: Sequence[Any]) -> Bytes:
        return np.frombuffer(self._wire.read_all(values), np.uint8).reshape(-1, self.n_bytes)

    def supported(self, report: Bytes) -> list[int]:
        numbers: list[int] = self.bits(report.reshape(1, -1))[0].nonzero()[0].tolist()
        return numbers

    def parts(self) -> list[Part]:
        numbers = [Part("cohort", COHORT_BYTES, is_number=True), Part("pair", 1, is_number=True)]
        blocks = [Part(name, self._block_bytes, is_number=False) for name in ("bits", "gram1", "gram2")]
        return numbers[: 2 if self.pairs else 1] + blocks[: self.n_blocks]

    def decode(self, report: Bytes, labels: Sequence[str]) -> dict[str, Any]:
        """Return the cohort and the numbers of the bits that are set, of the whole string and of any n-grams."""
        row = report.reshape(1, -1)
        blocks = [self.bits(row, block)[0].nonzero()[0].tolist() for block in range(self.n_blocks)]
        said = {"cohort": int(self.cohorts(row)[0]), "bits": blocks[0]}
        if self.n_positions:
            said |= {"positions": list(self.pairs[self.pair_numbers(row)[0]]), "gram_bits": blocks[1:]}
        return said

    def what_happens(self, language: Language = ENGLISH) -> str:
        bits = say_bits(self.design, self.n_positions, self.gram_length, language)
        return language.text([bits, self._say_stages(language, DRAWN, TOGETHER)])

    def in_short(self, language: Language = ENGLISH) -> str:
        return language.gettext(
            "Your device turns your text into marks that other texts share, and changes them at random. It "
            "leaves out a mark of yours %(lost)s. It adds any other mark %(gained)s.",
            lost=times_below(1 - self.prob_one_if_one, language),
            gained=times_below(self.prob_one_if_zero, language),
        )

    @cached_property
    def _wire(self) -> WireForm:
        return WireForm(self.n_values, self.n_cohorts, len(self.pairs), self.n_blocks)

    @cached_property
    def _coins_per_answer(self) -> int:
        return self.n_blocks * self.n_values

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_texts(answers)

    def _place(self, answers: NDArray[Any], group: Bytes) -> NDArray[Any]:
        """Return n rows of their group's bytes and the numbers of all true bits, in the blocks' order."""
        cohorts = self.cohorts(group).tolist()
        pairs = self.pair_numbers(group).tolist() if self.pairs else [0] * len(cohorts)
        known: dict[tuple[str, int, int], tuple[int, ...]] = {}
        placed = []
        for key in zip(answers.tolist(), cohorts, pairs, strict=True):
            if key not in known:
                known[key] = self._true_bits(*key)
            placed.append(known[key])
        bits = np.array(placed, np.uint16).reshape(len(placed), self.n_blocks * self.n_hashes)
        return np.concatenate([group, bits], axis=1, dtype=np.uint16)

    def _true_bits(self, answer: str, cohort: int, pair: int) -> tuple[int, ...]:
        normal = normalise(answer)
        bits = bloom_bits(self.design, cohort, normal.encode())
        if not self.pairs:
            return bits
        grams = cut(normal, self.max_length, self.gram_length)
        for block, position in enumerate(self.pairs[pair], 1):
            of_gram = bloom_bits(self.design, cohort, grams[position - 1].encode(), position)
            bits += tuple(block * self.n_values + bit for bit in of_gram)
        return bits

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        group, places = rows[:, : self.group_bytes].astype(np.uint8), rows[:, self.group_bytes :]
        width = self.n_blocks * self.n_values
        bits = coins.flip(self.threshold_if_other, len(rows) * width)
        true_bits = (np.arange(0, len(bits), width)[:, np.newaxis] + places).ravel()
        bits[true_bits] = coins.flip(self.threshold_if_true, true_bits.size)  # of equal ones the last coin stays
        return self._join(group, bits)

    def _report_rows(self, permanent: Bytes, coins: Coins) -> Bytes:
        if not self.has_two_stages:
            return permanent
        group = permanent[:, : self.group_bytes]
        packed = permanent[:, self.group_bytes :].reshape(-1, self._block_bytes)
        bits = np.unpackbits(packed, axis=1, count=self.n_values, bitorder="little").view(np.bool_)
        return self._join(group, replace_bits(bits.ravel(), self.report_if_one, self.report_if_zero, coins))

    def _join(self, group: Bytes, bits: NDArray[np.bool_]) -> Bytes:
        return np.concatenate([group, self._pack(bits).reshape(len(group), self.n_blocks * self._block_bytes)], axis=1)
