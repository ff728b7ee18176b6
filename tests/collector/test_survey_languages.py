"""The survey page by language: its texts, its marks, what caches are told of it, and what it weighs."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urljoin

import pytest

from house import House, open_house
from reading_html import Element, read_html
from sotto_protocol import Survey, compile_toml
from wards import TEXTS, ward

WARD, PARTS = ward("ward", parts=False, closes="2099-12-31"), ward("parts")
LONG = replace(WARD, id="long", introduction="Long. " * 60, translations=())
DIARY = compile_toml("""
id = "diary"
lang = "sw"
waves = 3
title.sw = "Shajara"
title.he = "יומן"
[[questions]]
id = "well"
type = "yes-no"
text.sw = "Je, u mzima?"
text.he = "שלום לך?"
skip = "no"
mechanism = "basic-rappor"
epsilon = 0.5
epsilon_forever = 1.0
""")
"""In languages that the product does not speak."""
MAX_WEIGHT = 52_000


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("pages") / "survey.db", WARD, PARTS, LONG, DIARY) as opened:
        yield opened


def page_of(house: House, survey: Survey, query: str = "", **headers: str) -> Element:
    response = house.http.get(f"/s/{survey.id}{query}", headers=headers)
    assert response.status_code == 200
    return read_html(response.text)


@pytest.mark.parametrize("tag", TEXTS)
def test_every_text_of_the_survey_is_in_its_language_and_every_value_in_none(house: House, tag: str) -> None:
    page, texts = page_of(house, WARD, f"?lang={tag}"), TEXTS[tag]
    assert (page.one("html").attributes["lang"], page.one("html").attributes["dir"]) == (
        tag,
        "rtl" if tag == "ar" else "ltr",
    )
    assert (page.one("title").text, page.one("h1").text) == (texts[0], texts[0])
    assert page.one("p", class_="introduction").text == texts[1]
    asked = [question.one("span", class_="asked").text for question in page.find(class_="question")]
    assert asked == [texts[place] for place in (5, 6, 8, 10, 12, 13)]
    pills = page.one(data_question="pills")
    assert [label.text for label in pills.find("label")] == texts[7]
    assert [json.loads(field.attributes["value"]) for field in pills.find("input")] == TEXTS["en"][7]
    assert pills.attributes["data-skip"] == texts[7][3]
    assert page.one("span", class_="unit").text == texts[11]
    assert not [element for element in page.inner if "lang" in element.attributes and element.tag == "span"]


def test_sections_begin_parts_of_which_the_first_is_shown(house: House) -> None:
    page = page_of(house, PARTS, "?lang=hi")
    parts = [part for part in page.find("div") if part.attributes.get("class") == "part"]
    assert ["hidden" in part.attributes for part in parts] == [False, True, True]
    assert [part.one("h2").text.endswith(TEXTS["hi"][place]) for place, part in zip((2, 3, 4), parts, strict=True)]
    assert [len(part.find(class_="question")) for part in parts] == [2, 2, 2]
    assert "hidden" in page.one("button", id="review-button").attributes
    plain = page_of(house, WARD)
    assert not [part for part in plain.find("div", class_="part") if part.find(class_="section")]
    assert "hidden" in plain.one("button", id="next-button").attributes


def test_who_asks_and_until_when_stand_above_and_a_long_introduction_opens(house: House) -> None:
    page = page_of(house, WARD)
    about = page.one("ul", class_="about small")
    assert [item.text for item in about.find("li")] == [
        "Who asks: The staff council",
        "Open until 2099-12-31",
        "Contact: council@hospital.example",
    ]
    assert about.one("time").attributes["datetime"] == "2099-12-31"
    long = page_of(house, LONG)
    assert not long.find("p", class_="introduction")
    opening = [part for part in long.find("details") if part.find("summary")[0].text == "About this survey"]
    assert [part.one("p").text for part in opening] == [LONG.introduction.strip()]


def test_a_language_that_the_product_does_not_speak_is_marked_where_it_stands(house: House) -> None:
    page = page_of(house, DIARY, "?lang=he")
    assert page.one("html").attributes["lang"] == "en"
    for text in ("יומן", "שלום לך?"):
        (marked,) = [element for element in page.inner if element.text == text and "lang" in element.attributes]
        assert (marked.attributes["lang"], marked.attributes["dir"]) == ("he", "rtl")
    assert page_of(house, DIARY).one("h1").attributes["lang"] == "sw"
    assert "Skipping counts as “No”" in page.text


def test_languages_are_chosen_by_links_that_keep_the_wave(house: House) -> None:
    links = page_of(house, DIARY, "?wave=2&lang=he").one("nav", class_="languages").find("a")
    assert [(link.attributes["href"], link.attributes["hreflang"]) for link in links] == [
        ("?lang=sw&wave=2", "sw"),
        ("?lang=he&wave=2", "he"),
    ]
    assert [link.attributes.get("aria-current") for link in links] == [None, "true"]
    names = [link.text for link in page_of(house, WARD).one("nav", class_="languages").find("a")]
    assert names[:3] == ["English", "العربية", "Deutsch"]
    assert not page_of(house, LONG).find("nav", class_="languages")


def test_a_page_of_one_language_is_no_page_of_another_to_a_cache(house: House) -> None:
    german = {"Accept-Language": "de-AT, en;q=0.5"}
    first, second = house.http.get("/s/ward", headers=german), house.http.get("/s/ward")
    assert [response.headers["Content-Language"] for response in (first, second)] == ["de", "en"]
    assert all("Accept-Language" in response.headers["Vary"] for response in (first, second))
    assert first.headers["ETag"] != second.headers["ETag"]
    known = {"If-None-Match": first.headers["ETag"]}
    assert house.http.get("/s/ward", headers=german | known).status_code == 304
    assert house.http.get("/s/ward", headers=known).status_code == 200
    assert house.http.get("/s/ward?lang=de", headers=known).status_code == 304
    for asked in ("?lang=", "?lang=xx", "?lang=%00", f"?lang={'a' * 5000}", "?lang=en&lang=ar"):
        assert page_of(house, WARD, asked).one("html").attributes["lang"] == "en"


def weight_of(house: House, survey: Survey, tag: str) -> int:
    """Return the bytes of a page and of all that it loads, each compressed."""
    address = f"/s/{survey.id}?lang={tag}"
    page = read_html(house.http.get(address).text)
    links = [link.attributes["href"] for link in page.find("link")]
    scripts = [script.attributes["src"] for script in page.find("script") if "src" in script.attributes]
    files = [address, *sorted({urljoin(f"/s/{survey.id}", name) for name in links + scripts})]
    assert len(files) == 5
    return sum(len(gzip.compress(house.http.get(file).data, compresslevel=6)) for file in files)


@pytest.mark.few(8)
@pytest.mark.parametrize("tag", TEXTS)
@pytest.mark.parametrize("survey", [WARD, PARTS], ids=lambda survey: survey.id)
def test_a_survey_of_six_questions_weighs_less_than_52_kilobytes(house: House, survey: Survey, tag: str) -> None:
    assert weight_of(house, survey, tag) < MAX_WEIGHT
