"""Binary HTTP is RFC 9292's: its examples are read and written to the byte, and what is malformed is refused."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sotto_protocol.binary_http import InnerRequest, InnerResponse, varint
from sotto_protocol.errors import MessageError

VECTORS = Path(__file__).parents[1] / "vectors"
EXAMPLES = {
    one["name"]: bytes.fromhex(one["message"]) for one in json.loads((VECTORS / "rfc9292.json").read_text())["vectors"]
}
HELLO = InnerRequest(
    "GET",
    "https",
    "",
    "/hello.txt",
    (
        ("user-agent", "curl/7.16.3 libcurl/7.16.3 OpenSSL/0.9.7l zlib/1.2.3"),
        ("host", "www.example.com"),
        ("accept-language", "en, mi"),
    ),
)
NAMES = st.text("abcdefghijklmnopqrstuvwxyz-", min_size=1, max_size=20)
TEXTS = st.text(st.characters(max_codepoint=126, min_codepoint=32), max_size=90)
HEADERS = st.lists(st.tuples(NAMES, TEXTS), max_size=5).map(tuple)


def test_the_examples_of_the_rfc_are_read_and_written() -> None:
    known = EXAMPLES["known-length request"]
    assert InnerRequest.from_bytes(known) == InnerRequest.from_bytes(EXAMPLES["indeterminate-length request"]) == HELLO
    assert HELLO.to_bytes() == known
    told = InnerResponse.from_bytes(EXAMPLES["known-length response"])
    assert told == InnerResponse(200, (), b"This content contains CRLF.\r\n")
    assert told.to_bytes()[:-1] == EXAMPLES["known-length response"][: -len("\x0d\x07trailer\x04text")]


def test_the_messages_of_oblivious_http_are_read_though_they_are_cut_off() -> None:
    """RFC 9458's response has no headers, content and trailers: 3.8 lets empty sections at the end be left out."""
    [vector] = json.loads((VECTORS / "rfc9458.json").read_text())["vectors"]
    request = InnerRequest.from_bytes(bytes.fromhex(vector["request"]))
    assert request == InnerRequest("GET", "https", "example.com", "/")
    assert InnerResponse.from_bytes(bytes.fromhex(vector["response"])) == InnerResponse(200)


@given(TEXTS, TEXTS, HEADERS, st.binary(max_size=300), st.integers(200, 599), st.integers(0, 2000))
def test_what_is_written_is_read_padded_or_not(
    path: str, host: str, headers: Any, body: bytes, status: int, more: int
) -> None:
    for message in (InnerRequest("POST", "https", host, path, headers, body), InnerResponse(status, headers, body)):
        size = len(message.to_bytes()) + more
        written = message.to_bytes(size)
        assert len(written) == size
        assert type(message).from_bytes(written) == message
        with pytest.raises(MessageError):
            message.to_bytes(len(message.to_bytes()) - 1)
        with pytest.raises(MessageError, match="zeros"):
            type(message).from_bytes(written + b"\1")


@given(st.binary(max_size=60), st.sampled_from([*EXAMPLES.values()]), st.integers(0, 300))
def test_no_bytes_do_more_than_be_refused(noise: bytes, example: bytes, place: int) -> None:
    for message in (noise, example[:place] + noise, example[:place] + noise + example[place:]):
        for kind in (InnerRequest, InnerResponse):
            with suppress(MessageError):
                kind.from_bytes(message)


def test_numbers_are_as_quic_writes_them() -> None:
    """RFC 9000, appendix A.1."""
    shown = {151288809941952652: "c2197c5eff14e88c", 494878333: "9d7f3e7d", 15293: "7bbd", 37: "25"}
    assert {number: varint(number).hex() for number in shown} == shown
    with pytest.raises(MessageError):
        varint(2**62)


@pytest.mark.parametrize("message", ["", "01", "0140c8" + "01" + "00", "02", "0140640000", "04"])
def test_a_message_that_is_no_response_is_refused(message: str) -> None:
    """Empty; without a status; a header without a name; a request; only an informational one; another framing."""
    with pytest.raises(MessageError):
        InnerResponse.from_bytes(bytes.fromhex(message))


def test_informational_responses_are_passed_over() -> None:
    assert InnerResponse.from_bytes(bytes.fromhex("01" + "4066" + "00" + "40cc")) == InnerResponse(204)
