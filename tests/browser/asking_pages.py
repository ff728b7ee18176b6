"""Pages that ask, one for each way to ask: how each is answered, and sent."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asked import HABITS, configure, publish
from chromium import CLIENT
from collecting import SOTTO, TIMEOUT_S, Served
from embedded import LUNCH
from engines import Tab, until
from examples import place_of_pages
from own_site import site_of
from sotto_protocol import compile_toml
from surveyjs_site import pages_of

SHOWS = "(selector, text) => document.querySelector(selector)?.textContent.includes(text)"
FORM: dict[str, Any] = {
    "elements": [
        {"type": "boolean", "name": "Expensed", "renderAs": "radio", "isRequired": True},
        {"type": "radiogroup", "name": "Cuisine", "choices": ["soup", "salad"]},
        {"type": "checkbox", "name": "Drinks", "choices": ["tea", "gin"]},
        {"type": "dropdown", "name": "Table", "choices": ["one", "two"], "renderAs": "select"},
        {"type": "text", "name": "Street", "autocomplete": "street-address"},
        {"type": "comment", "name": "Place"},
    ]
}
LOOSE = """<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Loose fields</title>
<input type="radio" name="r" value="r"><input type="checkbox" name="c"><input name="t">
<select name="s"><option>one<option value="two">two</select><div></div>
<script type="module">
  import { keepOffDisk } from "./sottovoce.min.js";
  keepOffDisk(document.body);
  document.querySelector("div").innerHTML = "<form><textarea name=a autocomplete=on></textarea></form>";
</script>"""


@dataclass
class AskingPage:
    """A page, what is clicked and typed there, and how it is sent."""

    name: str
    url: str
    ready: str
    clicked: tuple[str, ...]
    chosen: tuple[tuple[str, str], ...]
    typed: tuple[tuple[str, str], ...]
    sending: tuple[str, ...] = ()
    sent: tuple[str, str] = ("", "")

    def answer(self, tab: Tab) -> None:
        """Open it, and answer everything; as somebody who follows a link on the page, too."""
        tab.goto(self.url)
        until(tab, "(selector) => document.querySelector(selector)?.checkVisibility()", self.ready)
        for selector in self.clicked:
            tab.click(selector)
        for selector, option in self.chosen:
            tab.choose(selector, option)
        for selector, text in self.typed:
            tab.type(selector, text)
        tab.run("() => { location.hash = 'below'; }")

    def send(self, tab: Tab) -> None:
        """Send what was answered."""
        for selector in self.sending:
            until(tab, "(selector) => document.querySelector(selector)?.checkVisibility()", selector)
            tab.click(selector)
        until(tab, SHOWS, *self.sent) if self.sending else None
        tab.run("() => { location.hash = 'sent'; }")


def _survey_page(url: str) -> AskingPage:
    asked = '[data-question="{}"] {}'.format
    return AskingPage(
        "survey-page",
        f"{url}/s/{HABITS.id}",
        "#fields:enabled",
        (asked("paid", "[value=yes]"), asked("dish", "[value=persimmons-soup]"), asked("drinks", "[value$=gin]")),
        ((asked("place", "select"), "greenhouse-13"),),
        ((asked("word", "input"), "gooseberrying"),),
        ("#review-button", "#send-button"),
        ("#delivery", "Your report was delivered."),
    )


def _example(url: str) -> AskingPage:
    return AskingPage(
        "example",
        f"{url}/index.html",
        "form",
        ("[value=yes]", "[value=leftovers]"),
        (),
        (("[name=place]", "Quincescent"),),
        ("form button", "dialog [value=send]"),
        ("[role=status]", "It was delivered."),
    )


def _surveyjs(url: str) -> AskingPage:
    return AskingPage(
        "surveyjs",
        f"{url}/form.html",
        "[data-name=Expensed] input",
        ("[data-name=Expensed] label", "[data-name=Cuisine] label", "[data-name=Drinks] label"),
        (("[data-name=Table] select", "two"),),
        (("[data-name=Street] input", "Marrowfield"), ("[data-name=Place] textarea", "Salsifyhaven")),
        ("[value=Complete]",),
        ("#receipt", "Your receipt: "),
    )


def _loose(url: str) -> AskingPage:
    return AskingPage(
        "loose-fields",
        f"{url}/loose.html",
        "textarea",
        ("[name=r]", "[name=c]"),
        (("[name=s]", "two"),),
        (("[name=t]", "rutabagas"), ("[name=a]", "parsnippets")),
    )


@contextmanager
def serve_pages(collector: Served, folder: Path) -> Iterator[list[AskingPage]]:
    """Serve the survey page, an example of docs/embedding.md, a SurveyJS form, and fields here and there."""
    (folder / "lunch.json").write_text(json.dumps(FORM))
    words = ["survey", "import", folder / "lunch.json", "--id", "form", "--to", folder / "form.toml"]
    subprocess.run([SOTTO, *words], check=True, timeout=TIMEOUT_S, capture_output=True)
    form = publish(collector, compile_toml((folder / "form.toml").read_text()))
    publish(collector, LUNCH)
    files = pages_of(collector.url, FORM, is_rendered=True)
    files["/form.html"] = files["/form.html"].replace(b'"lunch")', b'"form")')
    files |= {"/loose.html": LOOSE.encode(), "/sottovoce.min.js": (CLIENT / "sottovoce.min.js").read_bytes()}
    with place_of_pages(collector) as place, site_of(files) as site:
        configure(collector, LUNCH, cors_origins=[place.to_site.url])
        configure(collector, form, cors_origins=[site])
        yield [_survey_page(collector.url), _example(place.to_site.url), _surveyjs(site), _loose(site)]
