"""RAPPOR's client, a report at a time and in bulk: against its cryptography alone, a plain program, and numpy."""

import hashlib
import hmac
import os
from collections.abc import Callable
from decimal import Decimal
from random import SystemRandom

import numpy as np
from bars import Bar, compare, rate

from sotto_client import os_coins
from sotto_client.reporting import report_answer
from sotto_protocol import Question, compile_survey

N_SINGLE = 200
N_BULK = 1_000_000
N_BITS, N_BITS_IN_BULK = 128, 32
PROB_KEPT, PROB_IF_ONE, PROB_IF_ZERO = 0.5, 0.75, 0.5  # of the plain program, whose speed does not depend on them
SECRET = bytes(range(32))
FINGERPRINT = "0" * 64
STRINGS = [f"https://example.org/{number}" for number in range(N_SINGLE)]


def question(n_bits: int) -> Question:
    home = {
        "id": "home",
        "type": "text",
        "text": "?",
        "mechanism": "rappor",
        "n_bits": n_bits,
        "n_hashes": 2,
        "n_cohorts": 64,
    }
    both = {"epsilon": Decimal(2), "epsilon_forever": Decimal(4)}
    return compile_survey({"id": "bench", "title": "Bench", "questions": [home | both]}).questions[0]


def each(work: Callable[[bytes], object]) -> float:
    """Return how many strings a second `work` handles."""
    texts = [text.encode() for text in STRINGS]
    return rate(lambda: [work(text) for text in texts], N_SINGLE)


def permanent_bytes(text: bytes) -> bytes:
    """Return a byte for each bit of the permanent stage, the same for the same string: HMAC-SHA256 by the block."""
    return b"".join(hmac.digest(SECRET, block.to_bytes(8, "big") + text, "sha256") for block in range(N_BITS // 32))


def cryptography(text: bytes) -> None:
    """Compute what a report cannot do without, and make no report of it: its hash, its HMACs, its fresh coins."""
    hashlib.sha256(text).digest()
    hmac.digest(SECRET, b"cohort", "sha256")
    permanent_bytes(text)
    os.urandom(N_BITS)


def plainly(text: bytes, fresh: SystemRandom) -> int:
    """Return a report as a plain program makes it, bit by bit: secure, and with probabilities that are not exact."""
    digest = hashlib.sha256(text).digest()
    set_bits = {digest[0] % N_BITS, digest[1] % N_BITS}
    report = 0
    for bit, byte in enumerate(permanent_bytes(text)):
        is_one = bit in set_bits if byte / 256 < PROB_KEPT else byte & 1
        report |= (fresh.random() < (PROB_IF_ONE if is_one else PROB_IF_ZERO)) << bit
    return report


def one_by_one() -> list[Bar]:
    """A string becomes a noisy report: Bloom filter, cohort, permanent and instantaneous coins, packed."""
    asked, coins, fresh = question(N_BITS), os_coins(), SystemRandom()

    def on_a_device() -> None:
        for text in STRINGS:
            report_answer(asked, asked.encode(text), SECRET, FINGERPRINT, coins)

    name = f"RAPPOR-{N_BITS}, one report at a time"
    return [
        compare(
            name,
            lambda: rate(on_a_device, N_SINGLE),
            lambda: each(cryptography),
            least=0.2,
            reference="its hashes and coins alone, no report",
        ),
        compare(
            name,
            lambda: rate(on_a_device, N_SINGLE),
            lambda: each(lambda text: plainly(text, fresh)),
            least=2,
            reference="a plain Python loop over the bits",
        ),
    ]


def in_bulk() -> Bar:
    mechanism, coins = question(N_BITS_IN_BULK).mechanism, os_coins()
    answers = [f"https://example.org/{number % 1000}" for number in range(N_BULK)]
    generator = np.random.default_rng(1)
    filters = generator.random((N_BULK, N_BITS_IN_BULK)) < 2 / N_BITS_IN_BULK

    def by_numpy() -> np.ndarray:
        kept = np.where(generator.random(filters.shape) < PROB_KEPT, filters, generator.random(filters.shape) < 0.5)
        prob = np.where(kept, PROB_IF_ONE, PROB_IF_ZERO)
        return np.packbits(generator.random(filters.shape) < prob, axis=1, bitorder="little")

    return compare(
        f"RAPPOR-{N_BITS_IN_BULK}, simulated in bulk, strings hashed",
        lambda: rate(lambda: mechanism.perturb(answers, coins), N_BULK),
        lambda: rate(by_numpy, N_BULK),
        least=0.25,
        reference="numpy's insecure generator, filters given",
        rounds=3,
    )


def measure() -> list[Bar]:
    return [*one_by_one(), in_bulk()]
