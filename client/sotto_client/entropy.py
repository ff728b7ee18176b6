"""Coins from the operating system. Entropy enters here, in the secret and the id of a report, and nowhere else."""

import os
import ssl

from sotto_protocol import Coins

_BULK_BYTES = 128  # from here on OpenSSL's generator is faster than a system call per draw


def os_coins() -> Coins:
    """Return coins that nobody can foresee and nobody can repeat: for a report's instantaneous stage, and simulations.

    Bulk draws come from OpenSSL's generator, which reseeds itself after a fork; small ones from `os.urandom`. Nothing
    is pooled here, so forked children never share coins. A device's permanent responses use permanent coins instead.
    """
    return Coins(_take)


def _take(n_bytes: int) -> bytes:
    return ssl.RAND_bytes(n_bytes) if n_bytes >= _BULK_BYTES else os.urandom(n_bytes)
