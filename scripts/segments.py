"""The table of designs that numbers are reported by (`segments`): made again, or one of it.

.venv/bin/python scripts/segments.py > protocol/sotto_protocol/mechanisms/segment_designs.json
.venv/bin/python scripts/segments.py 21 3

A channel of L levels, whose outputs have the probability q at the levels from `first` to `last`, and q / e^epsilon
at all others, is unbiased if the worths y of the outputs are. Its second moments are sums of q y^2 = z^2 / q,
which is convex in q and z = q y. So the least worst variance is found by linear programs, to which tangents of z^2 / q
are added (Kelley 1960). Each output has a mirror image, which is left out. `Numbers` says what variance is meant.
"""

import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from math import ceil, exp, inf, tanh

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, vstack

from sotto_protocol.mechanisms.levels import mean_variance
from sotto_protocol.mechanisms.segment_design import squares_of
from sotto_protocol.mechanisms.window_design import window

Floats = NDArray[np.float64]

TOLERANCE = 1e-3
"""Of a variance: the program is solved to that."""
MOST_ABOVE = 1.046
"""The worst variance is at most so much above the least possible, and within that ..."""
BELOW_WINDOW = 0.998
"""... the mean variance is at most so much of the best window's."""
MOST_ABOVE_WINDOW = 1.08
"""A design whose mean variance is above the window's by more is left out: the window is taken instead."""
_EVERY = 2**20
"""Numbers of so many steps stand for all between."""
_ALL_OUTPUTS = 21
"""With more levels only outputs are tried that are about as wide as the best ones are."""
_NOTHING = 1e-9
_EXACTLY = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
_MOST_ROUNDS = 60
_FLOW = 10**5
_UNIT = 10**4


class ImpossibleError(Exception):
    """No segments have such variances."""


@dataclass(frozen=True)
class Numbers:
    """Numbers that are the levels, or with `is_every` all numbers between too, which are rounded at random."""

    levels: int
    is_every: bool

    @property
    def span(self) -> int:
        """How many steps they have."""
        return _EVERY if self.is_every else self.levels - 1

    @cached_property
    def places(self) -> Floats:
        """The levels, from -1 to 1."""
        return np.linspace(-1, 1, self.levels)

    @cached_property
    def rounded(self) -> Floats:
        """Numbers with the largest variances as mixtures of levels: these, and midway; up to the middle."""
        half = np.eye(self.levels)[: (self.levels + 1) // 2]
        if not self.is_every:
            return half
        between = (np.eye(self.levels)[:-1] + np.eye(self.levels)[1:]) / 2
        return np.vstack([half, between[: self.levels // 2]])

    @cached_property
    def evenly(self) -> tuple[Floats, float]:
        """All numbers alike, as a mixture of levels, and their mean square."""
        weights = np.full(self.levels, 1.0)
        weights[[0, -1]] /= 1 + self.is_every
        return weights / weights.sum(), 1 / 3 if self.is_every else float((self.places**2).mean())

    def window_mean(self, epsilon: float) -> float:
        """Return the mean variance of the best window, of places from -1 to 1."""
        return 4 * mean_variance(squares_of(window(self.span, Decimal(str(epsilon)))), self.span)


@dataclass
class Program:
    """Everything linear about segments of an epsilon: `outputs` without their mirror images, and tangents so far."""

    numbers: Numbers
    epsilon: float
    tangents: list[tuple[int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        most = max(1.3, 1.2 / tanh(self.epsilon / 2))
        for output, ends in enumerate(self.outputs):
            middle = sum(ends) / (self.numbers.levels - 1) - 1
            self.tangents += [(output, y) for y in np.linspace(-most, most, 9)]
            self.tangents += [(output, y) for y in np.linspace(middle - 0.25, middle + 0.25, 11)]

    @cached_property
    def outputs(self) -> list[tuple[int, int]]:
        """The first and the last level of each, and of what it mirrors."""
        levels = self.numbers.levels
        near = 1.25 * exp(-self.epsilon / 3) * levels
        spread = inf if levels <= _ALL_OUTPUTS else max(3, levels / 15)
        ends = [(first, last) for first in range(levels) for last in range(first, levels) if last - first < levels - 1]
        return [
            (first, last)
            for first, last in ends
            if (first, last) <= (levels - 1 - last, levels - 1 - first)
            and last - first + 1 <= near + spread
            and (first == 0 or last == levels - 1 or last - first + 1 >= near - spread)
        ]

    @cached_property
    def probabilities(self) -> tuple[Floats, Floats]:
        """For each output at each level, with its mirror image added to it, and taken from it."""
        level, (first, last) = np.arange(self.numbers.levels), np.array(self.outputs).T[..., None]
        own = np.where((level >= first) & (level <= last), 1.0, exp(-self.epsilon))
        is_own_image = first + last == self.numbers.levels - 1
        image = np.where(is_own_image, 0, own[:, ::-1])
        return own + image, np.where(is_own_image, 0, own - image)

    def solve(self, *, mean: float = inf, worst: float = inf) -> "Solution":
        """Return the least worst variance of a mean variance, or where `worst` is given the least mean variance."""
        best: Solution | None = None
        for _ in range(_MOST_ROUNDS):
            solution, least = self._solve(mean, worst)
            bound = solution.mean if worst < inf else solution.worst
            off = max(solution.mean / mean, solution.worst / worst) - 1
            if off < TOLERANCE and (best is None or bound < (best.mean if worst < inf else best.worst)):
                best = solution
            if best is not None and (best.mean if worst < inf else best.worst) - least < TOLERANCE * abs(least):
                return best
            used = np.flatnonzero(solution.q > _NOTHING).tolist()
            self.tangents += [(output, solution.y[output]) for output in used]
        if best is None:
            raise ImpossibleError("the program is not solved")
        return best

    def _solve(self, mean: float, worst: float) -> tuple["Solution", float]:
        """Return a solution by the tangents, with its true variances, and what it is worth by them."""
        (even, odd), numbers, n = self.probabilities, self.numbers, len(self.outputs)
        (evenly, square), half = numbers.evenly, (numbers.levels + 1) // 2
        output, y = np.array(self.tangents).T
        picked = csr_matrix((np.ones(len(y)), (np.arange(len(y)), output.astype(int))), shape=(len(y), n))
        tangents = hstack([-picked.multiply(y[:, None] ** 2), picked.multiply(2 * y[:, None]), -picked])
        moments, nothing = numbers.rounded @ even.T, csr_matrix((len(numbers.rounded), 2 * n))
        squares = (numbers.rounded @ numbers.places) ** 2
        is_mean = worst < inf
        above = vstack(
            [
                hstack([tangents, csr_matrix((len(y), 1))]),
                hstack([nothing, csr_matrix(moments), -np.ones((len(moments), 1))]),
                hstack([csr_matrix((1, 2 * n)), csr_matrix(evenly @ even.T), csr_matrix((1, 1))]),
            ]
        )
        limits = np.concatenate([np.zeros(len(y)), squares, [min(mean, 1e9) + square]])
        equal = np.block(
            [
                [even.T[:half], np.zeros((half, 2 * n + 1))],
                [np.zeros((half, n)), odd.T[:half], np.zeros((half, n + 1))],
            ]
        )
        cost = np.concatenate([np.zeros(2 * n), evenly @ even.T * is_mean, [not is_mean]])
        bounds = [(0, None)] * n + [(None, None)] * n + [(0, None)] * n + [(None, worst if is_mean else None)]
        equals = np.concatenate([np.ones(half), numbers.places[:half]])
        found = linprog(cost, above, limits, equal, equals, bounds, options=_EXACTLY)
        if found.status:
            raise ImpossibleError(found.message)
        q, z = found.x[:n], found.x[n : 2 * n]
        y = np.divide(z, q, out=np.zeros(n), where=q > _NOTHING)
        exact = q * y**2
        solution = Solution(
            self, q, y, float((moments @ exact - squares).max()), float(evenly @ even.T @ exact - square)
        )
        return solution, found.fun - square * is_mean


@dataclass(frozen=True)
class Solution:
    """Outputs' probabilities and worths; the worst and the mean variance, of places from -1 to 1."""

    program: Program
    q: Floats
    y: Floats
    worst: float
    mean: float

    def arcs(self) -> list[list[int]]:
        """Return first, last, flow and worth in integers: paths from end to end, which share out the flow."""
        levels, outputs = self.program.numbers.levels, self.program.outputs
        worths = dict(zip(outputs, np.round(self.y * _UNIT).astype(int).tolist(), strict=True))
        left = Counter(dict(zip(outputs, self.q.tolist(), strict=True)))
        left.update(
            {
                (levels - 1 - last, levels - 1 - first): q
                for (first, last), q in [*left.items()]
                if first + last != levels - 1
            }
        )
        paths = _paths(left, levels)
        whole = sum(width for width, _ in paths)
        shares = [int(width / whole * _FLOW) for width, _ in paths]
        shares[0] += _FLOW - sum(shares)
        flows = Counter[tuple[int, int]]()
        for share, (_, path) in zip(shares, paths, strict=True):
            for first, last in path:
                flows.update({(first, last): share})
                flows.update({(levels - 1 - last, levels - 1 - first): share})
        own = {arc: worths[arc] * (sum(arc) != levels - 1) for arc in outputs}
        return [[*arc, flow, own[arc]] for arc, flow in sorted(flows.items()) if arc in own and flow]


def _paths(left: Counter[tuple[int, int]], levels: int) -> list[tuple[float, list[tuple[int, int]]]]:
    """Return paths of outputs from end to end, each as wide as its narrowest, the widest first; `left` is used up."""
    paths: list[tuple[float, list[tuple[int, int]]]] = []
    while True:
        best: dict[int, tuple[float, list[tuple[int, int]]]] = {0: (inf, [])}
        for first, last in sorted(left):
            width, path = best.get(first, (0.0, []))
            width = min(width, left[first, last])
            if width > best.get(last + 1, (0.0, []))[0]:
                best[last + 1] = width, [*path, (first, last)]
        width, path = best.get(levels, (0.0, []))
        if paths and width < 1e-6 * sum(each for each, _ in paths):
            return paths
        left.subtract(dict.fromkeys(path, width))
        paths.append((width, path))


def design(numbers: Numbers, epsilon: float) -> Solution:
    """Return the segments of the least worst variance that are no worse than the window on average, if there are any.

    Else those of the least mean variance whose worst is at most MOST_ABOVE of the least possible.
    """
    program, usual = Program(numbers, epsilon), BELOW_WINDOW * numbers.window_mean(epsilon)
    best = program.solve()
    if best.mean <= usual:
        return best
    try:
        level = program.solve(mean=usual)
    except ImpossibleError:
        level = best
    is_near = level.mean <= usual * (1 + TOLERANCE) and level.worst <= MOST_ABOVE * best.worst
    return level if is_near else program.solve(worst=MOST_ABOVE * best.worst)


def _steps(low: float, high: float, step: float = 0.2) -> list[float]:
    return [round(low + step * at, 2) for at in range(ceil((high - low) / step - 1e-9) + 1)]


_LOW = [0.25, 0.3, 0.35, 0.42, 0.5, 0.6, 0.7, 0.75, 0.85, 1, 1.1, 1.2, 1.35, 1.5, 1.7, 1.85]
FAMILIES: list[tuple[Numbers, list[float]]] = [
    *[(Numbers(levels, False), _steps(low, high)) for levels, low, high in ((4, 2.4, 4), (5, 3, 5), (6, 3, 5.4))],
    *[(Numbers(levels, False), _steps(low, high)) for levels, low, high in ((7, 3, 6), (8, 3, 6.4), (9, 3.2, 6.6))],
    *[(Numbers(levels, False), _steps(low, high)) for levels, low, high in ((11, 3.4, 7.2), (13, 4, 8), (16, 5, 8))],
    (Numbers(21, False), _steps(2.2, 8)),
    (Numbers(21, True), [*_LOW, *_steps(2, 3.4)]),
    (Numbers(31, True), _steps(3.4, 4.4)),
    (Numbers(41, True), _steps(4.4, 5.6)),
    (Numbers(61, True), _steps(5.6, 8)),
]
"""Which numbers are designed for, at which epsilons: more levels where the epsilon is higher."""


def _line(numbers: Numbers, epsilon: float) -> str:
    """Return a design as JSON, or nothing where the window is better on average by more than a little."""
    solution = design(numbers, epsilon)
    relative = solution.mean / numbers.window_mean(epsilon)
    said = f"worst {solution.worst / 4:.6f}, mean / window {relative:.4f}"
    print(numbers, epsilon, said, file=sys.stderr, flush=True)
    arcs = json.dumps(solution.arcs(), separators=(",", ":"))
    return f'{{"epsilon": {epsilon:g}, "arcs": {arcs}}}' if relative <= MOST_ABOVE_WINDOW else ""


def main() -> None:
    """Print the table, or the design for all numbers of so many levels at an epsilon."""
    if len(sys.argv) > 1:
        print(_line(Numbers(int(sys.argv[1]), True), float(sys.argv[2])))
        return
    families = []
    for numbers, epsilons in FAMILIES:
        lines = [line for line in (_line(numbers, epsilon) for epsilon in epsilons) if line]
        families.append(f'{{"levels": {numbers.levels}, "designs": [\n' + ",\n".join(lines) + "\n]}")
    print("[\n" + ",\n".join(families) + "\n]")


if __name__ == "__main__":
    main()
