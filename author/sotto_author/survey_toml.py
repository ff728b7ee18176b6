"""A survey definition as the TOML that an author would write, and its file."""

import json
import os
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sotto_author.errors import AuthorError
from sotto_protocol.documents import decimal_text, is_text
from sotto_protocol.file_endings import check_ending

_NOTE_COLUMN = 24
_NO_NOTES: Mapping[str, str] = MappingProxyType({})


def to_toml(
    definition: Mapping[str, Any],
    comments: Sequence[str] = (),
    *,
    notes: Mapping[str, str] = _NO_NOTES,
    head: Sequence[str] = (),
) -> str:
    """Return the TOML of a definition whose texts hold no control character.

    `comments` stand above the questions, `notes` behind the survey's members, by name, `head` above all.

    >>> definition = {"id": "a", "title": "A", "questions": [{"id": "b", "epsilon": Decimal("1.50")}]}
    >>> print(to_toml(definition, ["of c"], notes={"id": "its address"}, head=["new"]))
    # new
    <BLANKLINE>
    id = "a"                # its address
    title = "A"
    <BLANKLINE>
    # of c
    [[questions]]
    id = "b"
    epsilon = 1.5
    <BLANKLINE>
    """
    lines = [*(f"# {line}" for line in head), *[""] * bool(head)]
    of_survey = {name: value for name, value in definition.items() if name != "questions"}
    lines += [_noted(_member(name, value), notes.get(name)) for name, value in of_survey.items()]
    for index, question in enumerate(definition["questions"]):
        comment = comments[index] if index < len(comments) else ""
        lines += ["", *([f"# {comment}"] if is_text(comment, 1000) else []), "[[questions]]"]
        lines += [_member(name, value) for name, value in question.items()]
    return "\n".join(lines) + "\n"


def check_new(path: Path) -> None:
    """Raise AuthorError where no file can be made, before what is to stand in it is asked for."""
    check_ending("survey file", path, ".toml", error=AuthorError)
    if os.path.lexists(path):
        raise AuthorError(f"survey file ({path}) must be a new file.")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise AuthorError(f"survey file ({path}) must be in a folder that is there, and can be written to.")


def write_new(path: Path, text: str) -> None:
    """Write a survey file. Raises AuthorError unless it is a new one."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as fault:
        raise AuthorError(f"survey file ({path}) must be a new file: {fault.strerror}.") from fault


def _noted(line: str, note: str | None) -> str:
    return line if note is None else f"{line:<{_NOTE_COLUMN - 1}} # {note}"


def _member(name: str, value: Any) -> str:
    if isinstance(value, Mapping):  # texts by language
        return "\n".join(f"{name}.{tag} = {_value(text)}" for tag, text in value.items())
    return f"{name} = {_value(value)}"


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | Decimal():
            return decimal_text(Decimal(value))
        case str():
            return json.dumps(value, ensure_ascii=False)  # the escapes that it needs are TOML's too
    return "[" + ", ".join(map(_value, value)) + "]"
