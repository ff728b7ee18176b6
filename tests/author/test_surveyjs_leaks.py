"""What in a form of SurveyJS would give answers away: the author hears of it when it is imported."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sotto_author.forms.asking import Terms
from sotto_author.forms.surveyjs import import_form
from sotto_author.forms.surveyjs_leaks import find_leaks
from surveyjs_leak_cases import LEAKS

MEMBERS = ["type", "name", "elements", "title", "html", "choices", "imageLink", "triggers", "visibleIf", "url", "value"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "{a}", "a", "file", "data:,", "<img>"]),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), values, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(("form", "leaks"), [case[1:] for case in LEAKS], ids=[case[0] for case in LEAKS])
def test_what_gives_answers_away_is_found_by_place_and_member(form: dict[str, Any], leaks: list[str]) -> None:
    assert find_leaks(form) == leaks


def test_an_author_hears_at_import_what_the_adapter_will_refuse() -> None:
    word = {"type": "text", "name": "word"}
    photo = {"type": "image", "name": "photo", "imageLink": {"default": "a.png", "de": "https://a.example/{word}"}}
    form = {"elements": [word, photo], "surveyPostId": "1", "sendResultOnPageNext": True}
    form["navigateToUrlOnCondition"] = [{"expression": "{word} = 1", "url": "https://a.example"}]
    assert import_form(form, "form", Terms(Decimal(1))).notes == (
        "stays in the form, is no part of the survey: image photo",
        "the adapter refuses this form: surveyPostId sends answers in clear",
        "the adapter refuses this form: partialSendEnabled hands out answers before the form is completed",
        "the adapter refuses this form: navigateToUrlOnCondition tells answers by the address",
        'the adapter refuses this form: imageLink.de of "photo" must not have {word} in it: an address could give the '
        "answer away",
    )


@given(st.lists(JSON, max_size=4))
def test_a_form_of_any_shape_is_looked_through(parts: list[Any]) -> None:
    find_leaks({"pages": [{"elements": parts}], "title": parts, "calculatedValues": parts})


def test_a_member_that_nobody_knows_is_taken_for_an_address() -> None:
    widget = {"type": "acme", "name": "a", "widget": {"source": ["x", "{word}"]}, "help": "https://a.example"}
    written = 'widget.source[1] of "a" must not have {word} in it: an address could give the answer away'
    assert find_leaks({"elements": [widget]}) == [written]
    (_, hidden) = find_leaks({"elements": [{**widget, "visibleIf": "{word} = 1"}]})
    assert hidden.startswith('help of "a" fetches only where answers say so')
