"""Runs in the peers' environment: for every line on stdin, measure one rate of a peer and print it."""

import sys

from bars import rate

WIDTH = 128
N_COUNTED = 200_000  # of 1 KiB each, as the peer keeps them


def opendp_bitvec():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain = dp.bitvector_domain(max_weight=1)
    perturb = dp.m.make_randomized_response_bitvec(domain, dp.discrete_distance(), f=0.755)  # epsilon 1
    answer = bytes([1] + [0] * (WIDTH // 8 - 1))

    def perturb_some():
        for _ in range(WIDTH):
            perturb(answer)

    return perturb_some, WIDTH


def multi_freq_count():
    import numpy as np
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI

    noisy = np.random.default_rng(1).random((N_COUNTED, WIDTH)) < 0.38
    reports = list(noisy.astype(float))
    return lambda: UE_Aggregator_MI(reports, 1.0, False), N_COUNTED


def multi_freq_subset():
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client

    SS_Client(0, WIDTH, 1.0)  # compiled
    return lambda: [SS_Client(answer, WIDTH, 1.0) for answer in range(WIDTH)], WIDTH


TASKS = {
    "opendp-bitvec": opendp_bitvec,
    "multi-freq-count": multi_freq_count,
    "multi-freq-subset": multi_freq_subset,
}
work, n_items = TASKS[sys.argv[1]]()
for _ in sys.stdin:
    print(rate(work, n_items), flush=True)
