"""A letter says what is true of the survey at hand, in every language of the product, with the survey's own figures."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from math import ceil, exp

import pytest

from devices import DIARY, FIVE, INVITED, INVITED_PULSE, LUNCH, PULSE, ROTATED
from published import survey_of
from reading_html import read_html
from sotto_protocol import Survey, compile_survey
from sotto_protocol.datasheet.letter import Letter, LetterPart, make_letter
from sotto_protocol.datasheet.letter_render import to_html, to_markdown
from sotto_protocol.explain import explain
from sotto_protocol.language import LANGUAGES, language

IN_GROUPS = replace(INVITED, strata=("north", "south"))
SAFE = survey_of({"type": "yes-no", "epsilon": 1})
LITTLE = survey_of({"type": "yes-no", "epsilon": 5})
COUNTS = replace(LUNCH, keep="counts")
ERASED = replace(LUNCH, closes="2026-12-31", erase_after=30)
RELAYED = replace(LUNCH, delivery="oblivious", relay="https://relay.example", gateway_key="ab" * 32)
ASKED_BY = replace(LUNCH, controller="The works council", contact="me@example.org")
SHOWN = replace(LUNCH, min_reports=1500, public_results=True)
SURVEYS = [
    *(
        LUNCH,
        PULSE,
        INVITED_PULSE,
        IN_GROUPS,
        FIVE,
        ROTATED,
        DIARY,
        SAFE,
        LITTLE,
        COUNTS,
        ERASED,
        RELAYED,
        ASKED_BY,
        SHOWN,
    ),
    replace(RELAYED, invited=True),
    replace(INVITED, invitations="blind"),
    replace(RELAYED, invited=True, invitations="blind"),
]
HOSTILE = '<script>alert(1)</script> | [x](http://x) `code` **b** "q" & <!-- '


make = cache(make_letter)


def texts_of(part: LetterPart) -> tuple[str, ...]:
    return part.name, *part.statements, *part.heads, *(cell for row in part.rows for cell in row)


def words_of(letter: Letter) -> Iterator[str]:
    yield from (letter.title, letter.about, letter.blanks)
    yield from (text for part in letter.parts for text in texts_of(part))
    yield from (blank.asks for blank in letter.to_be_filled_in)


def part_of(letter: Letter, name: str) -> LetterPart:
    [found] = [part for part in letter.parts if part.id == name]
    return found


@pytest.mark.few(3)
@pytest.mark.parametrize("tag", [tag for tag in LANGUAGES if tag != "en"])
def test_every_language_has_every_text(tag: str) -> None:
    for survey in SURVEYS:
        english, letter = make(survey), make(survey, language(tag))
        assert [(part.id, len(texts_of(part))) for part in letter.parts] == [
            (part.id, len(texts_of(part))) for part in english.parts
        ]
        same = [text for text, said in zip(words_of(letter), words_of(english), strict=True) if text == said]
        theirs = {cell for row in part_of(english, "asked").rows for cell in row}
        theirs |= {"Question"} if tag == "fr" else {"Contact: me@example.org"} if tag == "nl" else set()
        assert {text for text in same if re.search(r"[^\W\d_]{2}", text)} <= theirs


@pytest.mark.parametrize("survey", SURVEYS, ids=lambda survey: survey.fingerprint[:6])
def test_figures_are_those_of_the_survey(survey: Survey) -> None:
    """By Bayes' theorem, and rounded up: p e^eps / (p e^eps + 1 - p)."""

    def highest(prior: float, epsilon: float) -> int:
        return ceil(100 * prior * exp(epsilon) / (prior * exp(epsilon) + 1 - prior) - 1e-6)

    forever = float(survey.epsilon_forever)
    said = "\n".join(part_of(make(survey), "find_out").statements)
    for prior in (0.01, 0.1, 0.5):
        becomes = highest(prior, forever)
        if becomes < 100:  # else a finer figure
            assert f"who was {100 * prior:.0f} % sure can become at most {becomes} % sure." in said
    asked = part_of(make(survey), "asked").rows
    for question, row in zip(explain(survey).questions, asked, strict=True):
        assert row[0].startswith(question.text)
        assert row[2] == f"{highest(0.1, float(question.epsilon_forever))} %"
    epsilons = re.findall(r"epsilon of at most ([\d.]+)\.", said)
    assert [float(found) for found in epsilons] == pytest.approx(
        [float(survey.epsilon), forever][: len(epsilons)], abs=1e-4
    )
    assert len(epsilons) == 1 + (survey.max_reports > 1)


@pytest.mark.parametrize(
    ("of", "otherwise", "said"),
    [
        (SAFE, LITTLE, "So no report proves"),
        (LITTLE, SAFE, "sure of them can become more than 90 % sure."),
        (PULSE, LUNCH, "If the answers stay the same, all reports of one person"),
        (PULSE, LUNCH, "A device's reports in different waves can be linked"),
        (ROTATED, LUNCH, "Your device asks you only"),
        (IN_GROUPS, INVITED, "The people who run the survey invite people in groups: north, south."),
        (INVITED, LUNCH, "by noting invitations or addresses"),
        (INVITED, LUNCH, "An invitation is sent with each report."),
        (INVITED, LUNCH, "The person who gives out the invitations"),
        (LUNCH, INVITED, "The people who run the collector, by noting addresses"),
        (LUNCH, COUNTS, "It stores each report with its random number"),
        (LUNCH, COUNTS, "A receipt leads its owner to the report."),
        (COUNTS, LUNCH, "It keeps no report."),
        (COUNTS, LUNCH, "A report cannot be taken out"),
        (COUNTS, LUNCH, "Someone who compares the counts before and after a report"),
        (ERASED, LUNCH, "On 2027-01-30 it erases all reports."),
        (LUNCH, ERASED, "No day is set"),
        (RELAYED, LUNCH, "The operator of the relay (https://relay.example)"),
        (RELAYED, LUNCH, "those who run the relay, both together"),
        (RELAYED, LUNCH, "Operator of the relay, independent"),
        (RELAYED, replace(RELAYED, gateway_key=""), "Its fingerprint"),
        (RELAYED, replace(RELAYED, invited=True), "both together. Or the people who run the collector alone"),
        (SAFE, LITTLE, "Some may be unchanged, and nobody can be sure which."),
        (ASKED_BY, LUNCH, "Who asks: The works council"),
        (ASKED_BY, LUNCH, "Contact: me@example.org"),
        (LUNCH, ASKED_BY, "The person or body responsible"),
        (SHOWN, LUNCH, "Counts of at least 1,500 reports. No single report."),
        (SHOWN, LUNCH, "The estimates so far, and how many people took part."),
        (LUNCH, SHOWN, "Nothing, unless the results are published."),
    ],
)
def test_each_setting_changes_its_sentence(of: Survey, otherwise: Survey, said: str) -> None:
    assert said in "\n".join(words_of(make(of)))
    assert said not in "\n".join(words_of(make(otherwise)))


def test_survey_and_product_may_speak_different_languages() -> None:
    title, text = {"sw": "Kazi", "de": "Arbeit"}, {"sw": "Je, ulilipa?", "de": "Haben Sie bezahlt?"}
    question = {"id": "paid", "type": "one-of", "text": text, "options": {"sw": ["a", "b"], "de": ["c", "d"]}}
    question["epsilon"] = 1
    survey = compile_survey({"id": "s", "lang": "sw", "title": title, "questions": [question]})
    letter = make_letter(survey, language("ar"))
    page = read_html(to_html(letter))
    assert (letter.spoken, letter.lang) == ("ar", "sw")
    assert page.one("html").attributes == {"lang": "ar", "dir": "rtl"}
    assert page.one("th", lang="sw").text == "Je, ulilipa? (a, b)"
    assert make_letter(survey, language("de"), "de").title == "Über die Umfrage „Arbeit“"


def test_questions_that_are_asked_together_each_have_their_options() -> None:
    asked = [{"id": "a", "type": "yes-no", "text": "A?"}, {"id": "b", "type": "one-of", "text": "B?"}]
    asked[1] |= {"options": ["x", "y"]}
    together = [{"questions": ["a", "b"], "epsilon": 1}]
    survey = compile_survey({"id": "s", "title": "S", "questions": asked, "together": together})
    [row] = part_of(make_letter(survey), "asked").rows
    assert row[0] == "A? B? (x, y)"


def test_every_word_is_in_markdown_html_and_json_alike() -> None:
    for survey in (PULSE, INVITED):
        letter = make_letter(survey, language("hi"))
        markdown, page = to_markdown(letter).replace("\\", ""), read_html(to_html(letter)).text
        document = json.dumps(asdict(letter), default=float, ensure_ascii=False)
        for line in words_of(letter):
            assert line in markdown
            assert " ".join(line.replace("`", "").split()) in page
            assert json.dumps(line, ensure_ascii=False) in document
        assert markdown.count("______") == len(letter.to_be_filled_in) >= 6


def test_no_text_of_a_survey_becomes_markup() -> None:
    [question] = LITTLE.questions
    survey = replace(LITTLE, title=HOSTILE, questions=(replace(question, text=HOSTILE),), controller=HOSTILE)
    letter = make_letter(survey)
    page = to_html(letter)
    assert not read_html(page).find("script")
    assert "<code>code" not in page
    assert not [element for element in read_html(page).find() if {"src", "href"} & element.attributes.keys()]
    markdown = to_markdown(letter)
    assert "<script>" not in markdown
    row = next(line for line in markdown.splitlines() if "alert" in line and line.startswith("|"))
    assert row.replace("\\|", "").count("|") == 4
