"""The keys of blind invitations: made and kept by the collector, which signs what it cannot see (RFC 9474).

Python's powers take a time that depends on the numbers. So each signature is made of a number that was multiplied by
random, and is checked before anybody gets it: one that went wrong could give the key away.
"""

import secrets
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from sqlalchemy import and_, select

from sotto_collector.errors import CollectorError
from sotto_collector.store import Store
from sotto_collector.store.schema import token_keys
from sotto_protocol import Survey
from sotto_protocol.blind import EXPONENT, MODULUS_BYTES, SALT_BYTES, key_text, read_key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

_PRIME_BYTES = MODULUS_BYTES // 2
_N_KEYS_KNOWN = 1024


class TokenKey:
    """A private key. Threads may share it."""

    def __init__(self, primes: bytes) -> None:
        self.primes = primes
        self._p, self._q = int.from_bytes(primes[:_PRIME_BYTES]), int.from_bytes(primes[_PRIME_BYTES:])
        self.modulus = self._p * self._q

    @staticmethod
    def make() -> "TokenKey":
        """Return a new key."""
        from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key

        numbers = generate_private_key(EXPONENT, 8 * MODULUS_BYTES).private_numbers()
        return TokenKey(numbers.p.to_bytes(_PRIME_BYTES) + numbers.q.to_bytes(_PRIME_BYTES))

    @cached_property
    def _parts(self) -> tuple[int, int, int]:
        p, q = self._p, self._q
        return pow(EXPONENT, -1, p - 1), pow(EXPONENT, -1, q - 1), pow(q, -1, p)

    def sign(self, blinded: int) -> int:
        """Return the blind signature of a number (RFC 9474, 4.3), always the same. Raises ValueError for another."""
        n = self.modulus
        if not 0 < blinded < n:
            raise ValueError("a blinded message must be positive, and less than the key's modulus.")
        random = secrets.randbelow(n - 1) + 1
        power = self._take_root(blinded * pow(random, EXPONENT, n) % n)
        signature = power * pow(random, -1, n) % n
        if pow(signature, EXPONENT, n) != blinded:
            raise CollectorError("a signature went wrong: the memory or the processor is faulty, or the key damaged.")
        return signature

    def _take_root(self, number: int) -> int:
        """Return RSADP by the Chinese remainder theorem (RFC 8017, 5.1.2)."""
        of_p, of_q, q_inverse = self._parts
        modulo_q = pow(number % self._q, of_q, self._q)
        above = (pow(number % self._p, of_p, self._p) - modulo_q) * q_inverse % self._p
        return modulo_q + above * self._q


def find_keys(store: Store, survey_id: str) -> dict[int, TokenKey]:
    """Return the keys that were made for a survey, by cell."""
    columns = token_keys.c
    with store.reader() as connection:
        rows = connection.execute(select(columns.cell, columns.primes).where(columns.survey_id == survey_id)).all()
    return {cell: TokenKey(bytes(primes)) for cell, primes in rows}


def make_keys(store: Store, survey_id: str, n_keys: int) -> list[str]:
    """Return the public keys of a survey's tokens, as it names them; made where they are not there yet."""
    there = find_keys(store, survey_id)
    missing = {cell: TokenKey.make().primes for cell in range(1, n_keys + 1) if cell not in there}
    if missing:
        store.run(lambda transaction: transaction.add_token_keys(survey_id, missing))
        there = find_keys(store, survey_id)
    return [key_text(there[cell].modulus) for cell in range(1, n_keys + 1)]


def has_keys(store: Store, survey: Survey) -> bool:
    """Whether a blind survey names the keys that were made for it here, each at its cell."""
    there = find_keys(store, survey.id)
    made = tuple(key_text(key.modulus) for _, key in sorted(there.items()))
    return bool(survey.token_keys) and made[: len(survey.token_keys)] == survey.token_keys


def key_of(store: Store, survey: Survey, cell: int) -> TokenKey:
    """Return the private key of a cell of a published survey. Raises CollectorError where it is missing.

    It is read each time: none stays in memory, where it would outlive its survey.
    """
    columns = token_keys.c
    this = and_(columns.survey_id == survey.id, columns.cell == cell)
    with store.reader() as connection:
        primes = connection.scalar(select(columns.primes).where(this))
    key = None if primes is None else TokenKey(bytes(primes))
    if key is None or key_text(key.modulus) != survey.token_keys[cell - 1]:
        raise CollectorError(f"the database lacks the private key of {survey.say_cell(cell)} of {survey.id}.")
    return key


def is_signed_by(key: str, message: bytes, signature: bytes) -> bool:
    """Whether a message's signature is of this public key (RFC 9474, 4.4: RSASSA-PSS, SHA-384, 48 bytes of salt)."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
    from cryptography.hazmat.primitives.hashes import SHA384

    try:
        _public_key(key).verify(signature, message, PSS(MGF1(SHA384()), SALT_BYTES), SHA384())
    except InvalidSignature:
        return False
    return True


@lru_cache(maxsize=_N_KEYS_KNOWN)
def _public_key(key: str) -> "RSAPublicKey":
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers

    return RSAPublicNumbers(EXPONENT, read_key(key)).public_key()
