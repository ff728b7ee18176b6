"""An archive's manifest on disk: no other file counts but those that it lists."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

from sotto_collector.durable_files import write_durably
from sotto_collector.errors import ArchiveError
from sotto_protocol import SottoError
from sotto_protocol.archive import DIGEST, MANIFEST, Manifest


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write it durably, in place of the one before."""
    write_durably(folder / MANIFEST, manifest.to_json())


def read_manifest(folder: Path) -> Manifest:
    """Read an archive's manifest, strictly. Raises ArchiveError."""
    path = folder / MANIFEST
    try:
        return Manifest.from_json(path.read_bytes())
    except OSError as fault:
        raise ArchiveError(f"{folder} must be an archive, but {path.name} cannot be read: {fault.strerror}.") from fault
    except SottoError as fault:
        raise ArchiveError(f"{path} is not an archive's manifest: {fault}") from fault


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
