"""Tokens of blind invitations: RFC 9474's vectors, its verification, and what a survey may say of them."""

import base64
import hashlib
from dataclasses import replace

import pytest

from blind import BLIND, BLIND_STRATA, BLIND_WAVES, RFC_KEY, VECTORS
from collecting import SMALL
from sotto_client.blinding import Blinding
from sotto_protocol import Survey, SurveyError, compile_toml
from sotto_protocol.blind import (
    encode_pss,
    from_base64url,
    is_key,
    is_signed,
    key_text,
    parse_token,
    read_key,
    report_id_of,
    token_message,
)
from sotto_protocol.errors import ReportError

KEY = key_text(RFC_KEY.modulus)
OTHER = key_text(RFC_KEY.modulus + 2)


@pytest.mark.parametrize("vector", VECTORS, ids=["4096", "2048"])
def test_a_device_blinds_and_finishes_as_the_rfc_does(vector: dict[str, str]) -> None:
    """RFC 9474, appendix A: RSABSSA-SHA384-PSS of 4,096 bits with a salt, and without one of 2,048."""
    given = {name: bytes.fromhex(text) for name, text in vector.items()}
    modulus = int.from_bytes(given["n"])
    assert encode_pss(given["msg"], given["salt"], modulus.bit_length() - 1) == given["encoded_msg"]
    factor = pow(int.from_bytes(given["inv"]), -1, modulus).to_bytes(len(given["n"]))
    blinding = Blinding(given["salt"], factor)
    assert blinding.blind(given["msg"], modulus) == given["blinded_msg"]
    finished = blinding.finish(given["msg"], given["blind_sig"], modulus)
    assert finished == (given["sig"] if given["salt"] else None)  # ours have a salt
    assert is_signed(given["msg"], given["sig"], modulus) == bool(given["salt"])


def test_a_signature_is_good_for_its_message_and_key_alone() -> None:
    message, modulus = token_message(bytes(32), BLIND.fingerprint, 1), RFC_KEY.modulus
    blinding = Blinding.draw(modulus)
    blinded = int.from_bytes(blinding.blind(message, modulus))
    signed = RFC_KEY.sign(blinded).to_bytes(256)
    signature = blinding.finish(message, signed, modulus)
    assert signature is not None
    assert is_signed(message, signature, modulus)
    assert not is_signed(message[:-1] + b"\2", signature, modulus)
    assert not is_signed(message, signature, modulus + 2)
    assert not is_signed(message, signature[:-1] + bytes([signature[-1] ^ 1]), modulus)
    assert not is_signed(message, bytes(256), modulus)
    assert not is_signed(message, b"\xff" * 256, modulus)
    assert not is_signed(message, signature + b"\0", modulus)
    assert blinding.finish(message, bytes(255) + b"\1", modulus) is None
    assert signed != signature  # what the collector has seen is not what is shown


def test_a_message_and_its_report_id_are_what_the_contract_says() -> None:
    message = token_message(b"r" * 32, "ab" * 32, 258)
    assert message == b"r" * 32 + b"\xab" * 32 + b"\1\2"
    assert report_id_of(message) == hashlib.sha256(message).digest()[:16]


@pytest.mark.parametrize("text", ["", "A" * 383, "A" * 385, "A" * 383 + "+", "A" * 383 + "=", None, 7])
def test_what_is_no_token_is_refused_at_its_place(text: object) -> None:
    with pytest.raises(ReportError, match=r"^\$\.here: must be 288 bytes in base64url\.$"):
        parse_token(text, "$.here")


def test_base64url_is_read_in_one_spelling_alone() -> None:
    assert from_base64url("AQ") == b"\1"
    assert from_base64url("AR") is None  # the last bits must be zeros
    assert from_base64url("AQ==") is None
    assert from_base64url("A") is None
    assert base64.urlsafe_b64decode(KEY + "==") == RFC_KEY.modulus.to_bytes(256)
    assert read_key(KEY) == RFC_KEY.modulus


@pytest.mark.parametrize("key", [KEY[:-1], KEY + "A", key_text(RFC_KEY.modulus - 1), key_text(2**2047 - 1), 7])
def test_what_is_no_key_of_2048_bits_is_none(key: object) -> None:
    assert is_key(KEY)
    assert not is_key(key)


def test_a_blind_survey_is_another_and_reads_back() -> None:
    """What is usual is left out, so fingerprints of before stay."""
    assert b"invitations" not in SMALL.canonical
    assert replace(SMALL, invited=True).fingerprint != BLIND.fingerprint
    keyed = replace(BLIND, token_keys=(KEY,))
    assert keyed.fingerprint != BLIND.fingerprint
    assert Survey.from_canonical(keyed.canonical) == keyed
    assert not keyed.spends_invitations
    assert replace(SMALL, invited=True).spends_invitations


@pytest.mark.parametrize(
    ("survey", "changed", "where", "expected"),
    [
        (SMALL, {"invitations": "blind"}, "$.invitations", '"blind" needs invited = true.'),
        (BLIND, {"invitations": "sealed"}, "$.invitations", "must be one of plain, blind"),
        (SMALL, {"token_keys": (KEY,)}, "$.token_keys", 'go with invitations = "blind" alone'),
        (BLIND, {"token_keys": (KEY, OTHER)}, "$.token_keys", "must be 1, one of each wave of each stratum, not 2"),
        (BLIND_STRATA, {"token_keys": (KEY,)}, "$.token_keys", "must be 2, one of each wave"),
        (BLIND_STRATA, {"token_keys": (KEY, KEY)}, "$.token_keys", "different RSA moduli of 2,048 bits"),
        (BLIND, {"token_keys": ("A" * 342,)}, "$.token_keys", "different RSA moduli of 2,048 bits"),
        (BLIND_WAVES, {"waves": 65}, "$.invitations", "at most 64 waves, times strata, not 65"),
    ],
)
def test_what_does_not_go_with_blind_invitations_is_refused(
    survey: Survey, changed: dict[str, object], where: str, expected: str
) -> None:
    with pytest.raises(SurveyError) as fault:
        replace(survey, **changed)
    assert fault.value.where == where
    assert expected in fault.value.problem


def test_an_author_says_blind() -> None:
    questions = '[[questions]]\nid = "paid"\ntype = "yes-no"\ntext = "Paid?"\nepsilon = 1'
    survey = compile_toml(f'id = "a"\ntitle = "A"\ninvited = true\ninvitations = "blind"\n{questions}')
    assert survey.is_blind
    assert survey.token_keys == ()
