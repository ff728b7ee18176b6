"""A page is in its reader's language from end to end: what is said in English elsewhere is said in none of its "
"sentences."""

import json
import re
from collections.abc import Iterator

import pytest

from house import House, open_house
from reading_html import Element, read_html
from sotto_protocol import compile_toml
from sotto_protocol.explain import explain
from sotto_protocol.language import LANGUAGES, Language, catalogue

SPOKEN = [tag for tag in LANGUAGES if tag != "en"]
TEXTS = "\n".join(f'text.{tag} = "0"' for tag in LANGUAGES)
OPTIONS = "\n".join(f'options.{tag} = ["1", "2", "3"]' for tag in LANGUAGES)
TITLES = "\n".join(f'title.{tag} = "0"' for tag in LANGUAGES)
TOML = f"""
id = "t"
{TITLES}
waves = 2
public_results = true
[[questions]]
id = "a"
type = "yes-no"
epsilon = 1
{TEXTS}
[[questions]]
id = "b"
type = "one-of"
epsilon = 1
skip = "3"
{TEXTS}
{OPTIONS}
[[questions]]
id = "c"
type = "any-of"
epsilon = 1
{TEXTS}
{OPTIONS}
[[questions]]
id = "d"
type = "number"
minimum = 0
maximum = 10000
epsilon = 1
{TEXTS}
[[questions]]
id = "e"
type = "text"
epsilon = 2
epsilon_forever = 3
{TEXTS}
"""
SURVEY = compile_toml(TOML)
SWAHILI = compile_toml("""
id = "sw"
lang = "sw"
title = "Chakula"
[[questions]]
id = "a"
type = "yes-no"
text = "Ulilipa?"
epsilon = 1
""")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("house") / "survey.db", SURVEY, SWAHILI) as house:
        yield house


def page_of(house: House, path: str, accepted: str) -> Element:
    response = house.http.get(path, headers={"Accept-Language": accepted, "Accept": "text/html"})
    return read_html(response.text).one("html")


def shown_on(page: Element) -> str:
    """Return the text of a page, without that of its scripts."""
    shown = " ".join(page.text.split())
    for script in page.find("script"):
        shown = shown.replace(" ".join(script.text.split()), "") if script.text else shown
    return shown


def english_in(text: str, spoken: Language) -> list[str]:
    """Return the messages of several words that stand in a text in English, though they are translated."""
    pieces = {
        piece.strip()
        for message, said in catalogue(spoken.tag).items()
        for piece in re.split(r"%\(\w+\)s|<[^>]*>|%%", message)
        if message != said and len(piece.split()) > 2
    }
    return sorted(piece for piece in pieces if piece in text)


@pytest.mark.few(16)
@pytest.mark.parametrize("tag", SPOKEN)
@pytest.mark.parametrize("path", ["/s/t", "/s/t/results", "/s/none", "/"])
def test_a_page_is_in_its_readers_language(house: House, tag: str, path: str) -> None:
    spoken = LANGUAGES[tag]
    page = page_of(house, path, f"{tag}, en;q=0.5")
    assert (page.attributes["lang"], page.attributes["dir"]) == (tag, spoken.direction)
    assert english_in(shown_on(page), spoken) == []
    assert english_in(shown_on(page_of(house, path, "en")), spoken) != []


@pytest.mark.parametrize("tag", SPOKEN)
def test_the_survey_page_brings_its_scripts_words_and_says_what_explain_says(house: House, tag: str) -> None:
    page = page_of(house, "/s/t", tag)
    [words] = [script for script in page.find("script") if script.attributes.get("type") == "application/json"]
    given = json.loads("".join(words.words))  # with its no-break spaces
    assert given["lang"] == tag
    assert given["messages"].items() <= catalogue(tag).items()
    assert len(given["messages"]) > 50
    explained = explain(SURVEY, LANGUAGES[tag], tag)
    shown = shown_on(page)
    for question in explained.questions:
        assert all(" ".join(said.split()) in shown for said in [question.in_short, *question.readings()])


@pytest.mark.parametrize(("accepted", "words"), [("sw", "en"), ("sw, fr;q=0.5", "fr"), ("de", "de"), ("ar-EG", "ar")])
def test_a_survey_in_a_language_of_its_own_says_so_and_the_page_says_its(
    house: House, accepted: str, words: str
) -> None:
    page = page_of(house, "/s/sw", accepted)
    assert (page.attributes["lang"], page.attributes["dir"]) == (words, LANGUAGES[words].direction)
    [title] = page.find("h1")
    said = title if "lang" in title.attributes else title.inner[0]
    assert (said.text, said.attributes["lang"], said.attributes["dir"]) == ("Chakula", "sw", "ltr")


def test_what_is_asked_for_in_the_address_comes_first_and_a_cache_is_told(house: House) -> None:
    response = house.http.get("/s/t?lang=ar", headers={"Accept-Language": "de"})
    assert read_html(response.text).one("html").attributes["lang"] == "ar"
    assert "Accept-Language" in response.headers["Vary"]
    again = house.http.get("/s/t", headers={"Accept-Language": "de", "If-None-Match": response.headers["ETag"]})
    assert again.status_code == 200
    assert read_html(again.text).one("html").attributes["lang"] == "de"


@pytest.mark.parametrize("asked", ["xx", "", "de;DROP", "../../en", "%00", "a" * 5000])
def test_garbage_in_the_address_is_another_language_that_the_survey_has_not(house: House, asked: str) -> None:
    page = page_of(house, f"/s/t?lang={asked}", "fr")
    assert page.attributes["lang"] == "fr"
