"""`sotto survey import`: a SurveyJS form becomes a survey file."""

from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from form_files import redcap
from sotto_client.cli import main
from sotto_protocol import compile_toml
from surveyjs_vectors import FORMS


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["survey", "import", *map(str, arguments)])


def test_the_command_writes_a_survey_file_that_compiles_and_says_what_it_takes() -> None:
    result = run(FORMS / "clinic.json", "--epsilon", "0.25", "--id", "clinic-2026")
    assert result.exit_code == 0, result.stderr
    survey = compile_toml(result.stdout)
    assert (survey.id, survey.title, survey.epsilon) == ("clinic-2026", "Health at work", Decimal("4.75"))
    assert '# the form\'s element Wie oft (früher)?\n[[questions]]\nid = "wie-oft-fruher"' in result.stdout
    total, languages, *others = result.stderr.splitlines()
    assert languages.startswith("de is left out, for not every text has it: the introduction, the text of agrees, ")
    assert [total, *others] == [
        "19 questions, epsilon 0.25 each, 4.75 in total",
        "Agrees?: yes stands for 'I agree', no for 'I do not'",
        'symptoms: any choices may be selected together, also "None" with others, for no survey checks showNoneItem',
        "年龄: is a text, for a number must have min and max",
        "doctors: is required in the form where {pain} > 3; now nobody must answer it",
        "may be hidden in the form, and is in every report, then as skipped: brand (visibleIf of "
        "$.pages[1].questions[3]), places (visibleIf of $.pages[1].questions[3]), Anything_else (visibleIf)",
        "all choices are options, also those that the form may hide or disable: symptoms (visibleIf of choices[2])",
        "stays in the form, is no part of the survey: cookieName of the form; clearInvisibleValues of the form; "
        "firstPageIsStarted of the form; choicesOrder of symptoms; showSelectAllItem of symptoms; validators of 年龄; "
        "html hello; image logo; expression sum; calculatedValues; a setvalue trigger",
        'sleep: results have a mean score, from 1 to 3 ("well"). To have none, write type = "one-of"',
    ]


def test_the_command_names_what_the_adapter_is_to_drop(tmp_path: Path) -> None:
    result = run(FORMS / "unsupported.json", "--skip-unsupported", "--to", tmp_path / "s.toml")
    assert (result.exit_code, result.stdout) == (0, "")
    assert compile_toml((tmp_path / "s.toml").read_text()).id == "unsupported"
    last = result.stderr.splitlines()[-1]
    assert last.startswith('tell the adapter, which then drops their answers: leaveOut: ["matrix", "matrixdropdown", ')


def test_the_command_writes_over_no_file(tmp_path: Path) -> None:
    target = tmp_path / "survey.toml"
    target.write_text("precious")
    result = run(FORMS / "lunch.json", "--to", target)
    assert result.exit_code == 1
    assert result.stderr == f"Error: survey file ({target}) must be a new file.\n"
    assert target.read_text() == "precious"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "$: must be JSON in UTF-8 (Expecting property name"),
        ('{"elements": []}', "$: has no element that can be asked."),
        ('{"title": "a\\u0000b", "elements": [{"type": "text", "name": "q"}]}', "$.title: must be a text of 1 to 2000"),
    ],
)
def test_the_command_names_the_form_that_is_none(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "form.json"
    path.write_text(text)
    result = run(path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"Error: {path}:\n  {said}")


def test_the_command_refuses_a_form_with_all_that_is_wrong() -> None:
    result = run(FORMS / "unsupported.json")
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "", 20)


@pytest.mark.parametrize("option", ["--epsilon=0", "--epsilon=x", "--epsilon=21", "--epsilon=nan", "--id=A b"])
def test_an_option_outside_its_domain_is_exit_code_2(option: str) -> None:
    assert run(FORMS / "lunch.json", option).exit_code == 2


def test_a_form_with_too_many_texts_says_which_and_how_to_leave_some_out(tmp_path: Path) -> None:
    form = tmp_path / "form.csv"
    form.write_bytes(redcap({"name": "Much"}, *({"name": f"t{number}"} for number in range(16))))
    result = run(form)
    assert result.exit_code == 1
    assert "counts; they have " in result.stderr
    assert 'Leave some out (--leave-out NAME). Texts take most counts: "Much", "t0", "t1", ' in result.stderr


def test_a_form_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    result = run(path)
    assert (result.exit_code, result.stderr) == (1, f"Error: {path}: No such file or directory\n")
