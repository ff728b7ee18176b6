"""Oblivious delivery (RFC 9458): what devices, relays and gateways agree on, without the encryption itself.

A device encrypts a whole request for the collector's gateway, and sends it to a relay that somebody else runs. The
relay knows the device's address, and not what is sent. The gateway knows what is sent, and the relay's address alone.
"""

import hmac

from sotto_protocol.binary_http import InnerRequest

GATEWAY_PATH = "/.well-known/ohttp-gateway"
"""RFC 9540: a relay and a gateway both have it below their address."""
SIGNED_PATH = f"{GATEWAY_PATH}/signed"
KEY_PATH = f"{GATEWAY_PATH}/key"
"""Of a collector alone: the key that signs, for authors who publish."""
REQUEST_TYPE, RESPONSE_TYPE = "message/ohttp-req", "message/ohttp-res"
JSON_TYPE = "application/json"
REQUEST_LABEL, RESPONSE_LABEL = b"message/bhttp request", b"message/bhttp response"
HEADER_BYTES = 7
"""Before what is encapsulated: the key's id, and the numbers of KEM, KDF and AEAD."""
SECRET_BYTES, NONCE_BYTES, TAG_BYTES = 16, 12, 16
"""Of AES-128-GCM."""
LEAST_BYTES = 1024
MAX_AUTHORITY_BYTES = 260
"""Of host and port, for which every request has room: one survey has one size, whatever its collector is called."""
KEY_PROBLEM = b'{"status":400,"title":"Bad Request","type":"https://iana.org/assignments/http-problem-types#ohttp-key"}'
"""The one refusal of a gateway, whatever is wrong with a message (RFC 9458, 5.3)."""


def padded_size(n_bytes: int) -> int:
    """Return the power of two that holds so many bytes, at least 1,024."""
    return max(LEAST_BYTES, 1 << (n_bytes - 1).bit_length())


def inner_get(authority: str, path: str) -> InnerRequest:
    """Return the request that reads something."""
    return InnerRequest("GET", "https", authority, path)


def inner_post(authority: str, path: str, body: bytes) -> InnerRequest:
    """Return the request that sends JSON."""
    return InnerRequest("POST", "https", authority, path, (("content-type", JSON_TYPE),), body)


def request_info(header: bytes) -> bytes:
    """Return the `info` with which a request's HPKE context is set up (RFC 9458, 4.3)."""
    return REQUEST_LABEL + b"\0" + header


def response_key(enc: bytes, response_nonce: bytes, secret: bytes) -> tuple[bytes, bytes]:
    """Return key and nonce of AES-128-GCM for a response (RFC 9458, 4.4): HKDF-SHA256 (RFC 5869) in one block each.

    `secret`: what the request's context exports under RESPONSE_LABEL, SECRET_BYTES of it.
    """
    prk = hmac.digest(enc + response_nonce, secret, "sha256")
    key, nonce = (hmac.digest(prk, label + b"\x01", "sha256") for label in (b"key", b"nonce"))
    return key[:SECRET_BYTES], nonce[:NONCE_BYTES]
