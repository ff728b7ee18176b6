"""The names that are hoped for until somebody owns them: one place that says each, and those that repeat it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from versions import ReleaseError


@dataclass(frozen=True)
class Name:
    """Where a name is said, by a file and a pattern with one group. `places`: around it, in every file; `{}` is it."""

    source: str
    pattern: str
    expected: str
    places: tuple[str, ...]


NAMES = {
    "pypi": Name(
        "pyproject.toml",
        r'^name = "(.+)"$',
        r"[a-z0-9]+(-[a-z0-9]+)*",
        (
            r'^(?:name|DISTRIBUTION) = "{}"',
            r"(?<![\w./@-]){}\\?\[",  # with an extra
            r"\b{}-1\.2\.3(?:-py3|\.tar)",
            r"^\| PyPI \| `{}`",
            r"^\| `{}`: a respondent's device",
        ),
    ),
    "npm": Name(
        "client/js/package.json",
        r'^  "name": "(.+)",$',
        r"[a-z0-9]+(-[a-z0-9]+)*",
        (
            r'^ +"name": "{}",',
            r'"name": "{}",\\s',  # versions.py
            r"""\b(?:from|import) ["']{}["'/]""",
            r'^ +"{}(?:/\w+)?": "',  # import maps
            r"\b{}-1\.2\.3\.tgz",
            r"\binstall `{}`",
            r"^\| npm \| `{}`",
        ),
    ),
    "github": Name(
        "pyproject.toml",
        r'^Homepage = "https://github\.com/(.+)"$',
        r"[\w-]+/[\w.-]+",
        (r"\bgithub\.com/{}(?![\w-])", r"\bgithubusercontent\.com/{}(?![\w-])", r"^\| GitHub \| `{}`"),
    ),
}
"""At PyPI, at npm, and of the repository at GitHub."""
MAX_LINE = 1000
"""Characters of a line that somebody wrote. Longer ones are made of others."""
_ASKED = re.compile(r"pip\s+install\s+'(?![./])([\w.-]+)\\?\[")


def read_name(root: Path, index: str) -> str:
    """Return the name at an index of packages, from the one place that says it."""
    name = NAMES[index]
    found: list[str] = re.findall(name.pattern, (root / name.source).read_text(), re.MULTILINE)
    if len(found) != 1:
        raise ReleaseError(f"{name.source} must say the name at {index} once.")
    return found[0]


def rename(text: str, index: str, old: str, new: str) -> str:
    """Return a text with another name at an index, wherever the old one is meant by its surroundings, line by line."""
    patterns = [re.compile(place.replace("{}", f"({re.escape(old)})")) for place in NAMES[index].places]
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if old in line and len(line) < MAX_LINE:
            for pattern in patterns:
                line = pattern.sub(lambda found: _instead(found, new), line)
            lines[number] = line
    return "".join(lines)


def _instead(found: re.Match[str], new: str) -> str:
    begin, end = (place - found.start() for place in found.span(1))
    return found[0][:begin] + new + found[0][end:]


def set_name(root: Path, paths: Iterable[str], index: str, new: str) -> list[str]:
    """Write another name at an index into each of these files, and return those that changed."""
    if not re.fullmatch(NAMES[index].expected, new):
        raise ReleaseError(f"The name at {index} ({new}) must match {NAMES[index].expected}.")
    old, changed = read_name(root, index), []
    for path, text in texts(root, paths):
        if (after := rename(text, index, old, new)) != text:
            (root / path).write_text(after, encoding="utf-8", newline="")
            changed.append(path)
    return changed


def texts(root: Path, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the files that are text, and no bundle, which is made of others."""
    for path in paths:
        if not path.endswith(".min.js"):
            try:
                yield path, (root / path).read_bytes().decode()
            except UnicodeDecodeError:
                continue


def others(root: Path, paths: Iterable[str]) -> list[str]:
    """Return where a text says to install another distribution than ours with an extra."""
    ours = read_name(root, "pypi")
    return [
        f"{path} says {found}" for path, text in texts(root, paths) for found in _ASKED.findall(text) if found != ours
    ]
