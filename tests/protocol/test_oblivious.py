"""Oblivious surveys: what a file may say, how long requests are, and what people are told."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from js_surveys import published
from sotto_protocol import Report, Survey, SurveyError, batch_body, compile_toml
from sotto_protocol.datasheet.render import to_markdown
from sotto_protocol.datasheet.sheet import make_datasheet
from sotto_protocol.explain import explain
from sotto_protocol.invitation import invitation_text, with_token
from sotto_protocol.oblivious import inner_post, padded_size, response_key
from sotto_protocol.request_size import oblivious_request_bytes

KEY = "5e" * 32
RELAY = "https://relay.example/here"
TOML = """
id = "quiet"
title = "Quiet"
delivery = "oblivious"
relay = "https://relay.example/here"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
"""
QUIET = replace(compile_toml(TOML), gateway_key=KEY)
DIRECT = replace(QUIET, delivery="direct", relay="", gateway_key="")


def test_a_published_survey_names_relay_and_gateway_and_its_fingerprint_covers_them() -> None:
    assert Survey.from_canonical(QUIET.canonical) == QUIET
    others = [replace(QUIET, relay="https://other.example"), replace(QUIET, gateway_key="5f" * 32), DIRECT]
    assert len({survey.fingerprint for survey in (QUIET, *others)}) == 4


def test_a_survey_that_sends_directly_is_as_it_was() -> None:
    assert not {b"delivery", b"relay", b"gateway"} & {*DIRECT.canonical.replace(b'"', b" ").split()}


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"gateway_key": ""}, "$.gateway_key: is needed"),
        ({"relay": ""}, "$.relay: is needed"),
        ({"delivery": "direct"}, "$.relay: goes with"),
        ({"delivery": "direct", "relay": ""}, "$.gateway_key: goes with"),
        ({"delivery": "tor"}, "$.delivery: must be one of direct, oblivious"),
        ({"relay": "http://relay.example"}, "$.relay: must be an address"),
        ({"relay": "https://relay.example/"}, "$.relay"),
        ({"relay": "https://relay.example:0"}, "$.relay"),
        ({"relay": "https://me@relay.example"}, "$.relay"),
        ({"relay": "https://relay.example?x"}, "$.relay"),
        ({"relay": "https://" + "a" * 300}, "$.relay"),
        ({"gateway_key": "5E" * 32}, "$.gateway_key: must be 64"),
    ],
)
def test_members_that_do_not_go_together_are_refused_at_their_place(changes: dict[str, Any], where: str) -> None:
    document = {**json.loads(QUIET.canonical), **changes}
    document = {name: value for name, value in document.items() if value != ""}
    text = json.dumps(document, separators=(",", ":"), sort_keys=True).encode()
    with pytest.raises(SurveyError) as refused:
        Survey.from_canonical(text)
    assert str(refused.value).startswith(where)


@pytest.mark.parametrize("relay", ["http://127.0.0.1:8100", "http://localhost", "https://r.example:65535/a/b-c"])
def test_addresses_of_relays_are_taken(relay: str) -> None:
    assert compile_toml(TOML.replace(RELAY, relay)).relay == relay


MANY = "".join(
    f'[[questions]]\nid = "q{n}"\ntype = "any-of"\ntext = "?"\noptions = {[*"abcdefgh"]}\nepsilon = 1\n'
    for n in range(40)
)


@pytest.mark.parametrize("survey", [QUIET, replace(QUIET, invited=True, waves=1000), compile_toml(TOML + MANY)])
def test_every_request_of_a_survey_fits_its_one_size(survey: Survey) -> None:
    """To a collector of any name. All reports are as long as the longest (test_report.py)."""
    size = oblivious_request_bytes(survey)
    invitation = invitation_text(bytes(16)) if survey.invited else ""
    body, path = batch_body(survey, [Report(bytes(16), survey.layout.longest, invitation)]), f"/v1/surveys/{survey.id}"
    for host in ("x", "y" * 253 + ":65535"):
        assert len(inner_post(host, f"{path}/reports", body).to_bytes(size)) == size
        assert len(inner_post(host, f"{path}/erase", b'{"receipt":"%032d"}' % 0).to_bytes(size)) == size
    needed = len(inner_post("z" * 260, f"{path}/reports", body).to_bytes())
    assert size == max(1024, 2 ** (needed - 1).bit_length())


@pytest.mark.parametrize(("name", "n_bytes"), [("blind", 581), ("blindStrata", 593)])
def test_every_request_of_a_blind_survey_fits_its_one_size(name: str, n_bytes: int) -> None:
    """The report is the longest; the JavaScript client's is as long (blind.test.js)."""
    survey = replace(published()[name], delivery="oblivious", relay=RELAY, gateway_key="ab" * 32)
    size = oblivious_request_bytes(survey)
    path, n_strata = f"/v1/surveys/{survey.id}", len(survey.strata) or 1
    bare = batch_body(survey, [Report(bytes(16), survey.layout.longest)])
    report = with_token(bare, bytes(288), 1, n_strata)
    wish = {"invitation": "a" * 26, "wave": 1, "blinded": "A" * 342}
    for last, body in [("reports", report), ("invitations/token", json.dumps(wish, separators=(",", ":")).encode())]:
        assert len(inner_post("y" * 253 + ":65535", f"{path}/{last}", body).to_bytes(size)) == size
    assert len(report) == n_bytes
    needed = len(inner_post("z" * 260, f"{path}/reports", report).to_bytes())
    assert size == max(1024, 2 ** (needed - 1).bit_length())


def test_sizes_are_powers_of_two_from_1024_on() -> None:
    assert [padded_size(n) for n in (0, 1, 1024, 1025, 2048, 2049)] == [1024, 1024, 1024, 2048, 2048, 4096]


def test_the_key_of_a_response_is_that_of_hkdf() -> None:
    """Against an independent HKDF (RFC 5869), of pyca/cryptography."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    enc, nonce, secret = b"e" * 32, b"n" * 16, b"s" * 16
    expected = tuple(
        HKDF(SHA256(), length, enc + nonce, label).derive(secret) for length, label in ((16, b"key"), (12, b"nonce"))
    )
    assert response_key(enc, nonce, secret) == expected


def test_people_are_told_of_the_relay_and_of_who_could_work_together() -> None:
    told = {survey.delivery: str(explain(survey)) for survey in (QUIET, DIRECT)}
    assert "through a relay (https://relay.example/here)" in " ".join(told["oblivious"].split())
    assert "relay" not in told["direct"]
    sheets = {survey.delivery: to_markdown(make_datasheet(survey)) for survey in (QUIET, DIRECT)}
    for words in ("The operator of the relay", "work together", "only the relay's address"):
        assert (words in sheets["oblivious"], words in sheets["direct"]) == (True, False)
    assert "known after `sotto publish`" in to_markdown(make_datasheet(replace(QUIET, gateway_key="")))


def test_the_vectors_say_where_they_are_from() -> None:
    for path in (Path(__file__).parents[1] / "vectors").glob("rfc*.json"):
        assert "RFC" in str(json.loads(path.read_text())["source"]) or "rfc-editor" in path.read_text()
