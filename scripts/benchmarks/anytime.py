"""Confidence sequences: as narrow as a peer's at any number of reports, and never wrong too often for looking."""

import sys
from pathlib import Path

import numpy as np
from bars import Bar, of_pairs

from sotto_estimator.channel.channel import TARGETS, Channel
from sotto_estimator.intervals.confidence_sequence import anytime_shares

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))

from confidence_sequences import UNTUNED
from peeking import ever_missed, false_positives

SIZES = (30, 50, 100, 200, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
EPSILONS = (0.5, 1, 2)
SHARES = (0.02, 0.1, 0.3, 0.5)
N_SURVEYS, N_REPORTS = 10_000, 5_000
N_DAYS, N_A_DAY = 30, 100
LIMIT = 5.0
"""Per cent of surveys, or of experiments without a difference, that may ever be wrong."""

NOISE = Channel.warner_of_epsilon(1)
CHANNELS = {"Warner's, epsilon 1": NOISE, "oue, epsilon 1": Channel(0.5, 1 / (np.e + 1))}
MORE = {"Warner's, epsilon 3": Channel.warner_of_epsilon(3), "k-ary of 6, epsilon 2": Channel(0.6, 0.08)}


def width_beside(peer: str) -> Bar:
    """Compare widths at expected counts, in points of the reported share; the bar is of where ours does worst."""
    pairs = []
    for n in SIZES:
        for channel in map(Channel.warner_of_epsilon, EPSILONS):
            for share in SHARES:
                s = round(n * channel.reported_share(share))
                low, high = anytime_shares(np.array([float(s)]), np.array([float(n)]), 0.025)
                theirs = UNTUNED[peer](s, n, 0.05)
                pairs.append((100 * float(high[0] - low[0]), 100 * (theirs[1] - theirs[0])))
    worst = max(pairs, key=lambda pair: pair[0] / pair[1])
    return of_pairs("width, where it is worst", [worst], least=1, reference=peer, unit="points")


def missed(channels: dict[str, Channel], share: float) -> list[Bar]:
    bars = []
    for name, channel in channels.items():
        for target in TARGETS:
            rng = np.random.default_rng(1)
            found = ever_missed(N_SURVEYS, N_REPORTS, share, channel, target, "anytime", rng)
            what = f"ever missed, looked at {N_REPORTS:,} times, {share:.0%} of {target}, {name}"
            bars.append(of_pairs(what, [(100 * found, LIMIT)], least=1, reference="limit", unit="%"))
    return bars


def measure() -> list[Bar]:
    by_z, ours = false_positives(N_SURVEYS, N_DAYS, N_A_DAY, 0.3, NOISE, np.random.default_rng(2))
    print(f"{N_DAYS} daily looks: a z-test finds a difference that is not in {by_z:.1%} of {N_SURVEYS:,} experiments.")
    peeked = of_pairs("false alarms, two groups", [(100 * ours, LIMIT)], least=1, reference="limit", unit="%")
    return [*map(width_beside, UNTUNED), *missed(CHANNELS, 0.3), peeked]


def measure_more() -> list[Bar]:
    """Return bars of other channels and shares."""
    return [*missed(MORE, 0.3), *missed(CHANNELS | MORE, 0.05)]
