"""Questions asked together: what an author writes, what is published, and what one answer to all of them becomes."""

from dataclasses import replace
from itertools import product
from math import log

import pytest

from sotto_protocol import AnswerError, Survey, SurveyError, compile_toml
from sotto_protocol.language import language
from sotto_protocol.questions.joint import Joint

SMOKES = '[[questions]]\nid = "smokes"\ntype = "yes-no"\ntext = "Do you smoke?"\n'
REGION = (
    '[[questions]]\nid = "region"\ntype = "one-of"\ntext = "Where?"\noptions = ["north", "south", "east"]\n'
    'skip = "east"\n'
)
ALONE = '[[questions]]\nid = "age"\ntype = "yes-no"\ntext = "Are you old?"\nepsilon = 1\n'
GROUP = '[[together]]\nquestions = ["smokes", "region"]\nepsilon = 1\n'
HEAD = 'id = "health"\ntitle = "Health"\n'
REGIONS = ("north", "south", "east")
WHOLE = HEAD + GROUP + SMOKES + ALONE + REGION


def paired(n: int, epsilon: str = "1") -> str:
    """Return a survey of n questions, every two of which are asked together."""
    asked = [f'[[questions]]\nid = "q{i}"\ntype = "yes-no"\ntext = "Q{i}?"\nepsilon = {epsilon}\n' for i in range(n)]
    return f'{HEAD}together = "pairs"\n{"".join(asked)}'


def joint_of(survey: Survey) -> Joint:
    """Return the first question's kind, which is joint."""
    kind = survey.questions[0].kind
    assert isinstance(kind, Joint)
    return kind


def test_a_group_is_one_question_where_its_first_item_stood() -> None:
    survey = compile_toml(WHOLE)
    assert [question.id for question in survey.questions] == ["smokes-region", "age"]
    assert [item.id for item in survey.items] == ["smokes", "region", "age"]
    assert survey.questions[0].mechanism.n_values == 6
    assert survey.epsilon == 2
    assert survey.questions[0].options == tuple(map(", ".join, product(["no", "yes"], ["north", "south", "east"])))
    assert Survey.from_canonical(survey.canonical) == survey


def test_every_combination_has_a_number_of_its_own_and_gives_the_answers_back() -> None:
    question, kind = compile_toml(WHOLE).questions[0], joint_of(compile_toml(WHOLE))
    answers = [dict(zip(("smokes", "region"), each, strict=True)) for each in product([False, True], REGIONS)]
    assert [question.encode(of).tolist() for of in answers] == [[cell] for cell in range(6)]
    assert [kind.split(cell) for cell in range(6)] == answers
    assert (
        question.encode({"smokes": True, "region": None}).tolist() == question.encode({"smokes": True}).tolist() == [5]
    )


@pytest.mark.parametrize(
    ("answer", "where"),
    [
        ({"region": "north"}, "smokes"),
        ({"smokes": None}, "smokes"),
        ({"smokes": "secret"}, "smokes"),
        ({"smokes": True, "region": "secret"}, "region"),
        ({"smokes": True, "other": "secret"}, "smokes-region"),
        ("secret", "smokes-region"),
    ],
)
def test_a_wrong_answer_is_named_by_its_item_and_never_quoted(answer: object, where: str) -> None:
    with pytest.raises(AnswerError, match=f"^{where}: ") as fault:
        compile_toml(WHOLE).questions[0].encode(answer)
    assert "secret" not in str(fault.value)


def test_all_pairs_are_questions_of_which_a_device_draws_one() -> None:
    survey = compile_toml(paired(10))
    assert (len(survey.questions), survey.draw, len(survey.items), survey.epsilon) == (45, 1, 10, 1)
    assert Survey.from_canonical(survey.canonical) == survey
    pair = compile_toml(paired(2))
    assert (len(pair.questions), pair.draw) == (1, 0)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (HEAD + GROUP + SMOKES + "epsilon = 1\n" + REGION, "questions[0].epsilon"),
        (HEAD + GROUP.replace("region", "regio") + SMOKES + REGION, "together[0].questions"),
        (HEAD + GROUP.replace("region", "smokes") + SMOKES + REGION, "together[0].questions"),
        (HEAD + GROUP.replace('"smokes", ', "") + SMOKES + REGION, "together[0].questions"),
        (HEAD + GROUP + GROUP + SMOKES + REGION, "together"),
        (HEAD + GROUP + 'id = "region"\n' + SMOKES + REGION, "together[0].id"),
        (HEAD + GROUP + "foo = 1\n" + SMOKES + REGION, "together[0].foo"),
        (HEAD + GROUP + 'mechanism = "geometry"\n' + SMOKES + REGION, "together[0].mechanism"),
        (HEAD + GROUP.replace("epsilon = 1\n", "") + SMOKES + REGION, "together[0].epsilon"),
        (HEAD + GROUP.replace("[[together]]", "[together]") + SMOKES + REGION, "together"),
        (HEAD + GROUP + SMOKES.replace("yes-no", "text") + REGION, "questions[0].type"),
        (
            HEAD
            + GROUP
            + SMOKES
            + REGION.replace('"south", "east"', '"' + '", "'.join(map(str, range(2100))) + '", "east"'),
            "together[0].questions",
        ),
        (paired(3).replace("epsilon = 1", "epsilon = 2", 1), "questions[1].epsilon"),
        (paired(21), "together"),
        (paired(3).replace("title", "draw = 1\ntitle"), "draw"),
        (
            HEAD
            + GROUP
            + SMOKES.replace('"yes-no"', '"one-of"\noptions = ["a, b", "a"]')
            + REGION.replace('["north", "south", "east"]\nskip = "east"', '["c", "b, c"]'),
            "together[0].questions",
        ),
    ],
)
def test_what_cannot_be_asked_together_is_refused_where_it_stands(text: str, where: str) -> None:
    with pytest.raises(SurveyError) as fault:
        compile_toml(text)
    assert where in {found.where.removeprefix("$.") for found in fault.value.faults}


@pytest.mark.parametrize("draw", [0, 2])
def test_a_published_survey_whose_devices_would_report_an_item_twice_is_refused(draw: int) -> None:
    """Estimates would take its two reports, which depend on one another, for those of two devices."""
    pairs = compile_toml(paired(3))
    assert pairs.draw == 1
    with pytest.raises(SurveyError, match=r"\$\.draw: must be 1: question q0 is in several groups"):
        replace(pairs, draw=draw)


def test_words_of_a_combination_are_those_of_its_items_in_every_language() -> None:
    german = WHOLE.replace('text = "Do you smoke?"', 'text = {en = "Do you smoke?", de = "Rauchen Sie?"}')
    german = german.replace('text = "Where?"', 'text = {en = "Where?", de = "Wo?"}')
    german = german.replace('["north", "south", "east"]', '{en = ["north", "south", "east"], de = ["N", "S", "O"]}')
    german = german.replace('text = "Are you old?"', 'text = {en = "Are you old?", de = "Sind Sie alt?"}')
    german = german.replace('title = "Health"', 'title = {en = "Health", de = "Gesundheit"}')
    survey = compile_toml(german)
    words = survey.words("de").questions
    assert words["smokes-region"].options[:3] == ("Nein, N", "Nein, S", "Nein, O")
    assert words["smokes-region"].text == "Rauchen Sie? Wo?"
    assert survey.questions[0].say("yes, south", words["smokes-region"], language("de")) == "Ja, S"
    assert Survey.from_canonical(survey.canonical).words("de") == survey.words("de")


@pytest.mark.parametrize("epsilon", ["0.5", "1", "2", "4"])
def test_any_two_combinations_are_told_apart_by_at_most_epsilon_and_it_is_used_up(epsilon: str) -> None:
    question = compile_toml(WHOLE.replace("epsilon = 1\n", f"epsilon = {epsilon}\n")).questions[0]
    ratio = max(log(one / other) for one, other in question.mechanism.told_apart())
    assert float(epsilon) - 1e-6 < ratio <= float(epsilon)
