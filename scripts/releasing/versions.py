"""The version: one place that says it, those that repeat it, and the section that the changelog has of it."""

import re
from datetime import date
from pathlib import Path

SOURCE = "protocol/sotto_protocol/__init__.py"
"""What says the version: pyproject.toml has the build read it from there, and all of Python does."""
PLACES = {
    SOURCE: r'^__version__ = "(.*)"$',
    "CITATION.cff": r"^version: (.*)$",
    "client/js/package.json": r'^  "version": "(.*)",$',
    "client/js/package-lock.json": r'"name": "sottovoce",\s+"version": "(.*)"',
    "client/js/src/version.js": r'^export const version = "(.*)";$',
    "client/js/types/src/version.d.ts": r'^export const version: "(.*)";$',
}
"""Where it stands, with a pattern whose one group it is: each place is of another language, none of which can ask."""
CHANGELOG = "CHANGELOG.md"
UNRELEASED = "## [Unreleased]\n"
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
"""What Python's and npm's versions have in common; their candidates are written differently."""
SECTION = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<day>\S+))?$", re.MULTILINE)


class ReleaseError(Exception):
    """Something does not agree, and nothing is released: the message says what, and where."""


def read_version(root: Path) -> str:
    """Return the version. Raises ReleaseError where two places differ, or one says none, with each that does."""
    said: dict[str, set[str]] = {}
    for name, pattern in PLACES.items():
        said[name] = {*re.findall(pattern, (root / name).read_text(), re.MULTILINE)}
    if len(said[SOURCE]) != 1:
        raise ReleaseError(f"{SOURCE} must say __version__ once.")
    [version] = said[SOURCE]
    others = [
        f"{name} says {' and '.join(sorted(found)) or 'none'}" for name, found in said.items() if found != {version}
    ]
    if others:
        raise ReleaseError(f"{SOURCE} says {version}, but {', '.join(others)}.")
    return version


def write_version(root: Path, version: str) -> None:
    """Have each place say this version."""
    for name, pattern in PLACES.items():
        path = root / name
        path.write_text(re.sub(pattern, lambda found: _instead(found, version), path.read_text(), flags=re.MULTILINE))


def _instead(found: re.Match[str], version: str) -> str:
    begin, end = (place - found.start() for place in found.span(1))
    return found[0][:begin] + version + found[0][end:]


def read_days(root: Path) -> dict[str, date | None]:
    """Return the versions that the changelog has a section of, newest first, with the day of each that has one."""
    days = {}
    for section in SECTION.finditer((root / CHANGELOG).read_text()):
        try:
            days[section["version"]] = date.fromisoformat(section["day"]) if section["day"] else None
        except ValueError:
            raise ReleaseError(f"{CHANGELOG}: {section[0]} must end in a day such as 2026-12-31.") from None
    return days


def check_new(root: Path, version: str) -> None:
    """Raise ReleaseError unless this is a version above all that the changelog has."""
    if not VERSION.fullmatch(version):
        raise ReleaseError(f"A version ({version}) must be three numbers such as 1.2.3.")
    for other in read_days(root):
        if VERSION.fullmatch(other) and _key(other) >= _key(version):
            raise ReleaseError(f"{CHANGELOG} has a section of {other}: {version} must be above it.")


def _key(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def cut_changelog(root: Path, version: str, day: date) -> None:
    """Give what is unreleased the version and the day. Raises ReleaseError if there is nothing."""
    path = root / CHANGELOG
    text = path.read_text()
    if not unreleased(text):
        raise ReleaseError(f"{CHANGELOG} has nothing below {UNRELEASED.strip()}: what does {version} change?")
    path.write_text(text.replace(UNRELEASED, f"{UNRELEASED}\n## [{version}] - {day}\n", 1))


def unreleased(changelog: str) -> str:
    """Return what a changelog says below Unreleased. Raises ReleaseError if it has no such section."""
    _, heading, after = changelog.partition(UNRELEASED)
    if not heading:
        raise ReleaseError(f"{CHANGELOG} must have a section {UNRELEASED.strip()}.")
    return re.split(r"^## ", after, maxsplit=1, flags=re.MULTILINE)[0].strip()


def check_tag(root: Path, tag: str) -> None:
    """Raise ReleaseError unless tag, packages and changelog agree: v1.2.3, 1.2.3, a dated section, nothing after it."""
    version = read_version(root)
    if tag != f"v{version}":
        raise ReleaseError(f"The tag {tag} is not of this version: {SOURCE} says {version}, so it must be v{version}.")
    if not read_days(root).get(version):
        raise ReleaseError(f"{CHANGELOG} has no section [{version}] with a day: scripts/release version {version}")
    if unreleased((root / CHANGELOG).read_text()):
        raise ReleaseError(f"{CHANGELOG} has changes below {UNRELEASED.strip()}, which {tag} would have.")
