"""The results page in words: what is known first, in the reader's language, and the exact numbers one level below."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from collecting import INVITED, INVITED_WAVES, count_here, invite_reports, make_reports
from house import House, open_house
from page_reading import Page, password, read_page
from reading_html import Element
from sotto_estimator import estimate_tally
from sotto_estimator.page.choices import Choices
from sotto_estimator.page.errors import ChoiceError
from sotto_estimator.page.release import Release
from sotto_estimator.page.results import find_results
from sotto_protocol import Survey, Tally, compile_toml
from sotto_protocol.language import LANGUAGES, language

STAFF = compile_toml("""
id = "staff"
title.en = "How we work"
title.de = "Wie wir arbeiten"
title.ar = "كيف نعمل"
public_results = true
closes = "2099-12-31"
[[questions]]
id = "harassed"
type = "yes-no"
text.en = "Harassed?"
text.de = "Belästigt?"
text.ar = "هل تعرضت للمضايقة؟"
epsilon = 1
want = 0.02
[[questions]]
id = "stay"
type = "one-of"
text.en = "What keeps you?"
text.de = "Was hält Sie?"
text.ar = "ما الذي يبقيك؟"
options.en = ["pay", "colleagues", "nothing"]
options.de = ["Lohn", "Kollegen", "nichts"]
options.ar = ["الأجر", "الزملاء", "لا شيء"]
epsilon = 4
mechanism = "k-ary"
""")
INVITED_LEAST = replace(INVITED, id="least", min_reports=5)
INVITED_PUBLIC = replace(INVITED, id="public", public_results=True)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", STAFF, INVITED, INVITED_WAVES, INVITED_LEAST, INVITED_PUBLIC) as opened:
        yield opened


def see(house: House, survey: Survey, query: str = "", **headers: str) -> Any:
    return house.http.get(f"/s/{survey.id}/results{query}", headers=password(house.analyst) | headers)


def verdict_of(page: Page, number: int) -> str:
    return " ".join(sections_of(page)[number].text.split())


def sections_of(page: Page) -> list[Element]:
    return [part for part in page.root.find("section") if part.attributes.get("class") == "question"]


def test_every_question_begins_with_what_is_known_of_it() -> None:
    tally = Tally(STAFF, {1: 2000}, {"harassed": np.array([1000]), "stay": np.array([35, 1930, 35])})
    results = find_results(Release(STAFF, True, {1: tally}), Choices())
    harassed, stay = results.questions
    assert harassed.findings == [("Yes", "between 43 and 57 %, best estimate 50 %")]
    assert harassed.sentences == ["The survey aims at ± 2 points, which takes about 21,589 reports (2,000 so far)."]
    assert [words for _, words in stay.findings][1] == "at least 98.6 %, best estimate 100.0 %; could be 100 %"


def test_an_estimate_that_is_impossible_is_no_headline_and_stands_below_with_why() -> None:
    (question, _) = STAFF.questions
    tally = Tally(STAFF, {1: 30}, {"harassed": np.array([29]), "stay": np.array([10, 10, 10])})
    (row, *_) = estimate_tally(tally).rows
    assert row.share > 1.2
    results = find_results(Release(STAFF, True, {1: tally}), Choices())
    (harassed, stay) = results.questions
    assert question.id == harassed.question.id
    assert "120" not in " ".join(words for _, words in harassed.findings)
    assert (harassed.is_outside, stay.is_outside) == (True, False)
    (quoted,) = harassed.quoted
    assert quoted.endswith("The range at the top is wider. Quote the range at the top.")
    assert stay.quoted == []


def test_of_what_is_not_known_there_is_no_chart_on_the_page_and_no_number_in_its_headline(house: House) -> None:
    house.collect(STAFF, 8)
    page = read_page(see(house, STAFF))
    assert sections_of(page)[0].find("svg") == []
    said = verdict_of(page, 0)
    assert said.startswith("Harassed? Too few reports to say. The survey aims at ± 2 points, which takes about ")
    assert "(8 so far)." in said


@pytest.mark.parametrize("tag", ["de", "ar"])
def test_the_page_is_in_a_language_of_the_survey(house: House, tag: str) -> None:
    house.collect(STAFF, 1500)
    response = see(house, STAFF, "", **{"Accept-Language": f"{tag}, en;q=0.5"})
    page, words = read_page(response), STAFF.words(tag)
    (html,) = page.all("html")
    assert (html["lang"], html["dir"]) == (tag, "rtl" if tag == "ar" else "ltr")
    assert f"{page.root.one('h1').text} " == f"{words.title} "
    for number, question in enumerate(STAFF.questions):
        assert words.questions[question.id].text in verdict_of(page, number)
    shown = [row[0] for row in page.tables[next(name for name in page.tables if name.endswith("stay"))]]
    assert shown[1:] == [*words.questions["stay"].options]
    texts = {text for chart in page.charts() for text in chart.itertext()}
    assert {*words.questions["stay"].options} <= texts
    assert see(house, STAFF, f"?lang={tag}", **{"Accept-Language": "en"}).data.count(words.title.encode()) >= 1


def test_a_language_that_was_asked_for_stays_in_every_address(house: House) -> None:
    house.collect(STAFF, 1500)
    page = read_page(see(house, STAFF, "?lang=de&level=0.9", **{"Accept-Language": "en"}))
    links = [link["href"] for link in page.all("a") if link["href"].startswith("results") and "hreflang" not in link]
    assert links
    assert all("lang=de" in link and "level=0.9" in link for link in links)
    tongues = {link["hreflang"]: link["href"] for link in page.all("a") if "hreflang" in link}
    assert tongues == {tag: f"results?level=0.9&lang={tag}" for tag in ("en", "de", "ar")}
    hidden = {(field["name"], field["value"]) for field in page.all("input") if field["type"] == "hidden"}
    assert ("lang", "de") in hidden


def test_a_page_in_one_language_is_not_given_to_who_reads_another(house: House) -> None:
    house.collect(STAFF, 100)
    first = see(house, STAFF, "", **{"Accept-Language": "de"})
    again = see(house, STAFF, "", **{"Accept-Language": "ar", "If-None-Match": first.headers["ETag"]})
    assert again.status_code == 200
    assert first.headers["ETag"] != again.headers["ETag"]


def test_nor_where_the_survey_has_a_language_that_the_product_has_not(tmp_path: Path) -> None:
    survey = replace(STAFF, id="swahili", lang="sw", translations=())
    with open_house(tmp_path / "other.db", survey) as house:
        house.collect(survey, 100)
        tags = {
            see(house, survey, "", **{"Accept-Language": f"sw, {tag}"}).headers["ETag"] for tag in ("de", "fr", "en")
        }
    assert len(tags) == 3


@pytest.mark.few(5)
@pytest.mark.parametrize("tag", LANGUAGES)
def test_every_line_of_the_page_can_be_said_in_every_language(tag: str) -> None:
    """What has placeholders has them filled: a translation that lost one, or has one more, would fail here."""
    survey = replace(STAFF, waves=3, translations=())
    counts = {"harassed": np.array([300]), "stay": np.array([500, 400, 100])}
    tallies = {wave: Tally(survey, {wave: 1000}, counts) for wave in (1, 3)}
    told = {wave: (2000, None if wave == 2 else 1000) for wave in (1, 2, 3)}
    release = Release(survey, True, tallies, 2000, language=language(tag), turnout=told)
    for choices in (Choices(), Choices(wave=1, target="respondents"), Choices(simultaneous="yes"), Choices(wave=2)):
        results = find_results(release, choices)
        for section in results.questions:
            lines = [*section.sentences, *section.caption_of("shares"), *section.caption_of("waves")]
            assert not [line for line in lines if "%(" in line]
            assert not [chart for chart in section.charts.values() if "%(" in chart.description]
        assert "%(" not in results.turnout + results.nothing


def test_an_open_survey_says_what_looking_again_does_and_a_closed_one_does_not(house: House) -> None:
    house.collect(STAFF, 100)
    page = read_page(see(house, STAFF))
    assert "The survey is open until 2099-12-31." in page.root.text
    assert page.root.one("time").attributes["datetime"] == STAFF.closes
    assert "If you look again and again, and stop when you like the result, they are wrong more often." in page.words
    house.administer("POST", f"/v1/surveys/{STAFF.id}/close")
    page = read_page(see(house, STAFF))
    assert "The survey is closed." in page.words
    assert "again and again" not in page.words


def test_analysts_are_told_how_many_of_the_invited_have_answered(house: House) -> None:
    for survey, n_reports, wave, said in (
        (INVITED, 3, 1, "3 of 3 who were invited have answered."),
        (INVITED_WAVES, 4, 2, "Wave 2: 4 of 4 who were invited have answered."),
        (INVITED_LEAST, 4, 1, "4 were invited."),
    ):
        stored = house.stored(survey)
        reports = invite_reports(house.collector.store, stored, make_reports(n_reports, survey, wave))
        count_here(house.collector.store, stored, reports)
        words = read_page(see(house, survey)).words
        assert said in words
        assert "Too few have answered to show how many" not in words


def test_strangers_are_not_told_how_many_were_invited(house: House) -> None:
    reports = invite_reports(house.collector.store, house.stored(INVITED_PUBLIC), make_reports(3, INVITED_PUBLIC))
    count_here(house.collector.store, house.stored(INVITED_PUBLIC), reports)
    stranger = house.http.get("/s/public/results")
    assert "invited" not in read_page(stranger).words
    assert "3 of 3 who were invited" in read_page(see(house, INVITED_PUBLIC)).words


def test_an_open_survey_has_a_link_to_intervals_that_hold_at_every_look(house: House) -> None:
    house.collect(STAFF, 400)
    page = read_page(see(house, STAFF, "?level=0.9"))
    (link,) = (link["href"] for link in page.all("a") if link.get("id") == "anytime")
    assert link == "results?level=0.9&method=anytime"
    wider = read_page(see(house, STAFF, link.removeprefix("results")))
    assert "These ranges stay valid however often you look" in wider.words
    assert "wrong more often" not in wider.words
    assert not [link for link in wider.all("a") if link.get("id") == "anytime"]
    once, always = (
        [row["high"] - row["low"] for row in see(house, STAFF, f".json{query}").json["estimates"]]
        for query in ("?level=0.9", "?level=0.9&method=anytime")
    )
    assert all(wide > narrow for wide, narrow in zip(always, once, strict=True))


def test_of_several_waves_one_has_such_intervals_and_all_pooled_have_not() -> None:
    survey = replace(STAFF, waves=2)
    counts = {"harassed": np.array([300]), "stay": np.array([500, 400, 100])}
    release = Release(survey, True, {wave: Tally(survey, {wave: 1000}, counts) for wave in (1, 2)})
    assert find_results(release, Choices(wave=2, method="anytime")).estimates
    with pytest.raises(ChoiceError, match=r"method \('anytime'\) must be one of .* Choose one wave, or another method"):
        find_results(release, Choices(method="anytime"))
