"""A survey file with other epsilons in it: its author's order and comments stay, or it is not touched at all."""

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from sotto_estimator.errors import SourceError
from sotto_protocol import SurveyError
from sotto_protocol.definition import read_document
from sotto_protocol.documents import decimal_text

_EPSILON = re.compile(r'"epsilon"\s*:\s*(?P<value>[-+.\deE]+)')
_DRAW = re.compile(r'"draw"\s*:\s*(?P<value>\d+)\s*,\s*')
_PLACE_OF_DRAW = re.compile(r'(?P<blank>\s*)"questions"\s*:')
"""Members of a JSON text: `draw` with all that goes with it, and where it is put in."""


def write_document(path: Path, document: Mapping[str, Any]) -> None:
    """Put a document's epsilons and `draw` into the file that it was read from, in one step.

    Raises SourceError, and leaves the file as it is, where its text cannot be changed so that it says just that.
    """
    is_json = path.suffix == ".json"
    try:
        real = path.resolve(strict=True)
        text = real.read_bytes().decode("utf-8")
        read_document(text.encode("utf-8"), is_json=is_json)  # somebody may have made another thing of it meanwhile
        edited = (_edit_json if is_json else _edit_toml)(text, document).encode("utf-8")
        if read_document(edited, is_json=is_json) != document:
            raise ValueError("another document")
        _replace(real, edited)
    except OSError as fault:
        raise SourceError(f"{path}: {fault.strerror}.") from fault
    except (SurveyError, ValueError, LookupError, TypeError) as fault:
        raise SourceError(
            f"{path} was not changed: its epsilons cannot be changed there without changing something else. "
            "Write the planned epsilons into it by hand."
        ) from fault


def _edit_toml(text: str, document: Mapping[str, Any]) -> str:
    import tomlkit  # not on top: whoever writes no file needs none of it

    edited, draw = tomlkit.parse(text), document.get("draw")
    for name in _lists(document):
        for table, of in zip(edited[name], document[name], strict=True):
            if "epsilon" in of:
                table["epsilon"] = tomlkit.value(decimal_text(Decimal(of["epsilon"])))
    if draw is None:
        edited.pop("draw", None)
    elif "draw" in edited:
        edited["draw"] = draw
    else:  # on the line before the title; what is appended would stand between a table and the comments above it
        title: Any = edited["title"]
        title.trivia.indent = f"draw = {draw}\n{title.trivia.indent}"
    return tomlkit.dumps(edited)


def _lists(document: Mapping[str, Any]) -> list[str]:
    """Return the lists of a survey file whose tables have epsilons, in the file's order."""
    return [name for name in document if name in ("questions", "together") and isinstance(document[name], list)]


def _edit_json(text: str, document: Mapping[str, Any]) -> str:
    parts, done = [], 0
    values = [one["epsilon"] for name in _lists(document) for one in document[name] if "epsilon" in one]
    for match, value in zip(_EPSILON.finditer(text), values, strict=True):
        parts.append(text[done : match.start()] + _put(match[0], _EPSILON, value))
        done = match.end()
    return _put_draw("".join(parts) + text[done:], document.get("draw"))


def _put(text: str, member: re.Pattern[str], value: Any) -> str:
    """Return a text with another value of its first such member; as it is where it has none."""
    match = member.search(text)
    if match is None:
        return text
    return text[: match.start("value")] + decimal_text(Decimal(value)) + text[match.end("value") :]


def _put_draw(text: str, draw: int | None) -> str:
    """Return a text that says how many questions are drawn; without the member where all are."""
    there = _DRAW.search(text)
    if there and draw is None:
        return text[: there.start()] + text[there.end() :]
    if there or draw is None:
        return _put(text, _DRAW, draw)
    place = _PLACE_OF_DRAW.search(text)
    if place is None:
        raise ValueError("no place for draw")
    return text[: place.end("blank")] + f'"draw": {draw},' + place["blank"] + text[place.end("blank") :]


def _replace(path: Path, content: bytes) -> None:
    """Write a file beside this one, and put it in its place: whoever looks sees the old one or the new one, whole."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, name)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
