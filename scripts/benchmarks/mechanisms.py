"""Perturbing and counting, against numpy's insecure generator and the peers."""

import subprocess
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import bars
import numpy as np
from bars import Bar, compare, rate

from sotto_client import os_coins
from sotto_protocol.mechanisms.unary import symmetric_unary
from sotto_protocol.mechanisms.warner import warner_by_truth

HERE = Path(__file__).parent
PEERS_PYTHON = HERE.parent.parent / ".venv-peers/bin/python"
N_ANSWERS = 1_000_000
N_WIDE = 100_000  # rows of 128 bits
WIDTH = 128


class Peer:
    """A peer's Python in a process of its own, asked for one figure at a time."""

    def __init__(self, task: str) -> None:
        self.process = subprocess.Popen(
            [PEERS_PYTHON, HERE / "peer.py", task], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def measure(self) -> float:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate()


class NoPeer:
    """Stands where a run of the smallest sizes has no peers: it only shows that what is ours works."""

    def measure(self) -> float:
        return 1.0

    def close(self) -> None:
        """There is nothing to end."""


def peer_of(task: str) -> Peer | NoPeer:
    return NoPeer() if bars.is_smallest and not PEERS_PYTHON.exists() else Peer(task)


def compare_with_peer(task: str, name: str, ours: Callable[[], float], *, least: float, reference: str) -> Bar:
    """Measure against a peer, whose process ends whatever happens."""
    with closing(peer_of(task)) as peer:
        return compare(name, ours, peer.measure, least=least, reference=reference)


def warner_bulk() -> Bar:
    mechanism = warner_by_truth(Fraction(3, 5))
    generator = np.random.default_rng(1)
    answers = generator.integers(0, 2, N_ANSWERS)
    coins = os_coins()
    return compare(
        "Warner in bulk",
        lambda: rate(lambda: mechanism.perturb(answers, coins), N_ANSWERS),
        lambda: rate(lambda: generator.random(N_ANSWERS) < 0.6, N_ANSWERS),
        least=1,
        reference="numpy Generator.random() < p",
    )


def unary_bulk() -> list[Bar]:
    mechanism = symmetric_unary(WIDTH, Decimal(1))
    generator = np.random.default_rng(1)
    answers = generator.integers(0, WIDTH, N_WIDE)
    rows = np.arange(N_WIDE)
    coins = os_coins()

    def by_numpy() -> np.ndarray:
        prob = np.full((N_WIDE, WIDTH), mechanism.prob_support_if_other)
        prob[rows, answers] = mechanism.prob_support_if_true
        return np.packbits(generator.random((N_WIDE, WIDTH)) < prob, axis=1, bitorder="little")

    def by_numpy_unpacked() -> np.ndarray:
        return generator.random((N_WIDE, WIDTH)) < mechanism.prob_support_if_other

    whole = compare(
        "SUE-128 in bulk, the whole report",
        lambda: rate(lambda: mechanism.perturb(answers, coins), N_WIDE),
        lambda: rate(by_numpy, N_WIDE),
        least=2,
        reference="numpy, two probabilities, packed",
    )
    drawn = compare(
        "SUE-128 in bulk",
        lambda: rate(lambda: mechanism.perturb(answers, coins), N_WIDE),
        lambda: rate(by_numpy_unpacked, N_WIDE),
        least=2,
        reference="numpy random((n, 128)) < q alone",
    )
    return [whole, drawn]


def unary_one_by_one() -> Bar:
    mechanism = symmetric_unary(WIDTH, Decimal(1))
    coins = os_coins()

    def perturb_some() -> None:
        for answer in range(WIDTH):
            mechanism.perturb([answer], coins)

    return compare_with_peer(
        "opendp-bitvec",
        "SUE-128, one report at a time",
        lambda: rate(perturb_some, WIDTH),
        least=5,
        reference="opendp make_randomized_response_bitvec",
    )


def unary_counting() -> Bar:
    mechanism = symmetric_unary(WIDTH, Decimal(1))
    reports = mechanism.perturb(np.arange(N_ANSWERS) % WIDTH, os_coins())
    return compare_with_peer(
        "multi-freq-count",
        "SUE-128, counting packed reports",
        lambda: rate(lambda: mechanism.count_support(reports), N_ANSWERS),
        least=5,
        reference="multi-freq-ldpy UE_Aggregator_MI",
    )


def measure() -> list[Bar]:
    return [warner_bulk(), *unary_bulk(), unary_one_by_one(), unary_counting()]
