"""A report on a survey, and what a notebook shows, say what the results page says, in the same language."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from collecting import count_here, make_reports
from house import House, open_house
from page_reading import password, read_page
from reading_html import Element, read_html
from sotto_collector.invitations import make_invitations
from sotto_estimator import IntervalOptions, estimate
from sotto_estimator.results.result import Result
from sotto_estimator.shares.by_group import estimate_strata
from sotto_protocol import Tally, compile_toml
from sotto_protocol.language import language

SURVEY = compile_toml("""
id = "places"
title.en = "How we work"
title.de = "Wie wir arbeiten"
title.ar = "كيف نعمل"
invited = true
strata = ["north", "south"]
[[questions]]
id = "paid"
type = "yes-no"
text.en = "Is it paid?"
text.de = "Wird sie bezahlt?"
text.ar = "هل هي مدفوعة؟"
want = 0.02
epsilon = 6
[[questions]]
id = "stay"
type = "one-of"
text.en = "What keeps you?"
text.de = "Was hält Sie?"
text.ar = "ما الذي يبقيك؟"
options.en = ["pay", "colleagues", "<b>nothing</b>"]
options.de = ["Lohn", "Kollegen", "<b>nichts</b>"]
options.ar = ["الأجر", "الزملاء", "لا شيء"]
mechanism = "k-ary"
epsilon = 4
[[questions]]
id = "hours"
type = "number"
text.en = "How many hours?"
text.de = "Wie viele Stunden?"
text.ar = "كم ساعة؟"
unit.en = "hours"
unit.de = "Stunden"
unit.ar = "ساعات"
minimum = 0
maximum = 40
step = 1
distribution = true
epsilon = 10
[[questions]]
id = "home"
type = "text"
text.en = "Where do you live?"
text.de = "Wo wohnen Sie?"
text.ar = "أين تسكن؟"
epsilon = 4
""")
SAID = ("p", "li", "h3", "caption", "th", "td", "data", "title", "desc", "text")
"""What is read of a question: sentences, tables, and charts."""
OF_PAGE = ("form", "summary")
"""What the page alone has, with links to files, and why no texts can be looked for."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("report") / "survey.db", SURVEY) as opened:
        store, stored = opened.collector.store, opened.stored(SURVEY)
        for stratum, n_reports in ((1, 400), (2, 250)):
            codes = make_invitations(store, stored, n_reports, stratum)
            reports = make_reports(n_reports, SURVEY)
            count_here(store, stored, [replace(one, invitation=code) for one, code in zip(reports, codes, strict=True)])
        yield opened


def tally(house: House, stratum: str = "") -> Tally:
    return Tally.from_json(house.read_tally(SURVEY, f"?stratum={stratum}" if stratum else "").data)


def found(house: House, query: str) -> Result:
    if not query:
        return estimate(tally(house))
    side = estimate_strata({name: tally(house, name) for name in SURVEY.strata}, IntervalOptions(), len(SURVEY.strata))
    assert side
    return side


def said(section: Element, *left_out: str) -> list[tuple[str, str, str]]:
    """Return what is read of a question below its text: tags, words, and numbers with all their digits."""
    parts = [part for part in section.inner if part.tag in OF_PAGE or part.attributes.get("class") == "files"]
    apart = {id(inner) for part in parts for inner in [part, *part.inner]}
    return [
        (part.tag, part.text, part.attributes.get("value", ""))
        for part in section.inner
        if part.tag in SAID and id(part) not in apart and part.text not in left_out
    ]


@pytest.mark.few(2)
@pytest.mark.parametrize("query", ["", "?stratum=each"], ids=["all", "groups"])
@pytest.mark.parametrize("tag", ["de", "ar"])
def test_report_and_page_say_the_same_of_every_question(house: House, tag: str, query: str) -> None:
    say, words = language(tag), SURVEY.words(tag)
    headers = password(house.analyst) | {"Accept-Language": tag}
    page = read_page(house.http.get(f"/s/places/results{query}", headers=headers)).root
    report = read_html(found(house, query).to_html(tag))
    html = report.one("html").attributes
    assert (html["lang"], html["dir"]) == (tag, say.direction)
    assert report.one("h1").text == page.one("h1").text == words.title
    hint = say.gettext("Choose one group, or all groups together, to look for texts.")
    exact = say.gettext("The exact numbers")  # on the page it is what opens
    sections, of_reports = page.find("section", class_="question"), report.find("section")
    if query:  # first, all groups beside each other
        glance = of_reports.pop(0)
        assert glance.one("h2").text == say.gettext("All groups at a glance")
        assert said(glance) == said(
            next(one for one in page.find("section") if one.one("h2").text == glance.one("h2").text)
        )
    for question, of_page, of_report in zip(SURVEY.questions, sections, of_reports, strict=False):
        asked = words.questions[question.id].text
        assert of_page.one("h2").text == asked
        assert of_report.one("h2").text == f"{asked} {question.id}"
        lines = said(of_report, exact)
        assert lines == said(of_page, hint)
        assert {tag for tag, _, _ in lines} >= ({"p"} if question.id == "home" else {*SAID} - {"h3"})
        assert not [line for line in lines if line[1].startswith(("between", "on average"))]


def test_a_notebook_shows_the_same_words_and_tables_without_pictures(house: House) -> None:
    shown = found(house, "")
    notebook, report = read_html(shown._repr_html_()), read_html(shown.to_html())
    drawn = ("title", "desc", "text")
    lines = [line for part in report.find("section")[:4] for line in said(part) if line[0] not in drawn]
    assert [line for line in said(notebook) if line[0] != "h3"][1:] == [line for line in lines if line[0] != "h3"]
    assert [part.attributes for part in notebook.inner if "id" in part.attributes] == []


def test_a_report_speaks_the_first_language_of_its_survey_unless_another_is_asked_for() -> None:
    german = compile_toml("""
id = "one"
lang = "de"
title = "Eins"
[[questions]]
id = "paid"
type = "yes-no"
text = "Bezahlt?"
epsilon = 2
""")
    html = read_html(estimate(Tally(german, {1: 400}, {"paid": np.array([200])})).to_html())
    assert html.one("html").attributes["lang"] == "de"
    assert html.find("h3")[0].text == language("de").gettext("The exact numbers") != "The exact numbers"
