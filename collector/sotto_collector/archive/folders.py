"""Where an archive's files are: a folder of this machine, or a prefix in an S3-compatible store.

Both have a file completely or not at all. What fails raises OSError, with its reason as `strerror`.
"""

import io
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from pyarrow.fs import FileSelector, S3FileSystem

from sotto_collector.durable_files import TEMPORARY, write_durably
from sotto_collector.errors import ArchiveError
from sotto_protocol.archive import MANIFEST
from sotto_protocol.store_address import AddressError, StoreAddress, names_store, read_address, without_secrets

Opened = io.FileIO | io.BytesIO


class Folder(Protocol):
    """Where files are, by name. It can be sent to another process."""

    def place(self, name: str) -> str:
        """Return a file's place, in words."""
        ...

    def anywhere(self) -> "Folder":
        """Return it as other processes find it, wherever they run."""
        ...

    def names(self) -> list[str]:
        """Return the names of all that is there."""
        ...

    def open(self, name: str) -> Opened:
        """Open a file to be read."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Write a file, in place of the one before: it is there completely, or not at all."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Make it where it is not there, and keep other exports out if that can be done. Raises ArchiveError."""
        ...


Given = str | Path | Folder


def folder_of(given: Given) -> Folder:
    """Return the folder that a path names, or the address of a store. Raises ArchiveError."""
    if isinstance(given, Path):
        return LocalFolder(given)
    if not isinstance(given, str):
        return given
    if not names_store(given):
        return LocalFolder(Path(given))
    try:
        return StoreFolder(read_address(given))
    except AddressError as fault:
        raise ArchiveError(str(fault)) from None


@dataclass(frozen=True)
class LocalFolder:
    """A folder of this machine, or of one that it shares."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    def place(self, name: str) -> str:
        return str(self.path / name)

    def anywhere(self) -> "LocalFolder":
        return LocalFolder(self.path.resolve())

    def names(self) -> list[str]:
        return [found.name for found in self.path.iterdir()]

    def open(self, name: str) -> Opened:
        return (self.path / name).open("rb", buffering=0)

    def write(self, name: str, content: bytes) -> None:
        write_durably(self.path / name, content)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """The lock ends with the process. What an export left that was killed is removed."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
            for left in self.path.glob(f"*{TEMPORARY}"):
                if left.name.startswith(("part-", MANIFEST)):
                    left.unlink()
            yield
        except BlockingIOError as fault:
            raise ArchiveError(f"{self.path} is being written by another export.") from fault
        finally:
            os.close(descriptor)


@dataclass(frozen=True)
class StoreFolder:
    """A prefix in a bucket. The store shows an object only once all of it was sent.

    Nothing locks a prefix. Of two exports at once the last object of a name stays, and its digest is in one of their
    manifests alone. To count with the other one is an error that says so; then export again.
    """

    address: StoreAddress

    def __str__(self) -> str:
        return str(self.address)

    def place(self, name: str) -> str:
        return f"{self.address}/{name}"

    def anywhere(self) -> "StoreFolder":
        return self

    def names(self) -> list[str]:
        with _in_words():
            selected = FileSelector(self.address.path(), allow_not_found=True)
            return [found.base_name for found in _connect(self.address.options).get_file_info(selected)]

    def open(self, name: str) -> Opened:
        with _in_words(), _connect(self.address.options).open_input_file(self.address.path(name)) as source:
            return io.BytesIO(source.read())

    def write(self, name: str, content: bytes) -> None:
        with _in_words():
            stream = _connect(self.address.options).open_output_stream(self.address.path(name))
            stream.write(content)
            stream.close()  # not by `with`, which would end an object whose writing failed

    @contextmanager
    def writing(self) -> Iterator[None]:
        yield


@lru_cache(maxsize=4)
def _connect(options: tuple[tuple[str, str], ...]) -> S3FileSystem:
    """Return a store's client, of this process. Its credentials are those of the environment."""
    return S3FileSystem(**dict(options))


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise without_secrets(fault) from None
