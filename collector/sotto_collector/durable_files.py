"""Files that are there completely or not at all, even after a power failure."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

TEMPORARY = ".tmp"


def write_durably(path: Path, content: bytes) -> None:
    """Write a file so that it is there completely or not at all, even after a power failure."""
    with written_durably(path) as file:
        file.write(content)


@contextmanager
def written_durably(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written that is there when the block ends, completely, and not at all where it raises."""
    temporary = path.with_name(path.name + TEMPORARY)
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Write a folder's entries to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
