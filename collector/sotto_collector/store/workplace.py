"""A private folder for a copy on its way to a server: one of a fixed name, so that none outlives the next restore."""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sotto_collector.errors import StoreError


@contextmanager
def private_folder() -> Iterator[Path]:
    """Yield an empty folder in TMPDIR that is this user's alone, held by this process; it is removed at the end.

    What a process that was killed has left in it is removed first. Raises StoreError.
    """
    folder = Path(tempfile.gettempdir()) / f"sotto-restore-{os.geteuid()}.unfinished"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as fault:
        raise StoreError(f"TMPDIR: {folder} must be a folder that can be made: {fault.strerror}.") from fault
    try:
        _claim(folder, held)
        _empty(folder)
        try:
            yield folder
        finally:
            shutil.rmtree(folder)
    finally:
        os.close(held)


def _claim(folder: Path, held: int) -> None:
    """Raise StoreError unless the open folder is ours alone, and no other process works in it."""
    status = os.fstat(held)
    if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
        raise StoreError(f"TMPDIR: {folder} must be a folder that nobody else can read; it is another's, or open.")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_there = os.path.samestat(status, folder.stat())  # else the one who held it has removed it
    except OSError:
        is_there = False
    if not is_there:
        raise StoreError(f"TMPDIR: another restore works in {folder}; wait for its end, or set TMPDIR.")


def _empty(folder: Path) -> None:
    for left in folder.iterdir():
        left.unlink()
