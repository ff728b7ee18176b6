"""The gateway: it opens what RFC 9458 seals, serves a device's requests alone, and says nothing of what is wrong."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from collecting import INVITED, SMALL, SURVEY, Calendar, check_store, make_reports, publish_here, wait_until
from house import House, open_house
from oblivious_device import ask, keys_of, report_request, seal_report, with_gateway
from sotto_client.cli import main
from sotto_client.sealing import is_signed, seal
from sotto_collector import gateway as gateway_module
from sotto_collector.api.gateway import _write
from sotto_collector.errors import GatewayError
from sotto_collector.gateway import _load, _open, _seal
from sotto_collector.intake.retention import Retention
from sotto_collector.invitations import make_invitations
from sotto_collector.store import Store
from sotto_collector.store.backup import back_up
from sotto_collector.store.gateway import GatewayKey, erase_keys, make_keys, read_identity, read_keys
from sotto_collector.store.redo import Wishes
from sotto_collector.store.restore import restore_copy
from sotto_protocol import Problem
from sotto_protocol.binary_http import InnerRequest, InnerResponse
from sotto_protocol.gateway_keys import P256, X25519, KeyConfiguration, SignedKeys
from sotto_protocol.oblivious import (
    GATEWAY_PATH,
    KEY_PATH,
    KEY_PROBLEM,
    REQUEST_TYPE,
    SIGNED_PATH,
    inner_get,
    inner_post,
)

both = pytest.mark.later("postgres", "thorough")
[VECTOR] = json.loads((Path(__file__).parents[1] / "vectors" / "rfc9458.json").read_text())["vectors"]
GIVEN = {name: bytes.fromhex(value) for name, value in VECTOR.items() if isinstance(value, str)}
HOST = "collector.example"
REPORTS = f"/v1/surveys/{SURVEY.id}/reports"
UNIX_DAY = date(1970, 1, 1).toordinal()


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A collector with a gateway; tests add reports and nothing else."""
    with open_house(tmp_path_factory.mktemp("gate") / "survey.db", SURVEY, SMALL, INVITED) as opened:
        make_keys(opened.collector.store)
        yield opened


def open_vector() -> Any:
    key = GatewayKey(1, X25519, GIVEN["skR"], b"", 1, "", "", "")
    return _open(X25519, _load(key), GIVEN["encapsulated_request"])


def test_the_request_of_the_rfc_is_opened_and_its_response_sealed() -> None:
    opened = open_vector()
    assert opened.request == GIVEN["request"]
    enc, secret = GIVEN["encapsulated_request"][7:39], opened.seal.__closure__
    assert enc in {cell.cell_contents for cell in secret}
    [exported] = [cell.cell_contents for cell in secret if len(cell.cell_contents) == 16]
    assert _seal(enc, exported, GIVEN["response"], lambda n: GIVEN["response_nonce"]) == GIVEN["encapsulated_response"]
    assert opened.seal(b"x") != opened.seal(b"x")


@pytest.mark.parametrize("place", [0, 1], ids=["X25519", "P-256"])
def test_all_that_a_device_asks_for_is_served_and_every_response_has_one_length(gate: House, place: int) -> None:
    key, (report,) = keys_of(gate)[place], make_reports(1)
    sent = report_request(SURVEY, report)
    erase = inner_post(HOST, f"/v1/surveys/{SURVEY.id}/erase", json.dumps({"receipt": report.receipt}).encode())
    code = make_invitations(gate.collector.store, gate.stored(INVITED), 1)[0]
    checked = json.dumps({"invitation": code}).encode()
    requests = {
        "counted": (sent, 200, b'{"conflicting":0,"counted":1,"duplicates":0}'),
        "again": (sent, 200, b'{"conflicting":0,"counted":0,"duplicates":1}'),
        "erased": (erase, 200, b'{"erased":true,"id":"habits"}'),
        "good": (inner_post(HOST, f"/v1/surveys/{INVITED.id}/invitations/check", checked), 200, b'{"state":"unused"}'),
        "open": (inner_post(HOST, f"/v1/surveys/{SURVEY.id}/invitations/check", checked), 409, b"survey_not_invited"),
        "bad": (inner_post(HOST, REPORTS, b"{}"), 422, b"bad_report"),
        "no JSON": (inner_post(HOST, REPORTS, b"\xff"), 400, b"bad_json"),
        "unknown": (inner_get(HOST, "/v1/surveys/unknown"), 404, b"no_such_survey"),
    }
    for name, (request, status, body) in requests.items():
        response, size = ask(gate, request, key)
        assert (response.status, size) == (status, 1024), (name, response)
        assert body in response.body, name


def test_a_survey_comes_whole_with_what_stands_beside_it(gate: House) -> None:
    key = keys_of(gate)[0]
    for survey, size in ((SURVEY, 8192), (SMALL, 1024)):
        response, found = ask(gate, inner_get(HOST, f"/v1/surveys/{survey.id}"), key)
        assert (response.status, response.body, found) == (200, survey.canonical, size)
        assert dict(response.headers) == {
            "content-type": "application/json",
            "sottovoce-restored": "0",
            "sottovoce-state": "open",
        }


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/surveys"),
        ("GET", "/metrics"),
        ("GET", f"/v1/surveys/{SURVEY.id}/tally"),
        ("GET", f"/v1/surveys/{SURVEY.id}/"),
        ("GET", f"/v1/surveys/{SURVEY.id}?x"),
        ("GET", "/s/habits"),
        ("GET", GATEWAY_PATH),
        ("POST", GATEWAY_PATH),
        ("DELETE", f"/v1/surveys/{SURVEY.id}"),
        ("POST", "/v1/surveys"),
        ("POST", f"/v1/surveys/{SURVEY.id}/close"),
        ("POST", f"//other.example{REPORTS}"),
        ("POST", f"{REPORTS}\n"),
        ("post", REPORTS),
        ("HEAD", f"/v1/surveys/{SURVEY.id}"),
        ("CONNECT", "other.example:443"),
    ],
)
def test_nothing_else_is_served(gate: House, method: str, path: str) -> None:
    headers = (("authorization", gate.admin["Authorization"]), ("content-type", "application/json"))
    response, size = ask(gate, InnerRequest(method, "https", HOST, path, headers, b"{}"), keys_of(gate)[0])
    assert (response.status, size) == (404, 1024)
    assert b'"code":"not_found"' in response.body


def test_headers_of_a_request_are_not_passed_on(gate: House) -> None:
    """Else a device could be made to send what tells it from others; and a body could be counted in another form."""
    more = (("x-forwarded-for", "203.0.113.7"), ("content-encoding", "gzip"), ("origin", "https://a.example"))
    request = report_request(SURVEY, make_reports(1)[0])
    request = InnerRequest(*(request.method, "http", "other", request.path), (*more, *request.headers), request.body)
    response, _ = ask(gate, request, keys_of(gate)[0])
    assert (response.status, [name for name, _ in response.headers]) == (200, ["content-type"])


def refusals(gate: House) -> Iterator[tuple[str, bytes, str]]:
    """Yield what is wrong with a message, the message, and the type that it is sent as."""
    key = keys_of(gate)[0]
    message = seal_report(SURVEY, make_reports(1)[0], key).message
    yield "an unknown key", bytes([message[0] ^ 0x80]) + message[1:], REQUEST_TYPE
    yield "another KEM", message[:1] + b"\0\x10" + message[3:], REQUEST_TYPE
    yield "another AEAD", message[:5] + b"\0\3" + message[7:], REQUEST_TYPE
    yield "a point of small order", message[:7] + bytes(32) + message[39:], REQUEST_TYPE
    yield "another point", message[:7] + bytes([message[7] ^ 1]) + message[8:], REQUEST_TYPE
    yield "a tag that is wrong", message[:-1] + bytes([message[-1] ^ 1]), REQUEST_TYPE
    yield "cut off", message[:-1], REQUEST_TYPE
    yield "cut off in its header", message[:5], REQUEST_TYPE
    yield "empty", b"", REQUEST_TYPE
    yield "a megabyte", message + b"x" * 2**20, REQUEST_TYPE
    yield "above the limit", message + b"x" * 2**21, REQUEST_TYPE
    yield "another type", message, "application/json"
    yield "no message inside", seal(key, b"<html>").message, REQUEST_TYPE
    yield "a response inside", seal(key, InnerResponse(200).to_bytes()).message, REQUEST_TYPE
    yield "no zeros behind it", seal(key, inner_get(HOST, "/").to_bytes() + b"\1").message, REQUEST_TYPE


def test_all_that_is_wrong_is_refused_alike(gate: House) -> None:
    told = {}
    for name, message, content_type in refusals(gate):
        answer = gate.http.post(GATEWAY_PATH, data=message, content_type=content_type)
        told[name] = answer.status_code, answer.data, *sorted(answer.headers)
    assert len(told) == 15
    assert {*told.values()} == {
        (
            400,
            KEY_PROBLEM,
            *sorted(
                [
                    ("Content-Type", "application/problem+json"),
                    ("Content-Length", str(len(KEY_PROBLEM))),
                    ("Cache-Control", "no-store"),
                    ("Access-Control-Allow-Origin", "*"),
                ]
            ),
        )
    }
    assert json.loads(KEY_PROBLEM)["type"].endswith("/http-problem-types#ohttp-key")


def test_one_length_over_many_answers(gate: House) -> None:
    key = keys_of(gate)[0]
    sealed = [seal_report(SURVEY, report, key) for report in make_reports(40)]
    answers = [gate.http.post(GATEWAY_PATH, data=each.message, content_type=REQUEST_TYPE) for each in sealed]
    assert {len(each.message) for each in sealed} == {7 + 32 + 1024 + 16}
    assert {len(answer.data) for answer in answers} == {16 + 1024 + 16}
    read = [InnerResponse.from_bytes(each.open(answer.data)) for each, answer in zip(sealed, answers, strict=True)]
    assert {response.status for response in read} == {200}


@pytest.mark.parametrize("detail", ["", "x" * 3000, "\N{OLD ITALIC LETTER A}" * 900, '"\\' * 400])
def test_a_problem_that_is_too_long_says_less(detail: str) -> None:
    problem = Problem(422, "bad_report", detail, "$.reports[0].answers" * 30, (("$", detail),) * 3)
    written = _write(422, (("content-type", "application/problem+json"),), problem.to_json(), 1024)
    assert len(written) == 1024
    assert json.loads(InnerResponse.from_bytes(written).body)["code"] == "bad_report"


def test_keys_are_given_to_everybody_alike_and_signed(gate: House) -> None:
    keys, signed = gate.http.get(GATEWAY_PATH), gate.http.get(SIGNED_PATH)
    assert (keys.content_type, signed.content_type) == ("application/ohttp-keys", "application/json")
    for answer in (keys, signed):
        assert answer.headers["Cache-Control"] == "public, max-age=3600"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
    read = SignedKeys.from_json(signed.data)
    assert (read.keys, signed.data) == (keys.data, gate.http.get(SIGNED_PATH).data)
    assert is_signed(read, gate.http.get(KEY_PATH).get_json()["gateway_key"])
    today = date.fromisoformat(gate.collector.store.today())
    assert (read.epoch, read.until) == (today.toordinal() - UNIX_DAY, str(today + timedelta(30)))
    assert [key.kem for key in keys_of(gate)] == [X25519, P256]


def test_pages_of_any_origin_may_ask(gate: House) -> None:
    asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    for path in (GATEWAY_PATH, SIGNED_PATH):
        answer = gate.http.options(path, headers=asked)
        assert answer.status_code == 204
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert answer.headers["Access-Control-Allow-Headers"] == "Content-Type"


def test_without_keys_or_without_the_extra_there_is_no_gateway_and_all_else_works(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answers() -> list[int]:
        return [house.http.get(path).status_code for path in (GATEWAY_PATH, SIGNED_PATH, KEY_PATH)]

    assert answers() == [404] * 3
    assert house.http.post(GATEWAY_PATH, data=b"x", content_type=REQUEST_TYPE).data == KEY_PROBLEM
    make_keys(house.collector.store)
    monkeypatch.setattr(house.collector.gateway, "is_possible", False)
    assert answers() == [404] * 3
    refused = house.http.post(GATEWAY_PATH, data=b"x", content_type=REQUEST_TYPE)
    assert (refused.status_code, refused.get_json()["code"]) == (404, "no_gateway")
    house.collect(SURVEY, 1)


@both
def test_new_keys_are_used_at_once_and_old_ones_still_open(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a second process, too: it reads the keys again where a message names one that it does not know."""
    monkeypatch.setattr(gateway_module, "UNKNOWN_S", 0.0)
    stored = publish_here(store, SURVEY)
    first = make_keys(store)
    other = gateway_module.Gateway(store)
    signed = other.signed
    assert signed is not None
    second = make_keys(store)
    assert [key.epoch for key in (*first, *second)] == [signed.epoch] * 2 + [signed.epoch + 1] * 2
    assert len({key.key_id for key in (*first, *second)}) == 4
    for key in (*first, *second):
        message = seal(KeyConfiguration(key.key_id, key.kem, key.public), b"request").message
        opened = other.open(message)
        assert opened is not None
        assert opened.request == b"request"
    assert stored.survey == SURVEY


@both
def test_private_keys_are_erased_on_their_day_and_leave_no_trace(db: str) -> None:
    calendar = Calendar("2026-11-28")
    with closing(Store(db, today=calendar)) as store:
        made = make_keys(store)
        retention = Retention(store)
        for day, is_held in (("2026-12-28", True), ("2027-01-12", True), ("2027-01-13", False)):
            calendar.day = day
            retention._next_at = 0.0
            assert retention.step() is (not is_held)
            with store.reader() as connection:
                assert [bool(key.private) for key in read_keys(connection)] == [is_held] * 2
        store.rewrite()
        store.clean()
        assert make_keys(store)[0].epoch > 1000 * made[0].epoch  # this may be a copy, which does not know the last ones
    if Path(db).exists():
        content = b"".join(path.read_bytes() for path in Path(db).parent.glob("survey.db*"))
        assert not [key for key in made if key.private in content]


def test_ids_of_keys_are_used_again_only_once_they_are_erased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_collector.store.gateway.N_IDS", 10)
    with closing(Store(tmp_path / "survey.db")) as store:
        for _ in range(3):
            make_keys(store)
        store.run(lambda transaction: erase_keys(transaction, older_than=2**40))
        made = [key for _ in range(5) for key in make_keys(store)]
        assert sorted(key.key_id for key in made) == [*range(10)]  # the two that were never used come first
        assert [key.key_id for key in made[:4]] == [6, 7, 8, 9]
        assert [key.epoch for key in made] == sorted(key.epoch for key in made)
        with pytest.raises(GatewayError, match="erase some first"):
            make_keys(store)


@both
def test_a_backup_has_no_private_key_and_a_restored_store_makes_new_ones_of_the_same_identity(
    db: str, tmp_path: Path
) -> None:
    with closing(Store(db)) as store:
        made = make_keys(store)
        with store.reader() as connection:
            identity = read_identity(connection)
        back_up(store, str(tmp_path / "backup.db"), store.today(), lambda _: None)
        late = make_keys(store)  # which the backup does not know
    assert not [key for key in made if key.private in (tmp_path / "backup.db").read_bytes()]
    with closing(sqlite3.connect(tmp_path / "backup.db")) as connection:
        assert connection.execute("SELECT DISTINCT private FROM gateway_keys").fetchall() == [(b"",)]
    epochs = [late[0].epoch]
    for number in range(2):  # of one backup: each has an epoch of its own
        restored = str(tmp_path / f"restored-{number}.db")
        restore_copy(str(tmp_path / "backup.db"), restored, Wishes(()))
        with closing(Store(restored)) as store, store.reader() as connection:
            assert read_identity(connection) == identity
            newest = read_keys(connection)[0]
            assert newest.private
            epochs.append(newest.epoch)
        check_store(restored)
    assert epochs == sorted({*epochs})


def test_commands_make_list_and_erase_keys(tmp_path: Path) -> None:
    db = str(tmp_path / "survey.db")
    Store(db).close()

    def run(*words: str) -> str:
        result = CliRunner().invoke(main, [*words, "--db", db])
        assert result.exit_code == 0, result.output
        return result.output

    assert run("gateway", "key", "list") == "no keys: make some with sotto gateway key new\n"
    assert "gateway key" not in run("db", "status")
    first, second = (run("gateway", "key", "new").split(",")[0] for _ in range(2))
    assert int(first.split()[1]) + 1 == int(second.split()[1])
    named, newest, oldest = run("gateway", "key", "list").splitlines()
    assert named.startswith("gateway_key  ")
    assert (" in use, keys " in newest, oldest.endswith("not in use")) == (True, True)
    assert "gateway key  used for 30 more days" in run("db", "status")
    assert run("gateway", "key", "erase") == "erased 2 private keys\n"
    assert "erased  not in use" in run("gateway", "key", "list").splitlines()[2]
    assert run("gateway", "key", "erase", "--all") == "erased 2 private keys\n"
    assert "gateway key  none that may be used" in run("db", "status")


def test_rotation_under_load_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """Devices that were given the old keys, the new ones, or that are told to ask again: each report counts once."""
    with open_house(tmp_path / "survey.db", SMALL) as house:
        store = house.collector.store
        make_keys(store)
        survey = with_gateway(store, SMALL)
        publish_here(store, survey)
        wait_until(lambda: house.http.get(GATEWAY_PATH).status_code == 200)
        key, reports, n_again = keys_of(house)[0], make_reports(30, survey), 0
        for number, report in enumerate(reports):
            if number == 10:
                make_keys(store)
            if number == 20:
                store.run(lambda transaction: erase_keys(transaction, older_than=2**40))
                make_keys(store)
                house.collector.gateway._known = None  # as after a second
            for _ in range(2):  # the first confirmation is lost
                sealed = seal_report(survey, report, key)
                answer = house.http.post(GATEWAY_PATH, data=sealed.message, content_type=REQUEST_TYPE)
                if answer.status_code == 400:
                    n_again += 1
                    key = keys_of(house)[0]
                    sealed = seal_report(survey, report, key)
                    answer = house.http.post(GATEWAY_PATH, data=sealed.message, content_type=REQUEST_TYPE)
                assert InnerResponse.from_bytes(sealed.open(answer.data)).status == 200
        assert n_again == 1
        stored = house.stored(survey)
        assert {report_id for report_id, _ in store.read_reports(stored)} == {report.id for report in reports}
        assert store.read_tally(stored).n_reports == 30
