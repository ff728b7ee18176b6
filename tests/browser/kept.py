"""What a browser has written to the disk: its files as they stand and unpacked, and the forms among them."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lz4.block

_PACKED = b"mozLz40\0"
_SESSION = re.compile(rb"^state=([A-Za-z0-9+/=]+)$", re.MULTILINE)
_SIGNATURES = ("Blink serialized form state version", "WebKit serialized form state version")
_STATE_CHARS = 2000
"""How much of a form's state is returned: the names, types and values of some fields."""


def read_folder(folder: Path, *, since_s: float = 0) -> dict[str, bytes]:
    """Return what every file below a folder holds, by path; what is packed also unpacked, under a path of its own.

    `since_s`: leave out files that were not written since then, in seconds since 1970.
    """
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.is_symlink() or _written_s(path) < since_s:
            continue
        name, content = str(path.relative_to(folder)), _read(path)
        found[name] = content
        if content.startswith(_PACKED) and path.suffix != ".tmp":  # one that is being written
            found[f"{name} unpacked"] = lz4.block.decompress(content.removeprefix(_PACKED))
        for number, state in enumerate(_SESSION.findall(content) if name == "session" else ()):
            found[f"{name} {number} unpacked"] = base64.b64decode(state)
    return found


def _written_s(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0  # a browser that runs has taken it away


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""  # a browser that runs has taken it away


def form_states(files: dict[str, bytes]) -> list[str]:
    """Return the states of pages' fields that stand in files, as text: Firefox's, Chromium's and WebKit's."""
    return [state for name, content in files.items() for state in (*_of_firefox(name, content), *_of_others(content))]


def _of_firefox(name: str, content: bytes) -> Iterator[str]:
    if name.endswith("unpacked") and b'"formdata"' in content:
        yield from (json.dumps(state) for state in _members(json.loads(content), "formdata") if set(state) - {"url"})


def _members(part: Any, name: str) -> Iterator[Any]:
    """Give every member of a name in a part of a JSON document."""
    if isinstance(part, dict):
        yield from ([part[name]] if name in part else [])
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _members(each, name)


def _of_others(content: bytes) -> Iterator[str]:
    for signature in _SIGNATURES:
        for encoding in ("latin-1", "utf-16-le"):
            for state in content.split(signature.encode(encoding))[1:]:
                yield state[: 2 * _STATE_CHARS].decode(encoding, "replace")[:_STATE_CHARS]
