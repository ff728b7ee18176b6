"""`sotto survey types`: what a survey refuses does not pass a type checker, and what it takes does."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sotto_author.answer_types import to_python, to_typescript
from sotto_client.cli import main
from sotto_client.reporting import check_answers
from sotto_protocol import AnswerError, compile_toml
from typed_answers import DRAWN, EVERY, FEW, FULL, RIGHT, WRONG

LUNCH = """
id = "lunch"
title = "Lunch"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
[[questions]]
id = "dish"
type = "one-of"
text = "What was it?"
options = ["soup", "salad"]
skip = "soup"
epsilon = 1
"""
TYPESCRIPT = """/** Answers to survey lunch (FINGERPRINT..), by `sotto survey types`. */
export type Answers = {
  /** Did you pay? */
  paid: boolean;
  /** What was it? */
  dish?: "soup" | "salad" | null;
};
"""
PYTHON = '''"""Answers to survey lunch (FINGERPRINT..), by `sotto survey types`."""

from typing import Literal, NotRequired, TypedDict

Answers = TypedDict(
    "Answers",
    {
        # Did you pay?
        "paid": bool,
        # What was it?
        "dish": NotRequired[Literal["soup", "salad"] | None],
    },
)
'''


@pytest.mark.parametrize(("options", "expected"), [([], TYPESCRIPT), (["--python"], PYTHON)], ids=["ts", "python"])
def test_the_command_writes_the_type(tmp_path: Path, options: list[str], expected: str) -> None:
    (tmp_path / "survey.toml").write_text(LUNCH)
    result = CliRunner().invoke(main, ["survey", "types", str(tmp_path / "survey.toml"), *options])
    assert result.stdout == expected.replace("FINGERPRINT", compile_toml(LUNCH).fingerprint[:8])


def test_questions_that_are_asked_together_are_answered_one_by_one() -> None:
    together = LUNCH.replace("epsilon = 1\n", "").replace("[[", 'together = "pairs"\n[[', 1)
    survey = compile_toml(together.replace("text =", "epsilon = 1\ntext ="))
    for written, expected in ((to_typescript, TYPESCRIPT), (to_python, PYTHON)):
        assert written(survey) == expected.replace("FINGERPRINT", survey.fingerprint[:8])


def test_a_file_that_is_none_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "survey.toml").write_text('id = "lunch"')
    result = CliRunner().invoke(main, ["survey", "types", str(tmp_path / "survey.toml")])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "survey.toml" in result.stderr


def test_the_survey_itself_takes_what_is_right_and_refuses_what_is_wrong() -> None:
    """So the cases of the tests below are what they are called."""
    for answers in RIGHT:
        check_answers(EVERY, answers)
    for answers in WRONG:
        with pytest.raises(AnswerError):
            check_answers(EVERY, answers)


def check_python(folder: Path, module: str, *lines: str) -> str:
    (folder / "answers.py").write_text(module)
    (folder / "program.py").write_text("\n".join(["from answers import Answers", *lines, ""]))
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "program.py"]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True).stdout


def test_mypy_takes_what_the_survey_takes_and_refuses_what_it_refuses(tmp_path: Path) -> None:
    right = [f"right_{number}: Answers = {answers!r}" for number, answers in enumerate(RIGHT)]
    right += [
        f"right_{kind}: Answers = {FULL | {'drinks': '!'}!r}".replace("'!'", f"{kind}(('tea',))") for kind in SETS
    ]
    right += ["from collections.abc import Mapping", "from typing import Any", "given: Mapping[str, Any] = right_0"]
    wrong = [f"wrong_{number}: Answers = {answers!r}  # type: ignore" for number, answers in enumerate(WRONG)]
    said = check_python(tmp_path, to_python(EVERY), *right, *wrong)  # an ignore too many is an error
    assert said == "Success: no issues found in 1 source file\n"


SETS = ("tuple", "frozenset")


def test_of_a_survey_that_draws_any_question_may_lack(tmp_path: Path) -> None:
    lines = [f"few: Answers = {FEW!r}", f"wrong: Answers = {FEW | {'price': 'much'}!r}  # type: ignore"]
    assert check_python(tmp_path, to_python(DRAWN), *lines).startswith("Success")
    assert to_typescript(DRAWN).count("?: ") == len(DRAWN.questions)


def test_what_is_written_is_well_formed_whatever_the_texts_are() -> None:
    """A question's text ends no comment, an option no literal; the Python runs as it is."""
    assert "Did you pay? * / 7" in to_typescript(EVERY)
    made: dict[str, object] = {}
    exec(to_python(EVERY), made)  # noqa: S102  # our own module
    answers = made["Answers"]
    assert vars(answers)["__required_keys__"] == {*FULL} - {"place"}
    assert vars(answers)["__optional_keys__"] == {"place"}
