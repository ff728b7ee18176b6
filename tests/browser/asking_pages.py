"""Pages that ask, one for each way to ask: how each is answered, and sent."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import starting
from asked import HABITS, configure, named, publish
from chromium import CLIENT, FIND
from collecting import SOTTO, TIMEOUT_S, Served
from component_site import element, files as component_files, page_of, policy_for
from embedded import LUNCH
from engines import Tab, until
from examples import place_of_flask, place_of_pages
from own_site import site_of
from sotto_protocol import Survey, compile_toml
from surveyjs_site import pages_of

MIN_LETTERS = 5
IS_THERE = f"""(selector) => document.readyState === "complete" && ({FIND})(selector)?.checkVisibility()"""
SHOWS = f"(selector, text) => ({FIND})(selector)?.textContent.includes(text)"
FORM: dict[str, Any] = {
    "elements": [
        {"type": "boolean", "name": "Expensed", "renderAs": "radio", "isRequired": True},
        {"type": "radiogroup", "name": "Cuisine", "choices": ["soup", "salad"]},
        {"type": "checkbox", "name": "Drinks", "choices": ["tea", "gin"]},
        {"type": "dropdown", "name": "Table", "choices": ["one", "two"], "renderAs": "select"},
        {"type": "dropdown", "name": "Seat", "choices": ["balcony", "cellar"]},
        {"type": "tagbox", "name": "Extras", "choices": ["napkin", "candle"]},
        {"type": "text", "name": "Street", "autocomplete": "street-address"},
        {"type": "comment", "name": "Place"},
    ]
}
LOOSE = """<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Loose fields</title>
<input type="radio" name="r" value="r"><input type="checkbox" name="c"><input name="t">
<input type="radio" name="l" id="l" value="l"><label for="l">With a label beside it</label>
<select name="s"><option>one<option value="two">two</select><div></div>
<script type="module">
  import { keepOffDisk } from "./sottovoce.min.js";
  keepOffDisk(document.body);
  document.querySelector("div").innerHTML = "<form><textarea name=a autocomplete=on></textarea></form>";
</script>"""


Step = tuple[str, ...]
"""What is done on a page: `click`, `choose` or `type`, where, and what."""


@dataclass
class AskingPage:
    """A page, what is done there to answer and then to send, and where it says what when it is sent."""

    url: str
    answering: tuple[Step, ...]
    sending: tuple[Step, ...] = ()
    sent: tuple[str, str] = ("body", "")

    def answer(self, tab: Tab) -> None:
        """Open it and answer everything, and follow a link within the page."""
        tab.goto(self.url)
        self._go(tab, self.answering, "below")

    def send(self, tab: Tab) -> None:
        """Send what was answered, and follow a link within the page."""
        self._go(tab, self.sending)
        until(tab, SHOWS, *self.sent)
        self._go(tab, (), "sent")

    def looks(self, tab: Tab, look: Callable[[], Any]) -> Iterator[Any]:
        """Send what was answered; yield what is seen before each step, and once it is sent."""
        for what, selector, *given in self.sending:
            until(tab, IS_THERE, selector)
            yield look()
            getattr(tab, what)(selector, *given)
        until(tab, SHOWS, *self.sent)
        yield look()

    def words(self) -> list[str]:
        """Return what is typed, where it is a word that can be searched for."""
        return [step[2] for step in self.answering if step[0] == "type" and len(step[2]) > MIN_LETTERS]

    def _go(self, tab: Tab, steps: tuple[Step, ...], anchor: str = "") -> None:
        for what, selector, *given in steps:
            until(tab, IS_THERE, selector)
            getattr(tab, what)(selector, *given)
        if anchor:
            tab.run("(anchor) => { location.hash = anchor; }", anchor)


def _survey_page(url: str) -> AskingPage:
    answering = (
        ("click", "#fields:enabled [data-question=paid] [value=true]"),
        ("click", "[data-question=dish] [value*=persimmons-soup]"),
        ("click", "[data-question=drinks] [value$='gin\"']"),
        ("choose", "[data-question=place] select", "greenhouse-13"),
        ("type", "[data-question=word] input", "gooseberrying"),
    )
    sending = (("click", "#review-button"), ("click", "#send-button"))
    return AskingPage(f"{url}/s/{HABITS.id}", answering, sending, ("#delivery", "Your report was delivered"))


def _example(url: str, *opening: Step, sent: str = "It was delivered.") -> AskingPage:
    """Return a page of docs/embedding.md; `opening`: what its questions are opened by."""
    answering = (
        *opening,
        ("click", "[value=yes]"),
        ("click", "[value=leftovers]"),
        ("type", "[name=place]", "Quincescent"),
    )
    sending = (("click", "[data-survey] button"), ("click", "dialog [value=send]"))
    return AskingPage(url, answering, sending, ("[role=status]", sent))


def _surveyjs(url: str) -> AskingPage:
    answering = (
        ("click", "[data-name=Expensed] label"),
        ("click", "[data-name=Cuisine] label"),
        ("click", "[data-name=Drinks] label"),
        ("choose", "[data-name=Table] select", "two"),
        ("type", "[data-name=Seat] input", "cell\n"),  # searches the list, and takes what is found
        ("type", "[data-name=Extras] input", "napk\n"),
        ("type", "[data-name=Street] input", "Marrowfield"),
        ("type", "[data-name=Place] textarea", "Salsifyhaven"),
    )
    sending = (("click", "[value=Complete]"),)
    return AskingPage(f"{url}/form.html", answering, sending, ("#receipt", "Your receipt: "))


def _element(url: str) -> AskingPage:
    """Return the page with a web component: its fields are in a shadow root."""
    answering = (
        ("click", "sotto-survey >> [data-question=paid] input"),
        ("click", "sotto-survey >> [data-question=dish] input"),
        ("click", "sotto-survey >> [data-question=drinks] input"),
        ("choose", "sotto-survey >> select", "greenhouse-13"),
        ("type", "sotto-survey >> input[type=text]", "Medlarwood"),
    )
    sending = (("click", "sotto-survey >> button.primary"), ("click", "sotto-survey >> [part~=send]"))
    return AskingPage(f"{url}/element.html", answering, sending, ("sotto-survey >> [part=delivery]", "was delivered"))


def _loose(url: str) -> AskingPage:
    answering = (
        ("click", "[name=r]"),
        ("click", "[name=c]"),
        ("choose", "[name=s]", "two"),
        ("type", "[name=t]", "rutabagas"),
        ("type", "[name=a]", "parsnippets"),
    )
    return AskingPage(f"{url}/loose.html", answering)


@contextmanager
def serve_pages(collector: Served, folder: Path) -> Iterator[list[AskingPage]]:
    """Serve the survey page, the examples of docs/embedding.md, a SurveyJS form, and fields here and there."""
    publish(collector, LUNCH)
    form, element_survey = _import_form(collector, folder), publish(collector, named("element"))
    files = pages_of(collector.url, FORM, is_rendered=True)
    files["/form.html"] = files["/form.html"].replace(b'"lunch")', b'"form")')
    files |= component_files(
        {"/element.html": page_of(element(collector.url, element_survey), policy_for(collector.url))}
    )
    files |= {"/loose.html": LOOSE.encode(), "/sottovoce.min.js": (CLIENT / "sottovoce.min.js").read_bytes()}
    with place_of_pages(collector) as place, place_of_flask(collector, folder) as flask, site_of(files) as site:
        configure(collector, LUNCH, cors_origins=[place.to_site.url, flask.to_site.url])
        for survey in (form, element_survey):
            configure(collector, survey, cors_origins=[site])
        begin = (("type", "[name=number]", "7"), ("click", "form button"))
        yield [
            _survey_page(collector.url),
            _example(f"{place.to_site.url}/index.html"),
            _example(f"{place.to_site.url}/tablet.html", *begin, sent="please note your receipt"),
            _example(f"{flask.to_site.url}/"),
            _surveyjs(site),
            _element(site),
            _loose(site),
        ]


def _import_form(collector: Served, folder: Path) -> Survey:
    (folder / "lunch.json").write_text(json.dumps(FORM))
    words = ["survey", "import", folder / "lunch.json", "--id", "form", "--to", folder / "form.toml"]
    starting.run([SOTTO, *words], check=True, timeout=TIMEOUT_S, capture_output=True)
    return publish(collector, compile_toml((folder / "form.toml").read_text()))
