"""Invitations: one text for 16 bytes, and whatever people make of it when they type it."""

import re
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sotto_protocol import ReportError
from sotto_protocol.invitation import INVITATION_BYTES, invitation_text, parse_invitation

TEXT = "aaaqeayeaudaocajbifqydiob4"
"""`python3 -c 'print(bytes(range(16)).hex())' | xxd -r -p | base32`, in lower case and without padding."""
CODE = bytes(range(16))
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


def test_an_invitation_is_base32_in_lower_case_without_padding() -> None:
    assert invitation_text(CODE) == TEXT
    assert parse_invitation(TEXT) == CODE


@given(st.binary(min_size=INVITATION_BYTES, max_size=INVITATION_BYTES))
def test_what_is_written_reads_back(code: bytes) -> None:
    text = invitation_text(code)
    assert re.fullmatch("[a-z2-7]{26}", text)
    assert parse_invitation(text) == parse_invitation(text.upper()) == code


@pytest.mark.parametrize(
    "typed",
    [
        TEXT.upper(),
        "AAAQ-eaye-auda-ocaj-bifq-ydio-b4",
        " aaaqe ayeau daoca jbifq ydiob 4\r\n",
        "\taaaqeaye\u00a0audaocajbifqydiob4",  # copied from a page
        "--" + " ".join(TEXT) + "--",
    ],
)
def test_upper_case_dashes_and_spaces_do_not_matter(typed: str) -> None:
    assert parse_invitation(typed) == CODE


@pytest.mark.parametrize(
    "typed",
    [
        *("", " ", "-" * 26, TEXT[:-1], TEXT + "a", TEXT + "=", TEXT + "======", " " * 500 + TEXT),
        *("0" + TEXT[1:], "1" + TEXT[1:], "8" + TEXT[1:], "\x00" + TEXT[1:], "_" + TEXT[1:]),
        *("\u0131" + TEXT[1:], "\u212a" + TEXT[1:], "\uff41" + TEXT[1:], "\ud800" + TEXT[1:]),  # letters elsewhere
        *(None, True, 5, 1e300, CODE, TEXT.encode(), [TEXT], {"a": TEXT}, "CANARY" * 100_000),
    ],
    ids=range(27 - 1),
)
def test_what_is_no_invitation_is_refused_and_not_quoted(typed: Any) -> None:
    with pytest.raises(ReportError) as caught:
        parse_invitation(typed, "$.reports[3].invitation")
    assert caught.value.where == "$.reports[3].invitation"
    assert caught.value.problem == "must be 26 letters a to z and digits 2 to 7."
    assert caught.value.__cause__ is None


def test_the_two_bits_that_are_left_over_are_zeros() -> None:
    """Else four texts would be one invitation."""
    readable = []
    for letter in LETTERS:
        try:
            parse_invitation(TEXT[:-1] + letter)
        except ReportError:
            continue
        readable.append(letter)
    assert readable == list(LETTERS[::4])


@given(st.text(max_size=60))
def test_any_text_is_one_invitation_or_none(typed: str) -> None:
    try:
        code = parse_invitation(typed)
    except ReportError:
        return
    assert len(code) == INVITATION_BYTES
    assert invitation_text(code) == re.sub(r"[-\s]", "", typed).lower()


@pytest.mark.parametrize("code", [b"", bytes(15), bytes(17)])
def test_only_16_bytes_are_written(code: bytes) -> None:
    with pytest.raises(ValueError, match="invitation must have 16 bytes"):
        invitation_text(code)
