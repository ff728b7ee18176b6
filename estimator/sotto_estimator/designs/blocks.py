"""Answers that are forced by blocks: of every N people exactly g say yes, so reports are not independent.

Notation: block b has r_b of its N people (the last one of a sample may be incomplete), K_b of whom have the trait. Of
the N places g are forced at random, so of the r_b - K_b other people Z_b ~ Hypergeometric(N, r_b - K_b, g) say yes
though it is not true, and S = K + the sum of Z_b is the number of yes. The people who are not forced are a random
sample of the block without replacement: in a complete block S_b - g of them have the trait.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations_with_replacement, product

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats, Target
from sotto_estimator.designs.design import Arm, Block
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions, check_level, share_bounds

RESPONDENT_METHODS = ("chernoff", "clopper-pearson")
MOST_SPLITS = 20_000
"""So many ways in which people with the trait can fall on the blocks are enumerated, at most."""
_MARGIN = 1e-9
"""Relative widening of a tail, or of its logarithm: more than the rounding."""
_N_TILTS = 120
_TILTS = (1e-3, 30.0)


@dataclass(frozen=True, slots=True)
class _Same:
    """Blocks that are alike: `number` of them, of `people` each."""

    block: Block
    people: int
    number: int

    def forced_others(self, n_yes: int) -> Floats:
        """Return P(Z = z) for z = 0 .. of one block with so many people who have the trait."""
        others, (size, forced) = self.people - n_yes, (self.block.size, self.block.n_forced)
        ways = [math.comb(others, z) * math.comb(size - others, forced - z) for z in range(min(others, forced) + 1)]
        return np.array(ways, np.float64) / float(math.comb(size, forced))


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of one sample or of several, and how many people said yes in all."""

    kinds: tuple[_Same, ...]
    n_yes: int

    @classmethod
    def of(cls, arms: Sequence[Arm]) -> "Blocks":
        """Return the blocks of arms with whole counts. Raises `DomainError` where an arm has none."""
        numbers: dict[tuple[Block, int], int] = {}
        for arm in arms:
            if arm.design.block is None:
                raise DomainError(f"{arm.design.name} is no design of blocks: estimate it without block-garbling.")
            whole, rest = divmod(round(arm.n), arm.design.block.size)
            for people, number in ((arm.design.block.size, whole), (rest, 1 if rest else 0)):
                if number:
                    key = arm.design.block, people
                    numbers[key] = numbers.get(key, 0) + number
        kinds = tuple(_Same(*key, number) for key, number in numbers.items())
        return cls(kinds, round(sum(arm.counts[0] for arm in arms)))

    @property
    def n(self) -> int:
        """How many people there are."""
        return sum(kind.people * kind.number for kind in self.kinds)

    @property
    def forced(self) -> tuple[int, int]:
        """The least and the most people who can have been forced: the same where all blocks are complete."""
        least = sum(kind.number * max(0, kind.block.n_forced + kind.people - kind.block.size) for kind in self.kinds)
        return least, sum(kind.number * min(kind.block.n_forced, kind.people) for kind in self.kinds)

    @property
    def expected_forced(self) -> float:
        """How many people are forced on average."""
        return sum(kind.number * kind.people * kind.block.n_forced / kind.block.size for kind in self.kinds)

    @property
    def like(self) -> Channel:
        """The channel of one report alone."""
        return Channel(1.0, self.expected_forced / self.n)

    @property
    def share(self) -> float:
        """The unbiased share."""
        return (self.n_yes - self.expected_forced) / (self.n - self.expected_forced)

    def standard_error(self, target: Target) -> float:
        """Return that of the share, at the share brought into [0, 1], alike in all blocks.

        Population: people who are not forced are independent, and how many are forced of an incomplete block is
        hypergeometric. Respondents: of a complete block, f (1 - f) g (N - g) / (N - 1) (the hypergeometric variance);
        unequal blocks vary less.
        """
        share, variance = min(max(self.share, 0.0), 1.0), 0.0
        for kind in self.kinds:
            size, forced, people = kind.block.size, kind.block.n_forced, kind.people
            if target == "respondents":
                others = people * (1 - share)
                each = forced * others * (size - others) * (size - forced) / (size**2 * (size - 1))
            else:
                spread = forced * people * (size - people) * (size - forced) / (size**2 * (size - 1))
                each = people * (1 - forced / size) * share * (1 - share) + spread * (1 - share) ** 2
            variance += kind.number * each
        return math.sqrt(variance) / (self.n - self.expected_forced)

    def ends(self, options: IntervalOptions, n_intervals: int = 1) -> tuple[float, float]:
        """Return the ends of the share, of one of so many intervals that hold together; they may lie outside [0, 1].

        Raises `DomainError` for a method that does not know these blocks.
        """
        method, tail = options.method, check_level(options.level, n_intervals) / 2
        if options.about == "population":
            return self._of_population(options, n_intervals)
        if method not in RESPONDENT_METHODS:
            raise DomainError(
                f"method ({method!r}) must be one of {', '.join(RESPONDENT_METHODS)} about the respondents of blocks."
            )
        tails = _Exact.of(self) if method == "clopper-pearson" else _Chernoff.of(self)
        return tails.fewest(self.n_yes, tail) / self.n, tails.most(self.n_yes, tail) / self.n

    def _of_population(self, options: IntervalOptions, n_intervals: int) -> tuple[float, float]:
        """By the people who were not forced, asked directly: the low end if most were forced, the high if fewest."""
        least, most = self.forced
        ends = []
        for forced in (most, least):
            direct, n = Channel(1.0, 0.0), self.n - forced
            if not n:  # one block that is hardly begun: all can have been forced
                return 0.0, 1.0
            said = min(max(self.n_yes - forced, 0), n)
            ends.append(
                share_bounds(
                    said,
                    n,
                    direct,
                    level=options.level,
                    method=options.method,
                    target="population",
                    n_intervals=n_intervals,
                )
            )
        return float(ends[0][0]), float(ends[1][1])


@dataclass(frozen=True, slots=True)
class _Exact:
    """P(S >= s) and P(S <= s) of K people with the trait, of the worst split over the blocks, by enumeration.

    `laws[K]`: shape (n_splits, n + 1), P(S = s) by split.
    """

    laws: tuple[Floats, ...]

    @classmethod
    def of(cls, blocks: Blocks) -> "_Exact":
        n_splits = math.prod(math.comb(kind.number + kind.people, kind.people) for kind in blocks.kinds)
        if n_splits > MOST_SPLITS:
            sizes = [kind.people for kind in blocks.kinds]
            raise DomainError(
                f"{sum(kind.number for kind in blocks.kinds)} blocks of at most {max(sizes)} people can have the trait "
                f"in {n_splits:,} ways; exact tails take at most {MOST_SPLITS:,}. Use chernoff, which is as safe."
            )
        each = [[_law(kind, split) for split in _splits(kind)] for kind in blocks.kinds]
        found: list[list[Floats]] = [[] for _ in range(blocks.n + 1)]
        for parts in product(*each):
            n_yes, law = reduce(lambda one, other: (one[0] + other[0], np.convolve(one[1], other[1])), parts)
            found[n_yes].append(np.concatenate([np.zeros(n_yes), law, np.zeros(blocks.n)])[: blocks.n + 1])
        return cls(tuple(np.array(laws) for laws in found))

    def fewest(self, n_yes: int, tail: float) -> int:
        """Return the fewest people who are not refuted by so many yes: with more, S is larger."""
        worst = [float(laws[:, n_yes:].sum(axis=1).max()) for laws in self.laws]
        return next((people for people, of in enumerate(worst) if of > tail * (1 - _MARGIN)), len(worst))

    def most(self, n_yes: int, tail: float) -> int:
        """Return the most people who are not refuted; -1 where all are."""
        worst = [float(laws[:, : n_yes + 1].sum(axis=1).max()) for laws in self.laws]
        fits = [people for people, of in enumerate(worst) if of > tail * (1 - _MARGIN)]
        return fits[-1] if fits else -1


def _splits(kind: _Same) -> list[tuple[int, ...]]:
    return list(combinations_with_replacement(range(kind.people + 1), kind.number))


def _law(kind: _Same, split: tuple[int, ...]) -> tuple[int, Floats]:
    """Return how many have the trait, and the law of the sum of Z."""
    return sum(split), reduce(np.convolve, (kind.forced_others(n_yes) for n_yes in split))


@dataclass(frozen=True, slots=True)
class _Chernoff:
    """The same by E e^(h S), of the worst split: ln E e^(h S_b) is bounded by a line in K_b, whatever its slope x.

    The sum over all blocks is then at most the number of blocks times the line's height, plus x K.
    """

    laws: tuple[tuple[_Same, list[Floats]], ...]
    n: int

    @classmethod
    def of(cls, blocks: Blocks) -> "_Chernoff":
        laws = [(kind, [kind.forced_others(n_yes) for n_yes in range(kind.people + 1)]) for kind in blocks.kinds]
        return cls(tuple(laws), blocks.n)

    def fewest(self, n_yes: int, tail: float) -> int:
        """Return the fewest people who are not refuted."""
        return max(0, math.ceil(self._refuted(n_yes, tail, 1.0)))

    def most(self, n_yes: int, tail: float) -> int:
        """Return the most people who are not refuted; -1 where all are."""
        return min(self.n, math.floor(-self._refuted(n_yes, tail, -1.0)))

    def _refuted(self, n_yes: int, tail: float, sign: float) -> float:
        """Return the bound of K, times `sign`, below which all are refuted by e^(-h s) E e^(h S), h of this sign."""
        budget, best = -math.log(tail) * (1 + _MARGIN), -math.inf
        for tilt in sign * np.geomspace(*_TILTS, _N_TILTS):
            logs = [_log_moments(laws, tilt) for _, laws in self.laws]
            for slope in np.unique(np.concatenate([np.diff(of) for of in logs])):
                if slope * sign <= 0:
                    continue
                height = sum(
                    kind.number * float((of - slope * np.arange(len(of))).max())
                    for (kind, _), of in zip(self.laws, logs, strict=True)
                )
                end = (tilt * n_yes - budget - height) / abs(slope)
                best = max(best, end - _MARGIN * (1 + abs(end)))
        return best


def _log_moments(laws: Sequence[Floats], tilt: float) -> Floats:
    """Return ln E e^(tilt S_b) by the number of people with the trait; `laws`: of Z by the same."""
    found = []
    for n_yes, law in enumerate(laws):
        exponents = tilt * (n_yes + np.arange(len(law)))
        found.append(exponents.max() + math.log(float(np.exp(exponents - exponents.max()) @ law)))
    return np.array(found)
