"""The relay as it runs: what the gateway sees of a device, and what a device gets back."""

import asyncio
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner

from collecting import make_reports, publish_here, serve, wait_until
from devices import LUNCH
from made_file import make_tables
from oblivious_device import keys_of_url, seal_report, with_gateway
from recording_gateway import Seen, recording_gateway
from sotto_collector.store import Store
from sotto_protocol.binary_http import InnerResponse
from sotto_protocol.oblivious import GATEWAY_PATH
from sotto_relay.commands import relay as relay_command
from sotto_relay.errors import GatewayError
from sotto_relay.gateway import Reply
from sotto_relay.keys import KeyCache
from sotto_relay.mixing import Mixer
from sotto_relay.settings import MAX_WAIT_S
from starting import Popen

SOURCE = "import sotto_relay.running\nfrom sotto_relay.commands import relay\nrelay()"
SEALED = {"Content-Type": "message/ohttp-req"}
CANARY = "canary-7f3a"
NOSY = {
    "User-Agent": CANARY,
    "Cookie": f"a={CANARY}",
    "X-Forwarded-For": CANARY,
    "Accept-Language": CANARY,
    "Referer": f"https://{CANARY}/",
    "Authorization": CANARY,
    "Origin": f"https://{CANARY}",
}


@dataclass
class Running:
    """A relay's process, its address, and where its metrics are."""

    process: Popen
    url: str
    metrics_url: str
    said: str = ""

    @property
    def address(self) -> str:
        return self.url + GATEWAY_PATH

    def counts(self) -> dict[str, float]:
        text = requests.get(self.metrics_url, timeout=10).text
        return {name: float(n) for name, n in re.findall(r"^(sotto\S+) (\S+)$", text, re.M)}


@contextmanager
def running(gateway: str, *options: str) -> Iterator[Running]:
    command = [sys.executable, "-c", SOURCE, "--gateway", gateway]
    command += ["--port", "0", "--metrics-port", "0", *options]
    process = Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout
    with process.stdout:
        url, metrics_url = (process.stdout.readline().split()[-1] for _ in range(2))
        relay = Running(process, url, metrics_url)
        try:
            yield relay
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
            relay.said = process.stdout.read()


@pytest.fixture
def gateway() -> Iterator[Seen]:
    with recording_gateway() as seen:
        yield seen


def post(relay: Running, body: bytes, **headers: str) -> requests.Response:
    return requests.post(relay.address, data=body, headers={**SEALED, **headers}, timeout=60)


def post_all(relay: Running, bodies: list[bytes]) -> list[requests.Response]:
    with ThreadPoolExecutor(len(bodies)) as pool:
        return list(pool.map(lambda body: post(relay, body), bodies))


def test_a_batch_goes_on_in_another_order_over_one_connection_and_each_device_gets_its_own_reply(gateway: Seen) -> None:
    bodies = [b"sealed %03d" % place for place in range(40)]
    with running(gateway.url, "--batch", "40", "--wait", "20") as relay:
        replies = post_all(relay, bodies)
        counts = relay.counts()
    assert [reply.content for reply in replies] == [body[::-1] for body in bodies]
    came = [body for _, _, body in gateway.requests]
    assert sorted(came) == bodies
    assert came != bodies  # by chance once in 40!
    assert len({connection for connection, _, _ in gateway.requests}) == 1
    assert counts["sotto_relay_batches_total"] == 1
    assert counts['sotto_relay_requests_total{outcome="passed_on"}'] == 40


def test_the_order_of_a_batch_is_random(gateway: Seen) -> None:
    """Else the first to come would be the first to go, in all of twenty batches of four (by chance: once in 4^20)."""
    with running(gateway.url, "--batch", "4", "--wait", "0.3") as relay:
        firsts = set()
        for _ in range(20):
            gateway.requests.clear()
            post_all(relay, [b"a", b"b", b"c", b"d"])
            firsts.add(gateway.requests[0][2])
    assert len(firsts) > 1


def test_a_batch_that_is_not_full_goes_when_its_time_is_over(gateway: Seen) -> None:
    with running(gateway.url, "--batch", "1000", "--wait", "0.1") as relay:
        assert post(relay, b"alone").content == b"enola"


def test_the_gateway_sees_nothing_of_a_device_and_the_relay_writes_nothing(gateway: Seen) -> None:
    with running(gateway.url, "--batch", "1") as relay:
        for _ in range(20):
            assert post(relay, b"sealed", **NOSY).status_code == 200
        requests.get(f"{relay.address}/{CANARY}?{CANARY}", headers=NOSY, timeout=10)
        requests.post(f"{relay.url}/{CANARY}", headers=NOSY, data=CANARY, timeout=10)
        with socket.create_connection(("127.0.0.1", int(relay.url.rpartition(":")[2]))) as broken:
            broken.sendall(f"NO HTTP {CANARY}\r\n\r\n".encode())
            broken.recv(1000)
        metrics = requests.get(relay.metrics_url, timeout=10).text
    assert {frozenset(headers) for _, headers, _ in gateway.requests} == {
        frozenset({"Host", "Content-Type", "Content-Length"})
    }
    assert CANARY not in str(gateway.requests)
    assert relay.said == ""
    assert CANARY not in metrics
    assert "127.0.0.1" not in metrics
    assert not re.search(r"time|second|created", metrics)


def test_the_keys_are_asked_for_once_and_given_to_all(gateway: Seen) -> None:
    with running(gateway.url) as relay:
        for _ in range(3):
            keys = requests.get(relay.address, timeout=10)
            signed = requests.get(f"{relay.address}/signed", timeout=10)
    assert (keys.content, keys.headers["Content-Type"]) == (b"keys", "application/ohttp-keys")
    assert signed.content == gateway.signed
    assert keys.headers["Cache-Control"] == "max-age=3600"
    assert gateway.n_asked_keys == 1


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("epoch", "is_taken"), [(6, False), (7, False), (8, True)])
def test_other_keys_of_one_epoch_and_older_ones_are_refused_and_counted(epoch: int, is_taken: bool) -> None:
    gateway, clock = Seen(), Clock()

    async def fetch() -> bytes:
        return gateway.signed

    async def ask() -> tuple[bytes, int]:
        cache = KeyCache(fetch, clock=clock)
        assert (await cache.get()).keys == b"keys"
        gateway.epoch, gateway.keys = epoch, b"other"
        await cache.hurry()
        assert (await cache.get()).keys == b"keys"  # it was asked for less than a minute ago
        clock.now += 60
        await cache.hurry()
        return (await cache.get()).keys, cache.n_refused

    assert asyncio.run(ask()) == ((b"other", 0) if is_taken else (b"keys", 1))


def test_keys_are_given_for_a_day_while_the_gateway_is_down() -> None:
    gateway, clock = Seen(), Clock()

    async def fetch() -> bytes:
        if clock.now:
            raise GatewayError("down.")
        return gateway.signed

    async def ask() -> None:
        cache = KeyCache(fetch, clock=clock)
        await cache.get()
        clock.now = 86_400
        assert (await cache.get()).keys == b"keys"
        clock.now += 1
        with pytest.raises(GatewayError, match="gives no key configuration"):
            await cache.get()

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("status", "content_type", "cut"),
    [
        (200, "text/html", False),
        (500, "message/ohttp-res", False),
        (302, "text/html", False),
        (204, "", False),
        (200, "message/ohttp-res", True),
        (400, "text/html", False),
    ],
)
def test_what_is_no_gateways_answer_is_not_passed_on(gateway: Seen, status: int, content_type: str, cut: bool) -> None:
    gateway.status, gateway.content_type, gateway.cut = status, content_type, cut
    with running(gateway.url, "--batch", "1") as relay:
        reply = post(relay, b"sealed")
    assert (reply.status_code, reply.json()["detail"]) == (502, "the gateway does not answer; send it again later.")


def test_a_gateway_that_cannot_be_reached_delays_nobody_for_each_request_of_a_batch(gateway: Seen) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with running(f"http://127.0.0.1:{nobody.getsockname()[1]}", "--batch", "8") as relay:
            assert {reply.status_code for reply in post_all(relay, [b"a"] * 8)} == {502}
            assert requests.get(relay.address, timeout=10).status_code == 502
            assert requests.get(f"{relay.url}/health", timeout=10).text == "ok\n"


def test_a_problem_of_the_gateway_reaches_the_device(gateway: Seen) -> None:
    gateway.status, gateway.content_type = 400, "application/problem+json"
    with running(gateway.url, "--batch", "1") as relay:
        reply = post(relay, b"sealed")
    assert (reply.status_code, reply.content) == (400, b"delaes")


def test_pages_may_use_it(gateway: Seen) -> None:
    with running(gateway.url, "--batch", "1") as relay:
        preflight = requests.options(
            relay.address, headers={"Origin": "https://a", "Access-Control-Request-Method": "POST"}, timeout=10
        )
        reply = post(relay, b"sealed", Origin="https://a")
    assert preflight.status_code == 204
    assert preflight.headers["Access-Control-Allow-Methods"] == "GET, POST"
    assert preflight.headers["Access-Control-Allow-Headers"] == "Content-Type"
    assert preflight.headers["Access-Control-Allow-Origin"] == reply.headers["Access-Control-Allow-Origin"] == "*"


def test_what_would_fill_the_memory_is_refused_and_what_is_no_sealed_request(gateway: Seen) -> None:
    options = ("--batch", "9", "--wait", "20", "--max-body-bytes", "1024", "--max-waiting-bytes", "2048")
    with running(gateway.url, *options) as relay, ThreadPoolExecutor(3) as pool:
        assert post(relay, bytes(1025)).status_code == 413
        plain = requests.post(relay.address, data=b"{}", headers={"Content-Type": "application/json"}, timeout=10)
        assert plain.status_code == 415
        waiting = [pool.submit(post, relay, bytes(1000)) for _ in range(3)]
        first = next(as_completed(waiting)).result()
        assert (first.status_code, first.headers["Retry-After"]) == (503, "5")
        relay.process.send_signal(signal.SIGTERM)  # what waits is passed on before it ends
        assert sorted(done.result().status_code for done in waiting) == [200, 200, 503]
    assert len(gateway.requests) == 2


def test_a_batch_goes_early_when_no_more_can_be_passed_on_in_time(tmp_path: Path) -> None:
    """By a real collector: of 200 devices that could wait for 20 seconds, few have to."""
    db = tmp_path / "survey.db"
    make_tables(db)
    with closing(Store(db)) as store:
        survey = with_gateway(store, LUNCH)
    with serve(db, survey=survey) as served, running(served.url, "--batch", "10000", "--wait", "20") as relay:
        key = keys_of_url(served.url)[0]
        sealed = [seal_report(survey, report, key) for report in make_reports(200, survey)]
        began = time.monotonic()
        with ThreadPoolExecutor(len(sealed)) as pool:
            waiting = {pool.submit(post, relay, each.message): each for each in sealed}
            next(as_completed(waiting))
            early_s = time.monotonic() - began
            passed_on, still = 'sotto_relay_requests_total{outcome="passed_on"}', "sotto_relay_waiting"
            wait_until(lambda: (counts := relay.counts())[passed_on] + counts[still] == len(sealed))
            relay.process.send_signal(signal.SIGTERM)  # the last of them need not wait for 20 seconds
        for done, each in waiting.items():
            assert done.result().status_code == 200
            assert InnerResponse.from_bytes(each.open(done.result().content)).status == 200
    assert early_s < MAX_WAIT_S - 5
    with closing(Store(db)) as store:
        assert len(dict(store.read_reports(publish_here(store, survey)))) == len(sealed)


@pytest.mark.thorough
def test_each_device_is_answered_in_time_also_by_a_gateway_that_is_slow(gateway: Seen) -> None:
    """What was passed on has its reply, and what was not is to be sent again: nobody waits for 30 seconds."""
    gateway.delay_s = 2
    began = time.monotonic()
    with running(gateway.url, "--batch", "20", "--wait", "5") as relay:
        replies = post_all(relay, [b"sealed %03d" % place for place in range(20)])
        took_s = time.monotonic() - began
        counts = relay.counts()
    late = [reply for reply in replies if reply.status_code == 503]
    assert 20 < took_s < 29
    assert {reply.headers["Retry-After"] for reply in late} == {"5"}
    assert {reply.json()["detail"] for reply in late} == {"the gateway took too long; send it again later."}
    n_passed = sum(reply.status_code == 200 for reply in replies)
    assert 5 < n_passed <= 12
    assert counts['sotto_relay_requests_total{outcome="late"}'] == len(late) == 20 - n_passed
    assert relay.said == f"The gateway is slow: {len(late)} of 20 requests were not passed on in time.\n"


@pytest.mark.parametrize(
    ("size", "wait_s", "pace_s", "most"),
    [
        (10_000, 20.0, 0.0, 125),  # before any was passed on
        (10_000, 5.0, 0.0, 500),
        (60, 20.0, 0.0, 60),
        (10_000, 20.0, 0.06, 41),
        (10_000, 20.0, 9.0, 20),  # a gateway that dawdles gets no smaller ones
        (3, 20.0, 9.0, 3),
    ],
)
def test_the_most_of_a_batch_is_what_can_be_passed_on_in_half_of_the_time(
    size: int, wait_s: float, pace_s: float, most: int
) -> None:
    async def forward(_: bytes) -> Reply:
        loop.now += pace_s
        return Reply(200, "", b"")

    async def most_after(n_requests: int) -> int:
        mixer = Mixer(forward, size=size, wait_s=wait_s, max_bytes=1000)
        for _ in range(n_requests):
            passing = asyncio.create_task(mixer.pass_on(b"a"))
            await asyncio.sleep(0)
            mixer.flush()
            await passing
        await mixer.close()
        return mixer.most

    loop = LoopInNoTime()
    with closing(loop):
        assert loop.run_until_complete(most_after(1000 if pace_s else 0)) == most


class LoopInNoTime(asyncio.SelectorEventLoop):
    """Its clock goes as a test says."""

    now = 0.0

    def time(self) -> float:
        return self.now


def test_a_batch_is_ended_when_its_time_is_over_with_the_replies_that_it_has() -> None:
    """The request on its way is given up, those behind it are not begun, and the next batch has a time of its own."""
    asked: list[bytes] = []

    async def forward(body: bytes) -> Reply:
        asked.append(body)
        await asyncio.sleep(0 if len(asked) != 3 else 60)
        return Reply(200, "", body)

    async def mix() -> tuple[list[Reply | BaseException], Reply]:
        mixer = Mixer(forward, size=5, wait_s=0, max_bytes=1000, answer_s=0.3)
        replies = await asyncio.gather(*(mixer.pass_on(b"%d" % n) for n in range(5)), return_exceptions=True)
        after = await asyncio.gather(*(mixer.pass_on(b"after") for _ in range(5)))
        await mixer.close()
        return replies, after[0]

    replies, after = asyncio.run(mix())
    assert sorted(type(reply).__name__ for reply in replies) == ["LateError"] * 3 + ["Reply"] * 2
    assert {reply.body for reply in replies if isinstance(reply, Reply)} == set(asked[:2])
    assert asked[3:] == [b"after"] * 5
    assert after.body == b"after"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--gateway", "ftp://a"], "gateway must be http:// or https://, a host"),
        (["--gateway", "https://a", "--batch", "0"], "batch must be in [1, 10,000]"),
        (["--gateway", "https://a", "--wait", "21"], "wait must be in [0, 20]"),
        (["--gateway", "https://a", "--max-body-bytes", "9"], "max-body-bytes must be in [1,024, 16,777,216]"),
        (["--gateway", "https://a", "--host", "192.0.2.1", "--port", "9"], "port 9 of 192.0.2.1 cannot be listened on"),
    ],
)
def test_a_bad_setting_is_named(options: list[str], said: str) -> None:
    ran = CliRunner().invoke(relay_command, options)
    assert ran.exit_code == 2
    assert said in " ".join(ran.output.split())
