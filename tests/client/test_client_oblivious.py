"""A device of an oblivious survey sends through the relay alone, whatever relay and gateway do, and counts once."""

import itertools
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import select

from blind import publish_blind
from collecting import wait_until
from devices import ANSWERS, LUNCH
from faulty_relay import Answer, Front, front_of
from house import House, open_house
from oblivious_device import with_gateway
from sotto_client import Receipt, SurveyClient, SurveyRefused, SurveyUnavailable, relays
from sotto_client.cli import main
from sotto_client.errors import DeliveryError
from sotto_collector.invitations import make_invitations
from sotto_collector.store.gateway import erase_keys, make_keys
from sotto_collector.store.schema import gateway_identity
from sotto_protocol import Survey
from sotto_protocol.gateway_keys import SignedKeys
from sotto_protocol.oblivious import GATEWAY_PATH, RESPONSE_TYPE, SIGNED_PATH
from sotto_protocol.request_size import oblivious_request_bytes

NUMBERS = itertools.count()
SEALED_BYTES = 7 + 32 + 1024 + 16


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("gate") / "survey.db") as house:
        yield house


@pytest.fixture
def relay(gate: House) -> Iterator[Front]:
    with front_of(gate.app) as front:
        yield front


@pytest.fixture
def collector(gate: House) -> Iterator[Front]:
    """The collector's own address: nothing but the survey is to be asked of it."""
    with front_of(gate.app) as front:
        yield front
    assert front.of("POST") == []


@pytest.fixture
def survey(gate: House, relay: Front) -> Survey:
    """Another one for each test, with newer keys."""
    make_keys(gate.collector.store)
    gate.collector.gateway._known = None
    quiet = with_gateway(gate.collector.store, replace(LUNCH, id=f"lunch-{next(NUMBERS)}"), relay.url)
    gate.collector.store.add_survey(quiet)
    return quiet


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


def counted(gate: House, survey: Survey) -> int:
    return gate.collector.store.count_tallied(gate.stored(survey).key)


def signed_of(gate: House) -> SignedKeys:
    return SignedKeys.from_json(gate.http.get(SIGNED_PATH).data)


def sign(gate: House, keys: SignedKeys) -> Callable[[Answer], Answer]:
    """Return the fault of a gateway that gives other keys, signed as it signs."""
    with gate.collector.store.reader() as connection:
        private = Ed25519PrivateKey.from_private_bytes(connection.scalar(select(gateway_identity.c.private)))
    signed = replace(keys, signature=private.sign(keys.signed))
    return lambda answer: answer._replace(body=signed.to_json())


def test_all_goes_through_the_relay_and_the_receipt_says_with_which_keys(
    gate: House, collector: Front, relay: Front, survey: Survey, state: Path
) -> None:
    delivered: list[Receipt] = []
    with SurveyClient(collector.url, survey.id, state=state, resend_days=7, on_delivered=delivered.append) as device:
        receipt = device.answer(ANSWERS)
        assert device.flush(30)
        assert device.resend() == [receipt.id]
        assert device.flush(30)
        assert device.erase(receipt)
    assert [each.keys for each in delivered] == [signed_of(gate).digest] * 2
    assert receipt.keys == ""
    assert [each.path for each in collector.came] == [f"/v1/surveys/{survey.id}"]
    assert [each.path for each in relay.of("GET")] == [SIGNED_PATH]  # kept for an hour
    posts = relay.of("POST")
    assert [(each.path, each.headers["Content-Type"]) for each in posts] == [(GATEWAY_PATH, "message/ohttp-req")] * 3
    assert {len(each.body) for each in posts} == {SEALED_BYTES}
    assert {len(answer.body) for answer in relay.answers if answer.content_type == RESPONSE_TYPE} == {16 + 1024 + 16}
    assert len({each.body[7:39] for each in posts}) == 3  # sealed anew, also what was sent before
    assert counted(gate, survey) == 0  # erased


def test_nothing_goes_directly_while_the_relay_is_down(
    gate: House, collector: Front, survey: Survey, state: Path, relay: Front
) -> None:
    """Neither a report, nor an erasure, nor what another client of the state or `sotto outbox` sends."""
    down = gate.collector.store
    unreachable = replace(survey, id=f"{survey.id}-down", relay="http://127.0.0.1:1")
    down.add_survey(unreachable)
    with closing(SurveyClient(collector.url, unreachable.id, state=state)) as device:
        receipt = device.answer(ANSWERS)
        assert not device.flush(0.3)
        with pytest.raises(DeliveryError, match="no answer from the relay"):
            device.erase(receipt)
    with closing(SurveyClient(collector.url, survey.id, state=state)) as other:
        assert not other.flush(0.3)
    assert (
        "some reports still wait"
        in CliRunner().invoke(main, ["outbox", str(state), "--send", "--timeout-s", "0.5"]).stderr
    )
    assert [each.path for each in collector.of("GET")] == [f"/v1/surveys/{unreachable.id}"]
    assert counted(gate, unreachable) == 0


def test_tokens_of_blind_invitations_are_fetched_through_the_relay_or_wait(
    gate: House, collector: Front, relay: Front, survey: Survey, state: Path
) -> None:
    """Check, trade and report are of one size; while the relay is down, none of them goes anywhere else."""
    blind = replace(survey, id=f"{survey.id}-blind", invited=True, invitations="blind", strata=("north", "south"))
    stored = publish_blind(gate.collector.store, blind)
    (code,) = make_invitations(gate.collector.store, stored, 1, 2)
    size = oblivious_request_bytes(stored.survey)
    with closing(SurveyClient(collector.url, blind.id, state=state, invitation=code)) as device:
        relay.spoil_posts.extend([lambda answer: Answer(502, "text/html", b"")] * 3)
        device.answer(ANSWERS)
        for _ in range(8):
            if device.flush(5):
                break
        assert device.pending == []
    assert len({len(each.body) for each in relay.of("POST")}) == 1
    assert len(relay.of("POST")[0].body) == 7 + 32 + size + 16
    assert len(relay.of("POST")) == 6  # three that were lost, the check, the trade and the report
    assert counted(gate, stored.survey) == 1


FAULTS: dict[str, Callable[[Answer], Answer]] = {
    "a page": lambda answer: Answer(200, "text/html", b"<html>Log in"),
    "a page that says it is a gateway's": lambda answer: Answer(200, RESPONSE_TYPE, b"<html>Log in" * 9),
    "nothing": lambda answer: answer._replace(body=b""),
    "a part": lambda answer: answer._replace(body=answer.body[:-1]),
    "more": lambda answer: answer._replace(body=answer.body + b"\0"),
    "a megabyte": lambda answer: answer._replace(body=answer.body + b"\0" * 2**20),
    "another type": lambda answer: answer._replace(content_type="application/json"),
    "what it would like": lambda answer: Answer(200, "application/json", b'{"counted":1,"duplicates":0}'),
    "a collector's refusal": lambda answer: Answer(
        409,
        "application/problem+json",
        b'{"code":"survey_closed","detail":"d","status":409,"title":"t","type":"urn:sottovoce:problem:survey_closed"}',
    ),
    "502": lambda answer: Answer(502, "text/html", b"<html>Bad gateway"),
    "redirect": lambda answer: Answer(307, "", b""),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_report_waits_out_what_a_relay_says_and_counts_once(
    gate: House, collector: Front, relay: Front, survey: Survey, state: Path, fault: str
) -> None:
    """The gateway has counted it each time: the relay spoils the confirmation."""
    relay.spoil_posts.append(FAULTS[fault])
    with closing(SurveyClient(collector.url, survey.id, state=state)) as device:
        receipt = device.answer(ANSWERS)
        while relay.spoil_posts:
            device.flush(5)
        while device.pending:
            device.flush(5)
        assert device.rejected == []
        assert device.erase(receipt)
    assert len({each.body for each in relay.of("POST")}) >= 3
    assert counted(gate, survey) == 0


def test_responses_that_are_replayed_or_swapped_confirm_nothing(
    gate: House, collector: Front, relay: Front, survey: Survey, tmp_path: Path
) -> None:
    first, second = (tmp_path / name for name in ("first.db", "second.db"))
    with SurveyClient(collector.url, survey.id, state=first) as device:
        device.answer(ANSWERS)
        assert device.flush(30)
    old = relay.answers[-1]
    lost: list[Answer] = []
    relay.spoil_posts.append(lambda answer: old)
    relay.spoil_posts.append(lambda answer: lost.append(answer) or old)
    relay.spoil_posts.append(lambda answer: lost[0])  # to its own earlier request
    with closing(SurveyClient(collector.url, survey.id, state=second)) as device:
        device.answer(ANSWERS)
        while device.pending:
            device.flush(5)
    assert len(relay.of("POST")) == 1 + 4
    assert counted(gate, survey) == 2


def test_keys_that_the_gateway_erased_are_asked_for_again_once_in_the_same_attempt(
    gate: House, collector: Front, relay: Front, survey: Survey, state: Path
) -> None:
    with SurveyClient(collector.url, survey.id, state=state, resend_days=1) as device:
        device.answer(ANSWERS)
        assert device.flush(30)
        store = gate.collector.store
        store.run(lambda transaction: erase_keys(transaction, older_than=2**50))
        make_keys(store)
        gate.collector.gateway._known = None
        device.resend()
        assert device.flush(30)
    assert [answer.status for answer in relay.answers] == [200, 200, 400, 200, 200]
    assert [each.method for each in relay.came] == ["GET", "POST", "POST", "GET", "POST"]
    assert counted(gate, survey) == 1


def test_a_gateway_that_takes_none_of_its_keys_is_asked_twice_and_then_left_alone(
    gate: House, collector: Front, relay: Front, survey: Survey, state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    relay.spoil_posts.extend(
        [
            lambda answer: Answer(
                400,
                "application/problem+json",
                gate.http.post(GATEWAY_PATH, data=b"x", content_type="message/ohttp-req").data,
            )
        ]
        * 2
    )
    with closing(SurveyClient(collector.url, survey.id, state=state)) as device, caplog.at_level(logging.WARNING):
        device.answer(ANSWERS)
        while relay.spoil_posts:
            device.flush(0.1)
    assert "does not take what is encrypted with its own keys" in caplog.text
    assert [each.method for each in relay.came][:4] == ["GET", "POST", "GET", "POST"]


def test_two_configurations_of_one_epoch_are_refused_and_shown_until_a_higher_epoch_comes(
    gate: House, collector: Front, relay: Front, survey: Survey, state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Also by a new process, which knows the first by the state; and nothing is sent with either."""
    with SurveyClient(collector.url, survey.id, state=state, resend_days=7) as device:
        device.answer(ANSWERS)
        assert device.flush(30)
    honest = signed_of(gate)
    made = make_keys(gate.collector.store)  # of the next epoch: a gateway that lies gives them the same
    gate.collector.gateway._known = None
    lie = replace(signed_of(gate), epoch=honest.epoch)
    relay.spoil_gets.extend([sign(gate, lie), *[sign(gate, honest)] * 6])
    relay.came.clear()
    with closing(SurveyClient(collector.url, survey.id, state=state)) as device, caplog.at_level(logging.WARNING):
        device.resend()
        wait_until(lambda: len(relay.spoil_gets) < 7)
        with pytest.raises(SurveyRefused, match="two key configurations of one epoch") as refused:
            device.erase("0" * 32)
        assert honest.digest in str(refused.value)
        assert lie.digest in str(refused.value)
        while device.pending:
            device.flush(5)
    assert [each.method for each in relay.came[:8]] == ["GET"] * 8  # then a higher epoch comes
    assert f"{honest.digest} and {lie.digest}" in caplog.text
    assert counted(gate, survey) == 1
    assert made[0].epoch > honest.epoch
    seen = CliRunner().invoke(main, ["outbox", str(state)]).stdout
    assert f"epoch {signed_of(gate).epoch}" in seen
    assert signed_of(gate).digest in seen


def spoiled(answer: Answer) -> Answer:
    document = json.loads(answer.body)
    return answer._replace(body=json.dumps(document | {"signature": "0" * 128}).encode())


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (spoiled, "not signed with the key that the survey names"),
        (lambda answer: Answer(200, "text/html", b"<html>"), "something else than keys"),
        (lambda answer: Answer(404, "text/html", b"<html>"), "gives no keys of a gateway"),
        (lambda answer: answer._replace(body=b"x" * 9000), "more than 8192 bytes"),
    ],
    ids=["forged", "a page", "no keys", "long"],
)
def test_nothing_is_sent_with_keys_that_are_not_the_gateways(
    gate: House, collector: Front, relay: Front, survey: Survey, state: Path, caplog: pytest.LogCaptureFixture,
    spoil: Callable[[Answer], Answer], said: str,
) -> None:  # fmt: skip
    relay.spoil_gets.append(spoil)
    with closing(SurveyClient(collector.url, survey.id, state=state)) as device, caplog.at_level(logging.WARNING):
        device.answer(ANSWERS)
        while relay.spoil_gets:
            device.flush(0.1)
        while said not in caplog.text:
            device.flush(0.1)
        first = [each.method for each in relay.came][:2]
        assert first in (["GET"], ["GET", "GET"])
        while device.pending:
            device.flush(5)
    assert counted(gate, survey) == 1


def test_an_older_epoch_is_not_used_and_neither_are_keys_whose_days_are_over(
    gate: House, collector: Front, relay: Front, survey: Survey, state: Path,
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    signed = signed_of(gate)
    relay.spoil_gets.extend([sign(gate, replace(signed, epoch=signed.epoch + 5, until="2020-01-01"))])
    with closing(SurveyClient(collector.url, survey.id, state=state)) as device, caplog.at_level(logging.WARNING):
        device.answer(ANSWERS)
        while relay.spoil_gets or "was seen before" not in caplog.text:
            device.flush(0.1)
        assert "good until 2020-01-01, and this clock says" in caplog.text
        assert relay.of("POST") == []
        for _ in range(6):
            make_keys(gate.collector.store)
        gate.collector.gateway._known = None
        monkeypatch.setattr(relays, "today", lambda: date(2099, 1, 1))  # a clock that is wrong
        device.flush(0.3)
        assert relay.of("POST") == []
        monkeypatch.undo()
        while device.pending:
            device.flush(5)
    assert counted(gate, survey) == 1


def test_with_a_relay_of_its_own_a_device_reads_the_survey_through_it_too(
    gate: House, collector: Front, relay: Front, survey: Survey, state: Path
) -> None:
    elsewhere = replace(survey, id=f"{survey.id}-elsewhere", relay="http://127.0.0.1:1")
    gate.collector.store.add_survey(elsewhere)
    for is_again in (False, True):
        with closing(SurveyClient(collector.url, elsewhere.id, state=state, relay_url=relay.url)) as device:
            assert device.survey == elsewhere
            assert device.is_open
            if not is_again:
                device.answer(ANSWERS)
            while device.pending:
                device.flush(5)
    assert collector.came == []
    assert counted(gate, elsewhere) == 1
    relay.spoil_gets.append(spoiled)
    with (
        closing(SurveyClient(collector.url, elsewhere.id, state=":memory:", relay_url=relay.url)) as device,
        pytest.raises(SurveyRefused, match="not signed"),
    ):
        _ = device.survey
    with (
        closing(SurveyClient(collector.url, elsewhere.id, state=":memory:", relay_url="http://127.0.0.1:1")) as device,
        pytest.raises(SurveyUnavailable, match="no answer from the relay"),
    ):
        _ = device.survey
    assert collector.came == []


def test_without_the_extra_an_oblivious_survey_is_refused(
    collector: Front, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sotto_client.source.is_possible", lambda: False)
    with closing(SurveyClient(collector.url, survey.id, state=":memory:")) as device, suppress(ValueError):
        with pytest.raises(SurveyRefused, match=r"pip install 'sottovoce\[oblivious\]'"):
            device.answer(ANSWERS)
        assert device.pending == []
