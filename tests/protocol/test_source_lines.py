"""The line of every member of a survey file is found, however it is written, and held against what tomllib reads."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sotto_protocol.source_lines import SourceLines

DOCS = Path(__file__).parents[2]
KEYS = st.sampled_from(["id", "text", "options", "a b", "é", "x-1", "en", "q#"])
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-9, 99),
    st.sampled_from(["", "a", 'say "x"', "# no comment", "[no] = table", "a\nb", "it's", "}{", "\\"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=6,
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=4)
LISTED = st.lists(st.dictionaries(KEYS, VALUES, max_size=3), min_size=1, max_size=3)


class Writer:
    """Writes TOML in whatever way is drawn, and notes the line of every member."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.text = ""
        self.lines: dict[str, int] = {}

    def say(self, text: str) -> None:
        self.text += text

    def note(self, path: str) -> None:
        self.lines.setdefault(path, self.text.count("\n") + 1)

    def gap(self) -> None:
        self.say(self.draw(st.sampled_from(["", "\n", "  ", "# [[x]] = 'y\n", "\r\n"])))

    def key(self, key: str) -> None:
        literal = "'" not in key and self.draw(st.booleans())
        plain = key.isascii() and key.replace("-", "").isalnum()
        self.say(key if plain else f"'{key}'" if literal else json.dumps(key, ensure_ascii=False))

    def table(self, document: dict[str, Any], path: str) -> None:
        for key, value in document.items():
            self.gap()
            self.note(f"{path}.{key}")
            self.key(key)
            if isinstance(value, dict) and value and self.draw(st.booleans()):
                self.dotted(value, f"{path}.{key}", key)
            else:
                self.say(self.draw(st.sampled_from([" = ", "=", " =\t"])))
                self.value(value, f"{path}.{key}")
            self.say("\n")

    def dotted(self, value: dict[str, Any], path: str, name: str) -> None:
        for place, (key, inner) in enumerate(value.items()):
            if place:
                self.say("\n")
                self.key(name)
            self.note(f"{path}.{key}")
            self.say(" . ")
            self.key(key)
            self.say(" = ")
            self.value(inner, f"{path}.{key}")

    def value(self, value: Any, path: str) -> None:
        match value:
            case dict():
                self.say("{")
                for place, (key, inner) in enumerate(value.items()):
                    self.say(", " if place else " ")
                    self.note(f"{path}.{key}")
                    self.key(key)
                    self.say(" = ")
                    self.value(inner, f"{path}.{key}")
                self.say(" }")
            case list():
                self.say("[")
                for place, inner in enumerate(value):
                    self.say("," if place else "")
                    is_inline = path.count("{")
                    self.say("" if is_inline else self.draw(st.sampled_from(["", " ", "\n", " # ],\n"])))
                    self.note(f"{path}[{place}]")
                    self.value(inner, f"{path}[{place}]")
                self.say("]")
            case str():
                self.string(value)
            case _:
                self.say(json.dumps(value))

    def string(self, text: str) -> None:
        if self.draw(st.booleans()) and not text.endswith(('"', "\\")) and '"""' not in text and "\\" not in text:
            self.say(f'"""\n{text}"""')
        elif "'" not in text and "\n" not in text and self.draw(st.booleans()):
            self.say(f"'{text}'")
        else:
            self.say(json.dumps(text, ensure_ascii=False))


@st.composite
def written(draw: st.DrawFn) -> tuple[str, dict[str, int], Any]:
    """Draw a TOML file, the line of each of its members, and what it says."""
    writer, head, listed = Writer(draw), draw(DOCUMENTS), draw(LISTED)
    writer.table(head, "$")
    writer.note("$.questions")
    for place, table in enumerate(listed):
        writer.say("\n")
        if place == 0:
            writer.lines["$.questions"] = writer.text.count("\n") + 1
        writer.note(f"$.questions[{place}]")
        writer.say(draw(st.sampled_from(["[[questions]]\n", '[[ "questions" ]] # x\n'])))
        writer.table(table, f"$.questions[{place}]")
    return writer.text, writer.lines, head | {"questions": listed}


@given(written())
def test_every_member_of_a_toml_file_is_found_on_its_line_and_nothing_else(
    drawn: tuple[str, dict[str, int], Any],
) -> None:
    text, lines, document = drawn
    assert tomllib.loads(text) == document
    found = SourceLines(text, is_json=False)
    assert {path: found.line_of(path) for path in found.places} == lines
    assert found.twice == {}


@given(DOCUMENTS, st.sampled_from([None, 0, 2]))
def test_every_member_of_a_json_file_is_found(document: Any, indent: int | None) -> None:
    text = json.dumps(document, indent=indent)
    assert set(SourceLines(text, is_json=True).places) == paths_of(document, "$")


def paths_of(value: Any, path: str) -> set[str]:
    items: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        items = [(f"{path}.{key}", inner) for key, inner in value.items()]
    if isinstance(value, list):
        items = [(f"{path}[{place}]", inner) for place, inner in enumerate(value)]
    return {found for inner, below in items for found in {inner} | paths_of(below, inner)}


@pytest.mark.parametrize("path", ["pyproject.toml", "author/sotto_author/templates/staff.toml"])
def test_the_files_of_this_repository_are_read_from_end_to_end(path: str) -> None:
    text = (DOCS / path).read_text()
    assert set(SourceLines(text, is_json=False).places) >= paths_of(tomllib.loads(text), "$")


@given(st.one_of(st.text(), st.text("[]{}=\"'\n.,#ae0-:")), st.booleans())
def test_no_text_is_too_strange(text: str, is_json: bool) -> None:
    assert SourceLines(text, is_json=is_json).line_of("$.questions[7].epsilon") is None or text


@pytest.mark.parametrize("is_json", [True, False])
def test_deep_text_ends_the_reading(is_json: bool) -> None:
    text = '{"a":' + "[" * 100_000 if is_json else "a = " + "[" * 100_000
    assert SourceLines(text, is_json=is_json).line_of("$.a") == 1


def test_what_is_missing_has_the_line_of_what_it_is_missing_in() -> None:
    found = SourceLines('id = "a"\n\n[[questions]]\nid = "q"\n[[questions]]\nid = "r"\n', is_json=False)
    assert [found.line_of(f"$.questions[{place}].text") for place in (0, 1, 2)] == [3, 5, 3]
    assert (found.line_of("$.title"), found.line_of("$")) == (None, None)
