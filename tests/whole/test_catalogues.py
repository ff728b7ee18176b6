"""The product's words are in every language, whole: catalogues, and templates that leave no word out of them."""

import ast
import re
import sys
from collections.abc import Iterator
from io import BytesIO
from itertools import groupby
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from pygments.lexers.javascript import JavascriptLexer
from pygments.token import String

from sotto_protocol.language import LANGUAGES, Language

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import catalogues  # noqa: E402  # a script, in no package

TRANSLATED = catalogues.translated_languages()
FOR_OPERATORS = {"index.html", "sign_in.html"}
"""Pages that are in English: their readers run the collector."""
SCRIPTS = sorted(
    path
    for pattern in (
        "collector/**/static/*.js",
        "estimator/**/static/*.js",
        "client/js/form/*.js",
        "client/js/component/*.js",
    )
    for path in ROOT.glob(pattern)
    if not path.name.endswith(".min.js")
)
MODULES = [
    path
    for path in sorted(ROOT.glob("*/sotto_*/**/*.py"))
    if re.search(r"gettext\(|mark\(", path.read_text()) and path.name != "language.py"
]
PAGES = [path for path in sorted(ROOT.glob("*/sotto_*/**/templates/**/*.html")) if path.name not in FOR_OPERATORS]


@pytest.fixture(scope="module")
def template() -> catalogues.Catalog:
    return catalogues.make_template()


@pytest.mark.parametrize("spoken", TRANSLATED, ids=lambda spoken: spoken.tag)
def test_a_catalogue_has_every_message_and_nothing_else(spoken: Language, template: catalogues.Catalog) -> None:
    assert [*catalogues.faults_of(spoken, template)] == []


def test_what_is_extracted_keeps_its_order_where_it_is_read_and_written(template: catalogues.Catalog) -> None:
    for spoken in TRANSLATED:
        catalogue = catalogues.read_catalogue(spoken)
        catalogue.update(template)
        written = catalogues.as_po(catalogue)
        read = catalogues.read_po(BytesIO(written), locale=spoken.tag)
        assert re.findall(b"^#: .*", catalogues.as_po(read), re.M) == re.findall(b"^#: .*", written, re.M)


def test_no_message_says_that_nothing_was_sent(template: catalogues.Catalog) -> None:
    """An invitation may have been, to be checked: no answer was."""
    said = str([message.id for message in template]).lower()
    assert "no answer was sent" in said
    assert "nothing was sent" not in said


def test_what_programs_read_is_what_was_translated() -> None:
    for path, text in catalogues.compiled().items():
        assert path.read_text("utf-8") == text, path


def words_outside(source: str) -> list[str]:
    """Return the words of a template that stand outside of what is translated."""
    source = re.sub(
        r"{#.*?#}|{%-?\s*trans\b.*?endtrans\s*-?%}|{{.*?}}|{%.*?%}|<!doctype html>", " ", source, flags=re.S
    )
    said = re.findall(r'\b(?:aria-label|alt|title|placeholder)="([^"]*)"', source)
    shown = re.sub(r"<(style|script|code|pre)\b.*?</\1>|<[^>]*>", " ", source, flags=re.S)
    return re.findall(r"[^\W\d_]{2,}", " ".join([shown, *said]))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_word_of_a_page_is_left_in_english(path: Path) -> None:
    assert words_outside(path.read_text()) == []


def test_words_that_nobody_translates_are_found() -> None:
    page = '{# note #}<p title="A title">{% trans %}No{% endtrans %}{{ _("No") }} Yes, <b class="no">5</b> { n }</p>'
    assert words_outside(page) == ["Yes", "title"]
    assert len(PAGES) > 8


def sentences_of(script: str) -> set[str]:
    """Return the texts of a script that look like a sentence: they begin with a capital, and have several words."""
    runs = groupby(JavascriptLexer().get_tokens(script), key=lambda token: token[0] in String)
    texts = ("".join(value for _, value in run).strip("\"'`") for is_text, run in runs if is_text)
    return {text for text in texts if re.match(r"[A-Z][\w'’]*,? [\w%“(]", text)}


def untranslated_of(path: Path) -> set[str]:
    """Return the sentences of a script that are in no message of it."""
    messages = catalogues.messages_of(path, "javascript", catalogues.JAVASCRIPT, {})
    known = " ".join(part for message in messages for part in ([message] if isinstance(message, str) else message))
    return {sentence for sentence in sentences_of(path.read_text()) if sentence not in known}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_sentence_of_a_script_is_left_in_english(path: Path) -> None:
    assert untranslated_of(path) == set()


def test_sentences_that_nobody_translates_are_found(tmp_path: Path) -> None:
    path = tmp_path / "x.js"
    path.write_text(
        'say(t("It was " + "sent."), "Try again", t.n("%(n)s day", "%(n)s days", n), "button primary", "Send");'
    )
    assert untranslated_of(path) == {"Try again"}
    assert len(SCRIPTS) > 15


def calls_in(source: str) -> Iterator[ast.Call]:
    """Yield the calls that say a message."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ("gettext", "ngettext", "mark") and node.args:
                yield node


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_every_message_of_a_module_is_found(path: Path) -> None:
    """Of what is said the text stands in the call, or it was marked before: nothing is put together there."""
    messages = catalogues.messages_of(path, "python", catalogues.PYTHON, {})
    for call in calls_in(path.read_text()):
        texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        assert not any(isinstance(arg, ast.JoinedStr | ast.BinOp) for arg in call.args)
        assert not texts or (texts[0] if len(texts) == 1 else tuple(texts)) in messages


GERMAN, FRENCH, ARABIC = (LANGUAGES[tag] for tag in ("de", "fr", "ar"))


@pytest.mark.parametrize(
    ("spoken", "message", "string", "fault"),
    [
        (GERMAN, "%(n)s of %(all)s", "%(n)s von %(all)s", ""),
        (GERMAN, "%(n)s of %(all)s", "%(all)s, davon %(n)s", ""),
        (GERMAN, "%(n)s of %(all)s", "", "not translated"),
        (GERMAN, "%(n)s of %(all)s", "%(n)s von %(alle)s", "other placeholders or tags"),
        (GERMAN, "%(n)s of %(all)s", "%(n)s von 3", "other placeholders or tags"),
        (GERMAN, "%(n)s", "%(n)s %", "other placeholders or tags"),
        (GERMAN, "<b>This</b> one", "<b>Dies</b> da", ""),
        (GERMAN, "<b>This</b> one", "<b>Dies da", "other placeholders or tags"),
        (GERMAN, ("%(n)s day", "%(n)s days"), ("%(n)s Tag", "%(n)s Tage"), ""),
        (GERMAN, ("%(n)s day", "%(n)s days"), ("ein Tag", "%(n)s Tage"), ""),
        (GERMAN, ("%(n)s day", "%(n)s days"), ("%(n)s Tag", "viele Tage"), "other placeholders or tags in form 1"),
        (GERMAN, ("%(n)s day", "%(n)s days"), ("%(n)s Tag",), "1 plural forms of 2"),
        (GERMAN, ("%(n)s day", "%(n)s days"), ("%(n)s Tag", ""), "not translated"),
        (
            LANGUAGES["fr"],
            ("%(n)s day", "%(n)s days"),
            ("un jour", "%(n)s jours"),
            "other placeholders or tags in form 0",
        ),
        (ARABIC, ("%(n)s d", "%(n)s d"), ("0", "1", "2", "%(n)s", "%(n)s", "%(n)s"), ""),
        (
            ARABIC,
            ("%(n)s d", "%(n)s d"),
            ("0", "1", "2", "3", "%(n)s", "%(n)s"),
            "other placeholders or tags in form 3",
        ),
    ],
)
def test_a_translation_says_what_its_message_says(
    spoken: Language, message: str | tuple[str, str], string: str | tuple[str, ...], fault: str
) -> None:
    found = [*catalogues.faults_of_message(Message(message, string), spoken)]
    assert [words.startswith(fault) for words in found] == [True] * bool(fault)


def test_a_translation_that_a_program_guessed_is_none() -> None:
    message = Message("Send", "Senden", flags=["fuzzy"])
    assert [*catalogues.faults_of_message(message, GERMAN)] == ["fuzzy"]


def test_messages_are_found_in_python_templates_and_scripts(tmp_path: Path) -> None:
    found = {str(path): messages for path, messages in catalogues.read_sources().items()}
    assert ("%(n)s time in %(of)s", "%(n)s times in %(of)s") in found["protocol/sotto_protocol/words.py"]
    assert any("lasting answer" in message for message in found["protocol/sotto_protocol/mechanisms/warner.py"])
    assert any(path.endswith(".html") for path in found)
    assert any(path.startswith("client/js/form/") for path in found)
