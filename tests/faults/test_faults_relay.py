"""A relay that is killed, or slow, and a gateway's key that was stolen: devices wait, and each report counts once."""

import itertools
import logging
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from pyhpke import AEADId, CipherSuite, KDFId, KEMId, KEMKey

from collecting import TIMEOUT_S, serve, wait_until
from crowd import FULL, check_stored
from devices import ANSWERS, LUNCH
from faulty_relay import front_of
from hostile_server import HOLDS, hostile_server
from house import House, open_house
from oblivious_device import keys_of_url, with_gateway
from postgres_server import free_port
from real_relays import relayed, require_relay
from sotto_client import DeliveryError, SurveyClient
from sotto_client.cli import main
from sotto_collector.store import Store
from sotto_collector.store.gateway import read_keys
from sotto_protocol import Survey
from sotto_protocol.gateway_keys import X25519
from sotto_protocol.oblivious import GATEWAY_PATH, REQUEST_TYPE, request_info
from wire import wire_to

CHANCE = random.Random(30)  # noqa: S311  # when to kill, no secret
N_KILLS = 50 if FULL else 6
N_DEVICES = 6
"""That report at the same time, each for one respondent after the other."""
TIMEOUT = 0.4
"""So many seconds a device waits for a slow relay."""
NUMBERS = itertools.count()
INCIDENTS = Path(__file__).parents[2] / "docs" / "incident.md"
SEALED = {"Content-Type": REQUEST_TYPE}
MIXING = ("--batch", "4", "--wait", "0.05")


def oblivious(db: str | Path, survey: Survey, relay: str) -> Survey:
    """Return a survey that is delivered to the gateway of a database, which gets keys."""
    with closing(Store(db)) as store:
        return with_gateway(store, survey, relay)


class Respondents:
    """People who answer on devices of their own until they are told to stop; all of them deliver in the end."""

    def __init__(self, url: str, survey: Survey, folder: Path) -> None:
        self.receipts: list[str] = []
        self._url, self._survey, self._folder = url, survey, folder
        self._is_over = threading.Event()
        self._delivered = threading.Semaphore(0)

    def wait_for(self, n_reports: int) -> None:
        for _ in range(n_reports):
            assert self._delivered.acquire(timeout=TIMEOUT_S)

    def _answer(self, number: int) -> None:
        while not self._is_over.is_set():
            path = self._folder / f"device-{number}-{len(self.receipts)}.db"
            with closing(SurveyClient(self._url, self._survey.id, state=path, timeout_s=10)) as device:
                self.receipts.append(device.answer(ANSWERS).id)
                assert device.flush(TIMEOUT_S)
                assert device.rejected == []
            self._delivered.release()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        with ThreadPoolExecutor(N_DEVICES) as pool:
            working: list[Future[None]] = [pool.submit(self._answer, number) for number in range(N_DEVICES)]
            try:
                yield
            finally:
                self._is_over.set()
        for each in working:
            each.result()


@pytest.mark.slow
@pytest.mark.later("postgres", "rare")
@pytest.mark.parametrize("program", ["sotto", pytest.param("nginx", marks=pytest.mark.rare)])
def test_a_relay_that_is_killed_again_and_again_loses_and_doubles_nothing(
    program: str, db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And no device turns to the collector, whose address each of them knows."""
    require_relay(program)
    port, began = free_port(), time.monotonic()
    if program == "nginx":
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "relay" / "cert.pem"))
    survey = oblivious(db, LUNCH, f"http{'s' if program == 'nginx' else ''}://localhost:{port}")
    with serve(db, survey=survey) as served, wire_to(served.port) as direct, wire_to(served.port) as behind:
        start = partial(relayed, program, tmp_path / "relay", behind.server_address[1], port, *MIXING)
        respondents = Respondents(direct.url, survey, tmp_path)
        with ExitStack() as last, caplog.at_level(logging.WARNING), respondents.at_work():
            for _ in range(N_KILLS):
                with start() as relay:
                    respondents.wait_for(CHANCE.randint(1, 2 * N_DEVICES))
                    relay.kill()
            last.enter_context(start())
        assert served.stop()[0] == 0
        assert direct.posts() == []
        assert {post.target for post in behind.posts()} == {GATEWAY_PATH}
    n_waited = caplog.text.count("A report waits")
    assert n_waited >= N_KILLS  # requests were cut
    stored = check_stored(db, survey)
    assert sorted(key.hex() for key in stored) == sorted(respondents.receipts)
    assert all(stored.values())
    print(f"{N_KILLS} kills, {len(stored)} reports, {n_waited} attempts cut, {time.monotonic() - began:.0f} s")


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("gate") / "survey.db") as house:
        yield house


def succeeds(exchange: Callable[[], object]) -> bool:
    """Whether an exchange with a collector came to its end in time."""
    try:
        exchange()
    except DeliveryError:
        return False
    return True


@pytest.mark.parametrize("hold", HOLDS)
def test_a_relay_that_dribbles_is_given_up_in_time_and_sent_to_again(gate: House, hold: str) -> None:
    """As it is asked for keys, and as it has them and is sent a report."""
    with front_of(gate.app) as collector, front_of(gate.app) as relay, hostile_server(HOLDS[hold]) as hostile:
        with wire_to(relay.server_port) as wire:
            survey = with_gateway(gate.collector.store, replace(LUNCH, id=f"slow-{next(NUMBERS)}"), wire.url)
            gate.collector.store.add_survey(survey)
            for asked in ("keys", "report"):
                with closing(SurveyClient(collector.url, survey.id, state=":memory:", timeout_s=TIMEOUT)) as device:
                    wait_until(partial(succeeds, lambda: device.survey))  # `TIMEOUT` is short for a busy machine
                    if asked == "report":
                        wait_until(partial(succeeds, lambda: device.erase("0" * 32)))
                    wire.port = hostile.port
                    began = time.monotonic()
                    with pytest.raises(DeliveryError):
                        device.erase("0" * 32)
                    assert time.monotonic() - began < 10 * TIMEOUT
                    device.answer(ANSWERS)
                    assert hostile.held.acquire(timeout=TIMEOUT_S)
                    wire.port = relay.server_port
                    assert device.flush(TIMEOUT_S)
                    assert device.rejected == []
        assert collector.of("POST") == []
        assert gate.collector.store.count_tallied(gate.stored(survey).key) == 2


def test_a_relay_that_answers_after_the_device_has_given_up_counts_nothing_twice(gate: House) -> None:
    """The gateway has counted it each time; the first answer comes as the device has sent the report again."""
    is_sent_again = threading.Event()
    with front_of(gate.app) as collector, front_of(gate.app) as relay:
        survey = with_gateway(gate.collector.store, replace(LUNCH, id="late"), relay.url)
        gate.collector.store.add_survey(survey)
        relay.spoil_posts.append(lambda answer: (is_sent_again.wait(TIMEOUT_S), answer)[1])
        relay.spoil_posts.append(lambda answer: (is_sent_again.set(), answer)[1])
        with closing(SurveyClient(collector.url, survey.id, state=":memory:", timeout_s=TIMEOUT)) as device:
            device.answer(ANSWERS)
            assert device.flush(TIMEOUT_S)
        assert len({post.body for post in relay.of("POST")}) >= 2
        assert collector.of("POST") == []
        assert gate.collector.store.count_tallied(gate.stored(survey).key) == 1


def steal(db: str | Path) -> dict[int, X25519PrivateKey]:
    """Return what a thief of the database can decrypt with, by the keys' ids."""
    with closing(Store(db)) as store, store.reader() as connection:
        held = [key for key in read_keys(connection) if key.private and key.kem == X25519]
    return {key.key_id: X25519PrivateKey.from_private_bytes(key.private) for key in held}


def is_opened(stolen: dict[int, X25519PrivateKey], message: bytes) -> bool:
    """Return whether a thief who recorded a sealed request can read it."""
    private = stolen.get(message[0])
    if private is None:
        return False
    suite = CipherSuite.new(KEMId.DHKEM_X25519_HKDF_SHA256, KDFId.HKDF_SHA256, AEADId.AES128_GCM)
    key = KEMKey.from_pyca_cryptography_key(private)
    context = suite.create_recipient_context(message[7:39], key, request_info(message[:7]))
    return b"/reports" in context.open(message[39:])


@pytest.mark.later("postgres", "rare")
def test_after_a_theft_the_incident_pages_commands_give_devices_new_keys_and_leave_nothing_of_the_old(
    db: str, tmp_path: Path
) -> None:
    """The thief reads what was recorded before, as the page says, and nothing that is sent afterwards."""
    [commands] = re.findall(r"## A gateway key was stolen\n\n```sh\n(.*?)```", INCIDENTS.read_text(), re.DOTALL)
    with ExitStack() as stack:
        wire = stack.enter_context(wire_to(0))
        survey = oblivious(db, LUNCH, wire.url)
        served = stack.enter_context(serve(db, survey=survey))
        wire.port = served.port
        paths = [tmp_path / f"device-{number}.db" for number in range(2)]
        devices = [SurveyClient(served.url, survey.id, state=path, resend_days=1) for path in paths]
        devices = [stack.enter_context(closing(device)) for device in devices]
        receipts = [devices[0].answer(ANSWERS).id]
        assert devices[0].flush(TIMEOUT_S)
        assert devices[1].survey == survey
        stolen = steal(db)
        for line in commands.splitlines():
            assert line.startswith("sotto gateway key ")
            done = CliRunner().invoke(main, line.replace("survey.db", db).split()[1:])
            assert done.exit_code == 0, done.output
        wait_until(lambda: keys_of_url(served.url)[0].key_id not in stolen)  # within a second
        n_before = len(wire.posts())
        assert devices[0].resend() == receipts
        receipts.append(devices[1].answer(ANSWERS).id)
        for device in devices:
            assert device.flush(TIMEOUT_S)
            assert device.rejected == []
        before, after = wire.posts()[:n_before], wire.posts()[n_before:]
        last = [post.body for post in after if post.body[0] not in stolen]
        assert [is_opened(stolen, post.body) for post in before] == [True]
        assert len(last) == 2
        status = requests.post(
            f"{served.url}{GATEWAY_PATH}", data=before[0].body, headers=SEALED, timeout=60
        ).status_code
        assert status == 400  # what was recorded is not opened any more
        assert served.stop()[0] == 0
        assert not {*steal(db)} & {*stolen}
        assert sorted(key.hex() for key in check_stored(db, survey)) == sorted(receipts)
    if Path(db).exists():
        content = b"".join(path.read_bytes() for path in Path(db).parent.glob("survey.db*"))
        assert not [key for key in stolen.values() if key.private_bytes_raw() in content]
