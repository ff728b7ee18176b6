"""The manifest: which files an archive has, how many reports each holds, and their digests. No other file counts."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Any

from sotto_collector.durable_files import write_durably
from sotto_collector.errors import ArchiveError
from sotto_protocol import SottoError, Survey, SurveyError
from sotto_protocol.documents import Fields, canonical_json, load_json
from sotto_protocol.errors import LocatedError
from sotto_protocol.tally_document import MAX_REPORTS

FORMAT = "sottovoce-archive-1"
MANIFEST = "manifest.json"
MAX_PARTS = 4096  # as the store's; not imported from there, which would load all that a store needs
DIGEST = "sha512"  # where processors have no instructions for either, twice as fast as sha256, and half of a recount
_DIGITS = re.compile(r"[0-9a-f]{128}")


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """One file of an archive."""

    name: str
    n_reports: int
    digest: str


@dataclass
class Manifest:
    """The content of an archive: `parts[index]` are the files of a finished part, which may be none."""

    survey: Survey
    n_parts: int
    parts: dict[int, tuple[ArchiveFile, ...]] = field(default_factory=dict)

    @property
    def files(self) -> list[ArchiveFile]:
        """All files of finished parts."""
        return [file for index in sorted(self.parts) for file in self.parts[index]]

    @property
    def n_reports(self) -> int:
        """How many reports all files hold."""
        return sum(file.n_reports for file in self.files)

    @property
    def missing(self) -> list[int]:
        """The parts that are not finished."""
        return [index for index in range(self.n_parts) if index not in self.parts]

    def write(self, folder: Path) -> None:
        """Write it durably, in place of the one before."""
        document = {
            "format": FORMAT,
            "n_parts": self.n_parts,
            "parts": [
                {"files": [_file_document(file) for file in self.parts[index]], "part": index}
                for index in sorted(self.parts)
            ],
            "survey": load_json(self.survey.canonical, SurveyError),
        }
        write_durably(folder / MANIFEST, canonical_json(document))

    @staticmethod
    def read(folder: Path) -> "Manifest":
        """Read an archive's manifest, strictly. Raises ArchiveError."""
        path = folder / MANIFEST
        try:
            return _read_manifest(load_json(path.read_bytes(), _ManifestError))
        except OSError as fault:
            raise ArchiveError(f"{folder} must be an archive: {path.name}: {fault.strerror}.") from fault
        except SottoError as fault:
            raise ArchiveError(f"{path} is not an archive's manifest: {fault}") from fault


class _ManifestError(LocatedError):
    """A member of the manifest is not as it must be; becomes an ArchiveError, which names the file."""


def file_name(part: int, n_parts: int, number: int) -> str:
    """Return the name of a part's file; most parts have one, number 0."""
    return f"part-{part:04}-of-{n_parts:04}-{number}.parquet"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other exports out of a folder; the lock ends with the process. Raises ArchiveError where one is at work."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
        yield
    except BlockingIOError as fault:
        raise ArchiveError(f"{folder} is being written by another export.") from fault
    finally:
        os.close(descriptor)


def digest_of(content: bytes) -> str:
    """Return the digest that a manifest has of a file."""
    return hashlib.new(DIGEST, content).hexdigest()


def _file_document(file: ArchiveFile) -> dict[str, Any]:
    return {"file": file.name, "n_reports": file.n_reports, DIGEST: file.digest}


def _read_manifest(document: Any) -> Manifest:
    fields = Fields(document, "$", _ManifestError)
    fields.one_of("format", [FORMAT])
    n_parts = fields.integer("n_parts", 1, MAX_PARTS)
    stated = fields.take("survey", "an object", lambda v: isinstance(v, dict))
    survey = Survey.from_canonical(canonical_json(stated))
    listed = fields.take("parts", "a list", lambda v: isinstance(v, list))
    fields.finish()
    parts = dict(_read_part(part, n_parts, f"$.parts[{place}]") for place, part in enumerate(listed))
    if len(parts) < len(listed):
        raise _ManifestError("$.parts", "must not have a part twice.")
    return Manifest(survey, n_parts, parts)


def _read_part(document: Any, n_parts: int, where: str) -> tuple[int, tuple[ArchiveFile, ...]]:
    fields = Fields(document, where, _ManifestError)
    index = fields.integer("part", 0, n_parts - 1)
    listed = fields.take("files", "a list", lambda v: isinstance(v, list))
    fields.finish()
    files = [
        _read_file(file, file_name(index, n_parts, number), f"{where}.files[{number}]")
        for number, file in enumerate(listed)
    ]
    return index, tuple(files)


def _read_file(document: Any, name: str, where: str) -> ArchiveFile:
    fields = Fields(document, where, _ManifestError)
    fields.one_of("file", [name])
    n_reports = fields.integer("n_reports", 1, MAX_REPORTS)
    digest = fields.take(
        DIGEST, "128 hexadecimal digits", lambda v: isinstance(v, str) and _DIGITS.fullmatch(v) is not None
    )
    fields.finish()
    return ArchiveFile(name, n_reports, digest)
