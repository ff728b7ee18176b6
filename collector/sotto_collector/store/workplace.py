"""Places that one command holds while it works: a folder for a copy on its way to a server, a file being made."""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sotto_collector.errors import StoreError

N_TRIES = 5  # another restore may take a new folder for one that was left, in the moment before it is held


@contextmanager
def private_folder() -> Iterator[Path]:
    """Yield an empty folder in TMPDIR that is this user's and this restore's alone; it is removed at the end.

    What restores of this user that were killed have left there is removed first; those at work go on. Raises
    StoreError.
    """
    place, name = Path(tempfile.gettempdir()), f"sotto-restore-{os.geteuid()}"
    try:
        for left in (*place.glob(f"{name}-*.unfinished"), place / f"{name}.unfinished"):  # the latter until schema 0009
            _remove_if_left(left)
        folder, held = _make_held(place, f"{name}-")
    except OSError as fault:
        raise StoreError(f"TMPDIR ({place}) must be a folder to write and lock in: {fault.strerror}.") from fault
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
        os.close(held)


def _make_held(place: Path, prefix: str) -> tuple[Path, int]:
    """Return a new folder and the descriptor that holds it. Raises OSError."""
    for is_last in (*[False] * (N_TRIES - 1), True):
        folder = Path(tempfile.mkdtemp(prefix=prefix, suffix=".unfinished", dir=place))
        try:
            return folder, _hold(folder)
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
            if is_last:
                raise
    raise AssertionError("a try returns or raises")


def _remove_if_left(folder: Path) -> None:
    """Remove a folder, unless it is held, or not this user's alone."""
    try:
        held = _hold(folder)
    except OSError:
        return
    try:
        shutil.rmtree(folder)
    finally:
        os.close(held)


def _hold(folder: Path) -> int:
    """Return a descriptor that holds a folder. Raises OSError where another does, or it is not this user's alone."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status = os.fstat(held)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
            raise PermissionError(f"{folder} is another's, or open")
        _lock(held, folder)
    except OSError:
        os.close(held)
        raise
    return held


def _lock(held: int, path: Path) -> None:
    """Lock what is at a path, by its descriptor. Raises OSError where another has locked it, or removed it since."""
    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if not os.path.samestat(os.fstat(held), path.lstat()):
        raise FileNotFoundError(f"{path} was removed")


@contextmanager
def alone_at(path: Path, what: str) -> Iterator[None]:
    """Let nobody else make a file at a path until the block ends.

    Raises StoreError where somebody does so, and OSError where nothing can be made, or locked, there.
    """
    lock = path.with_name(f"{path.name}.unfinished.lock")
    held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        try:
            _lock(held, lock)
        except (BlockingIOError, FileNotFoundError) as fault:
            raise StoreError(f"{what} ({path}) is being made by another command: wait for its end.") from fault
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)
    finally:
        os.close(held)
