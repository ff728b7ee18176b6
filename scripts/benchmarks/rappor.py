"""RAPPOR's client: one report at a time, and simulation in bulk, against the figures of google/rappor's clients."""

import sys
from decimal import Decimal

from bars import Bar, compare, rate

from sotto_client import os_coins
from sotto_client.permanent import permanent_coins
from sotto_client.reporting import report_answer
from sotto_protocol import Question, compile_survey

# google/rappor measured on a machine of this kind, both stages, a report of one string at a time.
CPP_DEBUG_128 = 23_200.0  # C++, k = 128, Debug
CPP_32 = 320_000.0  # C++, k = 32, -O2
PYTHON_32 = 4_700.0  # Python, k = 32
N_SINGLE = 200
N_BULK = 1_000_000
SECRET = bytes(range(32))
FINGERPRINT = "0" * 64


def question(n_bits: int) -> Question:
    home = {"id": "home", "type": "text", "text": "?", "n_bits": n_bits, "n_hashes": 2, "n_cohorts": 64}
    both = {"epsilon": Decimal(2), "epsilon_forever": Decimal(4)}
    return compile_survey({"id": "bench", "title": "Bench", "questions": [home | both]}).questions[0]


def one_by_one() -> list[Bar]:
    """A string becomes a noisy report: Bloom filter, permanent and instantaneous coins, packed."""
    asked, coins = question(128), os_coins()
    mechanism = asked.mechanism
    group = mechanism.draw_group(1, coins)

    def on_a_device() -> None:
        for number in range(N_SINGLE):
            encoded = asked.encode(f"https://example.org/{number}")
            permanent = permanent_coins(SECRET, FINGERPRINT, asked.id, encoded)
            mechanism.perturb_by_stages(encoded, group, permanent, coins)

    def with_its_cohort() -> None:
        for number in range(N_SINGLE):
            report_answer(asked, asked.encode(f"https://example.org/{number}"), SECRET, FINGERPRINT, coins)

    def simulated() -> None:
        for number in range(N_SINGLE):
            mechanism.perturb([f"https://example.org/{number}"], coins)

    cases = {
        "permanent coins by HMAC, cohort given": on_a_device,
        "permanent coins and cohort by HMAC": with_its_cohort,
        "all coins by the system, cohort drawn": simulated,
    }
    return [
        compare(
            f"RAPPOR-128, one report at a time, {name}",
            lambda work=work: rate(work, N_SINGLE),
            lambda: CPP_DEBUG_128,
            least=1,
            reference="google/rappor C++ Debug (measured once)",
        )
        for name, work in cases.items()
    ]


def in_bulk() -> Bar:
    mechanism, coins = question(32).mechanism, os_coins()
    answers = [f"https://example.org/{number % 1000}" for number in range(N_BULK)]

    def simulate() -> float:
        speed = rate(lambda: mechanism.perturb(answers, coins), N_BULK)
        print(f"        {N_BULK:,} reports of 32 bits in {N_BULK / speed:.2f} s", flush=True)
        return speed

    bulk = simulate()
    print(
        f"        {bulk / PYTHON_32:.0f} x google/rappor's Python client, {bulk / CPP_32:.1f} x its C++ client at -O2"
    )
    return compare(
        "RAPPOR-32, simulated in bulk",
        simulate,
        lambda: CPP_32,
        least=1,
        reference="google/rappor C++ -O2 (measured once)",
        rounds=3,
    )


if __name__ == "__main__":
    bars = [*one_by_one(), in_bulk()]
    sys.exit(any(bar.ratio < bar.least for bar in bars))
