"""A datasheet says what is true of the survey at hand: each setting changes its sentences, and nothing is invented."""

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from contract import cases
from devices import DIARY, FIVE, INVITED, INVITED_PULSE, LUNCH, PULSE, ROTATED
from published import survey_of
from reading_html import read_html
from sotto_protocol import Question, Survey, compile_survey
from sotto_protocol.datasheet.render import to_html, to_markdown
from sotto_protocol.datasheet.sheet import Datasheet, make_datasheet
from sotto_protocol.explain import explain
from sotto_protocol.words import whole_percent_above, whole_percent_below

IN_GROUPS = replace(INVITED, strata=("north", "south"))
SURVEYS = [LUNCH, PULSE, INVITED_PULSE, IN_GROUPS, FIVE, ROTATED, DIARY]
ERASED = replace(LUNCH, closes="2026-12-31", erase_after=30)
ASKED_BY = replace(LUNCH, controller="The works council", contact="me@example.org")
NUMBER = {"type": "number", "minimum": 0, "maximum": 9, "step": 1, "epsilon": 1}
HOSTILE = '<script>alert(1)</script> | [x](http://x) `code` **b** "q" & <!-- '


def words_of(survey: Survey) -> str:
    sheet = make_datasheet(survey)
    lines = [line for section in sheet.sections for line in section.statements]
    lines += [sight.sees for sight in sheet.who_sees_what] + [blank.asks for blank in sheet.to_be_filled_in]
    return "\n".join(lines)


def numbers(epsilon: int = 1, levels: int = 2, **more: Any) -> Survey:
    question = {"id": "q", "text": "How many?"} | NUMBER | {"epsilon": epsilon, "levels": levels}
    return compile_survey({"id": "s", "title": "S", "questions": [question]} | more)


@pytest.mark.few(16)
@pytest.mark.parametrize(
    ("of", "otherwise", "said"),
    [
        (replace(LUNCH, invited=True), LUNCH, "The invitation travels beside the noisy report."),
        (replace(LUNCH, invited=True), LUNCH, "a random id and the invitation."),
        (replace(LUNCH, invited=True), LUNCH, "Who gave out the invitations, and keeps the list"),
        (replace(LUNCH, invited=True), LUNCH, "which invitation each used up"),
        (replace(LUNCH, invited=True), LUNCH, "gives away both epsilons, added up. That takes another invitation."),
        (
            IN_GROUPS,
            INVITED,
            "says which group a report belongs to (north, south). The collector counts by group and keeps the group",
        ),
        (IN_GROUPS, INVITED, "the invitation and with it the group of invited people."),
        (IN_GROUPS, INVITED, "Counts of noisy reports, by group of invited people, and each single"),
        (IN_GROUPS, INVITED, "How many people are in each group"),
        (replace(IN_GROUPS, keep="counts"), IN_GROUPS, "The collector counts by group. In a small group, few"),
        (LUNCH, replace(LUNCH, invited=True), "Anybody can send fake reports"),
        (ASKED_BY, LUNCH, "The works council asks."),
        (ASKED_BY, replace(LUNCH, controller="Me"), "Respondents can ask about the survey: me@example.org."),
        (LUNCH, ASKED_BY, "Who is responsible, and whom respondents can ask"),
        (replace(LUNCH, controller="Me"), ASKED_BY, "Who is responsible, and whom respondents can ask"),
        (INVITED_PULSE, INVITED_PULSE, "The invitation, the same in every wave, travels"),
        (
            replace(LUNCH, min_reports=1500),
            LUNCH,
            "Counts of at least 1,500 noisy reports. A new count differs from earlier ones by at least 1,500.",
        ),
        (
            replace(LUNCH, min_reports=1500),
            LUNCH,
            "No question shows a result before 1,500 reports answer that question.",
        ),
        (LUNCH, replace(LUNCH, min_reports=1500), "and each single noisy report."),
        (LUNCH, replace(LUNCH, keep="counts"), "The collector keeps every noisy report"),
        (LUNCH, replace(LUNCH, keep="counts"), "A person with a report's receipt can have the report erased"),
        (LUNCH, replace(LUNCH, keep="counts"), "`sotto recount`"),
        (replace(LUNCH, keep="counts"), LUNCH, "One report cannot be erased"),
        (replace(LUNCH, keep="counts"), LUNCH, "the random ids of the reports it counted. It keeps no report."),
        (replace(LUNCH, keep="counts"), LUNCH, "When counts, backups and exports are deleted"),
        (
            ERASED,
            LUNCH,
            "On 2027-01-30, 30 days after the last day for reports, it erases all reports.",
        ),
        (ERASED, LUNCH, "When counts, backups and exports are deleted"),
        (LUNCH, ERASED, "Until somebody erases it, nothing is deleted"),
        (replace(LUNCH, public_results=True), LUNCH, "and how many took part, at any time"),
        (replace(LUNCH, public_results=True, min_reports=20), LUNCH, "single one out"),
        (LUNCH, replace(LUNCH, public_results=True), "Nothing, unless an analyst publishes it."),
        (PULSE, LUNCH, "If the answers stay the same, all 3 waves together have epsilon 4.8507."),
        (PULSE, LUNCH, "A device's reports in the 3 waves can be linked to each other"),
        (PULSE, LUNCH, "No epsilon limits what can be seen of whether an answer changed, and in which wave."),
        (PULSE, LUNCH, "When the waves are"),
        (PULSE, LUNCH, "until the report of the last wave is delivered"),
        (numbers(waves=2), numbers(), "Then the reports show a change with a chance of at most 12 %."),
        (numbers(levels=NUMBER["maximum"] + 1, waves=2), numbers(waves=2), "or how far a number moved."),
        (PULSE, LUNCH, "For word, rest the device sends a group that it picked at random, without noise."),
        (PULSE, LUNCH, "Nobody can read single texts."),
        (FIVE, LUNCH, "answers to 2 of 5 questions picked at random. Its epsilon is at most 3.5."),
        (FIVE, LUNCH, "which questions the device picked"),
        (
            replace(FIVE, min_reports=20),
            replace(LUNCH, min_reports=20),
            "No question shows a result before 20 reports answer that question. Each device answers 2 of 5.",
        ),
        (
            replace(FIVE, min_reports=20),
            replace(LUNCH, min_reports=20),
            "Counts of noisy reports, only of questions that at least 20 reports answer. A new count differs",
        ),
        (ROTATED, FIVE, "The device sends which questions it picked, without noise, the same in every wave."),
        (LUNCH, numbers(), "All answers together are protected little"),
        (numbers(4), numbers(), "This answer is protected little"),
        (numbers(4, waves=2), numbers(4), "All waves together are protected little"),
    ],
)
def test_a_sentence_stands_where_it_is_true_and_nowhere_else(of: Survey, otherwise: Survey, said: str) -> None:
    assert said in words_of(of)
    assert of is otherwise or said not in words_of(otherwise)


def test_what_holds_of_one_wave_and_of_all_alike_is_said_once() -> None:
    assert words_of(numbers(waves=3)).count("whatever else they know") == 1
    assert words_of(PULSE).count("whatever else they know") == 2


def test_an_invited_survey_of_public_results_says_of_nobody_that_they_single_reports_out() -> None:
    assert "single one out" not in words_of(replace(LUNCH, public_results=True, min_reports=20, invited=True))


@pytest.mark.parametrize("survey", SURVEYS, ids=lambda survey: survey.id)
def test_figures_are_those_of_the_explanation(survey: Survey) -> None:
    sheet, explanation = make_datasheet(survey), explain(survey)
    assert (sheet.epsilon, sheet.epsilon_forever) == (survey.epsilon, survey.epsilon_forever)
    assert sheet.settings() == survey.settings()
    for line, question in zip(sheet.questions, explanation.questions, strict=True):
        assert (line.epsilon, line.epsilon_forever) == (question.epsilon, question.epsilon_forever)
        assert line.tenth_becomes == question.suspicions[1].highest
    said = words_of(survey)
    tenth = explanation.suspicions[1]
    assert f"someone who was 10 % sure can become at most {whole_percent_above(tenth.highest)} sure (rounded up)" in (
        said.casefold()
    )
    assert f"cannot become less than {whole_percent_below(tenth.lowest)} sure" in said
    assert explanation.accusations[1].say() in said
    assert survey.waves == 1 or explanation.accusations_forever[1].say() in said


@pytest.mark.parametrize("survey", SURVEYS, ids=lambda survey: survey.id)
def test_every_word_is_in_markdown_html_and_json_alike(survey: Survey) -> None:
    sheet = make_datasheet(survey)
    markdown = to_markdown(sheet).replace("\\", "")
    page = read_html(to_html(sheet)).text.replace("`", "")
    document = json.dumps(asdict(sheet), default=float, ensure_ascii=False)
    for line in words_of(survey).splitlines():
        assert line in markdown
        assert line.replace("`", "") in page
        assert json.dumps(line, ensure_ascii=False) in document
    for question in survey.questions:
        assert all(question.text in text for text in (markdown, page, document))


@pytest.mark.parametrize("survey", SURVEYS, ids=lambda survey: survey.id)
def test_what_the_survey_cannot_know_is_a_blank(survey: Survey) -> None:
    sheet = make_datasheet(survey)
    assert all(blank.answer is None for blank in sheet.to_be_filled_in)
    assert to_markdown(sheet).count("______") == len(sheet.to_be_filled_in) >= 7
    assert not any(word in words_of(survey) for word in ("days", "weeks", "months", "years", "GDPR"))


@pytest.mark.parametrize("question", [*cases()])
def test_there_is_a_datasheet_of_every_mechanism(question: Question) -> None:
    survey = Survey("s", "S", (question,))
    assert "One person sends one report from one device, with one answer. Its epsilon is " in words_of(survey)
    assert question.in_short in to_markdown(make_datasheet(survey)).replace("\\", "")
    assert ("sends a group that it picked at random" in words_of(survey)) == bool(question.mechanism.group_bytes)


def hostile_sheet() -> Datasheet:
    [question] = survey_of({"type": "yes-no", "epsilon": 1}).questions
    return make_datasheet(Survey("s", HOSTILE, (replace(question, text=HOSTILE),), controller=HOSTILE))


def test_no_text_of_a_survey_becomes_markup() -> None:
    page = to_html(hostile_sheet())
    assert not read_html(page).find("script")
    assert HOSTILE.strip() in " ".join(read_html(page).text.split())
    assert "<code>code" not in to_html(hostile_sheet())
    markdown = to_markdown(hostile_sheet())
    assert "<script>" not in markdown
    row = next(line for line in markdown.splitlines() if "alert" in line and line.startswith("|"))
    assert row.replace("\\|", "").count("|") == 6
    assert "\\<script\\>" in row
    assert "\\[x\\](" in row


def test_a_page_loads_nothing_and_says_its_language() -> None:
    page = read_html(to_html(make_datasheet(LUNCH)))
    assert page.one("html").attributes["lang"] == "en"
    assert not [element for element in page.find() if {"src", "href"} & element.attributes.keys()]
    assert len(page.find("h1")) == 1
