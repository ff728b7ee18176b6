"""What a million shuffled reports tell of one: the bound and the exact figure of a yes-no question, within a limit."""

import time
from collections.abc import Callable

from bars import Bar, of_pairs

from sotto_estimator.channel.channel import Channel
from sotto_rehearsal.comparison.binary import exact_epsilon
from sotto_rehearsal.comparison.clones import amplified_epsilon

N_REPORTS, DELTA, EPSILON = 10**6, 1e-6, 1.0
LIMIT_MS = 1000.0
N_ROUNDS = 5


def cpu_ms(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


def measure() -> list[Bar]:
    channel = Channel.warner_of_epsilon(EPSILON)
    bounds = [cpu_ms(lambda: amplified_epsilon(EPSILON, N_REPORTS, DELTA)) for _ in range(N_ROUNDS)]
    exact = [cpu_ms(lambda: exact_epsilon(channel, N_REPORTS, DELTA)) for _ in range(N_ROUNDS)]
    return [
        of_pairs(
            f"{N_REPORTS:,} shuffled reports: {name}",
            [(ms, LIMIT_MS) for ms in took],
            least=1,
            reference="the limit",
            unit="ms",
        )
        for name, took in (("bound", bounds), ("exact figure", exact))
    ]
