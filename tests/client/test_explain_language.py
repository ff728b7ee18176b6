"""`sotto explain --lang`: in the languages of the product, with the survey's own words where it has them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sotto_client import explain
from sotto_client.cli import main
from sotto_protocol import compile_toml
from sotto_protocol.language import LANGUAGES
from sotto_protocol.negotiation import choose_language

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
    assert "74\N{NO-BREAK SPACE}%" in french
    printed = json.loads(sotto("explain", path, "--lang", "de", "--json").stdout)
    assert (printed["title"], printed["spoken"]) == ("Essen", "de")


@pytest.mark.parametrize(
    ("languages", "asked", "title", "spoken"),
    [
        (("en", "cs"), "cs", "Title in cs", "en"),
        (("de", "cs"), "cs-CZ", "Title in cs", "en"),
        (("de", "fr"), "cs", "Title in de", "de"),
        (("cs", "sv"), "lt", "Title in cs", "en"),
    ],
)
def test_explain_falls_back_as_the_page_does(
    languages: tuple[str, ...], asked: str, title: str, spoken: str, tmp_path: Path
) -> None:
    texts = [f'{name}.{tag} = "{{}} in {tag}"' for name in ("title", "text") for tag in languages]
    titles, asks = (
        [line.format(word) for line in texts if line.startswith(word.lower())] for word in ("Title", "Text")
    )
    path = tmp_path / "survey.toml"
    head = [
        f'id = "s"\nlang = "{languages[0]}"',
        *titles,
        '[[questions]]\nid = "q"\ntype = "yes-no"\nepsilon = 1',
        *asks,
    ]
    path.write_text("\n".join(head))
    chosen = choose_language(compile_toml(path.read_text()).languages, asked)
    done = sotto("explain", path, "--lang", asked)
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{explain(compile_toml(path.read_text()), chosen.language, chosen.tag)}\n"
    assert (done.stdout.splitlines()[0], chosen.language.tag) == (title, spoken)
    assert done.stderr == f"Note: sottovoce does not speak {asked}. Its own words are in {chosen.language.name}.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--lang", "Polish!"], "--lang (Polish!) must be a language tag (BCP 47)"),
        (["--lang", ""], "--lang () must be a language tag"),
        (["--lang", "de", "--datasheet"], "does not go with --datasheet"),
    ],
)
def test_explain_refuses_what_is_no_language(arguments: list[str], message: str, path: Path) -> None:
    done = sotto("explain", *arguments, path)
    assert (done.exit_code, message in done.stderr) == (2, True)
