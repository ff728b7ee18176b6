"""Errors say why, in plain words, and neither they nor what they came of hold an answer, an invitation or a report."""

import shutil
import socket
import traceback
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from devices import ANSWERS, CODE, INVITATION, INVITED, LUNCH, PULSE, WORDS, raw_of
from fault_server import Scripted, fault_server
from hostile_server import HOLDS, hostile_server, under_tls
from sotto_client import AlreadyAnswered, DeliveryError, SottoError, StateError, SurveyClient, SurveyUnavailable
from sotto_client.exchange import begin_with
from sotto_protocol import compile_toml

pytestmark = pytest.mark.usefixtures("no_proxies")
CANARY = "c4nary-9317"
REFUSED = "the connection was refused, nothing listens there"
needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not there")


def closed_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return int(server.getsockname()[1])


def fault_of(url: str) -> SurveyUnavailable:
    """Return what an app gets that asks for a survey there."""
    with closing(SurveyClient(url, "lunch", state=":memory:", timeout_s=60)) as device:
        with pytest.raises(SurveyUnavailable) as caught:
            _ = device.survey
        return caught.value


def assert_says(fault: BaseException, words: str, kind: str) -> None:
    """Hold that it says why, and that it came of a DeliveryError, which came of the system's own error."""
    assert str(fault) == f"survey lunch: no answer from the collector: {words}."
    first = fault.__cause__
    assert isinstance(first, DeliveryError)
    assert type(first.__cause__).__name__ == kind
    assert_bare(first.__cause__)


def assert_bare(fault: BaseException | None) -> None:
    assert fault is not None
    assert (fault.__cause__, fault.__context__, fault.__traceback__) == (None, None, None)


def test_a_refused_connection_is_said() -> None:
    assert_says(fault_of(f"http://127.0.0.1:{closed_port()}"), REFUSED, "ConnectionRefusedError")


def test_a_name_that_is_not_known_is_said() -> None:
    """RFC 6761: no name ends in .invalid, whatever the network."""
    assert_says(fault_of("http://collector.invalid"), "its name could not be looked up (DNS)", "gaierror")


@needs_openssl
def test_a_certificate_that_is_not_trusted_is_said(certificate: tuple[Path, Path]) -> None:
    with hostile_server(under_tls(HOLDS["accepts without a word"], *certificate)) as server:
        fault = fault_of(server.url.replace("http:", "https:"))
    words = "its certificate is not trusted (TLS: self-signed certificate)"
    assert_says(fault, words, "SSLCertVerificationError")


def test_a_collector_that_speaks_no_tls_is_said() -> None:
    with fault_server(LUNCH) as http:
        fault = fault_of(http.url.replace("http:", "https:"))
    assert_says(fault, "no TLS connection could be made; it may speak only http://", "SSLError")


def test_a_connection_that_is_cut_is_said() -> None:
    with fault_server(LUNCH) as http:
        http.survey_reply = Scripted(drop=True)
        fault = fault_of(http.url)
    assert_says(fault, "the connection was cut", "RemoteDisconnected")


def test_a_proxy_that_is_not_there_is_said_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://me:{CANARY}@127.0.0.1:{closed_port()}")
    fault = fault_of("http://collector.invalid")
    assert_says(fault, f"the proxy: {REFUSED}", "ConnectionRefusedError")
    assert_silent(fault, CANARY)


def test_a_collector_that_takes_too_long_is_said() -> None:
    with hostile_server(HOLDS["drips its body"]) as server:
        device = SurveyClient(server.url, "lunch", state=":memory:", timeout_s=0.3)
        with closing(device), pytest.raises(SurveyUnavailable, match="no whole answer from the collector in time"):
            _ = device.survey


def assert_silent(fault: BaseException, *secrets: str) -> None:
    """Hold that nothing that somebody who collects errors could read has a secret in it.

    That is, of the error and all that it came of, its words, arguments and members; and of every frame of ours that it
    came through, the variables.
    """
    left, seen = [fault], {id(fault)}
    while left:
        link = left.pop()
        said = [str(link), repr(link), repr(link.args), repr(vars(link))]
        for frame, _ in traceback.walk_tb(link.__traceback__):
            if "sotto_" in frame.f_code.co_filename:
                said += [repr(value) for value in frame.f_locals.values()]
        assert not [text for text in said for secret in secrets if secret in text]
        for cause in (link.__cause__, link.__context__):
            if cause is not None and id(cause) not in seen:
                seen.add(id(cause))
                left.append(cause)


def test_the_search_for_secrets_finds_them_where_they_may_be() -> None:
    """Else the tests that use it could not fail."""

    def raise_one(**hidden: object) -> None:
        try:
            raise KeyError(CANARY)
        except KeyError as first:
            try:
                raise OSError from first
            except OSError:
                raise SottoError("x") from None

    with pytest.raises(SottoError) as caught:
        raise_one()
    with pytest.raises(AssertionError):
        assert_silent(caught.value, CANARY)


@pytest.mark.parametrize("trouble", [Scripted(drop=True), "refused", "no TLS"], ids=str)
def test_what_was_posted_is_in_no_error(trouble: Scripted | str) -> None:
    with fault_server(LUNCH) as http:
        http.script = [trouble] if isinstance(trouble, Scripted) else []
        url = http.url.replace("http:", "https:") if trouble == "no TLS" else http.url
        url = f"http://127.0.0.1:{closed_port()}" if trouble == "refused" else url
        body = f'{{"invitation": "{CANARY}"}}'.encode()
        exchange = begin_with("POST", f"{url}/v1/surveys/lunch/reports", timeout_s=60, max_bytes=2**16, data=body)
        with pytest.raises(DeliveryError) as caught:
            exchange.result()
    assert caught.value.__cause__ is not None
    assert_silent(caught.value, CANARY)


TYPES = compile_toml("""
id = "types"
title = "Types"
[[questions]]
id = "yes"
type = "yes-no"
text = "So?"
epsilon = 1
[[questions]]
id = "one"
type = "one-of"
text = "Which?"
options = ["a", "b"]
epsilon = 1
[[questions]]
id = "some"
type = "any-of"
text = "Which?"
options = ["a", "b"]
epsilon = 1
[[questions]]
id = "number"
type = "number"
text = "How much?"
minimum = 0
maximum = 9.5
step = 0.5
epsilon = 1
[[questions]]
id = "text"
type = "text"
text = "What?"
epsilon = 1
""")
RIGHT: dict[str, Any] = {"yes": True, "one": "a", "some": ["a"], "number": 1, "text": CANARY}
WRONG: list[dict[str, Any]] = [
    {"yes": CANARY},
    {"one": CANARY},
    {"some": [CANARY]},
    {"some": {CANARY: 1}},
    {"number": CANARY},
    {"number": float("nan")},
    {"text": CANARY * 40},
    {"text": [CANARY]},
    {CANARY: True},
]


@pytest.mark.parametrize("wrong", WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_a_wrong_answer_is_in_no_error_and_in_no_frame_of_ours(wrong: dict[str, Any]) -> None:
    with fault_server(TYPES) as http, closing(SurveyClient(http.url, "types", state=":memory:")) as device:
        with pytest.raises(SottoError) as caught:
            device.answer(RIGHT | wrong)
        assert_silent(caught.value, CANARY)
        with pytest.raises(ValueError, match="wave") as of_wave:
            device.answer(RIGHT, 2)
        assert_silent(of_wave.value, CANARY)


def test_an_answer_that_could_not_be_given_is_in_no_error_and_in_no_frame_of_ours() -> None:
    device = SurveyClient(f"http://127.0.0.1:{closed_port()}", "types", state=":memory:")
    with pytest.raises(SurveyUnavailable) as caught:
        device.answer(RIGHT)
    assert type(caught.value.__cause__).__name__ == "DeliveryError"
    assert_silent(caught.value, CANARY)
    device.close()
    with pytest.raises(StateError, match="closed") as closed:
        device.answer(RIGHT)
    assert_silent(closed.value, CANARY)


def test_right_answers_and_the_secret_are_in_no_error_and_in_no_frame_of_ours(tmp_path: Path) -> None:
    """Those of answers that differ, and of a state that fails while the report is made, whose cause is kept."""
    state = tmp_path / "device.db"
    with fault_server(PULSE) as http, closing(SurveyClient(http.url, "pulse", state=state)) as device:
        device.answer(WORDS, 1)
        device._answering.made.clear()
        with pytest.raises(AlreadyAnswered) as differ:
            device.answer(WORDS | {"word": CANARY}, 1)
        assert_silent(differ.value, CANARY, "kaleidoscope")
        with device._state.write() as connection:  # refuses the next answer in the midst of its transaction
            connection.execute("UPDATE ledger SET marks = x'00'")
        with pytest.raises(StateError, match="damaged") as caught:
            device.answer(WORDS | {"word": CANARY}, 2)
        assert type(caught.value.__cause__).__name__ == "DatabaseError"
        assert_silent(caught.value, CANARY, "kaleidoscope")
        assert CANARY.encode() not in raw_of(state)


def test_an_invitation_is_in_no_repr_and_in_no_error(tmp_path: Path) -> None:
    secrets = (INVITATION, repr(CODE), CODE.hex())
    with fault_server(INVITED) as http:
        with closing(SurveyClient(http.url, "lunch", state=tmp_path / "a.db", invitation=INVITATION)) as device:
            assert not [secret for secret in secrets if secret in repr(device)]
            with pytest.raises(SottoError) as caught:
                device.answer(ANSWERS | {"paid": 7})
            assert_silent(caught.value, *secrets)
        with pytest.raises(ValueError, match=r"^invitation must be 26 letters a to z and digits 2 to 7\.$") as bad:
            SurveyClient(http.url, "lunch", state=":memory:", invitation=CANARY)
        assert CANARY not in f"{bad.value!r} {bad.value.__cause__!r} {bad.value.__context__!r}"
