"""Blinding: what a device does so that a collector signs a token that it cannot see (RFC 9474, 4.2 and 4.4).

The numbers are not hidden from somebody who can measure this device to the microsecond: they are drawn anew for each
token, and forgotten with the invitation.
"""

import math
import os
import secrets
from dataclasses import dataclass, field

from sotto_protocol.blind import EXPONENT, RANDOM_BYTES, SALT_BYTES, encode_pss, is_signed


@dataclass(frozen=True, slots=True)
class Blinding:
    """The secrets of one request for a token: the salt of its signature, and the factor that hides it.

    Somebody who has them, and the request that the collector got, can join the token to the invitation.
    """

    salt: bytes = field(repr=False)
    factor: bytes = field(repr=False)

    @staticmethod
    def draw(modulus: int) -> "Blinding":
        """Return new ones, for a key of this modulus: the factor is uniform among the units."""
        factor = 0
        while math.gcd(factor, modulus) != 1:
            factor = secrets.randbelow(modulus - 1) + 1
        return Blinding(os.urandom(SALT_BYTES), factor.to_bytes(_width(modulus)))

    def blind(self, message: bytes, modulus: int) -> bytes:
        """Return what the collector is to sign: the same each time."""
        encoded = int.from_bytes(encode_pss(message, self.salt, modulus.bit_length() - 1))
        hidden = encoded * pow(int.from_bytes(self.factor), EXPONENT, modulus) % modulus
        return hidden.to_bytes(_width(modulus))

    def finish(self, message: bytes, signature: bytes, modulus: int) -> bytes | None:
        """Return the token's signature, of the one that the collector gave; None where it does not fit the key."""
        inverse = pow(int.from_bytes(self.factor), -1, modulus)
        finished = (int.from_bytes(signature) * inverse % modulus).to_bytes(_width(modulus))
        return finished if is_signed(message, finished, modulus) else None


def draw_random() -> bytes:
    """Return the random bytes of a token's message."""
    return os.urandom(RANDOM_BYTES)


def _width(modulus: int) -> int:
    return (modulus.bit_length() + 7) // 8
