"""Wheel, source distribution and npm package: built twice, far apart, and the same to the byte or not at all."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path

from versions import ReleaseError, read_days, read_version

UNDATED = date(2020, 2, 2)
"""The day of what is built without being released: hatchling's own."""


@dataclass(frozen=True)
class Circumstances:
    """What no build may depend on."""

    folder: str
    umask: int
    environment: dict[str, str]
    is_reversed: bool  # the order in which its files come to be
    modified: float  # of each of them, in seconds of Unix


HERE = Circumstances("a", 0o022, {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}, False, 1.0e9)
ELSEWHERE = Circumstances(
    "another/place, far away", 0o077, {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "2"}, True, 1.7e9
)


def day_of(root: Path) -> date:
    """Return the day of this version in the changelog, which all that is built bears, or hatchling's if it has none."""
    return read_days(root).get(read_version(root)) or UNDATED


def epoch_of(root: Path) -> int:
    """Return that day's beginning as SOURCE_DATE_EPOCH."""
    return int(datetime.combine(day_of(root), time(), UTC).timestamp())


def tracked(root: Path) -> list[str]:
    """Return the files that git keeps: what is built is of these alone."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (root / name).exists()]


def build_twice(root: Path, python: Path, target: Path) -> list[Path]:
    """Build wheel, source distribution and npm package of a checkout into a folder; return their paths.

    `python` has hatchling. Raises ReleaseError where one has other bytes when it is built under other circumstances.
    """
    with tempfile.TemporaryDirectory() as folder:
        here, elsewhere = (build_under(root, python, Path(folder), seen) for seen in (HERE, ELSEWHERE))
        check_same(here, elsewhere)
        target.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.copyfile(path, target / path.name)) for path in here]


def check_same(paths: Sequence[Path], again: Sequence[Path]) -> None:
    """Raise ReleaseError unless these files and those are the same, by name and byte."""
    if [path.name for path in paths] != [path.name for path in again]:
        raise ReleaseError(f"{', '.join(path.name for path in (*paths, *again))}: built twice, they differ in name.")
    for path, other in zip(paths, again, strict=True):
        if path.read_bytes() != other.read_bytes():
            raise ReleaseError(f"{path.name} has other bytes when it is built again: {path} and {other}")


def build_under(root: Path, python: Path, folder: Path, circumstances: Circumstances) -> list[Path]:
    """Build a copy of a checkout under these circumstances; return what came of it, by name."""
    source, made = folder / circumstances.folder / "source", folder / circumstances.folder / "made"
    home = folder / circumstances.folder / "home"
    for new in (source, made, home):
        new.mkdir(parents=True)
    copy(root, source, circumstances)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "SOURCE_DATE_EPOCH": str(epoch_of(root)),
        **circumstances.environment,
    }
    npm = ["npm", "pack", "--ignore-scripts", "--offline", "--no-update-notifier", "--loglevel=error"]
    for command, where in (
        ([str(python), "-m", "hatchling", "build", "--directory", str(made)], source),
        ([*npm, "--pack-destination", str(made)], source / "client" / "js"),
    ):
        ended = subprocess.run(
            command, cwd=where, env=environment, umask=circumstances.umask, capture_output=True, text=True, timeout=600
        )
        if ended.returncode:
            raise ReleaseError(f"{' '.join(command)} failed:\n{ended.stderr}")
    return sorted(made.iterdir())


def copy(root: Path, target: Path, circumstances: Circumstances) -> None:
    """Copy what git keeps of a checkout: bytes, and whether it may be run. npm packs the modes that it finds."""
    for name in sorted(tracked(root), reverse=circumstances.is_reversed):
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, path)
        is_program = os.access(root / name, os.X_OK)
        path.chmod(0o755 if is_program else 0o644)
        os.utime(path, (circumstances.modified, circumstances.modified))
