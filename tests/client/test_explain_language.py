"""`sotto explain --lang`: in the languages of the product, with the survey's own words where it has them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sotto_client import explain
from sotto_client.cli import main
from sotto_protocol import compile_toml
from sotto_protocol.language import LANGUAGES

TOML = """
id = "lunch"
title.en = "Lunch"
title.de = "Essen"
[[questions]]
id = "paid"
type = "yes-no"
text.en = "Did you pay?"
text.de = "Hast du bezahlt?"
epsilon = 1
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "lunch.toml"
    path.write_text(TOML)
    return path


def sotto(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_explain_says_it_in_a_language_with_the_surveys_words_where_it_has_them(path: Path) -> None:
    survey = compile_toml(path.read_text())
    assert sotto("explain", path, "--lang", "de-AT").stdout == f"{explain(survey, LANGUAGES['de'], 'de')}\n"
    assert "Hast du bezahlt?" in sotto("explain", path, "--lang", "de").stdout
    french = sotto("explain", path, "--lang", "fr").stdout
    assert french == f"{explain(survey, LANGUAGES['fr'])}\n"
    assert "73,2\N{NO-BREAK SPACE}%" in french
    printed = json.loads(sotto("explain", path, "--lang", "de", "--json").stdout)
    assert (printed["title"], printed["spoken"]) == ("Essen", "de")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--lang", "xx"], "--lang (xx) must be one of en, de, "),
        (["--lang", ""], "--lang () must be one of"),
        (["--lang", "de", "--datasheet"], "does not go with --datasheet"),
    ],
)
def test_explain_refuses_languages_that_it_does_not_speak(arguments: list[str], message: str, path: Path) -> None:
    done = sotto("explain", *arguments, path)
    assert (done.exit_code, message in done.stderr) == (2, True)
