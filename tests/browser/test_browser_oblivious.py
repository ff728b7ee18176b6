"""Oblivious delivery from browsers: page and element send past a relay to a real gateway, and nowhere else."""

import csv
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner

from asked import HABITS, configure, named, publish, stored_reports, wait_for_reports
from chromium import CLIENT, FIND
from collecting import Served
from component_site import PROGRAM, asking, element, page_of, policy_for
from engines import ENGINES, Tab, until
from oblivious_device import with_gateway
from real_relays import RealRelay, relayed
from sotto_author.page import make_page
from sotto_client import SurveyClient
from sotto_client.cli import main
from sotto_collector.store import Store
from sotto_collector.store.gateway import make_keys
from sotto_protocol import Survey
from sotto_protocol.oblivious import GATEWAY_PATH, REQUEST_TYPE, SIGNED_PATH
from wire import Wire, wire_to

ENCRYPTS = (CLIENT / "oblivious.min.js").read_bytes()
SHOWN = f"(path) => ({FIND})(path)?.checkVisibility() && ({FIND})(path).textContent"
BOTH = """
id = "both"
title = "Lunch"
invited = true
invitations = "blind"
delivery = "oblivious"
relay = "{relay}"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
"""
BAD_SCRIPT = '<script type="module" src="/bad/sotto-survey.min.js" integrity="{}" crossorigin="anonymous"></script>'


@pytest.fixture(scope="module")
def running(collector: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealRelay]:
    with relayed("sotto", tmp_path_factory.mktemp("relays") / "sotto", collector.port, 0, "--batch", "1") as started:
        yield started


@pytest.fixture
def relay(running: RealRelay) -> Iterator[Wire]:
    """The wire to a relay: what comes is kept for the test."""
    with wire_to(running.port) as laid:
        yield laid


def ask_obliviously(collector: Served, relay: Wire, name: str) -> Survey:
    question = HABITS.questions[0]
    with closing(Store(collector.db, create=False)) as store:
        survey = with_gateway(store, replace(named(name), questions=(question,)), relay.url)
    return publish(collector, survey)


def assert_only_relayed(wire: Wire, relay: Wire) -> None:
    assert wire.posts() == []
    assert {request.target for request in relay.requests()} <= {GATEWAY_PATH, SIGNED_PATH}
    assert {(len(post.body), post.headers["content-type"]) for post in relay.posts()} == {
        (1024 + 7 + 32 + 16, REQUEST_TYPE)
    }
    assert all("cookie" not in post.headers and "referer" not in post.headers for post in relay.posts())


def answer(tab: Tab, host: str = "") -> None:
    tab.click(f"{host}input[value='{'0' if host else 'true'}']")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("is_file", [False, True], ids=["page", "file"])
def test_the_survey_page_sends_and_erases_past_the_relay(
    is_file: bool, engine: str, collector: Served, wire: Wire, relay: Wire, tmp_path: Path
) -> None:
    """The collector's page, and that of one file, which is opened from a disk."""
    survey = ask_obliviously(collector, relay, f"{'file' if is_file else 'page'}-{engine}")
    address = f"{wire.url}/s/{survey.id}"
    if is_file:
        configure(collector, survey, cors_origins=["null"])
        (tmp_path / "lunch.html").write_text(make_page(survey, wire.url), encoding="utf-8")
        address = (tmp_path / "lunch.html").as_uri()
    with ENGINES[engine](tmp_path / "profile") as tab:
        tab.goto(address)
        until(tab, "() => !document.getElementById('fields').disabled")
        (notice,) = tab.run("() => [...document.querySelectorAll('.notice bdi')].map(({ textContent }) => textContent)")
        assert notice == relay.url.removeprefix("http://")
        answer(tab)
        tab.click("#review-button")
        until(tab, SHOWN, "#review")
        tab.click("#send-button")
        receipt = until(tab, SHOWN, "#receipt-code")
        said = until(
            tab, f"() => ({SHOWN})('#delivery').startsWith('Your report was delivered. It') && ({SHOWN})('#delivery')"
        )
        wait_for_reports(collector, survey, receipt)
        tab.click("#erasure summary")
        tab.click("#erase-button")
        until(tab, f"() => ({SHOWN})('#erased') === 'Your report was erased and is no longer counted.'")
    assert said[-17:-1].isalnum()
    assert_only_relayed(wire, relay)
    assert len(relay.posts()) == 2
    assert {request.target for request in wire.requests()} >= {f"/v1/surveys/{survey.id}"}
    assert stored_reports(collector, survey) == {receipt: b""}  # erased


@pytest.mark.parametrize("engine", ENGINES)
def test_the_element_sends_past_the_relay_with_the_file_that_it_pins(
    engine: str, collector: Served, wire: Wire, relay: Wire, tmp_path: Path
) -> None:
    survey = ask_obliviously(collector, relay, f"element-{engine}")
    body, policy = element(wire.url, survey, id="asked"), policy_for(wire.url, relay.url)
    pages = {
        "/index.html": page_of(body, policy),
        "/oblivious.min.js": ENCRYPTS,
        "/bad/index.html": page_of(element(wire.url, survey, state="other"), policy, script=BAD_SCRIPT),
        "/bad/sotto-survey.min.js": PROGRAM,
        "/bad/oblivious.min.js": ENCRYPTS + b"\nfetch(location.origin);",
    }
    with asking(pages) as url, ENGINES[engine](tmp_path / "profile") as tab:
        configure(collector, survey, cors_origins=[url])
        tab.goto(f"{url}/bad/index.html")  # it may be answered, and what was answered waits
        send(tab)
        until(tab, f"() => ({SHOWN})('sotto-survey >> [part=delivery]')?.includes('waits on this device')")
        assert [wire.posts(), relay.requests()] == [[], []]
        tab.goto(f"{url}/index.html")
        assert relay.url.removeprefix("http://") in until(tab, SHOWN, "sotto-survey >> [part=notice]")
        send(tab)
        until(tab, f"() => ({SHOWN})('sotto-survey >> [part=delivery]')?.startsWith('Your report was delivered. It')")
        receipt = tab.run(SHOWN, "sotto-survey >> [part=receipt-code]")
        wait_for_reports(collector, survey, receipt)
    assert_only_relayed(wire, relay)
    assert list(stored_reports(collector, survey)) == [receipt]


def send(tab: Tab) -> None:
    until(tab, SHOWN, "sotto-survey >> button.primary")
    answer(tab, "sotto-survey >> ")
    tab.click("sotto-survey >> button.primary")
    until(tab, f"() => ({SHOWN})('sotto-survey >> [part~=review]')")
    tab.click("sotto-survey >> button.primary")


def test_a_blind_survey_past_a_relay_that_mixes_is_published_and_answered_from_python_and_the_page(
    collector: Served, wire: Wire, tmp_path: Path
) -> None:
    """By the commands and the programs that two operators and the people use; the last request waits out the batch."""
    with closing(Store(collector.db, create=False)) as store:
        make_keys(store)
    with relayed("sotto", tmp_path / "relay", collector.port, 0, "--batch", "2", "--wait", "0.3") as relay:
        file = tmp_path / "both.toml"
        file.write_text(BOTH.format(relay=f"http://127.0.0.1:{relay.port}"))  # which the browser may reach
        url = f"http://127.0.0.1:{collector.port}"
        published = run_sotto("publish", file, url, "--yes", "--token", collector.admin)
        fingerprint = published.split()[1]
        codes = tmp_path / "codes.csv"
        create = ("invite", "create", url, "both", "--count", "2", "--to", codes, "--yes")
        run_sotto(*create, "--token", collector.admin)
        first, second = [row["invitation"] for row in csv.DictReader(codes.read_text().splitlines())]
        of_app = {"state": tmp_path / "state", "invitation": first, "fingerprint": fingerprint, "max_delay_s": 0.2}
        with closing(SurveyClient(url, "both", **of_app)) as device:
            receipts = [device.answer({"paid": True}).id]
            assert device.flush(20)
        with ENGINES["chromium"](tmp_path / "profile") as tab:
            tab.goto(f"{wire.url}/s/both#{second}")
            until(tab, "() => !document.getElementById('fields').disabled")
            answer(tab)
            tab.click("#review-button")
            until(tab, SHOWN, "#review")
            tab.click("#send-button")
            receipts.append(until(tab, SHOWN, "#receipt-code"))
            until(tab, f"() => ({SHOWN})('#delivery').startsWith('Your report was delivered. It')")
        counts = requests.get(f"http://localhost:{relay.plain_port}/metrics", timeout=10).text
    assert wire.posts() == []  # the page has sent nothing past the relay
    (n_passed,) = re.findall(r'requests_total{outcome="passed_on"} (\d+)', counts)
    assert n_passed in ("4", "5")  # two tokens, one of which is asked for twice where the page is fast, and two reports
    assert set(stored_reports(collector, replace(HABITS, id="both"))) == {*receipts}
    turnout = collector.ask("GET", "/v1/surveys/both/turnout", b"", collector.admin)[2]
    assert turnout == {"waves": [{"wave": 1, "invited": 2, "tokens": 2, "n_reports": 2}]}


def run_sotto(*words: object) -> str:
    result = CliRunner().invoke(main, [*map(str, words)])
    assert result.exit_code == 0, result.output
    return result.stdout
