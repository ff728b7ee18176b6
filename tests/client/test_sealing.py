"""Requests are sealed, and responses opened, as RFC 9458 shows it, to the byte."""

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from pyhpke import KEMKey, KEMKeyPair

from sotto_client.errors import DeliveryError
from sotto_client.sealing import is_signed, seal
from sotto_protocol.gateway_keys import P256, X25519, KeyConfiguration, SignedKeys, read_keys

[VECTOR] = json.loads((Path(__file__).parents[1] / "vectors" / "rfc9458.json").read_text())["vectors"]
GIVEN = {name: bytes.fromhex(value) for name, value in VECTOR.items() if isinstance(value, str)}
[KEY] = read_keys(len(GIVEN["key_config"]).to_bytes(2, "big") + GIVEN["key_config"])


def ephemeral() -> KEMKeyPair:
    private = X25519PrivateKey.from_private_bytes(GIVEN["skE"])
    return KEMKeyPair(
        KEMKey.from_pyca_cryptography_key(private), KEMKey.from_pyca_cryptography_key(private.public_key())
    )


def test_the_request_of_the_rfc_is_sealed_and_its_response_opened() -> None:
    sealed = seal(KEY, GIVEN["request"], ephemeral())
    assert sealed.message == GIVEN["encapsulated_request"]
    assert sealed.open(GIVEN["encapsulated_response"]) == GIVEN["response"]


def test_each_request_is_sealed_anew_and_opens_no_other_response() -> None:
    messages = {seal(KEY, b"the same").message for _ in range(5)}
    assert len({message[7:39] for message in messages}) == len(messages) == 5
    for response in (GIVEN["encapsulated_response"], GIVEN["encapsulated_response"][:20], b"", b"<html>" * 99):
        with pytest.raises(DeliveryError, match="not encrypted for this request"):
            seal(KEY, b"the same").open(response)


@pytest.mark.parametrize(("kem", "public"), [(X25519, bytes(32)), (P256, b"\4" + bytes(64)), (P256, bytes(65))])
def test_a_point_that_is_no_key_is_refused(kem: int, public: bytes) -> None:
    with pytest.raises(DeliveryError, match="public key cannot be used"):
        seal(KeyConfiguration(1, kem, public), b"request")


def test_only_the_key_that_the_survey_names_signs() -> None:
    private, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    unsigned = SignedKeys(1, GIVEN["key_config"], "2026-12-31")
    signed = SignedKeys(1, GIVEN["key_config"], "2026-12-31", private.sign(unsigned.signed))
    name = private.public_key().public_bytes_raw().hex()
    assert is_signed(signed, name)
    assert not is_signed(signed, other.public_key().public_bytes_raw().hex())
    assert not is_signed(SignedKeys(2, signed.keys, signed.until, signed.signature), name)
    assert not is_signed(SignedKeys(1, signed.keys, "2027-12-31", signed.signature), name)
