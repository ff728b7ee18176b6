"""Files that are there completely or not at all, even after a power failure."""

import os
from pathlib import Path

TEMPORARY = ".tmp"


def write_durably(path: Path, content: bytes) -> None:
    """Write a file so that it is there completely or not at all, even after a power failure."""
    temporary = path.with_name(path.name + TEMPORARY)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Write a folder's entries to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
