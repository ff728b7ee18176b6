"""What the user of a program said about its measures, and how far these are: two small JSON files, mode 0600.

They are apart, so that nobody who notes how far they are can overwrite what the user says meanwhile.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from sotto_client.errors import StateError

SWITCHES = ("SOTTOVOCE_OFF", "DO_NOT_TRACK")
"""Variables that switch all measures off, if they say anything but no."""
_NO = ("", "0", "false", "no")


@dataclass(frozen=True, slots=True)
class Consent:
    """What the user said of one version of a survey; None before they did."""

    fingerprint: str
    agreed: bool | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """`wave`: the last one with nothing left to do, 0 before any. `tried_at`: seconds since 1970, 0 if not since."""

    fingerprint: str
    wave: int = 0
    tried_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Deleted:
    """The receipts of reports that were deleted while they waited."""

    fingerprint: str
    receipts: tuple[str, ...] = ()


def is_switched_off(environment: Mapping[str, str] | None = None) -> bool:
    """Return whether a variable of the environment switches all measures off.

    >>> is_switched_off({"DO_NOT_TRACK": "1"}), is_switched_off({"DO_NOT_TRACK": "0"}), is_switched_off({})
    (True, False, False)
    """
    said = os.environ if environment is None else environment
    return any(said.get(name, "").strip().lower() not in _NO for name in SWITCHES)


def read_consent(path: Path, fingerprint: str) -> Consent:
    """Return what was said of this version: nothing where the file is missing, damaged, or about another version."""
    with suppress(OSError, ValueError, TypeError):
        found = Consent(**json.loads(path.read_text("utf-8")))
        if found.fingerprint == fingerprint and type(found.agreed) is bool:
            return found
    return Consent(fingerprint)


def read_progress(path: Path, fingerprint: str) -> Progress:
    """Return how far the measures of this version are, the beginning where nothing readable says so."""
    with suppress(OSError, ValueError, TypeError):
        found = Progress(**json.loads(path.read_text("utf-8")))
        if found.fingerprint == fingerprint and type(found.wave) is int and isinstance(found.tried_at, int | float):
            return found
    return Progress(fingerprint)


def read_deleted(path: Path, fingerprint: str) -> Deleted:
    """Return which reports of this version were deleted, none where nothing readable says so."""
    with suppress(OSError, ValueError, TypeError):
        found = Deleted(**json.loads(path.read_text("utf-8")))
        if found.fingerprint == fingerprint and isinstance(found.receipts, list):
            return Deleted(fingerprint, tuple(map(str, found.receipts)))
    return Deleted(fingerprint)


def write(path: Path, said: Consent | Progress | Deleted) -> None:
    """Replace the file, all of it or nothing. Raises StateError."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, fresh = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(asdict(said), file)
                file.flush()
                os.fsync(file.fileno())
            Path(fresh).replace(path)
            _sync(path.parent)
        finally:
            Path(fresh).unlink(missing_ok=True)
    except OSError as fault:
        raise StateError(f"{path} cannot be written ({fault.strerror}).") from fault


def _sync(folder: Path) -> None:
    """Let a folder's names be on the disk: else an "off" could be gone after a power cut."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
