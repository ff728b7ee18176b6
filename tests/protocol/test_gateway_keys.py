"""Lists of keys are RFC 9458's, and what is signed of them is one text alone."""

import hashlib
import json
from pathlib import Path

import pytest

from sotto_protocol.errors import KeysError
from sotto_protocol.gateway_keys import (
    P256,
    X25519,
    KeyConfiguration,
    SignedKeys,
    read_base64url,
    read_keys,
    write_base64url,
    write_keys,
)

[VECTOR] = json.loads((Path(__file__).parents[1] / "vectors" / "rfc9458.json").read_text())["vectors"]
CONFIGURATION = bytes.fromhex(VECTOR["key_config"])
PAIR = (KeyConfiguration(7, X25519, b"x" * 32), KeyConfiguration(8, P256, b"\4" + b"p" * 64))
SIGNED = SignedKeys(20785, write_keys(PAIR), "2026-12-31", b"s" * 64)


def listed(*configurations: bytes) -> bytes:
    return b"".join(len(each).to_bytes(2, "big") + each for each in configurations)


def test_the_key_of_the_rfc_is_read_and_written() -> None:
    [key] = read_keys(listed(CONFIGURATION))
    assert (key.key_id, key.kem, key.suites, key.is_ours) == (1, X25519, ((1, 1), (1, 3)), True)
    assert key.to_bytes() == CONFIGURATION
    assert write_keys(read_keys(listed(CONFIGURATION, CONFIGURATION))) == listed(CONFIGURATION, CONFIGURATION)


def test_what_is_written_is_read_and_other_kinds_are_passed_over() -> None:
    unknown = bytes([9]) + (0x0030).to_bytes(2, "big") + b"key of another kind"
    assert read_keys(listed(unknown) + write_keys(PAIR) + listed(unknown)) == PAIR
    chacha = KeyConfiguration(1, X25519, b"x" * 32, ((1, 3),))
    assert [key.is_ours for key in read_keys(write_keys((chacha,)))] == [False]


@pytest.mark.parametrize(
    "content",
    [
        b"\0",
        b"\0\x29",
        b"\0\0",
        listed(CONFIGURATION)[:-1],
        listed(CONFIGURATION[:-1]),
        listed(CONFIGURATION + b"\0"),
        listed(CONFIGURATION[:-10] + b"\0\0"),
    ],
)
def test_a_list_that_is_not_whole_is_refused(content: bytes) -> None:
    with pytest.raises(KeysError):
        read_keys(content)


def test_what_is_signed_is_the_canonical_text_without_the_signature() -> None:
    keys = write_base64url(SIGNED.keys)
    assert SIGNED.signed == f'sottovoce ohttp keys 1\n{{"epoch":20785,"keys":"{keys}","until":"2026-12-31"}}'.encode()
    assert SignedKeys.from_json(SIGNED.to_json()) == SIGNED
    assert SIGNED.digest == hashlib.sha256(SIGNED.keys).hexdigest()


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("epoch", 0),
        ("epoch", 2**53),
        ("epoch", "1"),
        ("epoch", True),
        ("keys", "a"),
        ("keys", "AA=="),
        ("keys", 1),
        ("until", "2026-02-30"),
        ("signature", "S" * 128),
        ("signature", "a" * 127),
        ("more", 1),
    ],
)
def test_a_signed_list_with_a_wrong_member_is_refused(member: str, value: object) -> None:
    document = json.loads(SIGNED.to_json()) | {member: value}
    with pytest.raises(KeysError, match=member):
        SignedKeys.from_json(json.dumps(document).encode())


@pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b"{}", b" " * 9000, b"\xff", b'{"epoch":1,"epoch":1}'])
def test_what_is_no_signed_list_is_refused(content: bytes) -> None:
    with pytest.raises(KeysError):
        SignedKeys.from_json(content)


def test_base64url_has_one_text_for_one_value() -> None:
    for n_bytes in range(9):
        content = bytes(range(250, 250 - n_bytes, -1))
        assert read_base64url(write_base64url(content)) == content
    assert [read_base64url(text) for text in ("_x", "_w==", "+w", "_w\n", "ä", 7)] == [None] * 6
