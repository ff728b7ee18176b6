"""Scales of forms: which of their questions get a mean score, of which ones what to write for it is said."""

import json
from decimal import Decimal
from typing import Any

import pytest

from form_files import asked, imported, lime_rows, lime_tsv, lss, multiple_choice, notes_of, qsf, redcap
from sotto_author.forms.asking import Terms
from sotto_author.forms.scale_words import has_ends_of_scale, is_no_answer, is_scale
from sotto_author.forms.surveyjs import Imported, import_form
from sotto_author.forms.xlsform.form import read_form
from sotto_author.forms.xlsform.importing import import_xlsform
from sotto_protocol import compile_survey, compile_toml
from workbooks import form

NO_ANSWER = "No answer"
AGREE = ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"]
OFTEN = ["Never", "Rarely", "Sometimes", "Often", "Always"]
RECOMMEND = "How likely are you to recommend us?"
PHQ = ["Not at all", "Several days", "More than half the days", "Nearly every day"]


def matrix(*columns: str, **members: Any) -> dict[str, Any]:
    answers = {str(number): {"Display": text} for number, text in enumerate(columns, 1)}
    likert = {"QuestionType": "Matrix", "Selector": "Likert", "SubSelector": "SingleAnswer", "Answers": answers}
    return multiple_choice("m", "Tea", "Coffee", **(likert | members))


def radio(*choices: str, **cells: str) -> bytes:
    return redcap({"name": "q", "field_type": "radio", "choices": " | ".join(choices), "required": "y", **cells})


def coded(texts: list[str], first: int = 1) -> list[str]:
    return [f"{code}, {text}" for code, text in enumerate(texts, first)]


def surveyjs(**element: Any) -> Imported:
    found = import_form({"title": "T", "elements": [{"name": "q", **element}]}, "form", Terms(Decimal(1)))
    compile_toml(found.to_toml())
    return found


def xlsform(*labels: str, names: list[Any] | None = None, **row: Any) -> Any:
    listed = [("list_name", "name", "label")]
    listed += [("s", names[at] if names else at + 1, label) for at, label in enumerate(labels)]
    rows = [{"type": "select_one s", "name": name, "label": "Q?", "required": "yes", **row} for name in ("q", "r")]
    found = import_xlsform(read_form(form(*rows, choices=listed)), "form", Terms(Decimal(1)))
    compile_survey(found.definition)
    return found


def array(kind: str, *answers: str, code: str = "AO0{}", **cells: str) -> list[dict[str, str]]:
    rows = [{"class": "Q", "type/scale": kind, "name": "q", "text": "Q?", **cells}]
    rows += [{"class": "SQ", "name": name, "text": name, "type/scale": "0"} for name in "ab"]
    listed = [
        {"class": "A", "name": code.format(at), "text": text, "type/scale": "0"} for at, text in enumerate(answers, 1)
    ]
    return lime_rows(*rows, *listed, *[row | {"type/scale": "1"} for row in listed] * (kind == "1"))


def published_scores(toml: str) -> Any:
    return json.loads(compile_toml(toml).canonical)["questions"][0]["scores"]


def scale_of(question: dict[str, Any]) -> tuple[str, Any]:
    return question["type"], question.get("scores")


@pytest.mark.parametrize(
    "texts",
    [
        AGREE,
        AGREE[::-1],
        [text for text in AGREE if "nor" not in text],
        [
            "Completely disagree",
            "Mostly disagree",
            "Slightly disagree",
            "slightly agree",
            "Mostly agree",
            "agree totally",
        ],
        OFTEN,
        ["1 - Never", "2 - Sometimes", "3 - Always."],
        ["Never", "Sometimes", "About half the time", "Most of the time", "Always"],
        ["Extremely dissatisfied", "Somewhat dissatisfied", "Neutral", "Somewhat satisfied", "Extremely satisfied"],
        ["Very unlikely", "Unlikely", "Likely", "Very likely"],
        ["Not at all important", "Slightly important", "Moderately important", "Very important", "Extremely important"],
        ["Not important at all", "Somewhat important", "Very important"],
        ["Poor", "Fair", "Good", "Very good", "Excellent"],
        PHQ,
        ["None", "Mild", "Moderate", "Severe"],
        ["Low", "Medium", "High"],
    ],
)
def test_options_are_a_scale_if_they_are_the_words_of_one_in_order(texts: list[str]) -> None:
    assert is_scale(texts)
    assert not is_scale([texts[1], texts[0], *texts[2:]])
    assert not is_scale([*texts, "Other"])
    assert not any(map(is_no_answer, texts))


@pytest.mark.parametrize(
    "texts",
    [
        ["Tea", "Coffee", "Water"],
        ["Yes", "No", "Maybe"],
        ["Never", "Never", "Always"],
        ["Agree", "Satisfied", "Always"],
        ["18-24", "25-34", "35-44"],
        ["", "", ""],
        [],
    ],
)
def test_other_options_are_no_scale(texts: list[str]) -> None:
    assert not is_scale(texts)
    assert not texts or not has_ends_of_scale(texts)


@pytest.mark.parametrize(
    "named", ["Keine Antwort", "N/A", "Don\u2019t know", "Prefer not to say", "Don't know or refused"]
)
def test_an_option_that_is_no_answer_has_no_score(named: str) -> None:
    (question,) = asked(radio(*coded([*AGREE, named])))
    assert scale_of(question) == ("likert", [1, 2, 3, 4, 5, "none"])
    (note,) = notes_of(radio(*coded([*AGREE, named])))
    assert note == (
        'q: results have a mean score, from 1 ("Strongly disagree") to 5 ("Strongly agree"), and none for '
        f'"{named}". To have none, write type = "one-of" and take "scores" away'
    )


def test_what_is_no_answer_between_levels_leaves_them_no_scale() -> None:
    (question,) = asked(radio(*coded(["Never", "Don't know", "Always", "Sometimes"])))
    assert scale_of(question) == ("one-of", None)


@pytest.mark.parametrize(
    ("choices", "scale"),
    [
        (coded(OFTEN), ("likert", None)),
        (coded(PHQ, 0), ("likert", [0, 1, 2, 3])),
        (["5, Never", "4, Rarely", "3, Often"], ("likert", [5, 4, 3])),
        (["-1, Worse", "0, About the same", "1, Better"], ("likert", [-1, 0, 1])),
        ([*coded(PHQ, 0), "-99, Refused"], ("likert", [0, 1, 2, 3, "none"])),
        (["a, Never", "b, Rarely", "c, Often"], ("likert", None)),
        (["1, Never", "2, Rarely", "4, Often"], ("one-of", None)),
        (["1, Never", "3, Rarely", "2, Often"], ("one-of", None)),
        (coded(["Nurse", "Doctor", "Other"]), ("one-of", None)),
        (coded(["Never", "Always"]), ("one-of", None)),
    ],
)
def test_codes_of_redcap_are_the_scores_if_they_count_a_known_scale(choices: list[str], scale: Any) -> None:
    (question,) = asked(radio(*choices))
    assert scale_of(question) == scale


def test_a_scale_that_people_may_skip_gives_no_score_to_no_answer() -> None:
    (question,) = asked(radio(*coded(OFTEN), required=""))
    assert (scale_of(question), question["skip"], question["options"][-1]) == (("likert", None), NO_ANSWER, NO_ANSWER)
    (question,) = asked(radio(*coded(PHQ, 0), required=""))
    assert scale_of(question) == ("likert", [0, 1, 2, 3, "none"])
    assert list(question) == ["id", "type", "text", "options", "scores", "skip", "epsilon"]


@pytest.mark.parametrize(
    ("choices", "write", "scores"),
    [
        (["1, Never", "2, Once a week", "3, Always"], 'type = "likert"', [1, 2, 3]),
        (["0, Never", "1, Once a week", "2, Always"], "scores = [0, 1, 2]", [0, 1, 2]),
        (["1, Never", "2, Rarely", "4, Often"], "scores = [1, 2, 4]", [1, 2, 4]),
        (["1, 1 (bad)", "2, 2", "3, 3 (good)", "9, Refused"], 'scores = [1, 2, 3, "none"]', [1, 2, 3, "none"]),
    ],
)
def test_of_what_looks_like_a_scale_the_line_to_write_is_said_and_compiles(
    choices: list[str], write: str, scores: list[Any]
) -> None:
    found = imported(radio(*choices))
    assert found.notes == (f"q: the options look like a scale. For a mean score, write {write}",)
    lines = found.to_toml().replace('type = "one-of"', write) if "type" in write else f"{found.to_toml()}{write}\n"
    assert published_scores(lines) == scores


@pytest.mark.parametrize(
    "choices",
    [
        coded(["Nurse", "Doctor", "Other"]),
        coded(["18-24", "25-34", "35-44"]),
        coded(["1-2", "3-4", "5 or more"]),
        coded(["Yes", "No", "Don't know"]),
        coded([f"Never {number}" for number in range(8)]),
    ],
)
def test_of_other_options_nothing_is_said(choices: list[str]) -> None:
    assert notes_of(radio(*choices)) == ()


def test_rows_of_a_matrix_whose_words_are_unknown_stay_one_of_and_how_they_have_scores_is_said() -> None:
    texts = ["trifft nicht zu", "teils", "trifft zu"]
    said = (
        ': only you know if its options are a scale, in order. If so, for mean scores write in each row type = "likert"'
    )
    for content, name in (
        (qsf(matrix(*texts)), "m"),
        (
            redcap(
                *(
                    {"name": name, "field_type": "radio", "choices": "|".join(coded(texts)), "matrix": "m"}
                    for name in "ab"
                )
            ),
            "m",
        ),
        (lime_tsv(array("F", *texts)), "q"),
        (lss(array("H", *texts)), "q"),
        (lss(array("1", *texts)), "q"),
    ):
        found = imported(content)
        assert {question["type"] for question in found.definition["questions"]} == {"one-of"}
        assert f"{name}{said}" in found.notes
    assert f"the list s{said}" in xlsform(*texts).notes
    assert notes_of(qsf(matrix("ja", "nein")))[-1].startswith('the matrix "m" is 2 questions')


def test_a_likert_matrix_of_qualtrics_has_scores_by_its_words_or_its_recode_values() -> None:
    assert [scale_of(question) for question in asked(qsf(matrix(*AGREE)))] == [("likert", None)] * 2
    recoded = {str(number): str(6 - number) for number in range(1, 6)}
    found = imported(qsf(matrix("a", "b", "c", "d", "e", RecodeValues=recoded)))
    assert scale_of(found.definition["questions"][0]) == ("likert", [5, 4, 3, 2, 1, "none"])
    assert not [note for note in found.notes if "recode values" in note]
    odd = imported(qsf(matrix("a", "b", "c", RecodeValues={"1": "1", "2": "7", "3": "2"})))
    assert odd.definition["questions"][0]["type"] == "one-of"
    assert [note for note in odd.notes if "m_1 (recode values)" in note]


def test_a_bipolar_matrix_is_a_scale_whatever_its_words() -> None:
    (question, _) = asked(qsf(matrix("a", "b", "c", Selector="Bipolar", SubSelector=None)))
    assert scale_of(question) == ("likert", None)


def test_multiple_choice_of_qualtrics_is_a_scale_by_its_words_alone() -> None:
    assert scale_of(asked(qsf(multiple_choice("q", *OFTEN)))[0]) == ("likert", None)
    assert scale_of(asked(qsf(multiple_choice("q", "Tea", "Milk", "Water")))[0]) == ("one-of", None)
    kept = {str(key): {"Display": text} for key, text in zip((1, 4, 5), OFTEN[::2], strict=True)}
    assert scale_of(asked(qsf(multiple_choice("q", Choices=kept)))[0]) == ("likert", None)


@pytest.mark.parametrize("required", [True, False])
def test_the_nps_of_qualtrics_is_asked_as_enps(required: bool) -> None:
    ratings = [str(rating) for rating in range(11)]
    ends = [{"Display": "<b>Not at all</b> likely"}, {"Display": "Extremely likely"}]
    found = imported(qsf(multiple_choice("q", *ratings, Selector="NPS", required=required, ColumnLabels=ends)))
    (question,) = found.definition["questions"]
    assert (question["type"], question["options"]) == ("enps", [*ratings, *[NO_ANSWER] * (not required)])
    assert found.notes == (
        'q: the labels of its scale are dropped ("Not at all likely", "Extremely likely"): write into the text what '
        "its ends mean",
        "q: results have the eNPS, from -100 to 100; fewer people are enough if it has three groups (docs/scales.md)",
    )
    assert asked(qsf(multiple_choice("q", "0", "1", Selector="NPS", required=True)))[0]["type"] == "one-of"


def test_a_rating_of_surveyjs_that_people_may_skip_has_a_mean_score() -> None:
    ends = {"minRateDescription": "bad", "maxRateDescription": {"default": "good"}}
    found = surveyjs(type="rating", rateMin=0, rateMax=10, title=RECOMMEND, **ends)
    (question,) = found.definition["questions"]
    assert scale_of(question) == ("likert", [*range(11), "none"])
    assert found.notes == (
        'q: the labels of its scale are dropped ("bad", "good"): write into the text what its ends mean',
        'q: for the eNPS, promoters minus detractors, write type = "enps" in its place, and take scores away',
    )
    lines = [line for line in found.to_toml().splitlines() if not line.startswith("scores")]
    enps = published_scores("\n".join(lines).replace('"likert"', '"enps"'))
    assert enps == [*[-100] * 7, 0, 0, 100, 100, "none"]
    halves = surveyjs(type="rating", rateMin=0, rateMax=1, rateStep=Decimal("0.5"))
    assert halves.definition["questions"][0]["type"] == "one-of"


def test_a_number_from_0_to_10_may_be_asked_as_enps() -> None:
    whole = {"name": "q", "label": RECOMMEND, "validation": "integer", "min": "0", "max": "10", "required": "y"}
    found = imported(redcap(whole))
    assert found.notes == (
        'q: for the eNPS, promoters minus detractors, write type = "enps" in its place, and take minimum, maximum, '
        "step away",
    )
    members = ("minimum", "maximum", "step")
    lines = [line for line in found.to_toml().splitlines() if not line.startswith(members)]
    compile_toml("\n".join(lines).replace('"number"', '"enps"'))
    assert notes_of(redcap(whole | {"label": "How often do you recommend us?"})) == ()
    assert notes_of(redcap(whole | {"max": "9"})) == ()


def test_a_matrix_of_surveyjs_has_scores_by_the_numbers_or_the_words_of_its_columns() -> None:
    rows = {"type": "matrix", "rows": ["a", "b"], "eachRowRequired": True}
    words = [{"value": number, "text": text} for number, text in enumerate(("mal", "regular", "bien"))]
    for columns, scale in (
        (words, ("likert", [0, 1, 2])),
        (OFTEN, ("likert", None)),
        (["mal", "regular", "bien"], ("one-of", None)),
    ):
        found = surveyjs(**rows, columns=columns)
        assert [scale_of(question) for question in found.definition["questions"]] == [scale] * 2
    assert scale_of(surveyjs(type="radiogroup", choices=AGREE).definition["questions"][0]) == ("likert", None)


def test_an_xlsform_has_scores_by_the_words_of_a_list_or_where_it_is_shown_as_likert() -> None:
    for found, scale in (
        (xlsform(*OFTEN), ("likert", None)),
        (xlsform(*OFTEN, names=["n", "r", "s", "o", "a"]), ("likert", None)),
        (xlsform(*PHQ, names=[0, 1, 2, 3]), ("likert", [0, 1, 2, 3])),
        (xlsform("mal", "regular", "bien", appearance="likert"), ("likert", None)),
        (xlsform("mal", "regular", "bien"), ("one-of", None)),
        (xlsform("tea", "milk", "water", names=["t", "m", "w"]), ("one-of", None)),
    ):
        assert [scale_of(question) for question in found.definition["questions"]] == [scale] * 2
    assert not [note for note in xlsform("tea", "milk", "water", names=["t", "m", "w"]).notes if "scale" in note]


def test_english_words_in_another_language_of_the_form_tell_a_scale() -> None:
    german = ["stimme nicht zu", "teils", "stimme zu"]
    choices = [("list_name", "name", "label::Deutsch (de)", "label::English (en)")]
    choices += [("s", at, *texts) for at, texts in enumerate(zip(german, AGREE[1:4], strict=True), 1)]
    row = {"type": "select_one s", "name": "q", "label::Deutsch (de)": "F?", "label::English (en)": "Q?"}
    content = form(row | {"label": None}, choices=choices, settings=[("default_language",), ("Deutsch (de)",)])
    (question,) = import_xlsform(read_form(content), "form", Terms(Decimal(1))).definition["questions"]
    assert question["type"] == "likert"


@pytest.mark.parametrize("kind", ["F", "H", "1"])
def test_arrays_of_limesurvey_have_scores_by_their_words(kind: str) -> None:
    for content in (lime_tsv(array(kind, *AGREE)), lss(array(kind, *AGREE, code="A{}"))):
        questions = asked(content)
        assert [scale_of(question) for question in questions] == [("likert", None)] * len(questions)
        assert len(questions) == (4 if kind == "1" else 2)


@pytest.mark.parametrize("kind", ["A", "B", "F"])
def test_rows_with_mean_scores_say_how_they_are_asked_together(kind: str) -> None:
    note = notes_of(lime_tsv(array(kind, *AGREE)))[-1]
    assert 'or protect them as one answer ([[together]]; then as type = "one-of", without mean scores).' in note


def test_questions_with_the_same_scale_have_one_note() -> None:
    fields = [{"name": f"q{number}", "field_type": "radio", "choices": "|".join(coded(OFTEN))} for number in range(8)]
    (note,) = notes_of(redcap(*fields))
    assert note.startswith("q0, q1, q2, q3, q4, q5 and 2 more: results have a mean score, from 1 ")


@pytest.mark.parametrize(("n", "kind"), [(31, "likert"), (32, "one-of")])
def test_too_many_options_for_scores_stay_one_of(n: int, kind: str) -> None:
    found = surveyjs(type="matrix", rows=["a"], columns=[*range(n)])
    (question,) = found.definition["questions"]
    assert (question["type"], len(question["options"])) == (kind, n + 1)
