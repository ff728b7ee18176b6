"""A gateway's public keys: the list that RFC 9458 defines (3.1), and the same signed for devices.

A key configuration says with which key and algorithms requests to a gateway are encrypted. A signed one has an epoch
that rises with each new one. So a gateway that shows two people different keys in one epoch has signed the proof.
"""

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import Any

from sotto_protocol.documents import Fields, canonical_json, load_json
from sotto_protocol.errors import KeysError
from sotto_protocol.members import is_day

KEYS_TYPE = "application/ohttp-keys"
X25519, P256 = KEMS = (0x0020, 0x0010)
"""The key encapsulations of a gateway (RFC 9180, 7.1), the preferred one first."""
KEY_BYTES = {X25519: 32, P256: 65}
"""The lengths of their public keys, which are the lengths of what they encapsulate, too."""
HKDF_SHA256 = AES_128_GCM = 0x0001
SUITE = (HKDF_SHA256, AES_128_GCM)
MAX_KEYS_BYTES = 4096
MAX_SIGNED_BYTES = 8192
MAX_EPOCH = 2**53 - 1
"""JavaScript knows no larger integer."""
_SIGNED = b"sottovoce ohttp keys 1\n"
_SIGNATURE = re.compile("[0-9a-f]{128}")


@dataclass(frozen=True, slots=True)
class KeyConfiguration:
    """One key: `key_id` in [0, 255], its key encapsulation, the public key, and pairs of KDF and AEAD."""

    key_id: int
    kem: int
    public: bytes
    suites: tuple[tuple[int, int], ...] = (SUITE,)

    def to_bytes(self) -> bytes:
        """Return it as RFC 9458 writes it, without the length that stands before it in a list."""
        suites = b"".join(number.to_bytes(2, "big") for suite in self.suites for number in suite)
        head = bytes([self.key_id]) + self.kem.to_bytes(2, "big")
        return head + self.public + len(suites).to_bytes(2, "big") + suites

    @property
    def is_ours(self) -> bool:
        """Whether this program can encrypt with it."""
        return self.kem in KEMS and SUITE in self.suites


def write_keys(configurations: tuple[KeyConfiguration, ...]) -> bytes:
    """Return a list as `application/ohttp-keys`."""
    written = [configuration.to_bytes() for configuration in configurations]
    return b"".join(len(each).to_bytes(2, "big") + each for each in written)


def read_keys(content: bytes) -> tuple[KeyConfiguration, ...]:
    """Return the configurations of a list whose key encapsulation is known here, in its order. Raises KeysError."""
    found, rest = [], content
    while rest:
        n_bytes = int.from_bytes(rest[:2], "big")
        one, rest = rest[2 : 2 + n_bytes], rest[2 + n_bytes :]
        if len(one) < n_bytes or n_bytes < 3:
            raise KeysError("$.keys", "must be a whole list of key configurations.")
        found.append(_read_one(one))
    return tuple(each for each in found if each is not None)


def _read_one(content: bytes) -> KeyConfiguration | None:
    kem = int.from_bytes(content[1:3], "big")
    if kem not in KEY_BYTES:
        return None
    public, rest = content[3 : 3 + KEY_BYTES[kem]], content[3 + KEY_BYTES[kem] :]
    n_bytes, suites = int.from_bytes(rest[:2], "big"), rest[2:]
    if not n_bytes or n_bytes % 4 or n_bytes != len(suites):
        raise KeysError("$.keys", "must have a whole public key and whole suites in each configuration.")
    numbers = [int.from_bytes(suites[at : at + 2], "big") for at in range(0, n_bytes, 2)]
    return KeyConfiguration(content[0], kem, public, tuple(zip(numbers[::2], numbers[1::2], strict=True)))


@dataclass(frozen=True, slots=True)
class SignedKeys:
    """A signed list: its `epoch`, the bytes of the list, the last day (UTC) on which devices use it, the signature."""

    epoch: int
    keys: bytes
    until: str
    signature: bytes = b""

    @property
    def signed(self) -> bytes:
        """The bytes that are signed: Ed25519, by the key that the survey names."""
        return _SIGNED + canonical_json(self._document())

    @property
    def digest(self) -> str:
        """The SHA-256 of the list, in hexadecimal digits: by it two people can compare what they were given."""
        return hashlib.sha256(self.keys).hexdigest()

    def _document(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "keys": write_base64url(self.keys), "until": self.until}

    def to_json(self) -> bytes:
        """Return the canonical JSON that a gateway serves."""
        return canonical_json(self._document() | {"signature": self.signature.hex()})

    @staticmethod
    def from_json(content: bytes) -> "SignedKeys":
        """Read what a gateway serves; the signature is not checked. Raises KeysError."""
        if len(content) > MAX_SIGNED_BYTES:
            raise KeysError("$", f"must have at most {MAX_SIGNED_BYTES} bytes.")
        fields = Fields(load_json(content, KeysError), "$", KeysError)
        epoch = fields.take(
            "epoch", f"an integer in [1, {MAX_EPOCH}]", lambda v: type(v) is int and 1 <= v <= MAX_EPOCH
        )
        keys = fields.take("keys", "bytes in base64url", lambda v: read_base64url(v) is not None)
        until = fields.take("until", "a day such as 2026-12-31", is_day)
        signature = fields.take("signature", "128 hexadecimal digits", _is_signature)
        fields.finish()
        return SignedKeys(epoch, read_base64url(keys) or b"", until, bytes.fromhex(signature))


def _is_signature(value: Any) -> bool:
    return isinstance(value, str) and _SIGNATURE.fullmatch(value) is not None


def write_base64url(content: bytes) -> str:
    """Return bytes in base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def read_base64url(text: Any) -> bytes | None:
    """Return the bytes of a text in base64url without padding; None where it is none, or not the one that is written.

    >>> read_base64url("_w"), read_base64url("_x"), read_base64url("_w==")
    (b'\\xff', None, None)
    """
    if not isinstance(text, str):
        return None
    try:
        content = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), b"-_", validate=True)
    except (ValueError, binascii.Error):
        return None
    return content if write_base64url(content) == text else None
