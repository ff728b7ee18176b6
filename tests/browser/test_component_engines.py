"""`<sotto-survey>` in every engine: two on one page of another origin, answered by pointer, reviewed, sent."""

from pathlib import Path

import pytest

from asked import ANSWERS, HABITS, configure, named, publish, wait_for_reports
from chromium import FIND
from collecting import Served
from component_site import asking, element, page_of, policy_for
from engines import ENGINES, Tab, engines, until
from visit import ASKS, HOLD, report_in
from wire import Wire

TEXT = f"(path) => ({FIND})(path)?.textContent"
IS_SHOWN = f"(path) => ({FIND})(path)?.checkVisibility()"
N_LEFT = 12
BEGIN_ANEW = """(nTurns) => {  // and so ask the database, at the moment at which the page is left
  const asked = document.querySelector("sotto-survey");
  const begin = () => asked.setAttribute("max-epsilon", String(Math.random()));
  addEventListener("pagehide", begin);
  for (let turn = 0; turn < nTurns; turn += 1) begin();
}"""
HEARD = """() => {
  globalThis.heard = [];
  for (const name of ["ready", "prepared", "sent", "delivered", "refused", "error"]) {
    addEventListener(`sotto-${name}`, ({ detail }) => heard.push([name, detail]));
  }
}"""


def answer(tab: Tab, host: str) -> None:
    """Give ANSWERS by pointer and by typing."""
    for question in HABITS.questions:
        given, place = ANSWERS[question.id], f'{host} >> [data-question="{question.id}"]'
        if question.type == "text":
            tab.type(f"{place} input", given)
        elif len(question.options) > 12:
            tab.choose(f"{place} select", given)
        else:
            options = list(question.options) or [True, False]
            for value in given if question.type == "any-of" else [given]:
                tab.click(f'{place} input[value="{options.index(value)}"]')


@pytest.mark.parametrize("engine", engines("firefox", "webkit"))
def test_two_surveys_on_one_page_are_answered(engine: str, collector: Served, wire: Wire, tmp_path: Path) -> None:
    surveys = [publish(collector, named(f"element-{engine}-{number}")) for number in (1, 2)]
    elements = "".join(element(wire.url, survey, id=survey.id) for survey in surveys)
    with (
        asking({"/index.html": page_of(elements, policy_for(wire.url))}) as url,
        ENGINES[engine](tmp_path / "p") as tab,
    ):
        for survey in surveys:
            configure(collector, survey, cors_origins=[url])
        tab.goto(f"{url}/index.html")
        tab.run(HEARD)
        bodies = []
        for survey in surveys:
            host = f"#{survey.id}"
            until(tab, IS_SHOWN, f"{host} >> [data-question]")
            answer(tab, host)
            tab.click(f"{host} >> button.primary")
            until(tab, IS_SHOWN, f"{host} >> dd.answered")
            bodies.append(tab.run(TEXT, f"{host} >> pre"))
        for survey, body in zip(surveys, bodies, strict=True):
            host = f"#{survey.id}"
            tab.run(HOLD)
            tab.click(f"{host} >> [part~=send]")
            until(tab, "() => globalThis.isSending")
            assert tab.run(ASKS) is True
            tab.run("() => letGo()")
            receipt = until(tab, TEXT, f"{host} >> [part=receipt-code]")
            until(
                tab,
                f"(path) => ({FIND})(path)?.textContent === 'Your report was delivered.'",
                f"{host} >> [part=delivery]",
            )
            assert report_in(body)["id"] == receipt
            assert tab.run(ASKS) is False
            wait_for_reports(collector, survey, receipt)
        assert [post.body.decode() for post in wire.posts()] == bodies
        heard = tab.run("() => heard.filter(([name]) => name !== 'ready')")
        assert [name for name, _ in heard] == ["prepared", "prepared", "sent", "delivered", "sent", "delivered"]
        for _, detail in heard:
            assert detail.keys() == {"survey", "fingerprint", "wave"}
        tab.reload()
        assert until(tab, TEXT, f"#{surveys[1].id} >> [part=receipt-code]") == receipt


@pytest.mark.parametrize("engine", engines("webkit"))
def test_a_page_that_is_left_holds_up_no_other(engine: str, collector: Served, tmp_path: Path) -> None:
    survey = publish(collector, named(f"quit-{engine}"))
    page = page_of(element(collector.url, survey), policy_for(collector.url))
    with asking({f"/{number}.html": page for number in range(N_LEFT)}) as url, ENGINES[engine](tmp_path / "p") as tab:
        configure(collector, survey, cors_origins=[url])
        for number in range(N_LEFT):
            tab.goto(f"{url}/{number}.html")
            until(tab, IS_SHOWN, "sotto-survey >> [data-question]")
            tab.run(BEGIN_ANEW, number % 3)
