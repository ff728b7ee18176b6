"""An archive's manifest where its files are: no other file counts but those that it lists."""

import hashlib

from sotto_collector.archive.folders import Folder
from sotto_collector.errors import ArchiveError
from sotto_protocol import SottoError
from sotto_protocol.archive import DIGEST, MANIFEST, Manifest


def write_manifest(manifest: Manifest, folder: Folder) -> None:
    """Write it durably, in place of the one before."""
    folder.write(MANIFEST, manifest.to_json())


def read_manifest(folder: Folder) -> Manifest:
    """Read an archive's manifest, strictly. Raises ArchiveError."""
    try:
        with folder.open(MANIFEST) as source:
            return Manifest.from_json(source.read())
    except OSError as fault:
        raise ArchiveError(f"{folder} must be an archive, but {MANIFEST} cannot be read: {fault.strerror}.") from fault
    except SottoError as fault:
        raise ArchiveError(f"{folder.place(MANIFEST)} is not an archive's manifest: {fault}") from fault


def digest_of(content: bytes) -> str:
    """Return the digest that a manifest has of a file."""
    return hashlib.new(DIGEST, content).hexdigest()
