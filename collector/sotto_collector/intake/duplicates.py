"""Where a member stands twice in a JSON document: the slow, exact search behind intake's fast count of colons."""

import json
from collections.abc import Iterator
from typing import Any


class _Members(list[tuple[str, Any]]):
    """An object's members, all of them, in order."""


def find_duplicate_key(body: bytes) -> str | None:
    """Return the JSON path of the first member that stands twice; `$` where the document is nested too deeply.

    >>> find_duplicate_key(b'{"reports": [{"id": "x"}, {"id": "y", "id": "z"}]}')
    '$.reports[1].id'
    """
    try:
        document = json.loads(body, object_pairs_hook=_Members)
        return next(_walk(document, "$"), None)
    except (ValueError, RecursionError):
        return "$"


def _walk(value: Any, path: str) -> Iterator[str]:
    """Yield the paths of second members, outermost first: the decoder did not check what lies below."""
    if isinstance(value, _Members):
        names = [name for name, _ in value]
        yield from (f"{path}.{name}" for index, name in enumerate(names) if name in names[:index])
        for name, member in value:
            yield from _walk(member, f"{path}.{name}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, f"{path}[{index}]")
