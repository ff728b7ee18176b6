"""How far shares are off: of 100,000 answers over 64 options at epsilon 1, beside the peers' on the same answers."""

from contextlib import closing
from decimal import Decimal

import numpy as np
from bars import Bar, of_pairs
from mechanisms import peer_of

from crowd import N_OPTIONS, crowd, squared_error
from sotto_client import os_coins
from sotto_estimator.channel.simplex import project_on_simplex
from sotto_protocol.mechanisms.registry import best_of

N_CROWDS = 24
UNIT = "1e-6"


def shares_of_a_crowd() -> np.ndarray:
    """What is debiased of one crowd, by what `auto` takes."""
    made, (answers, _) = best_of("one-of", N_OPTIONS, Decimal(1)), crowd()
    true, other = made.prob_support_if_true, made.prob_support_if_other
    counts = made.count_support(made.perturb(np.array(answers), os_coins()))
    return (counts / len(answers) - other) / (true - other)


def against(task: str, name: str, reference: str, *, is_consistent: bool) -> Bar:
    """Compare the mean errors of as many crowds; the peer's crowds end with its process."""
    _, truth = crowd()

    def ours() -> float:
        shares = shares_of_a_crowd()
        return squared_error(project_on_simplex(shares) if is_consistent else shares, truth)

    with closing(peer_of(task)) as peer:
        pairs = [(ours(), peer.measure()) for _ in range(N_CROWDS)]
    means = [float(np.mean(side)) for side in zip(*pairs, strict=True)]
    return of_pairs(name, [(means[0], means[1])], least=0.95, reference=reference, unit=UNIT)


def measure() -> list[Bar]:
    """A standard error of a mean of 24 crowds is some 4 %: what is as precise is within the bar."""
    return [
        against(
            "multi-freq-error",
            "squared error of consistent shares",
            "multi-freq-ldpy's SS_Client, clipped",
            is_consistent=True,
        ),
        against("pure-ldp-error", "squared error of shares", "pure-ldp's OUE", is_consistent=False),
    ]
