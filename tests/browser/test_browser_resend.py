"""What browsers keep of delivered reports, in every engine: nothing, or what a restored collector is sent again."""

import json
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from asked import ANSWERS, LOUD, configure, named, publish, stored_reports, wait_for_reports
from cases import rare
from collecting import Served, check_store, serve
from component_site import asking, element, page_of, policy_for
from engines import ENGINES, Tab, engines, until
from own_site import blank, site_of
from sotto_client.cli import main
from sotto_collector.store import Store
from sotto_collector.store.copy import copy_store
from sotto_protocol import Survey
from visit import FILL, report_in
from wire import Wire, wire_to

DAYS = 30
FLUSH_MS = 20_000
SHOWN = "(id) => document.getElementById(id)?.checkVisibility() && document.getElementById(id).textContent"
SENTENCE = (
    f"This browser keeps your report for {DAYS} days, to send it again if it is lost. It doesn't keep your answers."
)
TOLD = """() => [...document.querySelectorAll(".notice")]
  .filter((each) => each.checkVisibility()).map((each) => each.textContent)"""
IN_ELEMENT = """(selector) => {
  const found = document.querySelector("sotto-survey").shadowRoot?.querySelector(selector);
  return found && (found.textContent || true);
}"""
TOLD_IN_ELEMENT = """() => [...document.querySelector("sotto-survey").shadowRoot.querySelectorAll(".notice")]
  .filter((each) => each.checkVisibility()).map((each) => each.textContent)"""
IS_DELIVERED = f"() => ({SHOWN})('delivery') === 'Your report was delivered.'"
ENDED = """(request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
})"""
KEPT = f"""async (name) => {{
  const ended = {ENDED};
  const database = await ended(indexedDB.open(name));
  const all = (store) => ended(database.transaction(store).objectStore(store).getAll());
  const write = (rows) => JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? String(value) : value));
  const stores = [...database.objectStoreNames];
  const found = await Promise.all(stores.map(async (store) => [store, write(await all(store))]));
  database.close();
  return Object.fromEntries(found);
}}"""
CLIENT = """async (url, surveyId, options, answers, flushMs) => {
  const { SurveyClient } = await import(`${url}/js/sottovoce.min.js`);
  const device = new SurveyClient(url, surveyId, options);
  try {
    await (answers ? device.answer(answers) : device.survey());
    await device.flush(flushMs);
    const [receipt] = await device.answered();
    return { receipt: receipt?.id, pending: await device.pending() };
  } finally {
    device.close();
  }
}"""
AGE = f"""async (name) => {{  // make of a database the one that the version before would have
  const ended = {ENDED};
  const before = await ended(indexedDB.open(name));
  const stores = [...before.objectStoreNames].filter((store) => store !== "sent");
  const kept = [];
  for (const store of stores) {{
    const place = before.transaction(store).objectStore(store);
    kept.push([store, place.keyPath, await ended(place.getAll())]);
  }}
  before.close();
  await ended(indexedDB.deleteDatabase(name));
  const opening = indexedDB.open(name, 2);
  opening.onupgradeneeded = () => {{
    for (const [store, keyPath, records] of kept) {{
      const place = opening.result.createObjectStore(store, {{ keyPath }});
      for (const {{ daysLeft, restored, ...record }} of records) place.put(record);
    }}
  }};
  (await ended(opening)).close();
}}"""


def answer_on_page(tab: Tab, url: str, survey: Survey) -> tuple[str, list[str]]:
    """Answer, and send; return the receipt, once the report was delivered, and the notices above the questions."""
    tab.goto(f"{url}/s/{survey.id}")
    until(tab, "() => !document.getElementById('fields').disabled")
    told: list[str] = tab.run(TOLD)
    tab.run(FILL, ANSWERS)
    tab.click("#review-button")
    until(tab, SHOWN, "review")
    tab.click("#send-button")
    return receipt_on(tab), told


def receipt_on(tab: Tab) -> str:
    receipt: str = until(tab, SHOWN, "receipt-code")
    until(tab, IS_DELIVERED)
    return receipt


def element_page(collector: str, survey: Survey, days: int) -> bytes:
    """Return a page that asks by `<sotto-survey>`."""
    asked = element(collector, survey, state="element", resend_days=str(days))
    return page_of(asked, policy_for(collector))


def answer_in_element(tab: Tab, url: str) -> tuple[str, list[str]]:
    """Answer yes, and send; return the receipt, once the report was delivered, and the notices above the question."""
    tab.goto(f"{url}/index.html")
    until(tab, IN_ELEMENT, "[data-question]")
    told: list[str] = tab.run(TOLD_IN_ELEMENT)
    for pressed, shown in (("input", "input:checked"), ("button.primary", "[part~=send]"), ("[part~=send]", "code")):
        tab.click(f"sotto-survey >> {pressed}")
        until(tab, IN_ELEMENT, shown)
    return receipt_in_element(tab), told


def receipt_in_element(tab: Tab) -> str:
    until(tab, f"() => ({IN_ELEMENT})('[part=delivery]') === 'Your report was delivered.'")
    receipt: str = tab.run(IN_ELEMENT, "[part=receipt-code]")
    return receipt


def restored(folder: Path, survey: Survey, *flags: str) -> AbstractContextManager[Served]:
    """Restore the backup in a folder, and serve it."""
    result = CliRunner().invoke(main, ["db", "restore", "--from", f"{folder}/backup.db", "--db", f"{folder}/anew.db"])
    assert result.exit_code == 0, result.output
    return serve(folder / "anew.db", *flags, survey=survey)


@pytest.mark.parametrize("days", [DAYS, rare(0)])
@pytest.mark.parametrize("engine", engines("chromium"))
def test_what_a_restored_collector_lost_is_sent_again(engine: str, days: int, tmp_path: Path) -> None:
    """By its page, and on a page of one's own, by client and element: where they keep it; else nothing can be sent."""
    flags = ("--page-resend-days", str(days)) if days else ()
    surveys = survey, own, framed = named("on-page"), named("on-site"), named("in-element", LOUD)
    with (
        serve(tmp_path / "lost.db", *flags, survey=survey) as lost,
        wire_to(lost.port) as wire,
        asking({"/app.html": blank("An app"), "/index.html": element_page(wire.url, framed, days)}) as site,
        ENGINES[engine](tmp_path / "profile") as tab,
    ):
        for each in (own, framed):
            publish(lost, each)
            configure(lost, each, cors_origins=[site])
        with closing(Store(lost.db)) as store:
            copy_store(store, str(tmp_path / "backup.db"))
        visit = [wire.url, own.id, {"resendDays": days, "state": "own"}]
        receipt, told = answer_on_page(tab, wire.url, survey)
        kept = [tab.run(KEPT, "sottovoce")]
        tab.goto(f"{site}/app.html")
        made = tab.run(CLIENT, *visit, ANSWERS, FLUSH_MS)
        kept.append(tab.run(KEPT, "own"))
        element_receipt, element_told = answer_in_element(tab, site)
        kept.append(tab.run(KEPT, "element"))
        receipts = receipt, made["receipt"], element_receipt
        for each, sent in zip(surveys, receipts, strict=True):
            wait_for_reports(lost, each, sent)
        bodies = [post.body for post in wire.posts()]
        wire.cut()
        lost.stop()
        with restored(tmp_path, survey, *flags) as anew:
            assert anew.ask("GET", f"/v1/surveys/{survey.id}")[1]["Sottovoce-Restored"] != "0"
            assert [stored_reports(anew, each) for each in surveys] == [{}, {}, {}]
            wire.port = anew.port
            wire.mend()
            for _ in range(2):
                tab.goto(f"{wire.url}/s/{survey.id}")
                assert receipt_on(tab) == receipt
                tab.goto(f"{site}/app.html")
                assert tab.run(CLIENT, *visit, None, FLUSH_MS) == made
                tab.goto(f"{site}/index.html")
                assert receipt_in_element(tab) == element_receipt
            assert sorted(post.body for post in wire.posts()) == sorted(bodies * (2 if days else 1))
            for each, sent in zip(surveys, receipts, strict=True):
                wait_for_reports(anew, each, *([sent] if days else []))
            assert anew.stop()[0] == 0
    check_store(anew.db)
    assert (SENTENCE in told, SENTENCE in element_told, made["pending"]) == (bool(days), bool(days), [])
    assert len(bodies) == len(kept) == 3
    for stores in kept:
        assert len(json.loads(stores["sent"])) == (1 if days else 0)
        assert [name for name, rows in stores.items() if '"answers"' in rows] == (["sent"] if days else [])


@pytest.mark.parametrize("engine", engines("webkit"))
def test_a_database_of_the_version_before_loses_nothing(
    engine: str, collector: Served, wire: Wire, tmp_path: Path
) -> None:
    survey = publish(collector, named(f"aged-{engine}"))
    with site_of({"/app.html": blank("An app")}) as site, ENGINES[engine](tmp_path / "profile") as tab:
        configure(collector, survey, cors_origins=[site])
        visit = [wire.url, survey.id, {"state": "aged", "resendDays": DAYS}]
        tab.goto(f"{site}/app.html")
        tab.run(CLIENT, *visit, None, 0)
        wire.cut()
        waits = tab.run(CLIENT, *visit, ANSWERS, 0)
        assert waits["pending"] == [waits["receipt"]]
        tab.run(AGE, "aged")
        before = tab.run(KEPT, "aged")
        assert sorted(before) == ["draws", "gateways", "ledger", "outbox", "secrets", "surveys"]
        assert tab.run(CLIENT, *visit, None, 0) == waits
        now = tab.run(KEPT, "aged")
        assert now.pop("sent") == "[]"
        assert [now[name] for name in ("draws", "ledger", "secrets")] == [
            before[name] for name in ("draws", "ledger", "secrets")
        ]
        wire.mend()
        assert tab.run(CLIENT, *visit, None, FLUSH_MS) == {"receipt": waits["receipt"], "pending": []}
        wait_for_reports(collector, survey, waits["receipt"])
        (report,) = json.loads(before["outbox"])
        assert report_in(wire.posts()[-1].body.decode()) == report["sent"]
