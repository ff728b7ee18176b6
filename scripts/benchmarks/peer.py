"""Runs in the peers' environment: for every line on stdin, measure a peer once and print the figure."""

import sys

from bars import rate

from crowd import crowd, squared_error

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

    return lambda: rate(perturb_some, WIDTH)


def multi_freq_count():
    import numpy as np
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI

    noisy = np.random.default_rng(1).random((N_COUNTED, WIDTH)) < 0.38
    reports = list(noisy.astype(float))
    return lambda: rate(lambda: UE_Aggregator_MI(reports, 1.0, False), N_COUNTED)


def multi_freq_subset():
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client

    SS_Client(0, WIDTH, 1.0)  # compiled
    return lambda: rate(lambda: [SS_Client(answer, WIDTH, 1.0) for answer in range(WIDTH)], WIDTH)


def multi_freq_error():
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client

    answers, shares = crowd()
    k = len(shares)
    return lambda: squared_error(SS_Aggregator_MI([SS_Client(one, k, 1.0) for one in answers], k, 1.0), shares)


def pure_ldp_error():
    from pure_ldp.frequency_oracles import UEClient, UEServer

    answers, shares = crowd()
    k = len(shares)

    def unary():
        client, server = UEClient(1.0, k, use_oue=True), UEServer(1.0, k, use_oue=True)
        for answer in answers:
            server.aggregate(client.privatise(answer + 1))
        counted = [server.estimate(value, suppress_warnings=True) for value in range(1, k + 1)]
        return squared_error([count / len(answers) for count in counted], shares)

    return unary


TASKS = {
    "opendp-bitvec": opendp_bitvec,
    "multi-freq-count": multi_freq_count,
    "multi-freq-subset": multi_freq_subset,
    "multi-freq-error": multi_freq_error,
    "pure-ldp-error": pure_ldp_error,
}
measure = TASKS[sys.argv[1]]()
for _ in sys.stdin:
    print(measure(), flush=True)
