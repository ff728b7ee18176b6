"""A survey definition as the TOML that an author would write."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from sotto_protocol.documents import decimal_text, is_text


def to_toml(definition: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """Return the TOML of a definition whose texts hold no control character; `comments` are the questions'.

    >>> print(to_toml({"id": "a", "title": "A", "questions": [{"id": "b", "epsilon": Decimal("1.50")}]}, ["of c"]))
    id = "a"
    title = "A"
    <BLANKLINE>
    # of c
    [[questions]]
    id = "b"
    epsilon = 1.5
    <BLANKLINE>
    """
    lines = [_member(name, value) for name, value in definition.items() if name != "questions"]
    for index, question in enumerate(definition["questions"]):
        comment = comments[index] if index < len(comments) else ""
        lines += ["", *([f"# {comment}"] if is_text(comment, 1000) else []), "[[questions]]"]
        lines += [_member(name, value) for name, value in question.items()]
    return "\n".join(lines) + "\n"


def _member(name: str, value: Any) -> str:
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
