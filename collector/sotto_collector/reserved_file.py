"""A file that has its room on the disk before something is done that cannot be done twice."""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from sotto_collector.durable_files import sync_folder

PADDING = b"\n"
"""What stands for what is to come: JSON and CSV pass over empty lines, should a kill leave them."""
CHUNK_BYTES = 2**20


class ReservedFile:
    """A new file, its owner's alone, of `n_bytes` from the start. Leave the `with` to keep what was appended.

    Where that is nothing, no file is left. Raises OSError where it is none that can be made, or there is no room.
    """

    def __init__(self, path: Path, n_bytes: int) -> None:
        self.path = path
        self._n_held = 0
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            for start in range(0, n_bytes, CHUNK_BYTES):
                self._write(PADDING * min(CHUNK_BYTES, n_bytes - start))
            os.fsync(self._descriptor)
            sync_folder(path.absolute().parent)
        except BaseException:
            self._discard()
            raise

    def append(self, content: bytes) -> None:
        """Write all of it in the reserved room, on the disk at once, or nothing of it. Raises OSError."""
        os.lseek(self._descriptor, self._n_held, os.SEEK_SET)
        self._write(content)
        os.fsync(self._descriptor)
        self._n_held += len(content)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if not self._n_held:
            self._discard()
            return
        os.ftruncate(self._descriptor, self._n_held)
        os.close(self._descriptor)

    def _write(self, content: bytes) -> None:
        while content:
            content = content[os.write(self._descriptor, content) :]

    def _discard(self) -> None:
        os.close(self._descriptor)
        self.path.unlink(missing_ok=True)
