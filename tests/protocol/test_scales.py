"""Scales: what an author writes as likert or enps is published as a one-of question with scores, and nothing else."""

import pytest

from sotto_protocol import SurveyError, compile_toml
from sotto_protocol.questions.one_of import OneOf

HEAD = 'id = "s"\ntitle = "S"\n[[questions]]\nid = "q"\ntext = "?"\nepsilon = 1\n'


def scores_of(question: str) -> tuple[int | None, ...]:
    kind = compile_toml(HEAD + question).questions[0].kind
    assert isinstance(kind, OneOf)
    return kind.scores


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ('type = "likert"\noptions = ["no", "so", "yes"]', 'options = ["no", "so", "yes"]\nscores = [1, 2, 3]'),
        (
            'type = "likert"\noptions = ["no", "?", "yes"]\nskip = "?"',
            'options = ["no", "?", "yes"]\nskip = "?"\nscores = [1, "none", 2]',
        ),
        ('type = "enps"\noptions = ["a", "b", "c"]', 'options = ["a", "b", "c"]\nscores = [-100, 0, 100]'),
        (
            'type = "enps"\nskip = "-"',
            'options = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "-"]\nskip = "-"\n'
            'scores = [-100, -100, -100, -100, -100, -100, -100, 0, 0, 100, 100, "none"]',
        ),
    ],
)
def test_a_scale_is_a_one_of_question_with_scores_to_the_fingerprint(question: str, same: str) -> None:
    written = compile_toml(HEAD + question)
    assert written.fingerprint == compile_toml(f'{HEAD}type = "one-of"\n{same}').fingerprint
    assert written.questions[0].mechanism == compile_toml(f'{HEAD}type = "one-of"\n{same}').questions[0].mechanism


def test_scores_may_be_written_and_change_no_mechanism() -> None:
    assert scores_of('type = "likert"\noptions = ["no", "so", "yes"]\nscores = [-1, 0, 1]') == (-1, 0, 1)
    plain, scored = (compile_toml(f'{HEAD}type = "one-of"\noptions = ["a", "b"]\n{x}') for x in ("", "scores = [0, 1]"))
    assert plain.questions[0].mechanism == scored.questions[0].mechanism
    assert "scores" not in plain.canonical.decode()


def test_the_ratings_of_an_enps_need_no_translation() -> None:
    texts = HEAD.replace('title = "S"', 'title = {en = "S", de = "S"}').replace(
        'text = "?"', 'text = {en = "?", de = "?"}'
    )
    assert compile_toml(f'{texts}type = "enps"').words("de").questions["q"].options[10] == "10"


@pytest.mark.parametrize(
    ("question", "where", "said"),
    [
        ('type = "likert"\noptions = ["a"]', "options", "2 to 4096 different texts"),
        ('type = "likert"\noptions = ["a", "b"]\nskip = "b"', "options", "There are 1."),
        ('type = "enps"\noptions = ["a", "b"]', "options", "must be 11 or 3 for enps"),
        ('type = "enps"\nscores = [1]', "scores", 'Take type = "one-of"'),
        ('type = "one-of"\noptions = ["a", "b"]\nscores = [1]', "scores", "There are 1."),
        ('type = "one-of"\noptions = ["a", "b"]\nscores = [1, 1]', "scores", "not all alike"),
        ('type = "one-of"\noptions = ["a", "b"]\nscores = [1, 1001]', "scores", "[-1000, 1000]"),
        ('type = "one-of"\noptions = ["a", "b"]\nscores = [1.5, 2]', "scores", "integers"),
        ('type = "yes-no"\nscores = [1, 2]', "scores", "belongs to one-of and likert questions"),
        ('type = "nps"', "type", "`nps` is called `enps` here"),
        (
            f'type = "one-of"\noptions = {[str(n) for n in range(33)]}\nscores = {list(range(33))}',
            "scores",
            "at most 32",
        ),
    ],
)
def test_a_wrong_scale_is_refused_at_its_place(question: str, where: str, said: str) -> None:
    with pytest.raises(SurveyError, match=where) as refused:
        compile_toml(HEAD + question)
    assert said in str(refused.value)


def test_questions_asked_together_have_no_scores() -> None:
    both = "".join(
        f'[[questions]]\nid = "{name}"\ntype = "likert"\ntext = "?"\noptions = ["a", "b"]\n' for name in "xy"
    )
    with pytest.raises(SurveyError, match="asked together"):
        compile_toml(f'id = "s"\ntitle = "S"\n[[together]]\nquestions = ["x", "y"]\nepsilon = 2\n{both}')
