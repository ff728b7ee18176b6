"""The gateway's cryptography: encrypted requests are opened, and responses are encrypted (RFC 9458, 4).

Whatever is wrong with a message, the result is None. So its sender cannot learn why.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sotto_collector.store import Store
from sotto_collector.store.gateway import GatewayKey, is_possible, read_identity, read_keys, sign_keys, usable
from sotto_protocol.gateway_keys import AES_128_GCM, HKDF_SHA256, KEY_BYTES, P256, SignedKeys
from sotto_protocol.oblivious import HEADER_BYTES, RESPONSE_LABEL, SECRET_BYTES, request_info, response_key

if TYPE_CHECKING:
    from pyhpke import CipherSuite
    from pyhpke.kem_key_interface import KEMKeyInterface

KNOWN_S = 1.0
"""Keys read longer ago, in seconds, are read again: another process may have made or erased some."""
UNKNOWN_S = 0.05
"""The same where a message names a key that is not known: it may have been made this moment."""
_SUITE = HKDF_SHA256.to_bytes(2, "big") + AES_128_GCM.to_bytes(2, "big")


@dataclass(frozen=True, slots=True)
class Opened:
    """What a device sent, and how to encrypt the response for it."""

    request: bytes
    seal: Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class _Known:
    """The keys as they were read at a moment of the monotonic clock."""

    read_at: float
    identity: bytes | None
    by_id: Mapping[int, "tuple[int, KEMKeyInterface]"]
    signed: SignedKeys | None


class Gateway:
    """The gateway of a collector. Threads may share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: _Known | None = None
        self.is_possible = is_possible()
        """Whether what encrypts is installed; without it there is no gateway."""

    @property
    def identity(self) -> bytes | None:
        """The public key that surveys name, if there is one. Raises StoreUnavailableError."""
        return self._read(KNOWN_S).identity if self.is_possible else None

    @property
    def signed(self) -> SignedKeys | None:
        """The keys that devices encrypt with today; None where there are none. Raises StoreUnavailableError."""
        return self._read(KNOWN_S).signed if self.is_possible else None

    def open(self, message: bytes) -> Opened | None:
        """Return an encapsulated request, opened; None where that cannot be. Raises StoreUnavailableError."""
        if len(message) < HEADER_BYTES:
            return None
        known = self._read(KNOWN_S)
        if message[0] not in known.by_id:
            known = self._read(UNKNOWN_S)
        kem, private = known.by_id.get(message[0], (0, None))
        if private is None or message[1:HEADER_BYTES] != kem.to_bytes(2, "big") + _SUITE:
            return None
        return _open(kem, private, message)

    def _read(self, at_most_s: float) -> _Known:
        now = time.monotonic()
        known = self._known
        if known is not None and now - known.read_at < at_most_s:
            return known
        with self._lock:
            if self._known is not None and self._known.read_at >= now:
                return self._known  # another thread has just read them
            self._known = self._read_anew()
            return self._known

    def _read_anew(self) -> _Known:
        began, today = time.monotonic(), self._store.today()
        with self._store.reader() as connection:
            identity, keys = read_identity(connection), read_keys(connection)
            newest = usable(keys, today)
            signed = sign_keys(connection, newest) if newest else None
        held = [key for key in keys if key.private and key.erase_on > today]
        return _Known(began, identity, {key.key_id: (key.kem, _load(key)) for key in held}, signed)


def _open(kem: int, private: "KEMKeyInterface", message: bytes) -> Opened | None:
    end = HEADER_BYTES + KEY_BYTES[kem]
    header, enc, sealed = message[:HEADER_BYTES], message[HEADER_BYTES:end], message[end:]
    try:
        context = _suite(kem).create_recipient_context(enc, private, request_info(header))
        request = context.open(sealed)
        secret = context.export(RESPONSE_LABEL, SECRET_BYTES)
    except Exception:  # whatever it is, it is the message's: points off the curve, a tag that is wrong, too few bytes
        return None
    return Opened(request, lambda response: _seal(enc, secret, response))


def _seal(enc: bytes, secret: bytes, response: bytes, drawn: Callable[[int], bytes] = os.urandom) -> bytes:
    """Return an encapsulated response (RFC 9458, 4.4)."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    response_nonce = drawn(SECRET_BYTES)
    key, nonce = response_key(enc, response_nonce, secret)
    return response_nonce + AESGCM(key).encrypt(nonce, response, None)


@lru_cache(maxsize=2)
def _suite(kem: int) -> "CipherSuite":
    from pyhpke import AEADId, CipherSuite, KDFId, KEMId

    return CipherSuite.new(KEMId(kem), KDFId.HKDF_SHA256, AEADId.AES128_GCM)


def _load(key: GatewayKey) -> "KEMKeyInterface":
    from cryptography.hazmat.primitives.asymmetric import ec, x25519
    from pyhpke import KEMKey

    if key.kem == P256:
        number = int.from_bytes(key.private, "big")
        return KEMKey.from_pyca_cryptography_key(ec.derive_private_key(number, ec.SECP256R1()))
    return KEMKey.from_pyca_cryptography_key(x25519.X25519PrivateKey.from_private_bytes(key.private))
