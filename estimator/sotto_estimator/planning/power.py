"""What all planned tests have in common: their power at n respondents, and the n that has a power."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats, check_power
from sotto_estimator.errors import DomainError
from sotto_estimator.planning.spacing import whole_steps
from sotto_estimator.planning.table import QuestionShape
from sotto_estimator.planning.widths import NO_PRIVACY, smallest_size

MAX_PLANNED = 10**9
"""So many respondents, in each group or wave, are the most that a test is planned for."""
LEAST_PLANNED = 2
LEAST_EXPECTED = 10
"""So many reports of the rarest kind are expected where a power is by the normal approximation, or more."""
MAX_AHEAD = 2**17


@dataclass(frozen=True, slots=True)
class Errors:
    """What may go wrong. `alpha`: the probability of finding what is not there, in (0, 1/2); on how many sides."""

    alpha: float = 0.05
    n_sides: int = 2

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 0.5:
            raise DomainError(f"alpha ({self.alpha!r}) must be in (0, 1/2).")

    @property
    def tail(self) -> float:
        """What each side takes of alpha."""
        return self.alpha / self.n_sides


USUAL = Errors()


class PlannedTest(Protocol):
    """A test of an effect that exists. Its fields say what is true, and what the test does not see."""

    def powers(self, n: Floats) -> Floats:
        """Return the probability that the test finds it, of n respondents in each group or wave; shape of n."""

    def least_n(self) -> int:
        """Return the least n whose power is known."""

    def n_ahead(self, n: int) -> float:
        """Return for how many sizes behind n the power may still saw below what it has at n."""


MakeTest = Callable[[Channel], PlannedTest]


@dataclass(frozen=True, slots=True)
class PowerRow:
    """A test's power at n respondents, in each group or wave. `epsilon` in nats, None without privacy.

    `power`: None of fewer than the normal approximation takes.
    """

    epsilon: float | None
    mechanism: str
    n: int
    power: float | None


def respondents_for_power(test: PlannedTest, power: float) -> int:
    """Return the smallest n from which on the test has this power, and its power is known.

    Powers saw up and down where counts are whole; the n returned is past the last tooth. Domain: power in (0, 1).
    Raises `DomainError` if that takes more than `MAX_PLANNED`.
    """
    check_power(power)
    least = test.least_n()
    if least > MAX_PLANNED:
        raise DomainError(
            f"the share is too small: among 10^9 respondents fewer than {LEAST_EXPECTED} such reports are expected."
        )

    def fails(*n: int) -> list[bool]:
        return [not found >= power for found in test.powers(np.array(n, np.float64)).tolist()]

    found = smallest_size(fails, test.n_ahead, MAX_PLANNED, n_sections=2)
    if found is None:
        raise DomainError(f"power ({power!r}) cannot be reached with 10^9 respondents: the difference is too small.")
    return max(found, least)


def n_of_expected(share: float) -> int:
    """Return the least n of which `LEAST_EXPECTED` reports are expected, where each is such a one by this chance."""
    return max(LEAST_PLANNED, math.ceil(LEAST_EXPECTED / share)) if share else MAX_PLANNED + 1


def power_rows(
    make: MakeTest, epsilons: Sequence[Decimal], n_options: int, n: int | None, power: float
) -> list[PowerRow]:
    """Return a row for every epsilon, by the mechanism of least variance, and one without privacy.

    `n_options`: of a one-of question; 0 is a yes-no question. Where n is None, it is what has this power.
    """
    rows = []
    for epsilon, name, channel in _channels(epsilons, n_options):
        test = make(channel)
        size = n or respondents_for_power(test, power)
        rows.append(PowerRow(epsilon, name, size, _power(test, size)))
    return rows


def power_curve(
    make: MakeTest, epsilons: Sequence[Decimal], n_options: int, rows: Sequence[PowerRow]
) -> list[PowerRow]:
    """Return rows along each line of n, from below the least of these rows to beyond the most."""
    sizes = [row.n for row in rows]
    steps = whole_steps(max(LEAST_PLANNED, min(sizes) / 8), min(2 * max(sizes), MAX_PLANNED))
    points = []
    for epsilon, name, channel in _channels(epsilons, n_options):
        test = make(channel)
        points += [PowerRow(epsilon, name, n, _power(test, n)) for n in steps]
    return points


def _channels(epsilons: Sequence[Decimal], n_options: int) -> Iterator[tuple[float | None, str, Channel]]:
    for epsilon in epsilons:
        mechanism = min(QuestionShape(n_options).mechanisms(epsilon), key=lambda one: one.report_variance)
        yield (
            float(epsilon),
            mechanism.name,
            Channel(mechanism.prob_support_if_true, mechanism.prob_support_if_other),
        )
    yield None, "no privacy", NO_PRIVACY


def _power(test: PlannedTest, n: int) -> float | None:
    if n < test.least_n():
        return None
    return float(test.powers(np.array([n], np.float64))[0])
