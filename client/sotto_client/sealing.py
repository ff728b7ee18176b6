"""Encryption for a gateway (RFC 9458, 4): a request is sealed, and the response to it opened. Loaded only if needed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pyhpke import AEADId, CipherSuite, KDFId, KEMId, KEMKey, KEMKeyInterface, KEMKeyPair

from sotto_client.errors import DeliveryError
from sotto_protocol.gateway_keys import AES_128_GCM, HKDF_SHA256, P256, KeyConfiguration, SignedKeys
from sotto_protocol.oblivious import (
    RESPONSE_LABEL,
    SECRET_BYTES,
    TAG_BYTES,
    request_info,
    response_key,
)


@dataclass(frozen=True, slots=True)
class Sealed:
    """An encapsulated request, and how to open the response to it."""

    message: bytes
    open: Callable[[bytes], bytes]
    """Raises DeliveryError for anything but the gateway's response to this very request."""


def seal(configuration: KeyConfiguration, request: bytes, pair: KEMKeyPair | None = None) -> Sealed:
    """Return a request, encrypted anew with every call. `pair`: an ephemeral key that is given, for test vectors.

    Raises DeliveryError for a public key that is none.
    """
    header = bytes([configuration.key_id]) + b"".join(
        number.to_bytes(2, "big") for number in (configuration.kem, HKDF_SHA256, AES_128_GCM)
    )
    try:
        public = _load(configuration.kem, configuration.public)
        enc, context = _suite(configuration.kem).create_sender_context(public, request_info(header), eks=pair)
    except Exception:  # of another library, for points off the curve and of small order
        raise DeliveryError("the gateway's public key cannot be used.") from None
    secret = context.export(RESPONSE_LABEL, SECRET_BYTES)
    return Sealed(header + enc + context.seal(request), lambda response: _open(enc, secret, response))


def _open(enc: bytes, secret: bytes, response: bytes) -> bytes:
    response_nonce, sealed = response[:SECRET_BYTES], response[SECRET_BYTES:]
    if len(sealed) < TAG_BYTES:
        raise DeliveryError("the response was not encrypted for this request.")
    key, nonce = response_key(enc, response_nonce, secret)
    try:
        return AESGCM(key).decrypt(nonce, sealed, None)
    except InvalidTag:
        raise DeliveryError("the response was not encrypted for this request.") from None


def is_signed(keys: SignedKeys, gateway_key: str) -> bool:
    """Return whether the key that a survey names, 64 hexadecimal digits, has signed these."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(gateway_key)).verify(keys.signature, keys.signed)
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=2)
def _suite(kem: int) -> CipherSuite:
    return CipherSuite.new(KEMId(kem), KDFId.HKDF_SHA256, AEADId.AES128_GCM)


def _load(kem: int, public: bytes) -> KEMKeyInterface:
    if kem == P256:
        return KEMKey.from_pyca_cryptography_key(ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public))
    return KEMKey.from_pyca_cryptography_key(x25519.X25519PublicKey.from_public_bytes(public))
