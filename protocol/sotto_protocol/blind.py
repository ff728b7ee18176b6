"""Blind invitations: tokens that admit a report, signed by a collector that cannot see them (RFC 9474).

The variant is RSABSSA-SHA384-PSS-Randomized with keys of 2,048 bits. A token's message is 32 random bytes, the survey's
fingerprint and the wave. The id of the report that a token admits is the hash of that message. So a token that is spent
twice is a report that was sent twice. Here is what is pure and needs no secret: a device blinds
(`sotto_client.blinding`), and a collector signs.
"""

import base64
import hashlib
from typing import Any

from sotto_protocol.errors import ReportError

EXPONENT = 65537
MODULUS_BYTES = 256
SALT_BYTES = 48
RANDOM_BYTES = 32
TOKEN_BYTES = RANDOM_BYTES + MODULUS_BYTES
FEW_TOKENS = 20
"""With fewer tokens of a wave, of a stratum, an invitation is hidden among few."""
_HASH = "sha384"
_HASH_BYTES = 48
_KEY_CHARACTERS = 342  # of MODULUS_BYTES in base64url without padding


def key_text(modulus: int) -> str:
    """Return a public key as a survey names it: its modulus, in base64url without padding."""
    return to_base64url(modulus.to_bytes(MODULUS_BYTES))


def is_key(text: Any) -> bool:
    """Whether text is a public key: an odd modulus of exactly 2,048 bits, written as `key_text` does."""
    if type(text) is not str or len(text) != _KEY_CHARACTERS:
        return False
    modulus = from_base64url(text)
    return modulus is not None and modulus[0] >= 128 and modulus[-1] % 2 == 1


def read_key(text: str) -> int:
    """Return the modulus of a public key that a survey names."""
    return int.from_bytes(base64.urlsafe_b64decode(text + "=="))


def to_base64url(content: bytes) -> str:
    """Return bytes in base64url without padding (RFC 4648, 5)."""
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def from_base64url(text: str) -> bytes | None:
    """Return the bytes of base64url without padding; None where it is not, or could be written otherwise."""
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
    except ValueError:
        return None
    return content if to_base64url(content) == text else None


def token_message(random: bytes, fingerprint: str, wave: int) -> bytes:
    """Return the message of a token: 32 random bytes, the survey's fingerprint, and the wave in two bytes."""
    return random + bytes.fromhex(fingerprint) + wave.to_bytes(2)


def report_id_of(message: bytes) -> bytes:
    """Return the id of the report that the token of this message admits: the first 16 bytes of its SHA-256."""
    return hashlib.sha256(message).digest()[:16]


def parse_token(text: Any, where: str) -> tuple[bytes, bytes]:
    """Return a token's random bytes and its signature. Raises ReportError at `where`, which quotes nothing."""
    token = from_base64url(text) if type(text) is str and len(text) == TOKEN_BYTES * 4 // 3 else None
    if token is None:
        raise ReportError(where, f"must be {TOKEN_BYTES} bytes in base64url.")
    return token[:RANDOM_BYTES], token[RANDOM_BYTES:]


def is_signed(message: bytes, signature: bytes, modulus: int) -> bool:
    """Whether a signature is good: RSASSA-PSS-VERIFY (RFC 8017, 8.1.2) with SHA-384 and a salt of 48 bytes.

    In plain Python, for a device without other packages. A collector that verifies many uses `cryptography`.
    """
    number = int.from_bytes(signature)
    if len(signature) != (modulus.bit_length() + 7) // 8 or number >= modulus:
        return False
    encoded = pow(number, EXPONENT, modulus)
    n_bits = modulus.bit_length() - 1
    return encoded.bit_length() <= n_bits and _fits(message, encoded.to_bytes((n_bits + 7) // 8), n_bits)


def encode_pss(message: bytes, salt: bytes, n_bits: int) -> bytes:
    """Return EMSA-PSS-ENCODE (RFC 8017, 9.1.1) with SHA-384: the bytes that are signed, of at most `n_bits` bits.

    `salt`: random bytes; `n_bits` is one less than the modulus has.
    """
    n_bytes = (n_bits + 7) // 8
    hashed = _hash_salted(message, salt)
    block = (b"\1" + salt).rjust(n_bytes - _HASH_BYTES - 1, b"\0")
    return _mask(block, hashed, n_bits) + hashed + b"\xbc"


def _fits(message: bytes, encoded: bytes, n_bits: int) -> bool:
    """EMSA-PSS-VERIFY (RFC 8017, 9.1.2)."""
    masked, hashed = encoded[: -_HASH_BYTES - 1], encoded[-_HASH_BYTES - 1 : -1]
    block = _mask(masked, hashed, n_bits)
    salt = block[-SALT_BYTES:]
    is_framed = encoded[-1] == 0xBC and block == (b"\1" + salt).rjust(len(masked), b"\0")
    return is_framed and hashed == _hash_salted(message, salt)


def _hash_salted(message: bytes, salt: bytes) -> bytes:
    inner = hashlib.new(_HASH, message).digest()
    return hashlib.new(_HASH, bytes(8) + inner + salt).digest()


def _mask(block: bytes, seed: bytes, n_bits: int) -> bytes:
    """Return a block, masked by MGF1 (RFC 8017, B.2.1), without the bits above `n_bits` of the whole."""
    n_blocks = -(-len(block) // _HASH_BYTES)
    stream = b"".join(hashlib.new(_HASH, seed + index.to_bytes(4)).digest() for index in range(n_blocks))
    masked = bytearray(a ^ b for a, b in zip(block, stream, strict=False))
    masked[0] &= 0xFF >> (-n_bits % 8)
    return bytes(masked)
