"""The table of what is set of a whole survey: every setting is read, checked, published and explained by its line."""

from dataclasses import fields, replace
from datetime import date
from itertools import product
from typing import Any

import pytest

from devices import LUNCH
from sotto_protocol import Survey, SurveyError, compile_survey
from sotto_protocol.explain import Explanation, explain
from sotto_protocol.members import Settings, is_day

GIVEN: dict[str, Any] = {
    "waves": 3,
    "invited": True,
    "public_results": True,
    "min_reports": 20,
    "keep": "counts",
    "draw": 1,
    "asked_in": 2,
    "strata": ("north", "south"),
    "lang": "pt-BR",
    "introduction": "We ask about lunch.",
    "controller": "The canteen",
    "contact": "lunch@example.org",
    "closes": "2026-12-31",
    "erase_after": 30,
    "about": "respondents",
    "delivery": "oblivious",
    "relay": "https://relay.example",
    "gateway_key": "5e" * 32,
    "invitations": "blind",
    "token_keys": ("_" * 342,),
}
ONLY_TOGETHER = ("delivery", "relay", "gateway_key", "invitations", "token_keys")
"""None goes without others: test_oblivious.py and test_blind.py."""
BESIDE: dict[str, Any] = {
    "asked_in": {"waves": 3},
    "strata": {"invited": True},
    "erase_after": {"closes": "2026-12-31"},
}
"""What a setting does not go without."""
WRONG: dict[str, list[Any]] = {
    "waves": [0, 1001, True, "3", 2.0, None],
    "invited": [1, "true", None],
    "public_results": [0, "yes", None],
    "min_reports": [0, 1_000_001, True, "20", None],
    "keep": ["", "report", 1, None],
    "draw": [-1, 200, True, "1", 1.0, None],
    "asked_in": [-1, 1000, True, "1", 1.0, None],
    "strata": [["one"], ["a", "a"], ["a", ""], ["a", " b"], ["a", "x" * 41], ["a", 1], [*map(str, range(65))], "ab", 2],
    "lang": ["", "english", "EN", "en_GB", "pt-br", "zh-hant", "en-", "a" * 36, 1, None],
    "introduction": ["x" * 2001, "a\nb", "\u202eabc", "\u2067abc", 1, None],
    "controller": ["x" * 201, "a\tb", 1, None],
    "contact": ["x" * 201, "\x00", 1, None],
    "closes": ["2026-02-29", "2026-12-31T00:00", "26-12-31", "tomorrow", "2026-1-1", "\u0662026-01-01", 20261231, None],
    "erase_after": [-1, 3654, 10**400, True, "30", 1.5, None],
    "about": ["", "everybody", "Respondents", True, 1, None],
    "delivery": ["", "tor", "Oblivious", True, None],
    "relay": [
        "http://relay.example",
        "https://relay.example/",
        "https://relay.example:65536",
        "relay.example",
        1,
        None,
    ],
    "gateway_key": ["5E" * 32, "5e" * 31, "0x" + "5" * 62, 1, None],
    "invitations": ["", "Blind", True, None],
    "token_keys": [["_" * 341], [1], "_" * 342, None],
}
DOCUMENT = {
    "id": "lunch",
    "title": "Lunch",
    "questions": [
        {"id": "paid", "type": "yes-no", "text": "Did you pay?", "prob_truth": "3/4"},
        {"id": "again", "type": "yes-no", "text": "Will you come again?", "prob_truth": "3/4"},
    ],
}


def test_every_setting_is_tried_here() -> None:
    assert GIVEN.keys() == WRONG.keys() == {setting.name for setting in fields(Settings)}


@pytest.mark.parametrize("name", [name for name in GIVEN if name not in ONLY_TOGETHER])
def test_a_setting_is_read_published_read_back_and_explained(name: str) -> None:
    given = list(GIVEN[name]) if isinstance(GIVEN[name], tuple) else GIVEN[name]
    usual = compile_survey(DOCUMENT | BESIDE.get(name, {}))
    survey = compile_survey(DOCUMENT | BESIDE.get(name, {}) | {name: given})
    assert survey.settings() == usual.settings() | {name: GIVEN[name]}
    assert Survey.from_canonical(survey.canonical) == survey != usual
    assert survey.fingerprint != usual.fingerprint
    assert name.encode() not in usual.canonical
    explained: Explanation = explain(survey)
    assert explained.settings() == survey.settings()


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_setting_outside_its_domain_is_refused_at_its_place(name: str, value: Any) -> None:
    with pytest.raises(SurveyError, match=rf"^\$\.{name}: must be "):
        compile_survey(DOCUMENT | {name: value})
    with pytest.raises(SurveyError, match=rf"^\$\.{name}: must be "):
        replace(LUNCH, **{name: value})


def test_the_days_are_those_of_the_calendar() -> None:
    for year, month, day in product((1, 1900, 2000, 2024, 2026, 9999), range(14), range(33)):
        try:
            date(year, month, day)
            is_right = True
        except ValueError:
            is_right = False
        assert is_day(f"{year:04}-{month:02}-{day:02}") is is_right


def test_a_file_does_not_say_one_wave_but_leaves_it_out() -> None:
    assert replace(LUNCH, waves=1) == LUNCH
    with pytest.raises(
        SurveyError, match=r"^\$\.waves: must be an integer in \[2, 1000\], or 1, as where it is left out\.$"
    ):
        replace(LUNCH, waves=0)
    with pytest.raises(SurveyError, match=r"^\$\.min_reports: must be an integer in \[1, 1000000\]\.$"):
        replace(LUNCH, min_reports=0)
    with pytest.raises(SurveyError, match=r"^\$\.waves: must be an integer in \[2, 1000\]\.$"):
        compile_survey(DOCUMENT | {"waves": 1})


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"closes": ""}, "goes with closes alone: it counts the days after the last one."),
        ({"keep": "counts"}, 'does not go with keep = "counts": no report is kept.'),
        ({"closes": "9999-12-01", "erase_after": 31}, "must lead to a day of the years up to 9999."),
    ],
)
def test_reports_go_on_a_day_of_the_calendar_after_the_last_where_there_are_any(
    more: dict[str, Any], problem: str
) -> None:
    with pytest.raises(SurveyError) as caught:
        replace(LUNCH, **({"closes": "2026-12-31", "erase_after": 30} | more))
    assert str(caught.value) == f"$.erase_after: {problem}"


@pytest.mark.parametrize(
    ("closes", "days", "day"),
    [
        ("2026-12-31", 1, "2027-01-01"),
        ("2028-02-28", 1, "2028-02-29"),
        ("2100-02-28", 1, "2100-03-01"),
        ("2026-12-31", 3653, "2036-12-31"),
        ("9999-12-01", 30, "9999-12-31"),
        ("0001-01-01", 1, "0001-01-02"),
    ],
)
def test_the_day_is_so_many_days_after_the_last(closes: str, days: int, day: str) -> None:
    assert replace(LUNCH, closes=closes, erase_after=days).erase_on == day
    assert replace(LUNCH, closes=closes).erase_on == ""
