"""Options that a reader cannot tell apart, or not see, are refused where an author writes them, and nowhere else."""

from typing import Any

import pytest

from published import ANY_OF, ONE_OF, YES_NO, survey_of
from sotto_protocol import Survey, SurveyError, compile_survey
from sotto_protocol.documents import canonical_json, load_json
from sotto_protocol.looks import alike, look, shown

ALIKE = [
    ("a", "a "),
    ("a", " a"),
    ("a b", "a  b"),
    ("a", "a\u00a0"),
    ("a b", "a\u00a0b"),
    ("a", "a\u200b"),
    ("a", "a\u00ad"),
    ("a", "a\ufe0f"),
    ("a", "\U000e0041a"),
    ("a", "a\u2800"),
    ("\u00e9", "e\u0301"),
    ("\ufb01", "fi"),
    ("\uff21", "A"),
    ("\uff71", "\u30a2"),  # half-width
    ("\U0001d400", "A"),  # a font's
    ("\u2011", "\u2010"),  # no break
    ("\u33a1", "m\u00b2"),
    ("\u00bd", "1\u20442"),
    ("5\u00bd", "5 1\u20442"),
    ("\uac00", "\u1100\u1161"),
]
"""Each of two texts, of which one is written and the other could be."""
APART = [
    ("a", "A"),
    ("a", "b"),
    ("e", "\u00e9"),
    ("1", "2"),
    ("10\u00b2", "102"),
    ("10\u00b2", "10\u2082"),
    ("H\u2082O", "H2O"),
    ("\u33a1", "m2"),
    ("Tea\u2122", "TeaTM"),
    ("\u2460", "1"),
    ("\u2460", "\u24f5"),  # in one circle, and in two
    ("\U0001f130", "A"),  # in a box
    ("5\u00bd", "51\u20442"),
    ("yes", "no"),
    ("\u0430", "a"),  # of two scripts: this is warned of
    ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4\U000e0067\U000e0063\U000e007f"),  # two flags
    ("\U0001f44d", "\U0001f44e"),
]
UNSEEN = [" ", "\u00a0", "\u200b", "\u00ad", "\u2800", "\u3164", "\U000e0041", "\u200d \ufe0f"]


def refused(document: Any) -> tuple[str, str]:
    with pytest.raises(SurveyError) as caught:
        compile_survey(document)
    assert len(caught.value.faults) == 1
    return caught.value.where, caught.value.problem


def survey(**changes: Any) -> dict[str, Any]:
    return {"id": "s", "title": "T", "questions": [{"id": "q", "text": "Well?"} | YES_NO]} | changes


def asking(question: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return survey(questions=[{"id": "q", "text": "Well?"} | question | changes])


@pytest.mark.parametrize(("one", "other"), ALIKE, ids=map(ascii, ALIKE))
@pytest.mark.parametrize("kind", [ONE_OF, ANY_OF], ids=["one-of", "any-of"])
def test_options_that_look_the_same_are_refused_and_named(kind: dict[str, Any], one: str, other: str) -> None:
    where, problem = refused(asking(kind, options=["b", one, other]))
    assert where == "$.questions[0].options"
    assert f"options 2 and 3 look the same: {shown(one)} and {shown(other)}." in problem
    assert shown(one) != shown(other)


@pytest.mark.parametrize(("one", "other"), APART, ids=map(ascii, APART))
def test_options_that_can_be_told_apart_are_taken(one: str, other: str) -> None:
    assert alike([one, other]) == []
    assert compile_survey(asking(ONE_OF, options=[one, other])).questions[0].options == (one, other)


@pytest.mark.parametrize("text", UNSEEN, ids=map(ascii, UNSEEN))
def test_a_text_that_nobody_sees_is_refused_wherever_it_is_read(text: str) -> None:
    assert look(text) == ""
    for document, where in (
        (survey(title=text), "$.title"),
        (survey(introduction=text), "$.introduction"),
        (asking(YES_NO, text=text), "$.questions[0].text"),
        (asking(YES_NO, section=text), "$.questions[0].section"),
    ):
        assert refused(document)[0] == where
        assert "that people can see" in refused(document)[1]
    assert "option 2 shows nothing" in refused(asking(ONE_OF, options=["a", text]))[1]


def test_every_language_and_the_strata_are_looked_at() -> None:
    texts = {"title": {"en": "T", "fr": "T"}, "text": {"en": "?", "fr": "?"}}
    for wrong, right in (("fr", "en"), ("en", "fr")):
        question = {"id": "q", **ONE_OF, "text": texts["text"], "options": {right: ["a", "b"], wrong: ["a", "a "]}}
        document = {"id": "s", "title": texts["title"], "questions": [question]}
        assert refused(document)[0] == f"$.questions[0].options.{wrong}"
    where, problem = refused(survey(invited=True, strata=["north", "north\u200b"]))
    assert (where, "names 1 and 2 look the same" in problem) == ("$.strata", True)


def test_a_survey_that_is_published_with_such_options_is_still_read_and_keeps_its_fingerprint() -> None:
    good = survey_of(ONE_OF | {"options": ["a", "b"]})
    document = load_json(good.canonical, SurveyError)
    document["questions"][0]["options"] = ["a", "a "]
    document["title"] = "\u200b"
    old = Survey.from_canonical(canonical_json(document))
    assert (old.title, old.questions[0].options) == ("\u200b", ("a", "a "))
    assert Survey.from_canonical(old.canonical).fingerprint == old.fingerprint


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["a", "b", "a"], "Options 1 and 3 are the same."),
        (["a", "b" * 201], "Option 2: It has 201 characters."),
        (["a", ""], "Option 2: It is empty."),
        (["a", 5], "Option 2: it is no text."),
        (["a\u202e", "b"], "Option 1: It has U+202E in it."),
        (["a"], "There are 1."),
        ([str(number) for number in range(4097)], "There are 4,097."),
        (["", "a", "a", "", "b" * 300, 7], "And 2 more are wrong."),
    ],
)
def test_of_a_list_of_options_the_wrong_one_is_named(options: list[Any], said: str) -> None:
    where, problem = refused(asking(ONE_OF, options=options))
    assert where == "$.questions[0].options"
    assert problem.removesuffix(" (question q)").endswith(said)


@pytest.mark.parametrize("member", ["title", "introduction"])
def test_a_text_that_is_too_long_says_how_long_it_is(member: str) -> None:
    assert refused(survey(**{member: "a" * 2001}))[1].endswith("It has 2,001 characters.")
    assert refused(survey(**{member: ""}))[1].endswith("It is empty.")
