"""A reader gets the language that was asked for, else the one that their browser prefers, else the survey's own."""

import pytest
from hypothesis import given, strategies as st

from sotto_protocol.negotiation import accepted_languages, choose_language, match

OF_SURVEY = ("en", "de", "ar", "pt-BR", "zh-Hans")


@pytest.mark.parametrize(
    ("asked", "accepted", "found"),
    [
        ("", "", "en"),
        ("", "de", "de"),
        ("", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("", "fr-CH, fr;q=0.9, ar;q=0.8, *;q=0.5", "ar"),
        ("", "ar;q=0.3, de;q=0.7", "de"),
        ("", "ar, de", "ar"),
        ("", "ar;q=0, de;q=0.1", "de"),
        ("", "pt", "pt-BR"),
        ("", "pt-PT", "pt-BR"),
        ("", "zh-CN", "zh-Hans"),
        ("", "zh-Hans-CN", "zh-Hans"),
        ("", "DE-de", "de"),
        ("ar", "de", "ar"),
        ("AR-eg", "de", "ar"),
        ("fr", "de", "de"),
        ("'; drop", "de", "de"),
        ("", "*", "en"),
        ("", "de;q=2, ar;q=0.1", "ar"),
        ("", "de;q=, ar;q=0.1", "ar"),
        ("", ",,;;q=1, -, =, \x00, ar", "ar"),
        ("", "x" * 100_000, "en"),
        ("de" + "-a" * 100_000, "", "de"),  # each of its beginnings would take hours
        ("", "fr," * 1000 + "ar", "en"),
    ],
)
def test_languages_of_a_survey(asked: str, accepted: str, found: str) -> None:
    assert choose_language(OF_SURVEY, asked, accepted).tag == found


@pytest.mark.parametrize(
    ("languages", "asked", "accepted", "tag", "words"),
    [
        (["sw"], "", "", "sw", "en"),
        (["sw"], "", "sw", "sw", "en"),
        (["sw"], "", "sw, fr;q=0.5, de;q=0.4", "sw", "fr"),
        (["sw", "pt-BR"], "", "pt", "pt-BR", "pt"),
        (["zh-Hant"], "", "de", "zh-Hant", "zh"),
        (["de"], "", "fr", "de", "de"),
        (["sw", "de"], "ar", "", "sw", "ar"),
    ],
)
def test_the_products_words_are_in_the_surveys_language_or_in_one_that_the_reader_has(
    languages: list[str], asked: str, accepted: str, tag: str, words: str
) -> None:
    chosen = choose_language(languages, asked, accepted)
    assert (chosen.tag, chosen.language.tag) == (tag, words)


@given(asked=st.text(max_size=50), accepted=st.text(max_size=200))
def test_whatever_a_browser_sends_a_language_of_the_survey_is_found(asked: str, accepted: str) -> None:
    assert choose_language(OF_SURVEY, asked, accepted).tag in OF_SURVEY


def test_of_what_is_wanted_as_much_the_first_comes_first() -> None:
    assert accepted_languages("c1;q=0.5, de, fr;q=0.5, en, ar;q=0.5") == ["de", "en", "fr", "ar"]


def test_the_nearest_form_of_a_language_is_found() -> None:
    assert match("zh-Hant-HK", ["zh", "zh-Hant"]) == "zh-Hant"
    assert match("zh-Hans", ["zh-Hant"]) == "zh-Hant"
    assert match("", ["en"]) == ""
    longest = "de-x" + "-a" * 15
    assert match(longest, ["de", longest]) == longest
