"""A survey file with other epsilons in it: its author's order and comments stay, or it is not touched at all."""

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from sotto_estimator.errors import SourceError
from sotto_protocol import SurveyError
from sotto_protocol.definition import read_document
from sotto_protocol.documents import decimal_text


class _Syntax(NamedTuple):
    """How members stand in a text: `draw` with all that goes with it, and where and how it is put in."""

    epsilon: re.Pattern[str]
    draw: re.Pattern[str]
    place_of_draw: re.Pattern[str]
    draw_as: str


_TABLE = re.compile(r"^[ \t]*\[\[[ \t]*questions[ \t]*\]\]", re.MULTILINE)
_TOML = _Syntax(
    re.compile(r"^[ \t]*epsilon[ \t]*=[ \t]*(?P<value>[^\s#]+)", re.MULTILINE),
    re.compile(r"^[ \t]*draw[ \t]*=[ \t]*(?P<value>\d+)[^\n]*\n", re.MULTILINE),
    re.compile(r"^(?P<blank>)[ \t]*title[ \t]*=", re.MULTILINE),
    "draw = {}\n",
)
_JSON = _Syntax(
    re.compile(r'"epsilon"\s*:\s*(?P<value>[-+.\deE]+)'),
    re.compile(r'"draw"\s*:\s*(?P<value>\d+)\s*,\s*'),
    re.compile(r'(?P<blank>\s*)"questions"\s*:'),
    '"draw": {},',
)


def write_document(path: Path, document: Mapping[str, Any]) -> None:
    """Put a document's epsilons and `draw` into the file that it was read from, in one step.

    Raises SourceError, and leaves the file as it is, where its text cannot be changed so that it says just that.
    """
    is_json = path.suffix == ".json"
    try:
        real = path.resolve(strict=True)
        text = real.read_bytes().decode("utf-8")
        edited = (_edit_json if is_json else _edit_toml)(text, document).encode("utf-8")
        if read_document(edited, is_json=is_json) != document:
            raise ValueError("another document")
        _replace(real, edited)
    except OSError as fault:
        raise SourceError(f"{path}: {fault.strerror}.") from fault
    except (SurveyError, ValueError) as fault:
        raise SourceError(
            f"{path} is left as it is: its epsilons are not written one a line, where they could be changed and "
            "nothing else; put in by hand what is planned."
        ) from fault


def _edit_toml(text: str, document: Mapping[str, Any]) -> str:
    starts = [match.start() for match in _TABLE.finditer(text)]
    ends = [*starts[1:], len(text)]
    head = _put_draw(text[: starts[0]] if starts else text, document.get("draw"), _TOML)
    tables = zip(starts, ends, document["questions"], strict=True)
    return head + "".join(_put(text[start:end], _TOML.epsilon, of.get("epsilon")) for start, end, of in tables)


def _edit_json(text: str, document: Mapping[str, Any]) -> str:
    parts, done = [], 0
    values = [question["epsilon"] for question in document["questions"] if "epsilon" in question]
    for match, value in zip(_JSON.epsilon.finditer(text), values, strict=True):
        parts.append(text[done : match.start()] + _put(match[0], _JSON.epsilon, value))
        done = match.end()
    return _put_draw("".join(parts) + text[done:], document.get("draw"), _JSON)


def _put(text: str, member: re.Pattern[str], value: Any) -> str:
    """Return a text with another value of its first such member; as it is where it has none, or there is no value."""
    match = member.search(text)
    if match is None or value is None:
        return text
    return text[: match.start("value")] + decimal_text(Decimal(value)) + text[match.end("value") :]


def _put_draw(text: str, draw: int | None, syntax: _Syntax) -> str:
    """Return a text that says how many questions are drawn; without the member where all are."""
    there = syntax.draw.search(text)
    if there and draw is None:
        return text[: there.start()] + text[there.end() :]
    if there or draw is None:
        return _put(text, syntax.draw, draw)
    place = syntax.place_of_draw.search(text)
    if place is None:
        raise ValueError("no place for draw")
    return text[: place.end("blank")] + syntax.draw_as.format(draw) + place["blank"] + text[place.end("blank") :]


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
