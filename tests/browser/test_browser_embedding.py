"""The client in a page of somebody else's, on another origin than the collector's: as modules, and bundled."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from asked import ANSWERS, HABITS, LOUD, configure, named, publish, stored_reports, wait_for_reports
from cases import rare
from chromium import Devices
from collecting import TIMEOUT_S, Served
from own_site import broken_into, understating
from sotto_protocol import Survey, compile_toml
from wire import Wire

MODULES = ("sottovoce.js", "sottovoce.min.js")
MODULE_FIRST = (MODULES[0], rare(MODULES[1]))
"""Where a test need not be of both before a release."""
ANSWER = """async ([module, url, surveyId, answers, options]) => {
  const { SurveyClient } = await import(module);
  window.device = new SurveyClient(url, surveyId, options);
  try {
    return await window.device.answer(answers);
  } catch (fault) {
    return { name: fault.name, message: fault.message };
  }
}"""
FLUSH = "() => window.device.flush(20000)"
LOOK_ON = """() => {
  window.faults = [];
  const look = () => window.device.pending().catch((fault) => window.faults.push(String(fault)));
  const lookOn = async () => {
    while (!window.isOver) await (window.looking = look());
  };
  window.ended = lookOn();
}"""
LOOK_AGAIN = "() => window.looking"
STOP = "async () => { window.isOver = true; await window.ended; return window.faults; }"
DELETE = """() => new Promise((resolve) => {
  const deleting = indexedDB.deleteDatabase("sottovoce");
  for (const event of ["success", "error", "blocked"]) deleting.addEventListener(event, () => resolve(event));
})"""
ANSWER_AND_CLOSE = """async ([module, url, surveyId, answers]) => {
  const { SurveyClient } = await import(module);
  new SurveyClient(url, surveyId).answer(answers).then(() => window.close());
}"""
ANSWER_AND_GO = """async ([module, url, surveyId, answers]) => {
  const { SurveyClient } = await import(module);
  const device = new SurveyClient(url, surveyId);
  await device.answer(answers).then(() => {
    window.dispatchEvent(new Event("pagehide"));
    device.close();
  });
}"""
LEFT_AS_ONE_ENDS = """async ([module, url, surveyId, answers]) => {
  const { transaction } = IDBDatabase.prototype;
  const leave = () => ["pagehide", "pageshow"].forEach((kind) => dispatchEvent(new Event(kind)));
  IDBDatabase.prototype.transaction = function (...given) {
    const begun = transaction.apply(this, given);
    begun.addEventListener("complete", () => (leave(), (window.nLeft = (window.nLeft ?? 0) + 1)));
    return begun;
  };
  const { SurveyClient } = await import(module);
  const device = new SurveyClient(url, surveyId);
  await device.answer(answers).finally(() => device.close());
  return window.nLeft;
}"""
TELL = """async ([module, url, surveyId, answers, fingerprint]) => {
  const { SurveyClient } = await import(module);
  const device = new SurveyClient(url, surveyId, { fingerprint });
  const { questions, ...survey } = await device.survey();
  const draft = await device.prepare(answers);
  const told = [survey.id, survey.fingerprint, survey.epsilon, questions.map(({ id }) => id), draft.epsilon];
  return [...told, draft.receipt === draft.sent.id, JSON.parse(draft.body).reports[0].id === draft.receipt];
}"""


def open_app(devices: Devices, site: str, *hosts: str) -> Page:
    """Open somebody else's page on a new device."""
    context, _ = devices(site, *hosts)
    page = context.new_page()
    page.goto(f"{site}/app.html")
    return page


@pytest.fixture
def allowed(collector: Served, site: str, request: pytest.FixtureRequest) -> Survey:
    """A new survey, which the other page may read."""
    name = request.node.name.removeprefix("test_").replace("[", "-").replace("]", "").replace(".", "-").lower()
    survey = publish(collector, named(name[:64]))
    configure(collector, survey, cors_origins=[site])
    return survey


@pytest.mark.parametrize("module", MODULES)
def test_a_page_of_another_origin_delivers(
    module: str, collector: Served, site: str, devices: Devices, allowed: Survey
) -> None:
    page = open_app(devices, site)
    address = f"{collector.url}/js/{module}"
    receipt = page.evaluate(ANSWER, [address, collector.url, allowed.id, ANSWERS, {}])
    assert receipt["epsilon"] == str(allowed.epsilon)
    assert page.evaluate(FLUSH)
    again = page.evaluate(ANSWER, [address, collector.url, allowed.id, ANSWERS, {}])
    assert again["name"] == "AlreadyAnswered"
    wait_for_reports(collector, allowed, receipt["id"])


def test_requests_tell_neither_the_page_nor_who_is_known_to_the_collector(
    collector: Served, wire: Wire, site: str, devices: Devices, allowed: Survey
) -> None:
    page = open_app(devices, site, wire.url)
    page.context.add_cookies([{"name": "who", "value": "me", "url": wire.url}])
    page.evaluate(ANSWER, [f"{collector.url}/js/{MODULES[0]}", wire.url, allowed.id, ANSWERS, {}])
    assert page.evaluate(FLUSH)
    headers = [set(request.headers) for request in wire.requests()]
    assert len(headers) >= 2
    assert not [found for found in headers if found & {"cookie", "referer", "authorization"}]


@pytest.mark.rare
@pytest.mark.parametrize("module", MODULES)
def test_the_modules_and_the_bundle_tell_the_same(
    module: str, collector: Served, site: str, devices: Devices, allowed: Survey
) -> None:
    given = [f"{collector.url}/js/{module}", collector.url, allowed.id, ANSWERS, allowed.fingerprint]
    told = open_app(devices, site).evaluate(TELL, given)
    ids = [question.id for question in allowed.questions]
    assert told == [allowed.id, allowed.fingerprint, str(allowed.epsilon), ids, str(allowed.epsilon), True, True]


@pytest.mark.rare
def test_a_tab_that_closes_as_soon_as_it_has_answered_has_delivered(
    collector: Served, site: str, devices: Devices, allowed: Survey
) -> None:
    given = [f"{collector.url}/js/{MODULES[0]}", collector.url, allowed.id, ANSWERS]
    for n_reports in range(1, 5):
        page = open_app(devices, site)
        with page.expect_popup() as opened:
            page.evaluate("() => void window.open('/app.html')")
        with opened.value.expect_event("close"):
            opened.value.evaluate(ANSWER_AND_CLOSE, given)
        _wait_for_number(collector, allowed, n_reports)


def test_a_page_that_goes_before_delivery_has_begun_has_delivered(
    collector: Served, site: str, devices: Devices, allowed: Survey
) -> None:
    """Of the moment when the answer is kept, and nobody has looked into the outbox yet."""
    given = [f"{collector.url}/js/{MODULES[0]}", collector.url, allowed.id, ANSWERS]
    open_app(devices, site).evaluate(ANSWER_AND_GO, given)
    _wait_for_number(collector, allowed, 1)


def _wait_for_number(collector: Served, survey: Survey, n_reports: int) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while len(found := stored_reports(collector, survey)) < n_reports:
        assert time.monotonic() < deadline, f"{len(found)} of {n_reports}"
        time.sleep(0.02)
    assert len(found) == n_reports


@pytest.mark.rare
def test_two_tabs_that_answer_at_once_make_one_report(
    collector: Served, site: str, devices: Devices, allowed: Survey
) -> None:
    first = open_app(devices, site)
    second = first.context.new_page()
    second.goto(first.url)
    given = [f"{collector.url}/js/{MODULES[0]}", collector.url, allowed.id, ANSWERS, {}]
    for page in (first, second):
        page.evaluate(f"(given) => {{ window.answered = ({ANSWER})(given); }}", given)
    told = [page.evaluate("() => window.answered") for page in (first, second)]
    (receipt,) = {one["id"] for one in told if "id" in one}
    assert [one["name"] for one in told if "name" in one] in ([], ["AlreadyAnswered"])
    assert all(page.evaluate(FLUSH) for page in (first, second))
    wait_for_reports(collector, allowed, receipt)


@pytest.mark.rare
def test_a_database_that_is_taken_away_is_opened_anew(
    collector: Served, site: str, devices: Devices, allowed: Survey
) -> None:
    page = open_app(devices, site)
    given = [f"{collector.url}/js/{MODULES[0]}", collector.url, allowed.id, ANSWERS, {}]
    page.evaluate(ANSWER, given)
    assert page.evaluate(FLUSH)
    cleared = {"origin": site, "storageTypes": "indexeddb"}
    page.context.new_cdp_session(page).send("Storage.clearDataForOrigin", cleared)
    assert page.evaluate(FLUSH)  # by the same client


def test_a_transaction_whose_database_is_taken_away_is_run_again(
    collector: Served, site: str, devices: Devices, allowed: Survey
) -> None:
    """Whatever the moment: before it has begun, amid its requests, or as it ends."""
    page = open_app(devices, site)
    page.evaluate(ANSWER, [f"{collector.url}/js/{MODULES[0]}", collector.url, allowed.id, ANSWERS, {}])
    assert page.evaluate(FLUSH)
    session = page.context.new_cdp_session(page)
    page.evaluate(LOOK_ON)
    for _ in range(30):
        session.send("Storage.clearDataForOrigin", {"origin": site, "storageTypes": "indexeddb"})
        page.evaluate(LOOK_AGAIN)
    assert page.evaluate(STOP) == []


@pytest.mark.rare
def test_a_page_that_is_left_as_a_transaction_ends_complains_of_nothing(
    collector: Served, site: str, devices: Devices, allowed: Survey
) -> None:
    """It may be undone no more then, and need not be."""
    page = open_app(devices, site)
    given = [f"{collector.url}/js/{MODULES[0]}", collector.url, allowed.id, ANSWERS]
    assert page.evaluate(LEFT_AS_ONE_ENDS, given) > 1


@pytest.mark.rare
def test_a_database_in_use_can_be_deleted(collector: Served, site: str, devices: Devices, allowed: Survey) -> None:
    page = open_app(devices, site)
    given = [f"{collector.url}/js/{MODULES[0]}", collector.url, allowed.id, ANSWERS, {}]
    page.evaluate(ANSWER, given)
    assert page.evaluate(FLUSH)
    assert page.evaluate(DELETE) == "success"
    assert page.evaluate("() => window.device.answered()") == []


def test_a_survey_that_does_not_name_the_page_is_not_given_to_it(
    collector: Served, site: str, devices: Devices
) -> None:
    context, watch = devices(site)
    watch.forgive("error: Access to fetch", "error: Failed to load resource: net::ERR_FAILED")
    page = context.new_page()
    page.goto(f"{site}/app.html")
    told = page.evaluate(ANSWER, [f"{collector.url}/js/{MODULES[0]}", collector.url, HABITS.id, ANSWERS, {}])
    assert told["name"] == "SurveyUnavailable"


@pytest.fixture(scope="module")
def liar(collector: Served, site: str) -> Iterator[str]:
    """The address of a collector that declares epsilon 1 and takes 5."""
    publish(collector, LOUD)
    configure(collector, LOUD, cors_origins=[site])
    with broken_into(collector.port, understating(LOUD)) as url:
        yield url


@pytest.mark.parametrize("module", MODULE_FIRST)
def test_a_page_refuses_a_collector_that_declares_epsilon_1_and_takes_5(
    module: str, liar: str, collector: Served, site: str, devices: Devices
) -> None:
    page = open_app(devices, site, liar)
    told = page.evaluate(ANSWER, [f"{liar}/js/{module}", liar, LOUD.id, {"q": True}, {}])
    assert told["name"] == "SurveyRefused"
    assert "declares 1 but the thresholds take 4.9" in told["message"]
    assert stored_reports(collector, LOUD) == {}


@pytest.mark.rare
def test_a_page_refuses_what_takes_more_than_it_allows(
    liar: str, collector: Served, site: str, devices: Devices
) -> None:
    page = open_app(devices, site)
    given: list[Any] = [f"{collector.url}/js/{MODULES[0]}", collector.url, LOUD.id, {"q": True}, {"maxEpsilon": "4.9"}]
    told = page.evaluate(ANSWER, given)
    assert (told["name"], "4.9" in told["message"]) == ("SurveyRefused", True)
    assert stored_reports(collector, LOUD) == {}


@pytest.mark.rare
def test_a_pinned_page_refuses_a_collector_that_lowers_the_noise(
    collector: Served, site: str, devices: Devices
) -> None:
    """Both versions are honest; the page knows the one that its author has read."""
    written = 'id = "pinned"\ntitle = "T"\n[[questions]]\nid = "q"\ntype = "yes-no"\ntext = "So?"\nepsilon = {}\n'
    read_before, lowered = (compile_toml(written.format(epsilon)) for epsilon in (1, 5))
    configure(collector, publish(collector, lowered), cors_origins=[site])
    page = open_app(devices, site)
    options = {"fingerprint": read_before.fingerprint}
    given: list[Any] = [f"{collector.url}/js/{MODULES[0]}", collector.url, "pinned", {"q": True}, options]
    told = page.evaluate(ANSWER, given)
    assert (told["name"], "not the pinned one" in told["message"]) == ("SurveyRefused", True)
    assert stored_reports(collector, lowered) == {}
