"""LimeSurvey's structures, tab-separated and in XML: what each question becomes, and everything that is refused."""

from decimal import Decimal
from typing import Any

import pytest

from form_files import Rows, asked, imported, lime_rows, lime_tsv, lss, notes_of, problems_of
from sotto_author.forms.limesurvey.relevance import depends_on

NO_ANSWER = "No answer"
MUST = {"mandatory": "Y"}


def ask(kind: str, name: str = "q", **cells: str) -> dict[str, str]:
    return {"class": "Q", "type/scale": kind, "name": name, "text": "Q?"} | cells


def nested(kind: str, *texts: str, scale: str = "0", language: str = "en") -> Rows:
    codes = "abcdef"
    return [
        {"class": kind, "name": codes[index], "text": text, "type/scale": scale, "language": language}
        for index, text in enumerate(texts)
    ]


def both(*rows: dict[str, str], languages: str = "en") -> tuple[bytes, bytes]:
    listed = lime_rows(*rows, languages=languages)
    return lime_tsv(listed), lss(listed)


def one_of(*options: str) -> dict[str, Any]:
    return {"type": "one-of", "options": list(options)}


TEA = nested("A", "Tea", "Coffee")
ANY = nested("SQ", "Tea", "Coffee")
SCALE = {"type": "number", "minimum": 1, "maximum": 5, "step": 1, "distribution": True}
RANGE = {"min_num_value_n": "0", "max_num_value_n": "9"}


@pytest.mark.parametrize(
    ("rows", "question"),
    [
        ([ask("Y", **MUST)], {"type": "yes-no"}),
        ([ask("Y")], one_of("Yes", "No", NO_ANSWER) | {"skip": NO_ANSWER}),
        ([ask("G", **MUST)], one_of("Female", "Male")),
        ([ask("5", **MUST)], SCALE),
        ([ask("5", mandatory="S")], one_of("1", "2", "3", "4", "5", NO_ANSWER) | {"type": "likert", "skip": NO_ANSWER}),
        ([ask("L", **MUST), *TEA], one_of("Tea", "Coffee")),
        ([ask("!"), *TEA], one_of("Tea", "Coffee", NO_ANSWER) | {"skip": NO_ANSWER}),
        ([ask("M"), *ANY], {"type": "any-of", "options": ["Tea", "Coffee"]}),
        ([ask("M", max_answers="1"), *ANY], {"type": "any-of", "options": ["Tea", "Coffee"], "max_selected": 1}),
        ([ask("T")], {"type": "text", "skip": "(no answer)"}),
        ([ask("S", **MUST)], {"type": "text"}),
        (
            [ask("N", num_value_int_only="1", **MUST, **RANGE)],
            {"type": "number", "minimum": Decimal(0), "maximum": Decimal(9), "step": Decimal(1)},
        ),
        (
            [ask("N", **MUST, **RANGE)],
            {"type": "number", "minimum": Decimal(0), "maximum": Decimal(9), "step": Decimal("0.01")},
        ),
    ],
)
def test_a_question_becomes_one_in_either_file(rows: Rows, question: dict[str, Any]) -> None:
    for content in both(*rows):
        (found,) = asked(content)
        assert found == {"id": "q", "section": "Main", "text": "Q?", "epsilon": Decimal("0.5"), **question}


@pytest.mark.parametrize(
    ("rows", "questions"),
    [
        ([ask("F", **MUST), *ANY, *nested("A", "bad", "good")], [("q_a", "Q? Tea", ["bad", "good"])]),
        ([ask("C", **MUST), *ANY], [("q_a", "Q? Tea", ["Yes", "Uncertain", "No"])]),
        ([ask("E", text="<b>How</b>", **MUST), *ANY], [("q_a", "How: Tea", ["Increase", "Same", "Decrease"])]),
        ([ask("B", **MUST), *ANY], [("q_a", "Q? Tea", None)]),
        ([ask("Q", **MUST), *ANY], [("q_a", "Q? Tea", None)]),
        ([ask("K", **MUST, **RANGE), *ANY], [("q_a", "Q? Tea", None)]),
        (
            [ask("1", **MUST), *ANY, *nested("A", "bad", "good"), *nested("A", "no", "yes", scale="1")],
            [("q_a_1", "Q? Tea", ["bad", "good"]), ("q_b_1", "Q? Coffee", ["bad", "good"]), ("q_a_2", "Q? Tea", None)],
        ),
    ],
)
def test_an_array_becomes_questions_with_the_same_options(
    rows: Rows, questions: list[tuple[str, str, list[str] | None]]
) -> None:
    tsv, xml = (imported(content) for content in both(*rows))
    assert tsv.definition == xml.definition
    found = [(each["id"], each["text"], each.get("options")) for each in tsv.definition["questions"]]
    assert found[: len(questions) - 1] == questions[:-1]
    assert found[len(questions) - 1][:2] == questions[-1][:2]
    assert f"{len(found)} questions" in tsv.notes[-1]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([ask("R"), *TEA], "has no mechanism (ask for the first choice, with a list)."),
        ([ask("D")], "has no mechanism (ask with a list of periods"),
        ([ask("|")], "has no mechanism (a file cannot be perturbed)."),
        ([ask(";"), *ANY], "has no mechanism (ask every cell with a text of its own)."),
        ([ask("?")], "has no mechanism (it is no type that sottovoce knows)."),
        ([ask("N", **MUST)], "must say from which number to which: set its minimum"),
        ([ask("N", **RANGE)], "cannot be skipped, for no number means no answer. Require it of everybody"),
        ([ask("L")], "has no choices: list them."),
        ([ask("F"), *nested("A", "bad", "good")], "has no subquestions."),
        ([ask("T", text="Why {z.shown}?")], "has an expression in its text ({z.shown}): write it without."),
        ([ask("M", array_filter="z"), *ANY], "shows choices by the answers to another question (array_filter)"),
        ([ask("T", em_validation_q="strlen(self) > 3")], "has a validation (em_validation_q), which a survey cannot"),
        ([ask("Y", relevance="z == 'Y'")], 'is asked only of some, depending on "z".'),
        ([ask("Y", relevance="z_a.NAOK > 1 and rand(1, 2) == 1")], "is asked only of some, depending on"),
        ([ask("Y", relevance="TOKEN:ATTRIBUTE_1 == 1")], "depending on what the device works out."),
    ],
)
def test_what_a_survey_has_no_place_for_is_refused_by_place_and_code(rows: Rows, why: str) -> None:
    for content in both(ask("T", "z"), *rows):
        (problem,) = problems_of(content)
        assert '"q"): ' in problem
        assert why in problem


def test_what_is_asked_of_some_is_asked_of_everybody_on_request() -> None:
    for content in both(ask("Y", "z"), ask("5", relevance="z == 'Y'", **MUST)):
        found = imported(content, ask_everybody=True)
        assert found.definition["questions"][1]["options"][-1] == NO_ANSWER
        assert 'q: is asked only of some, by z; now of everybody: else "No answer"' in found.notes
    group = {"class": "G", "name": "Second", "relevance": "z == 'Y'"}
    for content in both(ask("Y", "z"), group, ask("Y", **MUST)):
        assert 'is asked only of some, depending on "z".' in problems_of(content)[0]


def test_a_row_without_words_is_refused_unless_it_is_alone() -> None:
    for content in both(ask("K", **MUST, **RANGE), *nested("SQ", "Tea", "")):
        assert problems_of(content)[0].endswith('"q_b": is a row without words: write what it asks, or leave it out.')
    for content in both(ask("K", **MUST, **RANGE), *nested("SQ", "")):
        assert [question["text"] for question in asked(content)] == ["Q?"]


def test_text_beside_choices_is_left_out_and_the_choices_stay() -> None:
    for content in both(ask("L", other="Y"), *TEA, ask("P", "p"), *ANY):
        assert [problem.split(": asks for text beside a choice")[0][-11:] for problem in problems_of(content)] == [
            ', "q_other"',
            '"p_comment"',
        ]
        found = imported(content, skip_unsupported=True)
        assert found.definition["questions"][0]["options"] == ["Tea", "Coffee", "Other", NO_ANSWER]
        assert [note.split()[-1] for note in found.notes[-2:]] == ['"q_other"', '"p_comment"']


def test_everything_that_is_no_question_is_named() -> None:
    rows = [
        ask("X", "hi", text="<p>Welcome</p>"),
        ask("*", "sum"),
        ask("I", "tongue"),
        ask("Y", "never", relevance="0"),
        ask("Y", "hidden", hidden="1"),
        ask("Y", help="<i>really?</i>", random_order="1", statistics_showgraph="1", css_class="x", minimum_stay="9"),
    ]
    for content in both(*rows):
        found = imported(content)
        assert (found.definition["title"], found.definition["introduction"]) == ("Tea time", "Welcome")
        assert found.notes == (
            'dropped, for a survey calculates nothing: "sum"',
            'left out, for the survey page lets people choose their language: "tongue"',
            'left out, for nobody is asked: "never", "hidden"',
            "stays in the form, is no part of the survey: q (help, random_order, minimum_stay)",
        )


def test_languages_are_kept_that_have_every_text() -> None:
    rows = [ask("L"), *TEA, {"class": "G", "name": "Haupt", "language": "de"}]
    rows += [ask("L", language="de", text="Was?"), *nested("A", "Tee", "Kaffee", language="de")]
    rows += [{"class": "G", "name": "Section", "language": "fr"}, ask("L", language="fr", text="Quoi ?")]
    for content in both(*rows, languages="en de fr"):
        found = imported(content)
        assert found.definition["title"] == {"en": "Tea time", "de": "Tea time"}
        (question,) = found.definition["questions"]
        assert question["section"] == {"en": "Main", "de": "Haupt"}
        assert question["options"] == {"en": ["Tea", "Coffee", NO_ANSWER], "de": ["Tee", "Kaffee", "Keine Antwort"]}
        assert found.notes == ("fr is left out, for not every text has it: option 1 of q, option 2 of q",)


def test_no_answer_is_said_in_the_language_of_the_survey_and_in_english_beside_it() -> None:
    rows = [ask("L"), *nested("A", "Tee", "Kaffee", language="de"), {"class": "G", "name": "Main", "language": "en"}]
    rows += [ask("L", language="en"), *TEA]
    for content in both(*rows, languages="de en"):
        found = imported(content)
        (question,) = found.definition["questions"]
        assert question["options"] == {"de": ["Tee", "Kaffee", "Keine Antwort"], "en": ["Tea", "Coffee", NO_ANSWER]}
        assert (question["skip"], found.notes) == ("Keine Antwort", ())
        (alone,) = asked(content.replace(b"Coffee", b""))
        assert (alone["options"], alone["skip"]) == (["Tee", "Kaffee", "Keine Antwort"], "Keine Antwort")


def test_words_of_limesurvey_are_said_in_the_language_of_the_survey_where_the_product_knows_them() -> None:
    rows = [ask("Y"), ask("Y", "must", **MUST), ask("G", "g", **MUST), ask("L", "o", other="Y")]
    rows += nested("A", "Tee", "Kaffee", language="de")
    for content in both(*rows, languages="de"):
        found = imported(content, skip_unsupported=True)
        yes, must, gender, other = found.definition["questions"]
        assert (yes["options"], must["type"]) == (["Ja", "Nein", "Keine Antwort"], "yes-no")
        assert gender["options"] == ["Female", "Male"]
        assert other["options"][-2:] == ["Other", "Keine Antwort"]
        assert 'g (translations of "Female", "Male"); o (translations of "Other")' in found.notes[0]
    rows = [ask("Y"), {"class": "G", "name": "Main", "language": "en"}, ask("Y", language="en")]
    for content in both(*rows, languages="de en"):
        (question,) = asked(content)
        assert question["options"] == {"de": ["Ja", "Nein", "Keine Antwort"], "en": ["Yes", "No", NO_ANSWER]}


def test_what_stands_beside_questions_is_named() -> None:
    rows = [ask("X", "hi", text="Hi", help="Read this"), ask("Y", **MUST)]
    group = {"class": "G", "name": "More", "language": "en", "text": "<b>About</b> tea", "random_group": "r"}
    rows += [{"class": "SL", "name": "surveyls_policy_notice", "text": "Your data", "language": "en"}]
    assert notes_of(lime_tsv(lime_rows(*rows, group, ask("Y", "z", **MUST)))) == (
        'stays in LimeSurvey, is no part of the survey: the notice on data, descriptions of groups ("More"), '
        'random order of groups ("More")',
        'the help beside a text stays in LimeSurvey: "hi"',
    )
    group_rows = b"<groups><rows><row><gid>1</gid><group_name>Main</group_name><description>About</description>"
    group_rows += b"<randomization_group>r</randomization_group></row></rows></groups><ignored>"
    xml = (
        lss(lime_rows(*rows))
        .replace(b"<groups>", group_rows)
        .replace(b"</groups><questions>", b"</ignored><questions>")
    )
    assert "descriptions of groups" in notes_of(xml)[0]
    assert "random order of groups" in notes_of(xml)[0]


def test_the_texts_of_newer_files_stand_in_tables_of_their_own() -> None:
    newer = b"""<document><LimeSurveyDocType>Survey</LimeSurveyDocType><languages><language>en</language></languages>
    <answers><rows><row><aid>1</aid><qid>7</qid><code>a</code></row><row><aid>2</aid><qid>7</qid><code>b</code></row></rows>
    </answers><answer_l10ns><rows><row><aid>1</aid><answer>Tea</answer><language>en</language></row>
    <row><aid>2</aid><answer>Coffee</answer><language>en</language></row></rows></answer_l10ns>
    <questions><rows><row><qid>7</qid><gid>1</gid><type>L</type><title>q</title><relevance>1</relevance></row></rows>
    </questions><question_l10ns><rows><row><qid>7</qid><question>Q?</question><language>en</language></row></rows>
    </question_l10ns><conditions><rows><row><qid>7</qid><cqid>8</cqid></row></rows></conditions></document>"""
    assert "depending on what the device works out" in problems_of(newer)[0]
    (question,) = asked(newer.replace(b"conditions", b"ignored"))
    script = b"<question>Q?</question><script>alert()</script>"
    found = notes_of(newer.replace(b"conditions", b"ignored").replace(b"<question>Q?</question>", script))
    assert found == ("stays in the form, is no part of the survey: q (script)",)
    assert (question["text"], question["options"]) == ("Q?", ["Tea", "Coffee", NO_ANSWER])


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("q_SQ001.NAOK == 'Y' and !is_empty(r)", ["q", "r"]),
        ('regexMatch("/z+/", q)', ["q"]),
        ("123X4X7SQ001 == 1", ["seven"]),
        ("123X4X9 == 1", ["what the device works out"]),
        ("time() > 5", ["what the device works out"]),
        ("2 > 1", ["what the device works out"]),
    ],
)
def test_relevance_names_the_questions_that_it_asks(expression: str, names: list[str]) -> None:
    assert list(depends_on(expression, {"q": "q", "r": "r", "z": "z", "7": "seven"})) == names


BOMB = b'<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (lss(lime_rows(ask("Y"))).replace(b"<document>", BOMB + b"<document>"), "must not have a document type"),
        (
            lss(lime_rows(ask("Y"))).replace(b"<document>", b'<!DOCTYPE d SYSTEM "http://127.0.0.1:1/x"><document>'),
            "must not have a document type",
        ),
        (lss(lime_rows(ask("Y")))[:-30], "is no XML that can be read"),
        (lss(lime_rows(ask("Y"))).replace(b"UTF-8", b"UTF-7"), "is no XML that can be read"),
        (lss(lime_rows(ask("Y"))).replace(b">Survey<", b">Group<"), "is no survey structure of LimeSurvey"),
        (b"<document>" + b"<a>" * 20, "has more than 600,000 elements, or elements in more than 16 others."),
        (b"<html></html>", "is no survey structure of LimeSurvey"),
        (lime_tsv(lime_rows(ask("Y") | {"class": "Z"})), "the class 'Z' must be S, SL, G, Q, SQ or A."),
        (lime_tsv(lime_rows(*ANY)), "stands before the first question (class Q)."),
        (lime_tsv(lime_rows()), "has no question that can be asked."),
        (lss(lime_rows()), "has no question that can be asked."),
    ],
)
def test_what_is_no_structure_is_refused(content: bytes, why: str) -> None:
    assert why in problems_of(content)[0]


def test_a_reference_to_an_entity_is_no_text() -> None:
    assert "undefined entity" in problems_of(lss(lime_rows(ask("Y"))).replace(b"<![CDATA[Q?]]>", b"&a;"))[0]


def test_a_matrix_can_be_left_out_by_its_name() -> None:
    (tsv, _) = both(ask("C", "array"), *ANY, ask("Y"))
    assert [question["id"] for question in asked(tsv, leave_out=frozenset(["array"]))] == ["q"]
    assert notes_of(tsv, leave_out=frozenset(["array"]))[-1].startswith("left out: line ")
